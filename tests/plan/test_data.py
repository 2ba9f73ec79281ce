"""Data sets of the catalogues, and what they are made from."""

from __future__ import annotations

import pytest

from coassoc.errors import ConfigError
from coassoc.plan.catalogues import load_catalogues
from coassoc.plan.data import Data
from snakemake_runs import ROOT


@pytest.fixture
def data(tmp_path, monkeypatch) -> Data:
    """With a data set of one's own, in a folder in which nothing is made yet."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text("Mine: {file: mine.csv, classes: 5}")
    return Data(load_catalogues(ROOT / "config", {"datasets": ["own.yaml"]}), ROOT)


def test_what_a_data_set_is_prepared_from(data, tmp_path):
    assert data.source_files("Ecoli") == ["data/sources/Ecoli.json"]
    # It comes with the project, which may be anywhere; the sum of its content stands for it.
    assert data.source_files("Glass") == [] and "sha256" in str(data.entry("Glass"))
    with pytest.raises(ConfigError, match=r"mine\.csv"):
        data.source_files("Mine")
    (tmp_path / "mine.csv").write_text("1,2\n")
    # As it is written, so that another place of the folder changes nothing.
    assert data.source_files("Mine") == ["mine.csv"]
    assert "Mine" in data.unlabelled and not {"Glass", "Ecoli"} & set(data.unlabelled)
    with pytest.raises(ConfigError, match="Nowhere"):
        data.entry("Nowhere")


def test_a_report_has_the_pools_that_are_used(data):
    used = [("kmeans-small", "Mine")]
    assert dict(data.described(used, own=True)) == {"Mine": ["kmeans-small"]}
    assert "published" in data.described(used, own=False)["Ecoli"]


def test_clusterers_are_checked(data, tmp_path):
    data.check_clusterers()
    entry = "{kind: generated, clusterer: KMedoids, size: 9, draws: {sizes: [9], repeats: 1}}"
    (tmp_path / "pools.yaml").write_text(f"Medoids: {entry}")
    own = Data(load_catalogues(ROOT / "config", {"pools": ["pools.yaml"]}), ROOT)
    with pytest.raises(ConfigError, match=r"^pools: Medoids\.clusterer is 'KMedoids'; allowed are"):
        own.check_clusterers()
