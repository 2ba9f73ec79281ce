"""The plan: everything that a configuration asks for, and a table with a row for each cell of it.

Rules look up in the table what a target shows, and ``make plan`` writes it.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.datasets.sources import mirror_directory
from coassoc.errors import ConfigError
from coassoc.methods.registry import endings_of_one_refinement
from coassoc.storage.models import validate
from reproduction.plan.catalogues import Catalogues
from reproduction.plan.checks import check_arguments, check_study, check_target
from reproduction.plan.configuration import KNOWN, Configuration
from reproduction.plan.expansion import Choices, expand, tuned_over
from reproduction.plan.keys import Block, Cell, Source
from reproduction.plan.ranked import RANKING, ranked_rows, ranking_of
from reproduction.plan.studies import GROUPS, Study, Target, varied

_OF_A_CELL = ["row", "label", "dataset", "pool", "m", "x", "variant", "reference", "tune"]
_COLUMNS = [
    "target", "wanted", "kind", "made_from", *_OF_A_CELL, "point", "method", "parameters", "source",
    "run_file", "measured_file", "pool_file", "features_file", "not_run",
]  # fmt: skip


class Plan:
    """Everything that a configuration of the right form asks for.

    Unknown names and contradictory keys are a ConfigError.
    """

    def __init__(self, config: Mapping[str, Any], catalogues: Catalogues) -> None:
        self.config: Configuration = validate(config, Configuration, "config")
        self.catalogues = catalogues
        self.choices = Choices.of(self.config)
        endings = endings_of_one_refinement(catalogues.methods)
        #: Method → those that have a run file together, "A+B" where they end one refinement.
        self.run_with: dict[str, str] = {
            **{name: name for name in catalogues.methods},
            **{name: "+".join(names) for names in endings for name in names},
        }
        studies = catalogues.studies.values()
        for study in studies:
            check_study(study, catalogues)
        self._check_names(config)
        #: The table of the ranking; None where the configuration wants none.
        self.ranking = ranking_of(self.config, catalogues)
        entries = (target for study in studies for target in study.targets)
        expanded = (expand(entry, catalogues.methods, self.choices) for entry in entries)
        #: The targets of all studies of which the configuration leaves something, by their names.
        self.targets: dict[str, Target] = {
            target.name: target for target in expanded if target is not None
        }
        if not self.wanted:
            raise ConfigError("config: override.methods and not_run leave nothing of the targets.")
        # What is wanted, and all of the user's own; the rest is checked when it is asked for.
        own = {Path(path).stem for path in self.config.studies}
        for target in [*self.wanted, *self._of_studies(own), *filter(None, [self.ranking])]:
            check_target(target, catalogues)

    def _check_names(self, given: Mapping[str, Any]) -> None:
        """Refuse names that neither catalogues nor studies have."""
        if self.config.mirror:
            mirror_directory(given)
        for dataset in self.catalogues.datasets.values():
            check_arguments(dataset)
        known = _known_to_configurations(self.config, self.catalogues)
        validate(given, Configuration, "config", {**KNOWN, **self.catalogues.names, **known})

    @property
    def wanted(self) -> list[Target]:
        """What is made unless a target is named: those of the key ``targets``, or everything."""
        named = set(self.config.targets or self.catalogues.studies)
        return [
            target for target in self.targets.values() if named & {target.study.name, target.name}
        ]

    def _of_studies(self, studies: Collection[str]) -> list[Target]:
        return [target for target in self.targets.values() if target.study.name in studies]

    # -- targets --------------------------------------------------------------------------------

    @cached_property
    def by_path(self) -> dict[str, Target]:
        """Everything that can be shown, by its path such as "eccms/table4"; the ranking too."""
        ranked = [self.ranking] if self.ranking else []
        return {target.path: target for target in [*self.targets.values(), *ranked]}

    def target(self, path: str) -> Target:
        """The target of a path such as "eccms/table4"; a ConfigError if it cannot be made."""
        if path == RANKING and not self.ranking:
            raise ConfigError("config: the key ranking is missing; it says what is to be ranked.")
        target = self.by_path[path]
        check_target(target, self.catalogues)
        return target

    def published(self, target: Target) -> list[dict[str, str]]:
        """Published numbers of a table, or of those that a protocol is compared with."""
        tables = getattr(target.entry, "compared_with", [target.name_in_published])
        numbers = self.catalogues.published
        return [x for x in numbers if x["paper"] == target.study.name and x["table"] in tables]

    def files(self, group: str | None = None) -> list[str]:
        """Files of what is wanted: all, or a group such as "tables"."""
        return _files(
            target
            for target in self.wanted
            if group in (None, target.section, target.kind, target.entry.group)
        )

    def files_by_name(self) -> dict[str, list[str]]:
        """Files of each table, figure and analysis, of each study and each group, by their names.

        A study with the name of a group is a ConfigError.
        """
        studies = self.catalogues.studies
        for name, study in studies.items():
            if name in GROUPS:
                raise ConfigError(_study_named_like_a_target(study))
        return {
            **{name: target.files for name, target in self.targets.items()},
            **{name: _files(self._of_studies([name])) for name in studies},
            **{group: self.files(group) for group in GROUPS},
        }

    def clashes(self) -> dict[str, str]:
        """For the name of each study and target, what is wrong where a rule has it too."""
        return {
            **{name: _study_named_like_a_target(x) for name, x in self.catalogues.studies.items()},
            **{
                name: f"{target.study.source}: {target.section}.{target.key} has the target "
                f"{name!r}, which is the name of a rule; give it another name."
                for name, target in self.targets.items()
            },
        }

    # -- cells ----------------------------------------------------------------------------------

    def points(self, run: Source) -> list[dict[str, Any]]:
        """Parameter points of a run."""
        declared = self.catalogues.methods[run.method].parameters
        return Block.parse(run.block).parameter_points(declared)

    def cells(self) -> pd.DataFrame:
        """One row for each cell and source of its numbers.

        Returns
        -------
        DataFrame
            target ("eccms/table4"), wanted (whether it is made unless a target is named), kind,
            made_from (such as "scores"), row, label, dataset, pool, m, x, variant, reference, tune
            (the score), point (JSON), method and parameters of the run, source (of its lines among
            the scores), run_file, measured_file (of times or criteria), pool_file, features_file
            (where the method sees features), and not_run (the reason). What a cell does not have is
            empty.
        """
        wanted = {target.path for target in self.wanted}
        rows = [
            {"target": path, "wanted": path in wanted, **row}
            for path, target in self.by_path.items()
            for row in self._rows(target)
        ]
        return pd.DataFrame(rows, columns=_COLUMNS).fillna("")

    def _rows(self, target: Target) -> Iterator[dict[str, Any]]:
        for cell in target.cells:
            base = Source(cell.pool, cell.dataset)
            place = {
                "kind": target.kind,
                "made_from": target.made_from,
                **{name: getattr(cell, name) for name in (*_OF_A_CELL, "not_run")},
                "point": json.dumps(cell.point) if cell.point else "",
                "pool_file": "" if cell.not_run else base.pool_file,
                "measured_file": measured_file(target.made_from, cell),
            }
            for source in cell.sources:
                of_run = self._of_run(source, target.made_from) if source.block else {}
                yield place | {"source": str(source)} | of_run
            if not cell.sources:
                yield place | {"source": ""}
            if target.of_kind.pools:
                yield place | {"source": str(base)}

    def _of_run(self, run: Source, made_from: str) -> dict[str, str]:
        sees_features = self.catalogues.methods[run.method].uses_features
        return {
            "method": run.method,
            "parameters": run.block,
            "run_file": run.run_file(self.run_with[run.method]),
            "measured_file": run.measured_file(made_from),
            "features_file": dataset_file(run.dataset) if sees_features else "",
        }


def _study_named_like_a_target(study: Study) -> str:
    return (
        f"{study.source}: a study is called after its file, and the target {study.name!r} exists "
        "already; give the file another name."
    )


def dataset_file(dataset: str) -> str:
    """The prepared data set."""
    return f"data/datasets/{dataset}.h5"


def measured_file(made_from: str, cell: Cell) -> str:
    """What is measured of a cell's pool and data set, without a run; else empty."""
    of_dataset = made_from in ("null", "choice")
    return f"results/{made_from}/{cell.pool}/m{cell.m}/{cell.dataset}.csv" if of_dataset else ""


def _known_to_configurations(config: Configuration, catalogues: Catalogues) -> dict[str, list[str]]:
    """What a configuration may name of the studies and the ranking, made now or not."""
    studies, ranked = catalogues.studies, ranked_rows(config, catalogues)
    every = [target for study in studies.values() for target in study.targets]
    targets = [*studies, *(target.name for target in every)]
    own = [
        (target.study.rows[key], target.variants)
        for target in every
        for key in (*target.rows, *target.swept)
    ]
    rows = [*ranked.values(), *(row for row, _ in own)]
    rows += [varied(row, variant) for row, variants in own for variant in variants]
    tuned = {
        name
        for row in rows
        if row.method in catalogues.methods
        for name in tuned_over(catalogues.methods[row.method], row)
    }
    keys = {key for study in studies.values() for key in study.rows}
    return {
        "targets": targets,
        "targets and ranking": [*targets, RANKING],
        "rows": sorted(keys | ranked.keys()),
        "grids": sorted(tuned.union(*(target.over for target in every))),
        "tuned": sorted(tuned),
        "pools of rows": sorted({row.pool for row in rows if row.pool}),
    }


def _files(targets: Iterable[Target]) -> list[str]:
    return [path for target in targets for path in target.files]
