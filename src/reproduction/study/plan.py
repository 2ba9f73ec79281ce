"""The plan: the studies as a configuration edits them, in the file results/cells.parquet.

The main process of the workflow writes the file if the plan changed. Each line is a cell and a
source of its numbers. The job of a run needs only the run's path and the parameters of its rule.
The job of a target reads the target's lines and depends on their digest.
"""

import importlib.util
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from snakemake.utils import update_config

from coassoc.atomic import write_bytes
from coassoc.bench.fits import Task
from coassoc.bench.limits import STOPPED, Limits
from coassoc.datasets.prepare import check_local
from coassoc.datasets.registry import DatasetEntry
from coassoc.errors import ConfigError, DataError, check_known
from coassoc.methods.registry import Method
from coassoc.pools.settings import PoolSettings
from coassoc.storage.configuration import load_yaml, validate
from coassoc.storage.hdf5 import read_run
from coassoc.storage.records import Outcome, hash_of
from reproduction import PROJECT
from reproduction.scores.files import read_statuses
from reproduction.study import acmk, arena, audit, choice, eccms, gtlec, hclce, lta, rce, survey
from reproduction.study import ranking as ranked
from reproduction.study.batches import batches_of, remove_incomplete
from reproduction.study.captions import caption_of
from reproduction.study.catalogues import Catalogues, load_catalogues
from reproduction.study.cells import table_of, targets_of, with_runs, without_long_runs
from reproduction.study.check import check_cells, check_targets
from reproduction.study.configuration import Configuration
from reproduction.study.edits import edited
from reproduction.study.kept import KEPT, Present, kept_measurements, kept_runs, minutes_of_runs
from reproduction.study.kinds import KINDS, MADE_FROM, MEASURED
from reproduction.study.paths import (
    BATCH,
    CLOUDS,
    RANKING,
    Source,
    below_prefix,
    dataset_file,
    name_of,
    stored_pool,
)
from reproduction.study.revisions import RACES, code_of_pools
from reproduction.study.stored import CELLS, Given, digest_of
from reproduction.study.words import Target

STUDIES = (acmk, arena, audit, choice, eccms, gtlec, hclce, lta, rce, survey, ranked)
#: Lock files of Snakemake, which exist while a Snakemake process runs.
_LOCKS = Path(".snakemake/locks")
_PAGES = tuple(f"results/tables/{{target}}.{suffix}" for suffix in ("csv", "md", "html"))
_PICTURES = tuple(f"figures/{{target}}.{suffix}" for suffix in ("pdf", "png"))
#: Files of a target, for each section.
_FILES = {"tables": _PAGES, "figures": _PICTURES, "analyses": (*_PAGES, *_PICTURES)}
#: Names of groups of targets: sections, kinds, and values of the option "group".
GROUPS = (*KINDS, "protocol", "sensitivity", "ensemble_size", "ablations", "runtime")
#: Columns whose values are stored as JSON.
_AS_JSON = ("x", "point", "columns")
#: Columns that are not stored, because the names of runs have their values.
_IN_NAMES = ["fixed", "grid", "part", "race", "repeats"]


