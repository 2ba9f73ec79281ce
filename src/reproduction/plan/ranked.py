"""The ranking: the configuration's key ``ranking`` as a study of one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from coassoc.errors import ConfigError
from reproduction.plan.catalogues import Catalogues
from reproduction.plan.expansion import Choices, expand, tuned_over
from reproduction.plan.sample_order import reads_order
from reproduction.plan.studies import Cell, Study, Target

#: Name of the ranking: of the key, the study and the target.
RANKING = "ranking"
#: Group of the data sets that are in no battery.
NO_BATTERY = "no battery"


def ranking_of(config: Mapping[str, Any], catalogues: Catalogues) -> Target | None:
    """The table of the ranking; None where none is wanted.

    Its cells say in ``not_run`` why they cannot be made. Its entry has for each data set n, d,
    classes and the groups that the configuration puts it in, and for each row its title, whether it
    is tuned by the classes and whether it reads the order of the samples. Data sets of batteries
    have no cells of tuned rows. What does not go together is a ConfigError.
    """
    given = config.get(RANKING)
    if not given:
        return None
    methods, rows = catalogues.methods, ranked_rows(config, catalogues)
    if len(rows) < 2:
        raise ConfigError(f"config: ranking.methods has {', '.join(rows)} alone; it takes two.")
    for row in rows.values():
        if methods[row["method"]].n_clusters_is == "chosen":
            raise ConfigError(
                f"config: ranking.methods has {row['method']}, which chooses the number of "
                "clusters; all that are ranked are given it."
            )
        if "tune" in row and not tuned_over(methods[row["method"]], row):
            raise ConfigError(
                f"config: ranking.tuned.methods has {row['method']}, which has no grid."
            )
    of_batteries = _of_batteries(given, catalogues)
    pools = _pools(given, of_batteries, catalogues)
    metrics = {name: name for name in (*given["metrics"], "seconds")}
    study = Study(
        RANKING,
        "config",
        title="Ranking",
        citation="this project",
        pool=given["pool"],
        pools=pools,
        m=given["m"],
        datasets={"ranked": list(pools)},
        metrics=metrics,
        rows=rows,
    )
    groups = given.get("groups") or {}
    spec: dict[str, Any] = {"title": "Ranking", "caption": "", "metrics": list(metrics)}
    spec["datasets"] = {
        name: {
            **{key: getattr(catalogues.datasets[name], key) for key in ("n", "d", "classes")},
            "groups": [key for key, names in groups.items() if name in names],
        }
        for name in pools
    }
    for name, facts in spec["datasets"].items() if of_batteries else ():
        battery = catalogues.datasets[name].battery
        facts["groups"].insert(0, f"battery {battery}" if battery else NO_BATTERY)
    spec["rows"] = {
        key: {
            "title": methods[row["method"]].title,
            "tuned": "tune" in row,
            "reads_order": reads_order(
                row["method"], methods[row["method"]].method.depends_on_sample_order
            ),
        }
        for key, row in rows.items()
    }
    # What takes the place of studies' choices has no part in it, except the grids.
    override = config.get("override") or {}
    grids = {key: override[key] for key in ("grid", "tune") if key in override}
    config = _with_batteries({**config, "override": grids}, given, of_batteries)
    expanded = expand(Target(study, "tables", "", spec), methods, Choices(config))
    assert expanded is not None
    cells = (cell for cell in expanded.cells if not (cell.tune and cell.dataset in of_batteries))
    return replace(expanded, cells=tuple(_possible(cell, study, catalogues) for cell in cells))


def ranked_rows(config: Mapping[str, Any], catalogues: Catalogues) -> dict[str, dict[str, Any]]:
    """Rows of the ranking, as in a study's file: methods at their defaults, then tuned ones."""
    given, methods = config.get(RANKING) or {"methods": []}, catalogues.methods
    names, tuned = given.get("methods", "all"), given.get("tuned") or {"methods": []}
    if names == "all":
        names = [name for name, method in methods.items() if method.n_clusters_is != "chosen"]
    return {name: {"method": name} for name in names} | {
        f"{name} (tuned)": {"method": name, "tune": {"score": tuned["score"]}}
        for name in tuned["methods"]
    }


def _of_batteries(given: Mapping[str, Any], catalogues: Catalogues) -> dict[str, int]:
    """Data sets of batteries whose samples no other one of the ranking has → n, smallest first."""
    batteries = given.get("batteries")
    if not batteries:
        return {}
    entries = {
        name: entry
        for name, entry in catalogues.datasets.items()
        if entry.battery in batteries["names"] and (entry.n or 0) <= batteries.get("up_to", np.inf)
    }
    ranked = {*given["datasets"], *entries}
    once = {name: entry.n or 0 for name, entry in entries.items() if entry.same_as not in ranked}
    return dict(sorted(once.items(), key=lambda item: item[::-1]))


def _with_batteries(
    config: Mapping[str, Any], given: Mapping[str, Any], sizes: Mapping[str, int]
) -> Mapping[str, Any]:
    """With the repeats on the data sets of batteries, and those that are too large for a method."""
    if not sizes:
        return config
    batteries, too_large = given["batteries"], []
    for row, most in batteries.get("methods_up_to", {}).items():
        names = [name for name, n in sizes.items() if n > most]
        reason = f"it is run on data sets of up to {most:,} samples of the batteries"
        too_large.append({"rows": [row], "datasets": names, "reason": reason})
    repeats = {key: batteries[key] for key in ("repeats",) if key in batteries}
    shorter = {"datasets": list(sizes), **repeats}
    return {
        **config,
        "not_run": [*(config.get("not_run") or []), *too_large],
        "shortened": [*(config.get("shortened") or []), shorter],
    }


def _pools(
    given: Mapping[str, Any], of_batteries: Iterable[str], catalogues: Catalogues
) -> dict[str, str]:
    own, names = given.get("pools", {}), given["datasets"]
    if names == "all":
        usual = catalogues.datasets_of(catalogues.pools[given["pool"]])
        names = [*usual, *own]
    # Of data sets that are not ranked here, pools and groups may be given all the same: a
    # configuration that comes on top of another one may name fewer data sets than that.
    return {name: own.get(name, given["pool"]) for name in [*names, *of_batteries]}


def _possible(cell: Cell, study: Study, catalogues: Catalogues) -> Cell:
    """The cell, with the reason where its method sees features that nobody published."""
    sees = catalogues.methods[study.rows[cell.row]["method"]].uses_features
    possible = catalogues.datasets[cell.dataset].has_features or not sees
    reason = "it sees the features, which are not public"
    return cell if possible else replace(cell, not_run=reason, sources=())
