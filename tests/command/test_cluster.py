"""``coassoc cluster``: what it reads, asks, and writes."""

import numpy as np
import pandas as pd
import pytest

from coassoc import EnsembleClusterer
from coassoc.pages import cluster as page
from coassoc.pages.cluster import conclusion
from ensembles import THREE_GROUPS as GROUPS
from programs import coassoc as run

TABLE = pd.DataFrame(GROUPS, [f"s{i}" for i in range(30)], [f"g{j}" for j in range(12)])


@pytest.fixture
def file(tmp_path):
    TABLE.to_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


def test_the_results_are_those_of_the_library_with_clusters_from_1(file, tmp_path):
    said = run("cluster", file, "--samples", "rows", "-k", 3, "-o", tmp_path / "out")
    assert said.stdout.startswith("3 clusters of 10, 10, 10 samples: ")
    found = EnsembleClusterer(3, random_state=0).fit(GROUPS)
    lines = pd.read_csv(tmp_path / "out/cluster.csv")
    assert list(lines["sample"]) == list(TABLE.index)
    np.testing.assert_array_equal(lines["cluster"], found.labels_ + 1)
    np.testing.assert_allclose(lines["confidence"], found.confidence_, atol=5e-5)
    page = (tmp_path / "out/cluster.html").read_text()
    assert "Agreement of the candidates" in page and found.candidates_[0].candidate in page


def test_agreement_and_samples_are_told(monkeypatch):
    found = EnsembleClusterer(3, random_state=0).fit(GROUPS)
    assert "is 1.00. The algorithms agree." in conclusion(found)
    assert "agree most" not in conclusion(found)
    noise = np.random.default_rng(0).normal(size=(60, 2))
    monkeypatch.setattr(page, "MOST", 50)
    told = conclusion(EnsembleClusterer(3, random_state=0).fit(noise))
    assert "agree." not in told and "50 samples drawn at random were clustered." in told


def test_samples_in_columns_are_turned(file, tmp_path):
    TABLE.T.to_csv(file)
    words = ("--samples", "columns", "--most-variable", 8, "-k", 3)
    run("cluster", file, *words, "-o", tmp_path / "out")
    lines = pd.read_csv(tmp_path / "out/cluster.csv")
    assert list(lines["sample"]) == list(TABLE.index) and lines["cluster"].nunique() == 3
    assert "most variable 8" in (tmp_path / "out/cluster.html").read_text()


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (("-k", 3), "Pass --samples rows or --samples columns"),
        (("--samples", "rows", "-k", 31), "n_clusters is 31, for 30 samples"),
    ],
)
def test_what_is_unclear_is_asked(file, tmp_path, words, match):
    said = run("cluster", file, *words, "-o", tmp_path / "out", code=None)
    assert said.exit_code and match in said.output
    assert not (tmp_path / "out/cluster.csv").exists()


def test_a_table_is_not_overwritten(tmp_path):
    TABLE.to_csv(tmp_path / "cluster.csv")
    said = run("cluster", tmp_path / "cluster.csv", "--samples", "rows", "-o", tmp_path, code=2)
    assert "would overwrite" in said.output
