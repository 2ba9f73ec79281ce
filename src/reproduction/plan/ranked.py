"""The ranking: the configuration's key ``ranking`` as a study of one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from coassoc.datasets.registry import DatasetEntry
from coassoc.errors import ConfigError
from coassoc.storage.records import Cell
from reproduction.plan.catalogues import Catalogues
from reproduction.plan.choices import Choices
from reproduction.plan.configuration import (
    Configuration,
    NotRun,
    Override,
    Ranking,
    Shortened,
)
from reproduction.plan.expansion import expand
from reproduction.plan.grids import tuned_over
from reproduction.plan.keys import RANKING
from reproduction.plan.kinds import Ranked, Tune
from reproduction.plan.sample_order import reads_order
from reproduction.plan.studies import Row, Study, Target

#: Group of the data sets that are in no battery.
NO_BATTERY = "no battery"


def ranking_of(config: Configuration, catalogues: Catalogues) -> Target | None:
    """The table of the ranking; None where none is wanted.

    Its cells say in ``not_run`` why they cannot be made. Its entry has for each data set n, d,
    classes and the groups that the configuration puts it in, and for each row its title, whether it
    is tuned by the classes and whether it reads the order of the samples. Data sets of batteries
    have no cells of tuned rows. What does not go together is a ConfigError.
    """
    given = config.ranking
    if not given:
        return None
    methods, rows = catalogues.methods, ranked_rows(config, catalogues)
    if len(rows) < 2:
        raise ConfigError(f"config: ranking.methods has {', '.join(rows)} alone; it takes two.")
    for row in rows.values():
        method = methods[row.method or ""]
        if method.n_clusters_is == "chosen":
            raise ConfigError(
                f"config: ranking.methods has {row.method}, which chooses the number of "
                "clusters; all that are ranked are given it."
            )
        if row.tune and not tuned_over(method, row):
            raise ConfigError(f"config: ranking.tuned.methods has {row.method}, which has no grid.")
    of_batteries = _of_batteries(given, catalogues)
    pools = _pools(given, of_batteries, catalogues)
    metrics = [*given.metrics, "seconds"]
    study = Study(
        name=RANKING,
        source="config",
        title="Ranking",
        citation="this project",
        pool=given.pool,
        pools=pools,
        m=given.m,
        datasets={"ranked": list(pools)},
        metrics={name: name for name in metrics},
        rows=rows,
    )
    entry = Ranked(title="Ranking", caption="", datasets="ranked", rows=list(rows), metrics=metrics)
    shown = {
        "datasets": {
            name: _facts(catalogues.datasets[name], given, bool(of_batteries)) for name in pools
        },
        "rows": {
            key: {
                "title": methods[row.method or ""].title,
                "tuned": row.tune is not None,
                "reads_order": reads_order(
                    row.method or "", methods[row.method or ""].depends_on_sample_order
                ),
            }
            for key, row in rows.items()
        },
    }
    target = Target(study, "tables", "", entry, shown=shown)
    expanded = expand(target, methods, _choices(config, list(rows), of_batteries))
    assert expanded is not None
    cells = (cell for cell in expanded.cells if not (cell.tune and cell.dataset in of_batteries))
    return replace(expanded, cells=tuple(_possible(cell, study, catalogues) for cell in cells))


def _facts(dataset: DatasetEntry, given: Ranking, with_batteries: bool) -> dict[str, Any]:
    """What the ranking says of a data set."""
    groups = [key for key, names in (given.groups or {}).items() if dataset.name in names]
    if with_batteries:
        groups.insert(0, f"battery {dataset.battery}" if dataset.battery else NO_BATTERY)
    return {"n": dataset.n, "d": dataset.d, "classes": dataset.classes, "groups": groups}


def ranked_rows(config: Configuration, catalogues: Catalogues) -> dict[str, Row]:
    """Rows of the ranking, as in a study's file: methods at their defaults, then tuned ones."""
    given = config.ranking
    if not given:
        return {}
    names, methods = given.methods, catalogues.methods
    if names == "all":
        # What combines other methods is not beside them.
        names = [
            name
            for name, method in methods.items()
            if method.n_clusters_is != "chosen" and not method.combines
        ]
    rows = {name: Row(method=name) for name in names}
    if given.tuned:
        for name in given.tuned.methods:
            rows[f"{name} (tuned)"] = Row(method=name, tune=Tune(score=given.tuned.score))
    return rows


def _of_batteries(given: Ranking, catalogues: Catalogues) -> dict[str, int]:
    """Data sets of batteries whose samples no other one of the ranking has → n, smallest first."""
    batteries = given.batteries
    if not batteries:
        return {}
    most = batteries.up_to or np.inf
    entries = {
        name: entry
        for name, entry in catalogues.datasets.items()
        if entry.battery in batteries.names and (entry.n or 0) <= most
    }
    ranked = {*given.datasets, *entries}
    once = {name: entry.n or 0 for name, entry in entries.items() if entry.same_as not in ranked}
    return dict(sorted(once.items(), key=lambda item: item[::-1]))


def _choices(config: Configuration, rows: list[str], sizes: Mapping[str, int]) -> Choices:
    """What the configuration chooses for the ranking.

    What takes the place of studies' choices has no part in it, except the grids. Data sets of
    batteries, of some `sizes`, may have fewer repeats and be too large for a method.
    """
    grids = config.override or Override()
    override = Override(grid=grids.grid, tune=grids.tune)
    not_run, shortened = list(config.not_run or []), list(config.shortened or [])
    batteries = config.ranking and config.ranking.batteries
    if batteries and sizes:
        for row, most in batteries.methods_up_to.items():
            names = [name for name, n in sizes.items() if n > most]
            reason = f"it is run on data sets of up to {most:,} samples of the batteries"
            if names:
                not_run.append(NotRun(rows=[row], datasets=names, reason=reason))
        if repeats := batteries.repeats:
            shortened.append(Shortened(rows=rows, datasets=list(sizes), repeats=repeats))
    return Choices(override, not_run, shortened)


def _pools(given: Ranking, of_batteries: Iterable[str], catalogues: Catalogues) -> dict[str, str]:
    own, names = given.pools, given.datasets
    if names == "all":
        usual = catalogues.datasets_of(catalogues.pools[given.pool])
        names = [*usual, *own]
    # Of data sets that are not ranked here, pools and groups may be given all the same: a
    # configuration that comes on top of another one may name fewer data sets than that.
    return {name: own.get(name, given.pool) for name in [*names, *of_batteries]}


def _possible(cell: Cell, study: Study, catalogues: Catalogues) -> Cell:
    """The cell, with the reason where its method sees features that nobody published."""
    sees = catalogues.methods[study.rows[cell.row].method or ""].uses_features
    possible = catalogues.datasets[cell.dataset].has_features or not sees
    reason = "it sees the features, which are not public"
    return cell if possible else replace(cell, not_run=reason, sources=())
