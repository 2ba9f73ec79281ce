"""What a configuration may say: names that exist, pools that draw ensembles of the size needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from coassoc.errors import ConfigError
from coassoc.plan.artefacts import Artefact
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.runs import SHUFFLED
from coassoc.pools.settings import PoolSettings
from coassoc.storage.configuration import check_known

__all__ = ["check_configuration", "check_draws"]


def check_configuration(config: Mapping[str, Any], catalogues: Catalogues) -> None:
    """Raise a ConfigError for what a configuration names and no catalogue has."""
    targets = _target_names(catalogues)
    check_known("config", "targets", config.get("targets") or [], targets)
    override = config.get("override") or {}
    own = override.get("targets") or {}
    check_known("config", "override.targets", own, targets)
    _check_override("override", override, catalogues)
    for name, each in own.items():
        _check_override(f"override.targets.{name}", each, catalogues)
    rows = {row for paper in catalogues.papers.values() for row in paper.rows}
    known = {"targets": targets, "datasets": catalogues.datasets, "rows": sorted(rows)}
    for entry in config.get("not_run") or []:
        for key, names in known.items():
            check_known("config", f"not_run.{key}", entry.get(key, []), names)


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


def check_draws(artefact: Artefact, pools: Mapping[str, PoolSettings]) -> None:
    """Raise for ensembles of a size that their pool does not draw."""
    for cell in artefact.cells:
        pool = pools[cell.pool.removesuffix(SHUFFLED)]
        if cell.runs and not cell.not_run and cell.m not in pool.sizes:
            raise ConfigError(
                f"config/pools.yaml: {pool.name} draws ensembles of "
                f"{', '.join(map(str, pool.sizes))}, and {artefact.target} needs {cell.m}."
            )
