"""Checks across keys of studies and configurations, beyond those of their models.

Models (:mod:`reproduction.plan.configuration`) check keys, types and names. A mistake is a
:class:`~coassoc.errors.ConfigError` of one sentence with file, key, value and what is allowed, and
is found before anything runs.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from coassoc.datasets.parsers import PARSERS
from coassoc.datasets.registry import DatasetEntry
from coassoc.datasets.sources import mirror_directory
from coassoc.errors import ConfigError, check_known
from coassoc.metrics import METRICS
from coassoc.pools.draws import size_name
from coassoc.pools.settings import PoolSettings
from coassoc.storage.configuration import validate
from coassoc.storage.records import TIMES, Cell
from reproduction.plan.catalogues import Catalogues
from reproduction.plan.configuration import KNOWN, Configuration
from reproduction.plan.grids import can_race, tuned_over
from reproduction.plan.keys import RANKING, Source, stored_pool
from reproduction.plan.kinds import MatricesFigure, OrderAnalysis, ProtocolAnalysis, TableEntry
from reproduction.plan.ranked import ranked_rows
from reproduction.plan.studies import Row, Study, Target, varied
from reproduction.scores.columns import SCORES

#: Keys of a row that have a use in curves and surfaces.
_SWEPT_ROW = {"method", "parameters", "label", "samples"}


def check_arguments(dataset: DatasetEntry) -> None:
    """Check that arguments are those that the parser of the files takes."""
    for source in dataset.sources:
        known = list(inspect.signature(PARSERS[source.parser]).parameters)[1:]
        place = f"{dataset.name}.arguments of the parser {source.parser}"
        check_known("datasets", place, source.arguments, known)


# -- names ---------------------------------------------------------------------------------------


def check_names(given: Mapping[str, Any], config: Configuration, catalogues: Catalogues) -> None:
    """Refuse names in a configuration, given and read, that neither catalogues nor studies have."""
    if config.mirror:
        mirror_directory(given)
    for dataset in catalogues.datasets.values():
        check_arguments(dataset)
    known = _known_to_configurations(config, catalogues)
    validate(given, Configuration, "config", {**KNOWN, **catalogues.names, **known})


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


def named_like_a_target(study: Study) -> str:
    """What is said of a study with the name of a target."""
    return (
        f"{study.source}: a study is called after its file, and the target {study.name!r} exists "
        "already; give the file another name."
    )


def clashes(studies: Mapping[str, Study], targets: Mapping[str, Target]) -> dict[str, str]:
    """For the name of each study and target, what is wrong where a rule has it too."""
    return {
        **{name: named_like_a_target(study) for name, study in studies.items()},
        **{
            name: f"{target.study.source}: {target.section}.{target.key} has the target "
            f"{name!r}, which is the name of a rule; give it another name."
            for name, target in targets.items()
        },
    }


# -- studies, whatever a configuration makes of them ----------------------------------------------


def check_study(study: Study, catalogues: Catalogues) -> None:
    """Check the rows of a study, and its targets against its rows."""
    for key, row in study.rows.items():
        _check_row(study.source, f"rows.{key}", row, catalogues)
    for target in study.targets:
        _TargetCheck(target, catalogues).check()


def _check_row(source: str, key: str, row: Row, catalogues: Catalogues) -> None:
    """Check a row, as it is or as a variant makes it; `key` is its place in the file."""
    if not row.method:
        return
    method, fixed = catalogues.methods[row.method], row.parameters
    place, tune = f"{source}: {key}", row.tune
    method.check_parameters(place, fixed)
    if method.n_clusters_is == "chosen":
        raise ConfigError(
            f"{place} has {method.name}, which chooses the number of clusters; rows are of methods "
            "that are given it."
        )
    for name, values in row.among.items():
        for value in values:
            method.check_parameters(place, {name: value})
        if fixed.get(name) not in values:
            raise ConfigError(
                f"{place} sets {name} to {fixed.get(name)!r}, which the key 'among' of the row "
                "does not list."
            )
    if not tune:
        return
    over = tuned_over(method, row)
    check_known(source, f"{key}.tune.over", over, method.parameters)
    _check_free(f"{place}.tune.over", over, fixed)
    if tune.race and not can_race(tune):
        raise ConfigError(
            f"{place}.tune.race needs a score that each repeat has by itself, one of "
            f"{', '.join(METRICS)}, and tune.score is {tune.score!r}."
        )
    if not over:
        raise ConfigError(
            f"{place}.tune has nothing to tune: {method.name} has no grid that is free."
        )


def _check_free(where: str, over: Iterable[str], fixed: Mapping[str, Any]) -> None:
    for name in over:
        if name in fixed:
            raise ConfigError(f"{where} has {name!r}, which the row sets to {fixed[name]!r}.")


class _TargetCheck:
    def __init__(self, target: Target, catalogues: Catalogues) -> None:
        self._target, self._entry, self._study = target, target.entry, target.study
        self._catalogues, self._methods = catalogues, catalogues.methods
        self._rows = {key: self._study.rows[key] for key in target.rows}
        numbers = (x for x in catalogues.published if x["paper"] == self._study.name)
        self._printed = sorted({number["table"] for number in numbers})

    def check(self) -> None:
        """Raise a ConfigError for the first mistake."""
        self._check_parts()
        self._labels()
        for key, row in self._rows.items():
            self._row(key, row)
        for key in self._target.swept:
            self._swept(key, self._study.rows[key])
        self._variants()
        if isinstance(self._entry, ProtocolAnalysis):
            self._known("compared_with", self._entry.compared_with, self._printed)
        if isinstance(self._entry, OrderAnalysis):
            self._shuffled(self._entry.shuffled)
        if isinstance(self._entry, TableEntry):
            self._layout(self._entry)
        if len(self._rows) < self._entry.least_rows:
            self._refuse("rows", "has one row only; others are compared with it")
        differs = isinstance(self._entry, MatricesFigure) and "difference" in self._entry.panels
        if differs and len(self._rows) < 2:
            self._refuse("panels", "has 'difference', which needs two rows at least")

    def _check_parts(self) -> None:
        """Raise for a name that is no part of the target, or a metric that it cannot have."""
        entry, study, target = self._entry, self._study, self._target
        columns: Iterable[str] = METRICS if entry.by_classes else SCORES
        if isinstance(entry, TableEntry):
            if entry.mean:
                self._known("mean", study.datasets[entry.mean], target.datasets)
            if entry.published:
                self._known("published", [entry.published], self._printed)
            if entry.timed:
                columns = TIMES
        self._known("pools", entry.pools, target.datasets)
        if target.relative_to:
            self._known("relative_to", [target.relative_to], target.rows)
        for name in target.metrics:
            self._known(f"metrics: {name}", [study.metrics[name]], columns)

    def _refuse(self, key: str, what: str) -> NoReturn:
        raise ConfigError(f"{self._study.source}: {self._target.place(key)} {what}.")

    def _known(self, key: str, names: Iterable[str], known: Iterable[str]) -> None:
        check_known(self._study.source, self._target.place(key), names, known)

    def _labels(self) -> None:
        rows: dict[str, str] = {}
        for label, key in ((self._study.label(x), x) for x in [*self._rows, *self._target.swept]):
            if rows.setdefault(label, key) != key:
                self._refuse("rows", f"has two rows called {label!r}, {rows[label]} and {key}")
        for key in self._target.swept:
            if key in self._target.rows:
                self._refuse("baselines", f"has {key!r}, which is swept already")

    def _row(self, key: str, row: Row) -> None:
        made_from = self._target.made_from
        if made_from in ("fits", "runs", "timing", "scaling", "selection"):
            if not row.method or row.tune:
                self._refuse("rows", f"has {key!r}; it may have rows of methods that are not tuned")
            method = self._methods[row.method]
            if made_from == "selection" and method.uses_features:
                self._refuse("rows", f"has {key!r}, whose method needs the samples' features")
            if made_from in ("fits", "runs") and row.among:
                self._refuse("rows", f"has {key!r}, whose run covers several values")
            for name in self._entry.shows:
                if name not in method.offers:
                    able = self._methods_with("offers", name)
                    self._refuse(
                        "rows", f"has {key!r}, whose method has no {name} after fit; {able} have"
                    )
            quantity = getattr(self._entry, "quantity", None)
            if quantity is not None and quantity not in method.records:
                recorded = ", ".join(method.records) or "nothing"
                self._refuse(
                    "quantity",
                    f"is {quantity!r}; the method of {key!r} records {recorded}, and {quantity!r} "
                    f"is recorded by {self._methods_with('records', quantity)}",
                )
        elif self._entry.by_repeat and row.base in ("mean", "best"):
            self._refuse(
                "rows", f"has {key!r}, which has no repeats; 'base: ensemble-{row.base}' has"
            )

    def _methods_with(self, attribute: str, name: str) -> str:
        methods = self._methods.items()
        able = [key for key, entry in methods if name in getattr(entry, attribute)]
        return ", ".join(able) or "no methods"

    def _swept(self, key: str, row: Row) -> None:
        over = self._target.over
        if not row.method:
            self._refuse("swept", f"has {key!r}, which is no row of a method")
        method, fixed = self._methods[row.method], row.parameters
        unused = sorted(row.model_fields_set - _SWEPT_ROW)
        # A row that is tuned over the same parameters is shown at all points, not at the best.
        if "tune" in unused and set(tuned_over(method, row)) <= set(over):
            unused.remove("tune")
        if unused:
            self._refuse("swept", f"has {key!r}, whose {unused[0]!r} has no use there")
        self._known("over", over, method.parameters)
        _check_free(f"{self._study.source}: {self._target.place('over')}", over, fixed)

    def _variants(self) -> None:
        variants = self._target.variants
        for one, other in itertools.combinations(variants, 2):
            if one.model_copy(update={"label": other.label}) == other and one != other:
                same = f"{one.label!r} and {other.label!r}"
                self._refuse("variants", f"has {same}, which are the same")
        for variant, (key, row) in itertools.product(variants, self._rows.items()):
            self._known("variants.metrics", variant.metrics, self._target.metrics)
            if variant.tune and (not row.method or row.among):
                self._refuse("rows", f"has {key!r}, which has nothing to tune")
            if not row.method and (variant.method or variant.parameters):
                self._refuse("variants", f"varies a method, and {key!r} is no row of one")
            place = self._target.place("variants")
            _check_row(self._study.source, place, varied(row, variant), self._catalogues)

    def _shuffled(self, percentages: list[int]) -> None:
        """Percentages of shuffled samples; rows must leave the order of the samples to them."""
        for end in (0, 100):
            if end not in percentages:
                self._refuse("shuffled", f"lacks {end}; it must have 0 and 100")
        for key, row in self._rows.items():
            if row.samples:
                self._refuse("rows", f"has {key!r}, which has 'samples' of its own")
            if row.method and self._methods[row.method].uses_features:
                self._refuse("rows", f"has {key!r}, whose features would stay in order")

    def _layout(self, entry: TableEntry) -> None:
        down, across = entry.layout.down, entry.layout.across
        counts = {
            "method": len(self._rows),
            "dataset": len(self._target.datasets) + (entry.mean is not None),
            "metric": len(self._target.metrics),
        }
        for part in down:
            if part in across:
                self._refuse("layout", f"has {part!r} both down and across")
        for name, count in counts.items():
            if count > 1 and name not in (*down, *across):
                self._refuse("layout", f"lacks {name!r}, of which the table has {count}")


# -- targets as a configuration makes them --------------------------------------------------------


def check_target(target: Target, catalogues: Catalogues) -> None:
    """Raise a ConfigError for what is wanted and cannot be made under the configuration."""
    for cell in target.cells:
        pool = catalogues.pools[stored_pool(cell.pool)]
        _check_cell(target, cell, pool, catalogues.datasets[cell.dataset])
    _check_reference(target)
    _check_variants(target)


def _check_cell(target: Target, cell: Cell, pool: PoolSettings, dataset: DatasetEntry) -> None:
    name, runs = target.name, [] if cell.reference else cell.sources
    if not cell.not_run:
        if runs and cell.m not in pool.sizes:
            sizes = ", ".join(map(size_name, pool.sizes))
            raise ConfigError(
                f"{target.study.source}: {pool.name} draws ensembles of {sizes}, and {name} needs "
                f"{size_name(cell.m)}."
            )
        if pool.for_each_k and target.made_from != "selection":
            raise ConfigError(
                f"{target.study.source}: {pool.name} has ensembles for each number of clusters, "
                f"which analyses of kind n_clusters take alone, and {name} is of another kind."
            )
        asked = max((Source.parse(run).repeats or 0 for run in runs), default=0)
        if asked > pool.repeats:
            raise ConfigError(
                f"config: shortened.repeats is {asked} for {cell.row} on {dataset.name}, and "
                f"{pool.name} has {pool.repeats} repeats."
            )
        if wrong := _wrong_pool(pool, dataset):
            raise ConfigError(
                f"config: {name} needs the pool {pool.name} of {dataset.name}{wrong}."
            )
    if target.entry.by_classes and not _has_classes(pool, dataset):
        raise ConfigError(
            f"datasets: no column of classes is named for {dataset.name}, and {name} is made of "
            "them."
        )
    if not knows_n_clusters(pool, dataset):
        raise ConfigError(
            f"datasets: {dataset.name} lacks the key 'classes', the number of clusters that "
            f"{name} needs, and no column of classes is named for it."
        )


def _wrong_pool(pool: PoolSettings, dataset: DatasetEntry) -> str:
    """Why a pool cannot be made of a data set; empty if it can."""
    if pool.kind != "generated":
        given = [str(pool.dataset)] if pool.kind == "labels" else [*pool.files]
        return "" if dataset.name in given else f"; it has {', '.join(given)}"
    if not dataset.has_features:
        return (
            ", which cannot be generated, since no source of its features is known; leave the "
            "data set out, or name another pool"
        )
    k = max((recipe.k for recipe in pool.recipes if isinstance(recipe.k, int)), default=0)
    too_many = dataset.n and k > dataset.n
    return f", whose k is {k}, and there are {dataset.n} samples" if too_many else ""


def _has_classes(pool: PoolSettings, dataset: DatasetEntry) -> bool:
    """Whether the classes are known where a pool is used, as far as can be said beforehand."""
    in_pool = pool.kind == "published" or (pool.labels is not None and bool(pool.labels.classes))
    return in_pool or dataset.may_have_classes


def knows_n_clusters(pool: PoolSettings, dataset: DatasetEntry) -> bool:
    """Whether the number of clusters wanted is known: the number of classes, or as configured."""
    return dataset.classes is not None or _has_classes(pool, dataset)


def _check_reference(target: Target) -> None:
    """What other rows are compared with must not be left out where they are made."""
    row = target.relative_to
    made = [cell for cell in target.cells if row and not cell.not_run]
    there = {cell.dataset for cell in made if cell.row == row}
    for cell in made:
        if cell.dataset not in there:
            raise ConfigError(
                f"config: override.methods or not_run leaves out {row} on {cell.dataset}, with "
                f"which {target.name} compares its other rows; keep it, or leave them out too."
            )


def _check_variants(target: Target) -> None:
    """No two variants may come to have one name, as those of one pool in place of two."""
    places: set[tuple[str, str, str]] = set()
    for cell in target.cells:
        place = cell.label, cell.dataset, cell.variant
        if cell.variant and place in places:
            raise ConfigError(
                f"{target.study.source}: {target.place('variants')} has two called "
                f"{cell.variant!r} on {cell.dataset}; give them other labels, or other pools by "
                "override.pool and override.pools of the configuration."
            )
        places.add(place)
