"""What a configuration may say, alone and together with the papers that it expands."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from coassoc.datasets.parsers import PARSERS
from coassoc.datasets.registry import DatasetEntry
from coassoc.datasets.sources import mirror_directory
from coassoc.errors import ConfigError
from coassoc.plan.artefacts import RANKING, Artefact, Cell
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.keys import stored_pool
from coassoc.plan.kinds import KINDS
from coassoc.plan.wanted_ranking import ranked_rows
from coassoc.pools.draws import size_name
from coassoc.pools.settings import PoolSettings
from coassoc.storage.configuration import check_known

__all__ = ["check_artefact", "check_configuration", "has_classes", "knows_n_clusters"]

#: Keys of a configuration's own values of parameters.
_GRIDS = ("grid", "tune")


def check_configuration(config: Mapping[str, Any], catalogues: Catalogues) -> None:
    """Raise a ConfigError for what a configuration names and no catalogue has."""
    if config.get("mirror"):
        mirror_directory(config)
    for dataset in catalogues.datasets.values():
        _check_arguments(dataset)
    papers = catalogues.papers.values()
    targets = [*catalogues.papers, *(entry.target for paper in papers for entry in paper.entries)]
    override = config.get("override") or {}
    own = override.get("targets") or {}
    check_known("config", "targets", config.get("targets") or [], targets)
    check_known("config", "override.targets", own, targets)
    _check_override("override", override, catalogues)
    for name, each in own.items():
        _check_override(f"override.targets.{name}", each, catalogues)
    rows = {row for paper in papers for row in paper.rows} | {*ranked_rows(config, catalogues)}
    known = {"targets": [*targets, RANKING], "datasets": catalogues.datasets, "rows": sorted(rows)}
    for listed, key in itertools.product(("not_run", "shortened"), known):
        for entry in config.get(listed) or []:
            check_known("config", f"{listed}.{key}", entry.get(key, []), known[key])


def _check_arguments(dataset: DatasetEntry) -> None:
    """Arguments are those that the parser of the files takes."""
    for source in dataset.sources:
        known = list(inspect.signature(PARSERS[source.parser]).parameters)[1:]
        place = f"{dataset.name}.arguments of the parser {source.parser}"
        check_known("datasets", place, source.arguments, known)


def _check_override(key: str, override: Mapping[str, Any], catalogues: Catalogues) -> None:
    pools, grids = override.get("pools") or {}, [override.get(key) or {} for key in _GRIDS]
    parameters: set[str] = set()
    if any(grids):
        parameters.update(*(each.parameters for each in catalogues.methods.values()))
    named: list[tuple[str, Iterable[str], Iterable[str]]] = [
        ("methods", override.get("methods") or [], catalogues.methods),
        ("datasets", override.get("datasets") or [], catalogues.datasets),
        ("pool", [override["pool"]] if override.get("pool") else [], catalogues.pools),
        ("pools", [*pools, *pools.values()], catalogues.pools),
        *((name, grid, sorted(parameters)) for name, grid in zip(_GRIDS, grids, strict=True)),
    ]
    for name, values, known in named:
        check_known("config", f"{key}.{name}", values, known)


def check_artefact(artefact: Artefact, catalogues: Catalogues) -> None:
    """Raise a ConfigError for what is wanted and cannot be made under the configuration."""
    for cell in artefact.cells:
        pool = catalogues.pools[stored_pool(cell.pool)]
        dataset = catalogues.datasets[cell.dataset]
        for sentence in _mistakes(artefact, cell, pool, dataset):
            raise ConfigError(f"{sentence}.")
    if "relative_to" in artefact.spec:
        _check_reference(artefact)
    _check_variants(artefact)


def _mistakes(
    artefact: Artefact, cell: Cell, pool: PoolSettings, dataset: DatasetEntry
) -> Iterator[str]:
    target = artefact.target
    if not cell.not_run:
        if cell.runs and cell.m not in pool.sizes:
            sizes = ", ".join(map(size_name, pool.sizes))
            yield (
                f"config/pools.yaml: {pool.name} draws ensembles of {sizes}, and {target} needs "
                f"{size_name(cell.m)}"
            )
        asked = max((run.repeats or 0 for run in cell.runs), default=0)
        if asked > pool.repeats:
            yield (
                f"config: shortened.repeats is {asked} for {cell.row} on {dataset.name}, and "
                f"{pool.name} has {pool.repeats} repeats"
            )
        wrong = _wrong_pool(pool, dataset)
        if wrong:
            yield f"config: {target} needs the pool {pool.name} of {dataset.name}{wrong}"
    if KINDS[artefact.kind].by_classes and not has_classes(pool, dataset):
        yield (
            f"datasets: no column of classes is named for {dataset.name}, and {target} is made of "
            "them"
        )
    if not knows_n_clusters(pool, dataset):
        yield (
            f"datasets: {dataset.name} lacks the key 'classes', the number of clusters that "
            f"{target} needs, and no column of classes is named for it; a range in the "
            "configuration's key consensus compares numbers of clusters"
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
    k = max((each.k for each in pool.recipes if isinstance(each.k, int)), default=0)
    too_many = dataset.n and k > dataset.n
    return f", whose k is {k}, and there are {dataset.n} samples" if too_many else ""


def has_classes(pool: PoolSettings, dataset: DatasetEntry) -> bool:
    """Whether the classes are known where a pool is used, as far as can be said beforehand."""
    in_pool = pool.kind == "published" or (pool.labels is not None and bool(pool.labels.classes))
    return in_pool or dataset.may_have_classes


def knows_n_clusters(pool: PoolSettings, dataset: DatasetEntry) -> bool:
    """Whether the number of clusters wanted is known: the number of classes, or as configured."""
    return dataset.classes is not None or has_classes(pool, dataset)


def _check_reference(artefact: Artefact) -> None:
    """What other rows are compared with must not be left out where they are made."""
    row = artefact.spec["relative_to"]
    made = [cell for cell in artefact.cells if not cell.not_run]
    there = {cell.dataset for cell in made if cell.row == row}
    missing = next((cell.dataset for cell in made if cell.dataset not in there), None)
    if missing is not None:
        raise ConfigError(
            f"config: override.methods or not_run leaves out {row} on {missing}, with which "
            f"{artefact.target} compares its other rows; keep it, or leave them out too."
        )


def _check_variants(artefact: Artefact) -> None:
    """No two variants may come to have one name, as those of one pool in place of two."""
    places: set[tuple[str, str, str]] = set()
    for cell in artefact.cells:
        place = cell.label, cell.dataset, cell.variant
        if cell.variant and place in places:
            raise ConfigError(
                f"{artefact.paper.source}: audits.{artefact.name}.variants has two "
                f"called {cell.variant!r} on {cell.dataset}; give them other labels, or other "
                "pools by override.pool and override.pools of the configuration."
            )
        places.add(place)