class Plan:
    """A configuration with its catalogues, studies and cells, for rules and scripts.

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
        update_config(settings, config)
        self._settings, self.project = settings, project
        self.config: Configuration = validate(settings, Configuration, "config")
        #: Whether a target without a plan is planned when it is first requested.
        self._is_main = False
        #: Points of grids. Thousands of jobs keep theirs in memory, and most have the same.
        self._points: dict[tuple[str, str], list[dict[str, Any]]] = {}

    @cached_property
    def catalogues(self) -> Catalogues:
        """Methods, data sets, pools and published numbers."""
        return load_catalogues(self.project / "config", self._settings)

    @cached_property
    def studies(self) -> dict[str, ModuleType]:
        """The studies by their names, including the user's studies."""
        studies = {name_of_study(study): study for study in STUDIES}
        for path in map(Path, self.config.studies):
            if path.stem in studies:
                raise ConfigError(
                    f"{path}: the study {path.stem!r} already exists. Rename the file."
                )
            studies[path.stem] = load_study(path)
        return studies

    @cached_property
    def targets(self) -> dict[str, Target]:
        """The targets of all studies by their paths, such as "eccms/table4"."""
        return {k: x for study in self.studies.values() for k, x in targets_of(study).items()}

    # -- written by the main process --------------------------------------------------------------

    def write(self, unlocking: bool = False) -> None:
        """Check everything, and write the cells if they changed.

        If Snakemake only removes its locks, nothing is checked or written.
        """
        self._is_main = True
        if unlocking and CELLS.is_file():
            return
        named = [*self.studies, *map(name_of, self.targets)]
        check_known("config", "targets", self.config.targets or (), named)
        check_targets(self)
        names = {path.stem for path in map(Path, self.config.studies)}
        requested = [x for x in self.targets if x in self.wanted or x.split("/")[0] in names]
        lines = self._planned(requested)
        if not len(lines):
            raise ConfigError(
                "config: the edits remove all cells of the targets. Keep at least one cell."
            )
        limits = self._raised_limits(lines)
        lines.attrs = {"configuration": self._configuration, "raised_limits": limits}
        remove_incomplete(lines)
        stored = self._stored
        if not (stored.equals(lines) and stored.attrs == lines.attrs):
            self._store(lines)

    def _store(self, lines: pd.DataFrame) -> None:
        if CELLS.is_file() and any(_LOCKS.glob("*")):
            raise ConfigError(
                f"{CELLS}: another Snakemake run in this folder has a different configuration. "
                "Wait until it ends, or set the key 'prefix' in this configuration. If the other "
                "run was killed, run snakemake --unlock."
            )
        write_bytes(CELLS, lines.to_parquet(index=False))
        for name in ("_stored", "_by_target", "_batches"):
            self.__dict__.pop(name, None)

    @cached_property
    def _configuration(self) -> str:
        """Hash of the configuration."""
        return hash_of(self._settings)

    def planned_cells(self, paths: Iterable[str]) -> pd.DataFrame:
        """The cells of some targets, as the configuration edits them."""
        catalogues = self.catalogues
        cells = table_of({path: self.targets[path] for path in paths}, catalogues.methods)
        n = {name: entry.n or 0 for name, entry in catalogues.datasets.items()}
        cells = cells.assign(n=cells["dataset"].map(n).fillna(0))
        names_of = {"target": [*self.targets], "dataset": [*n], "method": ["", *catalogues.methods]}
        cells = edited(cells, self.config.edits or [], names_of)
        if most := self.config.longest_run:
            minutes_of = minutes_of_runs(self.project / KEPT)
            cells = without_long_runs(cells, catalogues.methods, minutes_of, most)
        check_cells(cells, catalogues)
        return cells.assign(n=cells["dataset"].map(n))

    def _planned(self, paths: Iterable[str]) -> pd.DataFrame:
        """The lines of some targets in results/cells.parquet."""
        cells = self.planned_cells(paths).reset_index(drop=True)
        lines = with_runs(cells.assign(cell=np.arange(len(cells))), self.catalogues.methods)
        # A test checks the pools of the project, because loading the clusterers takes a second.
        self.catalogues.check_clusterers(sorted(self._names_in_config(self.config.pools)))
        for name in sorted(self._names_in_config(self.config.datasets) & {*lines["dataset"]}):
            if self.catalogues.datasets[name].is_local:
                check_local(self.catalogues.datasets[name], self.project)
        scored = lines["made_from"].eq("scores") & lines["source"].ne("")
        made_by = {x: self.present.made_by(x) for x in lines["source"][scored].unique()}
        lines = lines.assign(made_by=lines["source"].where(scored).map(made_by).fillna(""))
        lines = lines.assign(kept=self._kept(lines))
        published = {x for x, pool in self.catalogues.pools.items() if pool.kind == "results"}
        lines = lines.assign(batch=batches_of(lines, self.catalogues.methods, published))
        lines = lines.drop(columns=_IN_NAMES)
        text = {k: _as_json(lines[k]) for k in _AS_JSON}
        typed = {"m": int, "n": int, "instead": bool}
        texts = {k: "str" for k in lines if k not in (*typed, "cell")}
        return lines.assign(**text).astype({**typed, **texts})

    def _names_in_config(self, catalogues: Iterable[str]) -> set[str]:
        """Names of the entries in a user's catalogues."""
        return {name for path in catalogues for name in load_yaml(path)}

    def _kept(self, lines: pd.DataFrame) -> pd.Series:
        """The file with the archived lines of each source; empty if the source must be computed."""
        files = pd.Series(None, lines.index, dtype=object)
        scored = lines["made_by"].ne("")
        parts = {False: scored, True: scored & lines["target"].eq(RANKING)}
        for ranking, part in parts.items() if self.config.kept else ():
            made_by = lines[part].set_index("source")["made_by"].to_dict()
            archived = kept_runs(self.project / str(self.config.kept), made_by, ranking)
            files = files.fillna(lines["source"][part].map(archived))
        return files.fillna("")

    @cached_property
    def present(self) -> Present:
        """Current inputs of results."""
        timing, selection = self.config.timing, self.config.selection
        options = {"timing": timing, "scaling": timing, "selection": selection}
        given = {k: x.model_dump(mode="json") for k, x in options.items() if x}
        return Present(self.catalogues, self.config.seed, given)

    def _raised_limits(self, lines: pd.DataFrame) -> dict[str, Any]:
        """Limits for the runs to repeat because an earlier limit stopped some of their fits.

        The limits are among the inputs of such a run, so they stay recorded after the run is
        repeated. The scores tell which runs have such fits, and the runs' files tell their limits.
        """
        given = self.config.model_dump(include={"limits"})
        limits, raised = Limits.from_config(given), self.limits
        files = dict(zip(lines["source"], lines["run_file"], strict=True))
        scores = read_statuses(lines["target"].unique())
        stopped = [text for text in scores["status"].unique() if Outcome.of(text) in STOPPED]
        for text in {*scores["source"][scores["status"].isin(stopped)]} & {*files}:
            with suppress(DataError):  # a damaged file is reported when it is scored
                run = read_run(below_prefix(files[text]), Source.parse(text).method)
                if not limits.decide_run(run):
                    raised[text] = given
        return raised

    @property
    def limits(self) -> dict[str, Any]:
        """Runs with fits that a limit stopped, and the raised limits that these runs depend on."""
        return dict(self._stored.attrs.get("raised_limits", {}))

    # -- targets ----------------------------------------------------------------------------------

    @cached_property
    def _stored(self) -> pd.DataFrame:
        """The content of results/cells.parquet, from any configuration."""
        return pd.read_parquet(CELLS) if CELLS.is_file() else pd.DataFrame(columns=["target"])

    @property
    def lines(self) -> pd.DataFrame:
        """The lines of results/cells.parquet.

        Raises
        ------
        ConfigError
            In a job, if the lines come from a different configuration.
        """
        if not self._is_main and self._stored.attrs.get("configuration") != self._configuration:
            raise ConfigError(
                f"{CELLS}: another Snakemake run has planned a different configuration in this "
                "folder since this run began. Set the key 'prefix' in one of the two "
                "configurations and start again."
            )
        return self._stored

    @cached_property
    def _by_target(self) -> dict[str, slice]:
        """Positions of the lines of each target, which are contiguous, so none is copied."""
        lines = self.lines
        shown = lines["not_run"].eq("") | lines["kind"].isin(KINDS["tables"])
        left = {*lines["target"][shown]}
        indices = lines.groupby("target", sort=False).indices
        return {path: slice(x[0], x[-1] + 1) for path, x in indices.items() if path in left}

    @cached_property
    def wanted(self) -> set[str]:
        """Paths of the targets to build if none is named: the key ``targets``, or all targets."""
        named = self.config.targets
        return {
            path
            for path in self.targets
            if path != RANKING and (named is None or {path.split("/")[0], name_of(path)} & {*named})
        }

    def paths(self, wanted: bool = False, **properties: Any) -> list[str]:
        """Paths of the planned targets that have cells, in the order of the studies.

        Properties are section, kind and made_from, each with a value or a list of values.
        """
        return [
            path
            for path in self.targets
            if path in self._by_target
            and (not wanted or path in self.wanted)
            and self._has(path, properties)
        ]

    def _has(self, path: str, properties: Mapping[str, Any]) -> bool:
        kind = self.targets[path].kind
        facts = {"kind": kind, "section": section_of(kind), "made_from": MADE_FROM[kind]}
        return all(
            facts[key] in (x if isinstance(x, list) else [x]) for key, x in properties.items()
        )

    def pattern(self, **properties: Any) -> str:
        """Pattern of targets with these properties, for a wildcard."""
        return _either(path for path in self.targets if self._has(path, properties))

    def of(self, path: str) -> pd.DataFrame:
        """Lines of a target. If the configuration removes all of them, a ConfigError is raised."""
        if path not in self._by_target and path in {*self.targets} - self.wanted and self._is_main:
            self._add(path)
        if path not in self._by_target:
            raise ConfigError(
                f"config: the edits remove all cells of {name_of(path)}. Keep at least one cell."
            )
        return self.lines.iloc[self._by_target[path]]

    def _add(self, path: str) -> None:
        """Plan a target that is built only if it is named."""
        added = self._planned([path])
        remove_incomplete(added)
        lines = pd.concat([self.lines, added])
        lines.attrs = self.lines.attrs
        self._store(lines)

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
        spec = Given({"target": path, "kind": target.kind, **target.options})
        spec |= {"title": self.title(path), "cells": digest_of(lines)}
        spec["caption"] = caption_of(target, lines, self.catalogues.pools)
        spec["metrics"] = self.columns(path)
        paper, _, table = path.partition("/")
        tables = target.options.get("compared_with", [table])
        numbers = self.catalogues.published
        spec["published"] = [x for x in numbers if x["paper"] == paper and x["table"] in tables]
        if MADE_FROM[target.kind] in MEASURED:
            spec["measured"] = self.measured(path)
        if fits := self.fits(path):
            spec["fits"] = self.records(fits)
        if target.kind == RANKING:
            spec |= self._ranked(lines)
        if target.kind == "ensemble_size":
            own_names = getattr(self.studies[path.split("/")[0]], "OWN", [])
            spec["own"] = [row.label for row in own_names]
        if target.options.get("mean") and lines["instead"].any():
            spec["mean"] = [*lines["dataset"].unique()]
        return spec

    def columns(self, path: str) -> dict[str, str]:
        """The metrics of a target, with their columns in the files of scores."""
        options = self.targets[path].options
        names = options.get("metrics") or [options.get("metric", "")]
        columns = getattr(self.studies[path.split("/")[0]], "METRICS", {})
        return {name: columns.get(name, name) for name in names if name}

    def _ranked(self, lines: pd.DataFrame) -> dict[str, Any]:
        """Facts about data sets and rows that the ranking shows."""
        names, rows = lines["dataset"].unique(), lines.drop_duplicates("label")
        entries = {name: self.catalogues.datasets[name] for name in names}
        with_batteries = any(entry.battery for entry in entries.values())
        methods = self.catalogues.methods
        return {
            "datasets": {name: _facts(x, with_batteries) for name, x in entries.items()},
            "rows": {
                label: {
                    "title": methods[method].title,
                    "tuned": tune != "",
                    "reads_order": methods[method].depends_on_sample_order,
                }
                for label, method, tune in rows[["label", "method", "tune"]].itertuples(index=False)
            },
        }

    # -- studies without the edits of a configuration ------------------------------------------

    @cached_property
    def unedited(self) -> dict[str, list[dict[str, Any]]]:
        """The cells of each target, without edits."""
        return {path: target.cells() for path, target in self.targets.items()}

    def datasets_of_studies(self) -> dict[str, list[str]]:
        """Data sets of each study."""
        by_study: dict[str, set[str]] = {name: set() for name in self.studies}
        for path, cells in self.unedited.items():
            by_study[path.split("/")[0]] |= {cell["dataset"] for cell in cells}
        return {name: sorted(datasets) for name, datasets in by_study.items()}

    def fitted(self, name: str) -> set[str]:
        """Labels of the rows of a study that were chosen by comparison with published numbers.

        Either a protocol compared values of a parameter that the paper does not state, or the study
        declares that the interpretation of the text was chosen in this way.
        """
        study, ways = self.studies[name], set()
        for path, target in targets_of(study).items():
            if target.kind == "protocol":
                runs: dict[str, set[str]] = {}
                for cell in self.unedited[path]:
                    runs.setdefault(cell["label"], set()).add(repr((cell["method"], cell["fixed"])))
                if any(len(several) > 1 for several in runs.values()):
                    ways |= set(runs)
        same = {label for label, other in getattr(study, "SAME_AS", {}).items() if other in ways}
        return ways | same | {x.label for x in getattr(study, "FITTED", [])}

    # -- files ------------------------------------------------------------------------------------

    def files_of(self, *paths: str) -> list[str]:
        """The files that targets produce."""
        return [
            pattern.format(target=path)
            for path in paths
            for pattern in _FILES[section_of(self.targets[path].kind)]
        ]

    def numbers_of(self, path: str) -> str:
        """The CSV file of a target's numbers."""
        return str(Path(self.files_of(path)[0]).with_suffix(".csv"))

    def wanted_files(self) -> list[str]:
        """The files to build if no target is named."""
        return [*self.files_of(*self.paths(wanted=True)), "results/scorecard.csv"]

    def files_by_name(self, rules: Iterable[str]) -> dict[str, list[str]]:
        """Files by the names that Snakemake accepts: targets, studies, groups and cards.

        A name that is also the name of a rule raises a ConfigError.
        """
        targets = [path for path in self.targets if path != RANKING]
        names = {name_of(path): self.files_of(path) for path in targets}
        removed = self.wanted - {*self._by_target}
        for study in [name for name in self.studies if name != RANKING]:
            if study in names or study in GROUPS:
                raise ConfigError(
                    f"studies: the target {study!r} already exists, so a study cannot have this "
                    "name. Rename the file."
                )
            own = [path for path in targets if path.split("/")[0] == study]
            # If no target has cells left, all targets are kept, and the first of them raises the
            # error.
            names[study] = self.files_of(*([x for x in own if x not in removed] or own))
        for clash in sorted({*names} & {*rules}):
            raise ConfigError(
                f"studies: {clash!r} is the name of a Snakemake rule. Give the study another name."
            )
        cards = {
            f"{card}{part}": [f"results/{card}{part}.csv"]
            for card in [*self.cards, "claims"]
            for part in ("", "_so_far")
        }
        return {**names, **{group: self._of_group(group) for group in GROUPS}, **cards}

    def _of_group(self, group: str) -> list[str]:
        def belongs(target: Target) -> bool:
            return group in (section_of(target.kind), target.kind, target.options.get("group"))

        return self.files_of(*(x for x in self.paths(wanted=True) if belongs(self.targets[x])))

    @property
    def cards(self) -> list[str]:
        """Names of the scorecards, each of which covers some of the studies."""
        return list(dict.fromkeys(map(scorecard_of, self.studies.values())))

    def inputs(self, path: str, kind: str) -> list[str]:
        """Input files of a target of one kind, such as "run" or "kept", each once."""
        lines = self._run_lines(path)
        made = lines[lines["kept"].eq("")]
        if kind == "kept":
            files = lines["kept"]
        elif kind == "run":
            files = made["run_file"].mask(made["batch"].ne(""), made["batch"])
        elif kind == "features" and MADE_FROM[self.targets[path].kind] == "scores":
            seen = made["dataset"][made["dataset"].isin(self.catalogues.unlabelled)]
            files = seen.map(dataset_file)
        else:
            files = made[f"{kind}_file"]
        return [file for file in dict.fromkeys(files) if file]

    def _run_lines(self, path: str) -> pd.DataFrame:
        """The lines of a target without those that are not run."""
        lines = self.of(path)
        return lines[lines["not_run"].eq("")]

    def made_of(self, path: str) -> dict[str, Any]:
        """Input files of a target, by kind."""
        kind = self.targets[path].kind
        match MADE_FROM[kind]:
            case "scores":
                # Archived lines need their pools as well.
                pools = sorted({*self.of(path)["pool_file"]} - {""})
                further = {"pools": pools} if kind == "base_quality" else {}
                return {"scores": f"results/scores/{path}.parquet", **further}
            case "pools":
                return {"pools": self.inputs(path, "pool")}
            case "runs":
                return {"runs": self.inputs(path, "run")}
            case "fits":
                features = {"features": self.inputs(path, "features")}
                return {"pools": self.inputs(path, "pool"), **features}
        measured = self.measured(path)
        made = [file for file, archive in measured.items() if not archive]
        return {"measured": made, "kept": sorted({*measured.values()} - {""})}

    def measured(self, path: str) -> dict[str, str]:
        """The files of measurements behind a target, each with its archive, or with ""."""
        lines = self._run_lines(path)
        lines = lines[lines["measured_file"].ne("")]
        files = list(lines["measured_file"].unique())
        pools = lines.loc[lines["made_from"].eq("null"), "pool"].unique()
        files += [f"results/null/{pool}/{CLOUDS}.csv" for pool in pools]
        kept = self.config.kept
        archives = kept_measurements(self.project / kept, self.present, files) if kept else {}
        return {file: archives.get(file, "") for file in files}

    def script_of(self, path: str) -> str:
        """The script that draws a figure or analysis."""
        kind = self.targets[path].kind
        if kind in ("sensitivity", "surface", "ensemble_size"):
            return "plot_curves"
        return f"{'plot' if section_of(kind) == 'figures' else 'analyse'}_{kind}"

    def digests(self, *paths: str) -> Given:
        """The digest of the lines of each target."""
        return Given({path: digest_of(self.of(path)) for path in paths})

    def classes(self, path: str) -> dict[str, int | None]:
        """Configured numbers of classes of the data sets of a target."""
        return {name: self.dataset(name).classes for name in self.of(path)["dataset"].unique()}

    def fits(self, path: str) -> list[Source]:
        """The runs whose first repeats the job of a target fits."""
        lines = self.of(path)
        fitted = lines["source"][lines["made_from"].eq("fits") & lines["source"].ne("")]
        return list(map(Source.parse, fitted.unique()))

    # -- runs and jobs ----------------------------------------------------------------------------

    def runs(self, w: Any) -> list[Source]:
        """Runs of one job: of a method, of methods that share a refinement, or of a batch."""
        methods = w.method.split("+")
        if w.method.startswith(BATCH):
            methods = [name for names in self.batch(w).values() for name in names]
        return [Source(w.pool, w.dataset, int(w.m), name, w.parameters) for name in methods]

    def batch(self, w: Any) -> dict[str, list[str]]:
        """The files that the job of a batch writes, with the methods in each file."""
        batch = f"results/runs/{w.pool}/{w.dataset}/m{w.m}/{w.method}/{w.parameters}.txt"
        if batch not in self._batches:
            raise ConfigError(
                f"{batch}: the configuration has no such batch. Request a target instead."
            )
        return {file: Path(file).parent.name.split("+") for file in self._batches[batch]}

    @cached_property
    def _batches(self) -> dict[str, list[str]]:
        """The run files of each batch."""
        lines = self.lines[self.lines["batch"].ne("")]
        return {batch: sorted({*files}) for batch, files in lines.groupby("batch")["run_file"]}

    def method(self, name: str) -> Method:
        """A method of the catalogue."""
        check_known("methods", "the run", [name], self.catalogues.methods)
        return self.catalogues.methods[name]

    def features(self, runs: Iterable[Source]) -> list[str]:
        """Files of the data sets whose features the methods of some runs use."""
        seen = (run.dataset for run in runs if self.method(run.method).uses_features)
        return list(map(dataset_file, dict.fromkeys(seen)))

    def task(self, run: Source) -> Task:
        """The fits of a run."""
        method = self.method(run.method)
        points = run.parameter_points(method.parameters)
        return Task(
            method=run.method,
            estimator=method.record(),
            points=self._points.setdefault((run.method, run.block), points),
            pool=run.pool,
            dataset=run.dataset,
            m=run.m or 0,
            n_clusters=self.dataset(run.dataset).classes,
            seed=self.config.seed,
            race=run.race,
            repeats=run.repeats,
            code=self.present.code(run),
        )

    def records(self, runs: Iterable[Source]) -> Given:
        """What the jobs that fit runs again need: the record of the task, and its input files."""
        files = {run: [run.pool_file, *self.features([run])] for run in runs}
        return Given({str(run): (self.task(run).record(), files[run]) for run in files})

    def present_codes(self) -> list[str]:
        """All identities of current code, including those of runs with successive halving."""
        codes = [method.code for method in self.catalogues.methods.values()]
        return [*codes, *(f"{code}, {race}" for code in codes for race in RACES.values())]

    def tasks(self, w: Any) -> list[dict[str, Any]]:
        """Records of the tasks of the runs in one file."""
        return [self.task(run).record() for run in self.runs(w)]

    def raised_limits(self, w: Any) -> list[dict[str, Any]]:
        """Limits above those that stopped fits of a file's runs; usually none."""
        return [self.limits[run] for run in map(str, self.runs(w)) if run in self.limits]

    # -- data sets and pools ----------------------------------------------------------------------

    def dataset(self, name: str) -> DatasetEntry:
        """The data set with this name. An unknown name raises a ConfigError."""
        check_known("config/datasets.yaml", "the target", [name], self.catalogues.datasets)
        return self.catalogues.datasets[name]

    def dataset_files(self, name: str) -> list[str]:
        """Inputs of the preparation of a data set."""
        self.dataset(name)
        return self.catalogues.source_files(name, self.project)

    def dataset_identity(self, name: str) -> str:
        """Hash of the fingerprint of a data set, or of its entry if it has no fingerprint."""
        entry = self.dataset(name)
        return hash_of(entry.fingerprint or entry.model_dump(mode="json"))

    def features_of_dataset(self, name: str) -> list[str]:
        """The file of a data set, if its features are available."""
        return [dataset_file(name)] * self.dataset(name).has_features

    def pool(self, name: str) -> PoolSettings:
        """The settings of a pool (before shuffling). An unknown pool raises a ConfigError."""
        pools = self.catalogues.pools
        check_known("config/pools.yaml", "the target", [stored_pool(name)], pools)
        return pools[stored_pool(name)]

    def pool_identity(self, name: str) -> str:
        """Hash of the code and settings of a pool."""
        pool = self.pool(name)
        return hash_of([code_of_pools(pool.kind), pool.model_dump(mode="json")])

    def pools(self, *kinds: str) -> str:
        """Pattern of the names of the pools of some kinds, or of all pools."""
        named = self.catalogues.pools.items()
        return _either(name for name, pool in named if pool.kind in kinds or not kinds)

    def source_identity(self, w: Any) -> str:
        """Hash of the source of a published pool of a data set.

        A pool without this data set raises a ConfigError.
        """
        files = self.pool(w.pool).files
        if w.dataset not in files:
            names = ", ".join(files) or "none"
            raise ConfigError(f"pools: {w.pool} does not contain {w.dataset}. Choose from {names}.")
        return hash_of(files[w.dataset].model_dump())


