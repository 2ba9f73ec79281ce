"""The plan: a configuration with its catalogues, studies and planned cells, for the rules.

The main process of the workflow writes results/cells.parquet if the plan changed. Each line is a
cell and a source of its numbers. The job of a run needs only the run's path and the parameters of
its rule. The job of a target reads the target's lines and depends on their digest.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from snakemake.utils import update_config

from coassoc.bench.datasets.prepare import check_local
from coassoc.bench.datasets.sources import mirror_directory
from coassoc.bench.storage.configuration import load_yaml, validate
from coassoc.bench.storage.records import hash_of
from coassoc.errors import ConfigError, check_known
from reproduction import PROJECT
from reproduction.study import archive, checks, compiler, studies
from reproduction.study.captions import caption_of
from reproduction.study.catalogues import Catalogues, either, load_catalogues
from reproduction.study.cells_file import CELLS, Given, PlannedLines, as_stored, digest_of
from reproduction.study.configuration import Configuration
from reproduction.study.kinds import MEASURED
from reproduction.study.paths import RANKING, Source, dataset_file, name_of
from reproduction.study.words import Target

_PAGES = tuple(f"results/tables/{{target}}.{suffix}" for suffix in ("csv", "md", "html"))
_PICTURES = tuple(f"figures/{{target}}.{suffix}" for suffix in ("pdf", "png"))
#: Files of a target, for each section.
_FILES = {"tables": _PAGES, "figures": _PICTURES, "analyses": _PAGES}


class Plan:
    """A configuration with its catalogues, studies and planned lines.

    Parameters
    ----------
    config : mapping
        The configuration that Snakemake merged. Missing keys have their default values.
    project : Path
        The folder of the workflow, with ``config``.

    Raises
    ------
    ConfigError
        For a mistake in the configuration or in a file that it names.
    """

    def __init__(self, config: Mapping[str, Any], project: Path = PROJECT) -> None:
        settings = load_yaml(project / "config" / "config.yaml")
        default = settings["targets"]
        update_config(settings, config)
        self.project, self._configuration = project, hash_of(settings)
        self.config = studies.with_papers(validate(settings, Configuration, "config"), default)
        #: Whether this is the main process, which plans; other processes only look up.
        self._is_main = False

    @cached_property
    def catalogues(self) -> Catalogues:
        """Methods, data sets, pools and published numbers."""
        return load_catalogues(self.project / "config", vars(self.config))

    @cached_property
    def studies(self) -> dict[str, ModuleType]:
        """The studies by their names, including the user's studies."""
        return studies.load_studies(self.config.studies)

    @cached_property
    def targets(self) -> dict[str, Target]:
        """The targets of all studies by their paths, such as "eccms/table4"."""
        return {k: x for y in self.studies.values() for k, x in studies.targets_of(y).items()}

    @cached_property
    def present(self) -> archive.Present:
        """Current inputs of results."""
        timing, selection = self.config.timing, self.config.selection
        options = {"timing": timing, "scaling": timing, "selection": selection}
        given = {k: x.model_dump(mode="json") for k, x in options.items() if x}
        fitted = {x.kind: x.options["methods"] for x in self.targets.values() if x.kind == "choice"}
        return archive.Present(self.catalogues, self.config.seed, given, fitted)

    # -- written by the main process --------------------------------------------------------------

    def write(self, unlocking: bool = False) -> None:
        """Check everything, and write the lines if they changed.

        If Snakemake only removes its locks, nothing is written, or checked if there are lines.
        """
        self._is_main, self._unlocking = True, unlocking
        if unlocking and not self._stored.lines.empty:
            return
        mirror_directory({"mirror": self.config.mirror})
        named = [*self.studies, *map(name_of, self.targets), *self.targets]
        check_known("config: targets", "target", self.config.targets or (), named)
        own = {key: self._own_entries(key) for key in ("datasets", "pools")}
        checks.check_entries(self.catalogues, **own)
        columns = {path: self.columns(path).values() for path in self.targets}
        checks.check_targets(self.targets, columns, self.catalogues)
        own_studies = {*map(studies.name_of_file, self.config.studies)}
        paths = [x for x in self.targets if x in self.wanted or x.split("/")[0] in own_studies]
        lines = self._lines(self.cells(paths))
        if lines.empty:
            raise ConfigError(
                "config: the edits remove all cells of the targets. Keep at least one cell."
            )
        self._store(lines)

    def _store(self, lines: pd.DataFrame) -> None:
        if self._unlocking:
            self._stored = PlannedLines(lines)
        else:
            self._stored = self._stored.replaced(lines, self._configuration)

    def add(self, path: str) -> None:
        """Plan a target that the configuration does not request, unless it is already planned.

        Jobs add nothing, because the main process has planned their targets.
        """
        if self._is_main and path not in self.wanted and path not in self.planned.of_targets:
            # An entry of the edits may select cells of other targets only.
            lines = self._lines(self.cells([path], edited_with=self.targets))
            both = pd.concat([self.planned.lines, lines])
            self._store(both)

    def cells(self, paths: Iterable[str], edited_with: Iterable[str] = ()) -> pd.DataFrame:
        """The cells of some targets, as the configuration edits them together with others."""
        entries, methods, shown = self.catalogues.datasets, self.catalogues.methods, {*paths}
        cells = compiler.cells_of(
            {path: x for path, x in self.targets.items() if path in {*shown, *edited_with}}, methods
        )
        n = {name: entry.n or 0 for name, entry in entries.items()}
        cells["n"] = cells["dataset"].map(n).fillna(0)
        names = {"target": [*self.targets], "dataset": [*entries], "method": ["", *methods]}
        checks.check_names(cells, self.catalogues)  # edits may remove the cells with a mistake
        cells = compiler.edited(cells, self.config.edits or [], names)
        cells = cells[cells["target"].isin(shown)].reset_index(drop=True)
        if most := self.config.longest_run:
            minutes = archive.minutes_of_runs(self.project / archive.KEPT)
            cells = compiler.without_long_runs(cells, methods, minutes, most)
        checks.check_cells(cells, self.catalogues)
        checks.check_references(self.targets, cells)
        return cells.assign(n=cells["dataset"].map(n))

    def _lines(self, cells: pd.DataFrame) -> pd.DataFrame:
        catalogues = self.catalogues
        lines = compiler.lines_of(cells, catalogues.methods)
        for name in {*self._own_entries("datasets")}.intersection(lines["dataset"]):
            if catalogues.datasets[name].is_local:
                check_local(catalogues.datasets[name], self.project)
        scored = lines["reads"].eq("scores") & lines["source"].ne("")
        made_by = {x: self.present.made_by(x) for x in lines["source"][scored].unique()}
        lines["made_by"] = lines["source"].where(scored).map(made_by).astype(object).fillna("")
        kept = self.config.kept
        lines["archive"] = archive.archives_of(self.project / kept, lines) if kept else ""
        lines["batch"] = compiler.batches_of(lines, catalogues.methods)
        return as_stored(lines)

    def _own_entries(self, key: str) -> list[str]:
        """Names of the entries in a user's catalogues of data sets or pools."""
        return sorted({name for path in getattr(self.config, key) for name in load_yaml(path)})

    @cached_property
    def _stored(self) -> PlannedLines:
        """The content of results/cells.parquet, from any configuration."""
        return PlannedLines.read()

    @property
    def planned(self) -> PlannedLines:
        """The content of results/cells.parquet.

        Raises
        ------
        ConfigError
            In a job, if the lines come from a different configuration.
        """
        known = self._stored.lines.attrs.get("configuration")
        if not self._is_main and known != self._configuration:
            raise ConfigError(
                f"{CELLS}: another Snakemake run has planned a different configuration in this "
                "folder since this run began. Set the key 'prefix' in one of the two "
                "configurations and start again."
            )
        return self._stored

    # -- targets ----------------------------------------------------------------------------------

    @cached_property
    def wanted(self) -> set[str]:
        """Paths of the targets to build if none is named: the key ``targets``, or all targets."""
        named = self.config.targets
        return {
            path
            for path in self.targets
            if path != RANKING
            and (named is None or {path.split("/")[0], name_of(path), path} & {*named})
        }

    def paths(self, wanted: bool = False, **properties: Any) -> list[str]:
        """Paths of the planned targets that have cells, in the order of the studies.

        Properties are section, kind and reads, each with a value or a list of values.
        """
        return [
            path
            for path, target in self.targets.items()
            if path in self.planned.of_targets
            and (not wanted or path in self.wanted)
            and _has(target, properties)
        ]

    def pattern(self, **properties: Any) -> str:
        """Pattern of targets with these properties, for a wildcard."""
        return either(path for path, target in self.targets.items() if _has(target, properties))

    def of(self, path: str) -> pd.DataFrame:
        """Lines of a target. If the configuration removes all of them, a ConfigError is raised."""
        if path not in self.planned.of_targets:
            raise ConfigError(
                f"config: the edits remove all cells of {name_of(path)}. Keep at least one cell."
            )
        return self.planned.of_targets[path]

    def title(self, path: str) -> str:
        """The title of a target."""
        named = ", ".join(dict.fromkeys(self.of(path)["dataset"]))
        return self.targets[path].title.replace("{datasets}", named)

    def spec(self, path: str) -> Given:
        """What the job of a target needs, besides its lines and the files that its rule names.

        The target's options, with target (its path), kind, title, caption, metrics, cells (the
        digest of its lines), published (the published numbers of a table, or of the tables with
        which a protocol is compared) and other values that depend on its cells.
        """
        target, lines = self.targets[path], self.of(path)
        paper, _, table = path.partition("/")
        tables = target.options.get("compared_with", [table])
        numbers = self.catalogues.published
        spec = Given(
            {"target": path, "kind": target.kind, **target.options},
            title=self.title(path),
            cells=self.digest(path),
            caption=caption_of(target, lines, self.catalogues.pools),
            metrics=self.columns(path),
            published=[x for x in numbers if x["paper"] == paper and x["table"] in tables],
        )
        if target.reads in MEASURED:
            spec["measured"] = self.measured(path)
        if target.options.get("mean") and lines["instead"].any():
            spec["mean"] = [*lines["dataset"].unique()]
        return spec

    def columns(self, path: str) -> dict[str, str]:
        """The metrics of a target, with their columns in the files of scores."""
        options = self.targets[path].options
        names = options.get("metrics") or [options.get("metric", "")]
        columns = getattr(self.studies[path.split("/")[0]], "METRICS", {})
        return {name: columns.get(name, name) for name in names if name}

    def digest(self, path: str) -> str:
        """Hash of the lines of a target."""
        return digest_of(self.of(path))

    @cached_property
    def unedited(self) -> dict[str, list[dict[str, Any]]]:
        """The cells of each target, without edits."""
        return {path: target.cells() for path, target in self.targets.items()}

    # -- files ------------------------------------------------------------------------------------

    def files_of(self, *paths: str) -> list[str]:
        """The files that targets produce."""
        return [
            pattern.format(target=path)
            for path in paths
            for pattern in _FILES[self.targets[path].section]
        ]

    def numbers_of(self, path: str) -> str:
        """The CSV file of a target's numbers."""
        return str(Path(self.files_of(path)[0]).with_suffix(".csv"))

    def wanted_files(self) -> list[str]:
        """The files to build if no target is named."""
        cards = [f"results/{card}.csv" for card in self.cards(wanted=True)]
        return [*self.files_of(*self.paths(wanted=True)), *cards]

    def cards(self, wanted: bool = False) -> list[str]:
        """Names of the scorecards of all studies, or of those with requested published numbers."""
        names = [*self.studies]
        if wanted:
            asked = {path.split("/")[0] for path in self.paths(wanted=True)}
            names = [x["paper"] for x in self.catalogues.published if x["paper"] in asked]
        return list(dict.fromkeys(studies.scorecard_of(self.studies[name]) for name in names))

    def targets_by_name(self) -> dict[str, list[str]]:
        """Targets by the names that Snakemake accepts: of targets, studies and groups."""
        targets = [path for path in self.targets if path != RANKING]
        removed = self.wanted - self.planned.of_targets.keys()
        named = {name_of(path): [path] for path in targets}
        for name in self.studies.keys() - {RANKING}:
            own = [path for path in targets if path.split("/")[0] == name]
            # If no target has cells left, the first of them raises the error.
            named[name] = [path for path in own if path not in removed] or own
        requested = {path: self.targets[path] for path in self.paths(wanted=True)}
        groups = {k: (x.section, x.kind, x.options.get("group")) for k, x in requested.items()}
        of = {name: [k for k, own in groups.items() if name in own] for name in studies.GROUPS}
        return named | of

    def files_by_name(self) -> dict[str, list[str]]:
        """Files by the names that Snakemake accepts: of targets, studies, groups and cards."""
        cards = {card: [f"results/{card}.csv"] for card in [*self.cards(), "claims"]}
        return {k: self.files_of(*paths) for k, paths in self.targets_by_name().items()} | cards

    def inputs(self, path: str, kind: str) -> list[str]:
        """Input files of a target of one kind, such as "run" or "archive", each once."""
        lines = self.of(path)
        lines = lines[lines["not_run"].eq("")]
        made = lines[lines["archive"].eq("")]
        if kind == "archive":
            files = lines["archive"]
        elif kind == "run":
            files = made["run_file"].mask(made["batch"].ne(""), made["batch"])
        elif kind == "features" and self.targets[path].reads == "scores":
            seen = made["dataset"][made["dataset"].isin(self.catalogues.unlabelled)]
            files = seen.map(dataset_file)
        else:
            files = made[f"{kind}_file"]
        return [file for file in dict.fromkeys(files) if file]

    def made_of(self, path: str) -> dict[str, Any]:
        """Input files of a target, by kind."""
        target = self.targets[path]
        if target.reads == "scores":
            # Archived lines need their pools as well.
            pools = sorted({*self.of(path)["pool_file"]} - {""})
            further = {"pools": pools} if target.kind == "base_quality" else {}
            return {"scores": f"results/scores/{path}.parquet", **further}
        if target.reads in MEASURED:
            files = self.measured(path)
            made = [file for file, kept in files.items() if not kept]
            return {"measured": made, "archives": sorted({*files.values()} - {""})}
        kinds = {"pools": ["pool"], "runs": ["run"], "fits": ["pool", "features"]}[target.reads]
        return {f"{kind.rstrip('s')}s": self.inputs(path, kind) for kind in kinds}

    def measured(self, path: str) -> dict[str, str]:
        """The files of measurements behind a target, each with its archive, or with ""."""
        files = [file for file in self.of(path)["measured_file"].unique() if file]
        archives = {}
        if kept := self.config.kept:
            archives = archive.kept_measurements(self.project / kept, self.present, files)
        return {file: archives.get(file, "") for file in files}

    def classes(self, path: str) -> dict[str, int | None]:
        """Configured numbers of classes of the data sets of a target."""
        datasets = self.catalogues.datasets
        return {name: datasets[name].classes for name in self.of(path)["dataset"].unique()}

    def fits(self, path: str) -> list[Source]:
        """The runs whose first repeats the job of a target fits."""
        lines = self.of(path)
        fitted = lines["source"][lines["reads"].eq("fits") & lines["source"].ne("")]
        return list(map(Source.parse, fitted.unique()))


def _has(target: Target, properties: Mapping[str, Any]) -> bool:
    return all(getattr(target, key) in np.atleast_1d(x) for key, x in properties.items())
