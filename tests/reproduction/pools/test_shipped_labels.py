"""The labels that come with the software, against the catalogue and against their sources."""

import numpy as np
import pytest

from coassoc.bench.datasets.prepare import prepare_local
from coassoc.bench.datasets.registry import load_datasets
from coassoc.bench.pools.making import make_pool
from coassoc.bench.pools.settings import load_pools
from coassoc.errors import DataError
from coassoc.metrics import adjusted_rand_index, contingency_table
from snakemake_runs import ROOT
from unpack_pool import unpack

FILES = sorted((ROOT / "data/labels").glob("*/*.h5"))
NAMES = [f"{path.parent.name}/{path.stem}" for path in FILES]


@pytest.fixture(scope="module")
def pools():
    return load_pools(ROOT / "config/pools.yaml")


@pytest.fixture(scope="module")
def datasets():
    return load_datasets(ROOT / "config/datasets.yaml")


def unpacked(name, pools, seed=0):
    pool, dataset = name.split("/")
    path = ROOT / "data/labels" / f"{name}.h5"
    return unpack(path, pools[pool], name=dataset, seed=seed)


@pytest.mark.parametrize("name", NAMES)
def test_shipped_labels_are_what_the_catalogue_says(name, pools, datasets):
    pool, dataset = name.split("/")
    entry, settings, found = datasets[dataset], pools[pool], unpacked(name, pools)
    assert found.labels.shape == (entry.n, settings.size)
    assert found.y.shape == (entry.n,)
    assert sorted({*found.y}) == [*range(entry.classes)]
    assert {*found.draws} == {*settings.sizes}
    assert found.attributes["pool"] == pool and found.attributes["dataset"] == dataset


def test_labels_of_other_settings_are_refused(pools):
    path = ROOT / "data/labels/kmeans-c-unit/GLIOMA.h5"
    with pytest.raises(DataError, match="computed with settings other than those of"):
        unpack(path, pools["kmeans-c-200"], name="GLIOMA")


def test_the_root_seed_decides_the_draws_of_published_labels(pools):
    first, other = (unpacked("published/Ecoli", pools, seed) for seed in (0, 7))
    assert (first.labels == other.labels).all()
    assert not np.array_equal(first.draws[20], other.draws[20])


def test_labels_of_glass_are_made_again_from_its_features(pools, datasets):
    """K-means depends on the processor in the last bits, so that a few may end elsewhere."""
    made = make_pool(prepare_local(datasets["Glass"], ROOT), pools["kmeans-c-200"], name="Glass")
    shipped = unpacked("kmeans-c-200/Glass", pools)
    columns = zip(made.labels.T, shipped.labels.T, strict=True)
    agree = [adjusted_rand_index(contingency_table(*both)) for both in columns]
    assert np.mean(np.array(agree) == 1) >= 0.9
    assert (made.y == shipped.y).all()
