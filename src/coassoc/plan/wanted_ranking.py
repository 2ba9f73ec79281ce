"""Which methods a configuration wants ranked on which data sets, its key ``ranking``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from coassoc.errors import ConfigError
from coassoc.methods import METHODS
from coassoc.metrics import METRICS
from coassoc.plan.artefacts import RANKING, Artefact, Cell
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.choices import Choices
from coassoc.plan.columns import TUNING_SCORES
from coassoc.plan.expansion import expand
from coassoc.plan.grids import tuned_over
from coassoc.plan.keys import POOL
from coassoc.plan.papers import Paper
from coassoc.storage.configuration import check_known

__all__ = ["Ranking", "ranked_rows", "wanted_ranking"]

_TUNED = " (tuned)"


@dataclass(frozen=True)
class Ranking:
    """Methods on data sets, and what is known of both.

    Attributes
    ----------
    artefact : Artefact
        Its cells; those that cannot be made say why in ``not_run``.
    datasets : dict
        Data set → n, classes and the groups that the configuration puts it in.
    rows : dict
        Row → title, and whether it is tuned by the classes and reads the order of the samples.
    beside_kept : bool
        Whether the kept rows stand beside them, without a fit.
    """

    artefact: Artefact
    datasets: dict[str, dict[str, Any]]
    rows: dict[str, dict[str, Any]]
    beside_kept: bool = False

    @property
    def pools_beside_kept(self) -> list[str]:
        """Files of the data sets' pools, if they must be those behind the kept rows."""
        cells = {cell.dataset: cell for cell in self.artefact.cells}
        names = list(self.datasets) if self.beside_kept else []
        return [POOL.format(pool=cells[name].pool, dataset=name) for name in names]


def ranked_rows(config: Mapping[str, Any], catalogues: Catalogues) -> dict[str, dict[str, Any]]:
    """Rows of the ranking, as in a paper's file: methods at their defaults, then tuned ones.

    Beside the kept rows, which have all of the library's, only a user's own methods count.
    """
    spec = config.get(RANKING) or {}
    methods = spec.get("methods", "all")
    names = list(catalogues.methods) if methods == "all" else methods
    tuned = spec.get("tuned", {"methods": []})
    kept = set(METHODS) if "beside" in spec else set()
    return {name: {"method": name} for name in names if name not in kept} | {
        f"{name}{_TUNED}": {"method": name, "tune": {"score": tuned["score"]}}
        for name in tuned["methods"]
        if name not in kept
    }


def wanted_ranking(config: Mapping[str, Any], catalogues: Catalogues) -> Ranking | None:
    """What the key ``ranking`` wants; None without the key.

    Raises
    ------
    ConfigError
        If it names what is not there or does not go together.
    """
    spec = config.get(RANKING)
    if not spec:
        return None
    pools = _pools(spec, catalogues)
    _check(spec, pools, catalogues)
    rows = ranked_rows(config, catalogues)
    if not rows:
        raise ConfigError(
            "config: ranking.beside is 'kept', and ranking.methods has no method of your own; it "
            "must name one of the files that the key methods names, or be 'all'."
        )
    metrics = [*spec["metrics"], "seconds"]
    shown = {"datasets": "ranked", "metrics": metrics, "rows": list(rows)}
    paper = Paper(
        RANKING,
        "config",
        title="Ranking",
        citation="this project",
        pool=spec["pool"],
        pools=pools,
        m=spec["m"],
        datasets={"ranked": list(pools)},
        metrics={name: name for name in metrics},
        rows=rows,
        tables={"cells": {"title": "Ranking", "caption": "", **shown}},
    )
    # What takes the place of papers' choices has no part in it, except the grids.
    override = config.get("override") or {}
    grids = {key: override[key] for key in ("grid", "tune") if key in override}
    artefact = expand(paper.entries[0], catalogues, Choices({**config, "override": grids}))
    assert artefact is not None
    cells = tuple(_possible(cell, rows, catalogues) for cell in artefact.cells)
    groups = spec.get("groups", {})
    datasets = {name: catalogues.datasets[name] for name in pools}
    methods = {key: catalogues.methods[row["method"]] for key, row in rows.items()}
    return Ranking(
        replace(artefact, cells=cells),
        {
            name: {
                "n": entry.n,
                "classes": entry.classes,
                "groups": [group for group, names in groups.items() if name in names],
            }
            for name, entry in datasets.items()
        },
        {
            key: {
                "title": entry.title,
                "tuned": "tune" in rows[key],
                "reads_order": entry.method.depends_on_sample_order,
            }
            for key, entry in methods.items()
        },
        spec.get("beside") == "kept",
    )


def _pools(spec: Mapping[str, Any], catalogues: Catalogues) -> dict[str, str]:
    """Data set → its pool."""
    own, names = spec.get("pools", {}), spec["datasets"]
    check_known("config", "ranking.pool", [spec["pool"]], catalogues.pools)
    check_known("config", "ranking.pools", own.values(), catalogues.pools)
    usual = catalogues.pools[spec["pool"]]
    if names == "all":
        names = [*dict.fromkeys([*catalogues.datasets_of(usual), *own])]
    # Of data sets that are not ranked here, pools and groups may be given all the same: a
    # configuration that comes on top of another one may name fewer data sets than that.
    for key, named in (("datasets", names), ("pools", own)):
        check_known("config", f"ranking.{key}", named, catalogues.datasets)
    return {name: own.get(name, usual.name) for name in names}


def _check(spec: Mapping[str, Any], pools: Mapping[str, str], catalogues: Catalogues) -> None:
    for dataset, name in pools.items():
        pool = catalogues.pools[name]
        check_known("config", f"ranking: the pool {name}", [dataset], catalogues.datasets_of(pool))
        if spec["m"] not in pool.sizes:
            sizes = ", ".join(map(str, pool.sizes))
            raise ConfigError(
                f"config: ranking.m is {spec['m']}; {name} draws ensembles of {sizes}."
            )
    methods, tuned = spec.get("methods", "all"), spec.get("tuned", {"methods": [], "score": "ARI"})
    groups = spec.get("groups", {}).items()
    named: list[tuple[str, Iterable[str], Iterable[str]]] = [
        ("methods", [] if methods == "all" else methods, catalogues.methods),
        ("metrics", spec["metrics"], METRICS),
        ("tuned.methods", tuned["methods"], catalogues.methods),
        ("tuned.score", [tuned["score"]], TUNING_SCORES),
        *((f"groups.{group}", names, catalogues.datasets) for group, names in groups),
    ]
    for key, names, known in named:
        check_known("config", f"ranking.{key}", names, known)
    for name in tuned["methods"]:
        if not tuned_over(catalogues.methods[name], tuned, {}):
            raise ConfigError(f"config: ranking.tuned.methods has {name}, which has no grid.")


def _possible(cell: Cell, rows: Mapping[str, Mapping[str, Any]], catalogues: Catalogues) -> Cell:
    """The cell, with the reason where its method sees features that nobody published."""
    method = catalogues.methods[rows[cell.row]["method"]]
    if method.uses_features and not catalogues.datasets[cell.dataset].has_features:
        return replace(cell, not_run="it sees the features, which are not public")
    return cell
