"""The workflow's ranking with the kept rows beside it."""

from __future__ import annotations

import pytest

from coassoc.bench.kept import Kept, cell_of
from coassoc.errors import ConfigError
from coassoc.storage.hdf5 import write_pool
from coassoc.storage.records import Pool
from reproduction.results.beside import rank_beside_kept

KEPT = Kept()
METRICS = {name: name for name in (*KEPT.facts["metrics"], "seconds")}
ROWS = {"Mine": {"title": "", "tuned": False, "reads_order": False}}


def ranked(tmp_path, pool: Pool):
    """A row that has LWEA's scores on Wine, beside the kept ones."""
    write_pool(tmp_path / "Wine.h5", pool)
    source = "kmeans-sqrt/Wine/m20/Mine/default"
    lines = KEPT.scores(["Wine"], None)["kmeans-sqrt/Wine/m20/LWEA/default"].assign(seconds=1.0)
    cells = [cell_of("Mine", "Wine", KEPT.facts, sources=[source])]
    datasets = {"Wine": KEPT.datasets["Wine"]}
    pools = [str(tmp_path / "Wine.h5")]
    return rank_beside_kept(cells, {source: lines}, METRICS, ROWS, datasets, pools=pools)


def test_all_rows_are_there_and_times_are_those_of_own_rows_alone(tmp_path):
    ranking = ranked(tmp_path, KEPT.pool("Wine"))
    assert set(ranking.rows) == {"Mine", *KEPT.rows}
    lines = ranking.lines.query("metric == 'ARI' and group == 'all data sets' and not tuned")
    ranks = lines.groupby("label")["rank"].first()
    assert ranks["Mine"] == ranks["LWEA"]
    assert lines[lines["seconds"].notna()]["label"].unique() == ["Mine"]
    assert "Mine" not in set(ranking.lines.query("tuned")["label"])


def test_other_ensembles_are_refused(tmp_path):
    pool = KEPT.pool("Wine")
    other = Pool(pool.labels[::-1], pool.y, pool.draws, {})
    with pytest.raises(ConfigError, match="the ensembles of Wine are not those of the kept"):
        ranked(tmp_path, other)
