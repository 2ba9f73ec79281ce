"""What a configuration may say, alone and together with the papers that it expands."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from coassoc.datasets.parsers import PARSERS
from coassoc.datasets.registry import DatasetEntry
from coassoc.datasets.sources import mirror_directory
from coassoc.errors import ConfigError
from coassoc.plan.artefacts import Artefact
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.runs import repeats_in, stored_pool
from coassoc.plan.wanted_ranking import RANKING, ranked_rows
from coassoc.pools.settings import PoolSettings
from coassoc.storage.configuration import check_known

__all__ = [
    "BY_CLASSES",
    "check_artefact",
    "check_configuration",
    "has_classes",
    "knows_n_clusters",
]

#: Kinds that are made of the classes themselves.
BY_CLASSES = ("base_quality", "before_after", "reliability")


def check_configuration(config: Mapping[str, Any], catalogues: Catalogues) -> None:
    """Raise a ConfigError for what a configuration names and no catalogue has."""
    if config.get("mirror"):
        mirror_directory(config)
    for dataset in catalogues.datasets.values():
        _check_arguments(dataset)
    targets = _target_names(catalogues)
    check_known("config", "targets", config.get("targets") or [], targets)
    override = config.get("override") or {}
    own = override.get("targets") or {}
    check_known("config", "override.targets", own, targets)
    _check_override("override", override, catalogues)
    _check_grids(override, catalogues)
    for name, each in own.items():
        _check_override(f"override.targets.{name}", each, catalogues)
    rows_of = {name: paper.rows for name, paper in catalogues.papers.items()}
    rows_of[RANKING] = ranked_rows(config, catalogues)
    known = {
        "targets": [*targets, RANKING],
        "datasets": catalogues.datasets,
        "rows": sorted({row for rows in rows_of.values() for row in rows}),
    }
    for listed in ("not_run", "shortened"):
        for entry in config.get(listed) or []:
            for key, names in known.items():
                check_known("config", f"{listed}.{key}", entry.get(key, []), names)


def _check_arguments(dataset: DatasetEntry) -> None:
    """Arguments are those that the parser of the files takes."""
    for source in dataset.sources:
        known = list(inspect.signature(PARSERS[source.parser]).parameters)[1:]
        place = f"{dataset.name}.arguments of the parser {source.parser}"
        check_known("datasets", place, source.arguments, known)


def _target_names(catalogues: Catalogues) -> list[str]:
    """Names of the papers, and of every table, figure and audit in the catalogue."""
    papers = catalogues.papers.values()
    return [*catalogues.papers, *(entry.target for paper in papers for entry in paper.entries)]


def _check_override(key: str, override: Mapping[str, Any], catalogues: Catalogues) -> None:
    pools = override.get("pools") or {}
    named: dict[str, tuple[Iterable[str], Mapping[str, Any]]] = {
        "methods": (override.get("methods") or [], catalogues.methods),
        "datasets": (override.get("datasets") or [], catalogues.datasets),
        "pool": ([override["pool"]] if override.get("pool") else [], catalogues.pools),
        "pools": ([*pools, *pools.values()], catalogues.pools),
    }
    for name, (values, known) in named.items():
        check_known("config", f"{key}.{name}", values, known)


def _check_grids(override: Mapping[str, Any], catalogues: Catalogues) -> None:
    """Grids are of parameters that a method has."""
    keys = [key for key in ("grid", "tune") if override.get(key)]
    if keys:
        known = {name for each in catalogues.methods.values() for name in each.parameters}
        for key in keys:
            check_known("config", f"override.{key}", override[key], sorted(known))


def check_artefact(artefact: Artefact, catalogues: Catalogues) -> None:
    """Raise a ConfigError for what is wanted and cannot be made under the configuration."""
    _check_draws(artefact, catalogues.pools)
    _check_pools(artefact, catalogues)
    _check_classes(artefact, catalogues)
    if "relative_to" in artefact.spec:
        _check_reference(artefact)
    _check_variants(artefact)


def _check_pools(artefact: Artefact, catalogues: Catalogues) -> None:
    """Every pool must be one that can be made of its data set."""
    for cell in artefact.cells:
        if cell.not_run:
            continue
        pool = catalogues.pools[stored_pool(cell.pool)]
        dataset = catalogues.datasets[cell.dataset]
        if pool.kind == "generated" and not dataset.has_features:
            raise ConfigError(
                f"config: {artefact.target} needs the pool {pool.name} of {dataset.name}, which "
                "cannot be generated, since no source of its features is known; leave the data set "
                "out, or name another pool."
            )
        too_many = [each.k for each in pool.recipes if isinstance(each.k, int)]
        if pool.kind == "generated" and dataset.n and max(too_many, default=0) > dataset.n:
            raise ConfigError(
                f"config: {artefact.target} needs the pool {pool.name} of {dataset.name}, whose k "
                f"is {max(too_many)}, and there are {dataset.n} samples."
            )
        given = list(pool.files) if pool.kind == "published" else [pool.dataset]
        if pool.kind != "generated" and dataset.name not in given:
            raise ConfigError(
                f"config: {artefact.target} needs the pool {pool.name} of {dataset.name}; it has "
                f"{', '.join(map(str, given)) or 'none'}."
            )


def _check_draws(artefact: Artefact, pools: Mapping[str, PoolSettings]) -> None:
    for cell in artefact.cells:
        pool = pools[stored_pool(cell.pool)]
        if cell.runs and not cell.not_run and cell.m not in pool.sizes:
            raise ConfigError(
                f"config/pools.yaml: {pool.name} draws ensembles of "
                f"{', '.join(map(str, pool.sizes))}, and {artefact.target} needs {cell.m}."
            )
        asked = max((repeats_in(run.parameters) or 0 for run in cell.runs), default=0)
        if asked > pool.repeats and not cell.not_run:
            raise ConfigError(
                f"config: shortened.repeats is {asked} for {cell.row} on {cell.dataset}, and "
                f"{pool.name} has {pool.repeats} repeats."
            )


def has_classes(pool: PoolSettings, dataset: DatasetEntry) -> bool:
    """Whether the classes are known where a pool is used, as far as can be said beforehand."""
    in_pool = pool.kind == "published" or (pool.labels is not None and bool(pool.labels.classes))
    return in_pool or dataset.may_have_classes


def knows_n_clusters(pool: PoolSettings, dataset: DatasetEntry) -> bool:
    """Whether the number of clusters wanted is known: the number of classes, or as configured."""
    return dataset.classes is not None or has_classes(pool, dataset)


def _check_classes(artefact: Artefact, catalogues: Catalogues) -> None:
    """Of a data set without classes their number must be given, and some figures need them."""
    for cell in artefact.cells:
        pool = catalogues.pools[stored_pool(cell.pool)]
        dataset = catalogues.datasets[cell.dataset]
        if artefact.kind in BY_CLASSES and not has_classes(pool, dataset):
            raise ConfigError(
                f"datasets: no column of classes is named for {dataset.name}, and "
                f"{artefact.target} is made of them."
            )
        if not knows_n_clusters(pool, dataset):
            raise ConfigError(
                f"datasets: {dataset.name} lacks the key 'classes', the number of clusters that "
                f"{artefact.target} needs, and no column of classes is named for it; a range in "
                "the configuration's key consensus compares numbers of clusters."
            )


def _check_reference(artefact: Artefact) -> None:
    """What other rows are compared with must not be left out where they are made."""
    row = artefact.spec["relative_to"]
    made = [cell for cell in artefact.cells if not cell.not_run]
    there = {cell.dataset for cell in made if cell.row == row}
    for cell in made:
        if cell.dataset not in there:
            raise ConfigError(
                f"config: override.methods or not_run leaves out {row} on {cell.dataset}, with "
                f"which {artefact.target} compares its other rows; keep it, or leave them out too."
            )


def _check_variants(artefact: Artefact) -> None:
    """No two variants may come to have one name, as those of one pool in place of two."""
    places: set[tuple[str, str, str]] = set()
    for cell in artefact.cells:
        place = cell.label, cell.dataset, cell.variant
        if cell.variant and place in places:
            raise ConfigError(
                f"config/papers/{artefact.paper}.yaml: audits.{artefact.name}.variants has two "
                f"called {cell.variant!r} on {cell.dataset}; give them other labels, or other "
                "pools by override.pool and override.pools of the configuration."
            )
        places.add(place)
