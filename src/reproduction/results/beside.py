"""The workflow's ranking next to the kept rows, none of which is refitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from coassoc.bench.kept import Kept, ensemble_fingerprint
from coassoc.bench.ranking import Ranks, rank_cells
from coassoc.errors import ConfigError
from coassoc.storage.hdf5 import read_pool

Facts = Mapping[str, Mapping[str, Any]]


def rank_beside_kept(
    cells: Sequence[Mapping[str, Any]],
    scores: Mapping[str, pd.DataFrame],
    metrics: Mapping[str, str],
    rows: Facts,
    datasets: Facts,
    *,
    pools: Iterable[str],
) -> Ranks:
    """As :func:`~coassoc.bench.ranking.rank_cells`, with the rows that ship with the package.

    Pools are the files of the data sets. A row of a kept name is the workflow's own.

    Raises
    ------
    ConfigError
        If a data set's ensembles are not those of the kept ranking.
    """
    kept = Kept()
    m = kept.facts["m"]
    for path, name in zip(pools, datasets, strict=True):
        pool = read_pool(path)
        known = kept.datasets.get(name, {}).get("fingerprint")
        if m not in pool.draws or ensemble_fingerprint(pool, m) != known:
            raise ConfigError(
                f"config: ranking.beside is 'kept', and the ensembles of {name} are not those of "
                f"the kept ranking, which has {kept.facts['pool']} with m = {m}, of "
                f"{', '.join(kept.datasets)}."
            )
    others = {name: facts for name, facts in kept.rows.items() if name not in rows}
    kept_cells = [cell for cell in kept.cells(datasets) if cell["row"] in others]
    kept_scores = kept.scores(datasets, None)
    return rank_cells(
        [*cells, *kept_cells], {**kept_scores, **scores}, metrics, {**rows, **others}, datasets
    )
