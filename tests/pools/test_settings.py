"""The catalogue of pools."""

import pytest

from coassoc.datasets.registry import load_datasets
from coassoc.pools.settings import PoolSettings, load_pools, pools_to_make


@pytest.fixture
def catalogue(project):
    return load_pools(project / "config/pools.yaml")


def test_pools_of_the_catalogue(catalogue, project):
    entries = load_datasets(project / "config/datasets.yaml")
    assert {"kmeans-sqrt", "kmeans-c", "kmeans-c-unit", "published"} <= set(catalogue)
    eccms = {name for name, entry in entries.items() if "EC-CMS" in entry.papers}
    assert eccms <= set(catalogue["published"].files)
    for pool in catalogue.values():
        assert set(pool.files) <= set(entries)
        assert (pool.kind == "published") == bool(pool.files)
        assert PoolSettings.model_validate(pool.model_dump(mode="json")) == pool.model_copy(
            update={"files": {}, "results": None}
        )
        for source in pool.files.values():
            assert all(file.sha256 for file in source.files)


def test_pairs_to_make(catalogue, project):
    entries = load_datasets(project / "config/datasets.yaml")
    pairs = {*pools_to_make(catalogue, entries)}
    assert {("kmeans-sqrt", "Ecoli"), ("kmeans-c-unit", "Glass")} < pairs
    assert ("published", "Caltech20") in pairs
    assert not {("kmeans-sqrt", "Caltech20"), ("kmeans-sqrt", "Glass")} & pairs
