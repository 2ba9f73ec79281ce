"""What the key ``consensus`` of a configuration may say."""

import pytest
import yaml

from coassoc.errors import ConfigError
from reproduction.plan.catalogues import load_catalogues
from reproduction.plan.cells import Plan
from reproduction.plan.keys import RunKey
from reproduction.plan.wanted_consensus import wanted_consensus
from dataset_files import write
from plans import CONFIG, mistakes, settings

#: The last five are wrong, which blocks nothing that does not use them.
POOLS = """
mine: {kind: labels, file: labels.csv}
known: {kind: labels, file: labels.csv, classes: b}
wine: {kind: labels, file: labels.csv, dataset: Wine, draws: {sizes: [1], repeats: 2}}
gone: {kind: labels, file: gone.csv}
odd: {kind: labels, file: labels.csv, id: c}
none: {kind: labels, file: labels.csv, classes: c}
both: {kind: labels, file: labels.csv, id: a, classes: a}
twice: {kind: labels, file: labels.csv, id: a, columns: [a, b]}
"""


@pytest.fixture
def wanted(tmp_path):
    """What entries of the configuration want, by the pools and data sets."""
    write(tmp_path / "labels.csv", "a,b\n1,x\n2,y\n" + 3 * "1,y\n")
    pools = write(tmp_path / "pools.yaml", POOLS)
    catalogues = load_catalogues(CONFIG, {"pools": [str(pools)]})

    def of(*entries):
        consensuses = wanted_consensus({"consensus": list(entries)}, catalogues)
        return {(consensus.pool, consensus.dataset): consensus for consensus in consensuses}

    return of


def test_a_pool_of_labels_is_a_data_set_of_its_own_name(wanted):
    mine = wanted({"pool": "mine", "methods": ["LWEA"], "n_clusters": 2})["mine", "mine"]
    assert mine.runs == [RunKey("mine", "mine", 2, "LWEA", n_clusters=2)]
    assert mine.files == ["results/consensus/mine/mine.csv", "results/consensus/mine/mine.html"]


def test_numbers_of_clusters_are_compared_before_or_beside_labels(wanted):
    entry = {"pool": "mine", "methods": ["LWEA", "CA-SC"], "range": [2, 4]}
    mine = wanted(entry)["mine", "mine"]
    stem = "results/consensus/mine/mine"
    assert mine.range == (2, 4) and not mine.labelled and mine.fits(draws=20) == 3 * 21
    assert mine.runs == [RunKey("mine", "mine", 2, name) for name in entry["methods"]]
    assert mine.files == [f"{stem}/n_clusters.csv", f"{stem}/n_clusters.html"]
    both = wanted({**entry, "n_clusters": 2})["mine", "mine"]
    assert both.fits(draws=20) == 1 + 3 * 21 and {run.n_clusters for run in both.runs} == {2}
    assert both.files == [f"{stem}.csv", f"{stem}.html", *mine.files]


@pytest.mark.parametrize(
    "entry",
    [
        {"methods": ["PIVOT", "BALLS"]},
        {"methods": ["EAC-AL", "PIVOT"], "n_clusters": "auto"},
        {"methods": ["LWEA"], "n_clusters": "auto", "pool": "known"},
    ],
)
def test_methods_may_choose_the_number_of_clusters(wanted, entry):
    (consensus,) = wanted({"pool": "mine", **entry}).values()
    assert consensus.labelled and consensus.unasked and consensus.n_clusters is None


def test_where_classes_are_known_runs_are_those_of_tables(wanted):
    methods = ["LWEA", "EC-CMS"]
    by_ensemble = wanted(
        {"pool": "kmeans-small", "datasets": ["Wine", "Glass"], "methods": methods, "m": 20},
        {"pool": "known", "methods": methods},
        {"pool": "wine", "methods": methods},
        {"pool": "published", "datasets": ["Ecoli"], "methods": methods},
    )
    assert [(*place, consensus.m) for place, consensus in by_ensemble.items()] == [
        ("kmeans-small", "Wine", 20),
        ("kmeans-small", "Glass", 20),
        ("known", "known", 1),
        ("wine", "Wine", 1),
        ("published", "Ecoli", 50),
    ]
    glass = by_ensemble["kmeans-small", "Glass"]
    assert glass.runs[1].stem == "kmeans-small/Glass/m20/EC-CMS/default"
    assert glass.fits(draws=20) == 1


IN_AN_ENTRY = r"""
{datasets: [Wine]} | consensus.0.datasets names 'Wine'; allowed are mine
{m: 5} | consensus.0.m is 5; mine draws ensembles of 2
{} | lacks the key 'n_clusters', since mine has no classes; say range: \[2, 10\]
{range: [4, 2]} | consensus.0.range is \[4, 2\]; the smaller number is first
{n_clusters: 6} | consensus.0.n_clusters is 6; mine has 5 samples
{range: [2, 5]} | consensus.0.range is \[2, 5\]; mine has 5 samples
{pool: wine, range: [2, 4]}
    | consensus.0.range compares what halves .* one base clustering only
{methods: [SC], range: [2, 4]} | methods has SC, which sees the samples' features
{pool: kmeans-c} | lacks the key 'datasets'; kmeans-c has several
{methods: [LWEA, PIVOT], n_clusters: 2}
    | has the key 'n_clusters', and consensus.0.methods has PIVOT, which chooses the number
{methods: [PIVOT], range: [2, 3]} | has the key 'range', and .* has PIVOT, which
{methods: [LWEA, PIVOT]} | lacks the key 'n_clusters', since mine has no classes
{methods: [LWEA, CA-SC], n_clusters: auto}
    | n_clusters is 'auto', and .* has CA-SC, which must be given a number
{methods: [SC], n_clusters: 2} | has SC, which sees the samples' features, and mine has none
{pool: gone, n_clusters: 2} | gone.file is 'gone.csv'; there is no such file
{pool: odd, n_clusters: 2} | labels.csv: id names 'c'; allowed are a, b
{pool: none, n_clusters: 2} | labels.csv: classes names 'c'; allowed are a, b
{pool: both, n_clusters: 2} | labels.csv: 'a' is named as id and as classes both
{pool: twice, n_clusters: 2} | labels.csv: columns has 'a', which is id already
"""


@pytest.mark.parametrize(("entry", "message"), mistakes(IN_AN_ENTRY))
def test_a_mistake_is_one_sentence(wanted, entry, message):
    with pytest.raises(ConfigError, match=message):
        wanted({"pool": "mine", "methods": ["LWEA"], **yaml.safe_load(entry)})


def test_a_pool_stands_once(wanted):
    entry = {"pool": "known", "methods": ["LWEA"]}
    with pytest.raises(ConfigError, match="consensus has known on known twice"):
        wanted(entry, entry)


def test_the_table_of_what_is_wanted_has_its_methods(catalogues):
    entry = {"pool": "kmeans-small", "datasets": ["Glass"], "methods": ["LWEA", "SC"], "m": 10}
    cells = Plan({**settings(), "consensus": [entry]}, catalogues).cells()
    rows = cells[cells["target"] == "consensus"].set_index("method")
    assert rows["pool_file"].unique() == ["data/pools/kmeans-small/Glass.h5"]
    assert rows["features_file"].to_dict() == {"LWEA": "", "SC": "data/datasets/Glass.h5"}
    assert not rows["wanted"].any() and set(rows["run_file"]) == {""}
