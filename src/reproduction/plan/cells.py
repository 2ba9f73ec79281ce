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
from reproduction.plan.catalogues import Catalogues
from reproduction.plan.checks import check_arguments, check_study, check_target
from reproduction.plan.configuration import CONFIGURATION, KNOWN
from reproduction.plan.expansion import Choices, expand, tuned_over
from reproduction.plan.keys import DATASET, NULLS, POOL, RunKey
from reproduction.plan.ranked import RANKING, ranked_rows, ranking_of
from coassoc.bench.sources import ScoreSource
from reproduction.plan.studies import GROUPS, Target, varied
from reproduction.plan.wanted_consensus import wanted_consensus
from coassoc.storage.forms import validate

_OF_A_CELL = ["row", "label", "dataset", "pool", "m", "x", "variant", "reference", "tune"]
_COLUMNS = [
    "target", "wanted", "kind", "needs", *_OF_A_CELL, "point", "method", "parameters", "source",
    "run_file", "measured_file", "pool_file", "features_file", "not_run",
]  # fmt: skip


class Plan:
    """Everything that a configuration of the right form asks for.

    Unknown names and contradictory keys are a ConfigError.
    """

    def __init__(self, config: Mapping[str, Any], catalogues: Catalogues) -> None:
        self.config = config
        self.catalogues = catalogues
        self.choices = Choices(config)
        studies = catalogues.studies.values()
        for study in studies:
            check_study(study, catalogues)
        self._check_configuration()
        #: What is wanted of pools without classes.
        self.consensus = wanted_consensus(config, catalogues)
        #: The table of the ranking; None where the configuration wants none.
        self.ranking = ranking_of(config, catalogues)
        entries = (target for study in studies for target in study.targets)
        expanded = (expand(entry, catalogues.methods, self.choices) for entry in entries)
        #: The targets of all studies of which the configuration leaves something, by their names.
        self.targets: dict[str, Target] = {
            target.name: target for target in expanded if target is not None
        }
        if not self.wanted:
            raise ConfigError("config: override.methods and not_run leave nothing of the targets.")
        # What is wanted, and all of the user's own; the rest is checked when it is asked for.
        own = {Path(path).stem for path in config.get("studies") or []}
        for target in [*self.wanted, *self._of_studies(own), *filter(None, [self.ranking])]:
            check_target(target, catalogues)

    def _check_configuration(self) -> None:
        """Refuse names that neither catalogues nor studies have."""
        if self.config.get("mirror"):
            mirror_directory(self.config)
        for dataset in self.catalogues.datasets.values():
            check_arguments(dataset)
        names = {**KNOWN, **self.catalogues.names, **_nameable(self.config, self.catalogues)}
        validate(self.config, CONFIGURATION, "config", names)

    @property
    def wanted(self) -> list[Target]:
        """What is made unless a target is named: those of the key ``targets``, or everything."""
        named = set(self.config.get("targets") or self.catalogues.studies)
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

    def parameters(self, path: str) -> dict[str, Any]:
        """What a target is made from besides its files, for a job's parameters."""
        target = self.target(path)
        return {
            "kind": target.kind,
            "spec": target.spec,
            "cells": [cell.as_parameters() for cell in target.cells],
            "published": self.published(target),
        }

    def published(self, target: Target) -> list[dict[str, str]]:
        """Published numbers of a table, or of those that a protocol is compared with."""
        tables = target.spec.get("compared_with", [target.name_in_published])
        numbers = self.catalogues.published
        return [x for x in numbers if x["paper"] == target.study.name and x["table"] in tables]

    def files(self, group: str | None = None) -> list[str]:
        """Files of what is wanted: all, or a group such as "tables"."""
        return _files(
            target
            for target in self.wanted
            if group in (None, target.section, target.kind, target.spec.get("group"))
        )

    def files_by_name(self, rules: Collection[str] = ()) -> dict[str, list[str]]:
        """Files of each table, figure and audit, of each study and each group, by their names.

        A study or target with the name of a group or of a rule is a ConfigError.
        """
        studies = self.catalogues.studies
        for name, study in studies.items():
            if name in GROUPS or name in rules:
                raise ConfigError(
                    f"{study.source}: a study is called after its file, and the target {name!r} "
                    "exists already; give the file another name."
                )
        for target in self.targets.values():
            if target.name in rules:
                raise ConfigError(
                    f"{target.study.source}: {target.section}.{target.key} has the target "
                    f"{target.name!r}, which is the name of a rule; give it another name."
                )
        return {
            **{name: target.files for name, target in self.targets.items()},
            **{name: _files(self._of_studies([name])) for name in studies},
            **{group: self.files(group) for group in GROUPS},
        }

    # -- labels of pools without classes ----------------------------------------------------------

    @property
    def consensus_files(self) -> list[str]:
        """Labels of everything in the key ``consensus``, and comparisons of numbers of clusters."""
        if not self.consensus:
            raise ConfigError("config: the key consensus is missing; it says what is to be made.")
        return [file for wanted in self.consensus for file in wanted.files]

    # -- cells ----------------------------------------------------------------------------------

    def points(self, run: RunKey) -> list[dict[str, Any]]:
        """Parameter points of a run."""
        return run.parameter_points(self.catalogues.methods[run.method].parameters)

    def cells(self) -> pd.DataFrame:
        """One row for each cell and source of its numbers, and for each method of a consensus.

        Returns
        -------
        DataFrame
            target ("eccms/table4"), wanted (whether it is made unless a target is named), kind,
            needs (what it is made from), row, label, dataset, pool, m, x, variant, reference, tune
            (the score), point (JSON), method and parameters of the run, source (stem of its lines
            among the scores), run_file, measured_file (of times or criteria), pool_file,
            features_file (where the method sees features), and not_run (the reason). What a cell
            does not have is empty.
        """
        wanted = {target.path for target in self.wanted}
        rows = [
            {"target": path, "wanted": path in wanted, **row}
            for path, target in self.by_path.items()
            for row in self._rows(target)
        ]
        return pd.DataFrame([*rows, *self._rows_of_consensus()], columns=_COLUMNS).fillna("")

    def _rows_of_consensus(self) -> Iterator[dict[str, Any]]:
        same = {"target": "consensus", "wanted": False, "kind": "consensus", "needs": "consensus"}
        for wanted in self.consensus:
            for run in wanted.runs:
                of_run = self._of_run(run, "") | {"run_file": ""}  # nothing is kept of its fit
                place = {"dataset": run.dataset, "pool": run.pool, "m": run.m}
                place |= {"row": run.method, "label": run.method}
                file = wanted.labels_file or run.path(POOL)
                yield same | place | of_run | {"pool_file": file}

    def _rows(self, target: Target) -> Iterator[dict[str, Any]]:
        for cell in target.cells:
            where = {"pool": cell.pool, "m": cell.m, "dataset": cell.dataset}
            place = {
                "kind": target.kind,
                "needs": target.needs,
                **{name: getattr(cell, name) for name in (*_OF_A_CELL, "not_run")},
                "point": json.dumps(cell.point) if cell.point else "",
                "pool_file": "" if cell.not_run else POOL.format(**where),
                "measured_file": NULLS.format(**where) if target.needs == "null" else "",
            }
            runs = {run.stem: run for run in cell.runs}
            for source in cell.sources or [""]:
                of_run = self._of_run(runs[source], target.needs) if source in runs else {}
                yield place | {"source": source} | of_run
            if target.of_kind.pools:
                yield place | {"source": ScoreSource(cell.pool, cell.dataset).stem}

    def _of_run(self, run: RunKey, needs: str) -> dict[str, str]:
        sees_features = self.catalogues.methods[run.method].uses_features
        return {
            "method": run.method,
            "parameters": run.parameters,
            "run_file": run.path(),
            "measured_file": run.measured_path(needs),
            "features_file": run.path(DATASET) if sees_features else "",
        }


def _nameable(config: Mapping[str, Any], catalogues: Catalogues) -> dict[str, list[str]]:
    """What a configuration may name of the studies and the ranking, made now or not."""
    studies, ranked = catalogues.studies, ranked_rows(config, catalogues)
    every = [target for study in studies.values() for target in study.targets]
    targets = [*studies, *(target.name for target in every)]
    rows = [*ranked.values()] + [
        varied(target.study.rows[key], variant)
        for target in every
        for key in (*target.rows, *target.swept)
        for variant in ({}, *target.spec.get("variants", []))
    ]
    tuned = {
        name
        for row in rows
        if row.get("method") in catalogues.methods
        for name in tuned_over(catalogues.methods[row["method"]], row)
    }
    keys = {key for study in studies.values() for key in study.rows}
    return {
        "targets": targets,
        "targets and ranking": [*targets, RANKING],
        "rows": sorted(keys | ranked.keys()),
        "grids": sorted(tuned.union(*(target.over for target in every))),
        "tuned": sorted(tuned),
        "pools of rows": sorted({row["pool"] for row in rows if "pool" in row}),
    }


def _files(targets: Iterable[Target]) -> list[str]:
    return [path for target in targets for path in target.files]