def name_of_study(study: ModuleType) -> str:
    """Name of a study, which is the name of its module."""
    return study.__name__.rpartition(".")[2]


def section_of(kind: str) -> str:
    """The section of a kind of targets, such as "tables"."""
    return next(section for section, kinds in KINDS.items() if kind in kinds)


def scorecard_of(study: ModuleType) -> str:
    """The scorecard that contains a study's published numbers."""
    return getattr(study, "SCORECARD", "scorecard")


def title_of(study: ModuleType) -> str:
    """The title of a study, the first line of its docstring."""
    return (study.__doc__ or name_of_study(study)).strip().splitlines()[0]


def load_study(path: Path) -> ModuleType:
    """A user's study, from a Python file."""
    if not path.is_file():
        raise ConfigError(f"config: studies: file {str(path)!r} not found. Correct the path.")
    if path.suffix != ".py" or not re.fullmatch("[a-z0-9]+", path.stem):
        raise ConfigError(
            f"{path}: the name of a study must have only lower-case letters and digits, and end in "
            ".py. Rename the file."
        )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    study = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(study)
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"{path}: this study cannot be imported: {error!r}. Correct the file."
        ) from error
    if not targets_of(study):
        raise ConfigError(
            f"{path}: no function has the decorator @target. Decorate at least one function."
        )
    return study


def _facts(entry: DatasetEntry, with_batteries: bool) -> dict[str, Any]:
    """Facts about a data set that the ranking shows."""
    groups = [key for key, names in ranked.GROUPS.items() if entry.name in names]
    if with_batteries:
        groups.insert(0, f"battery {entry.battery}" if entry.battery else ranked.NO_BATTERY)
    return {"n": entry.n, "d": entry.d, "classes": entry.classes, "groups": groups}


def _as_json(values: pd.Series) -> pd.Series:
    """Values as JSON. Equal values are converted only once."""
    keys = values.map(repr)
    first = ~keys.duplicated()
    return keys.map(dict(zip(keys[first], map(json.dumps, values[first]), strict=True)))


def _either(names: Iterable[str]) -> str:
    """Pattern that matches these names; without names, it matches nothing."""
    return "|".join(map(re.escape, names)) or "(?!)"
