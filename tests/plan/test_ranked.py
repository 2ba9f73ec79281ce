"""What the key ``ranking`` of a configuration may say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coassoc.datasets.batteries import load_batteries
from coassoc.errors import ConfigError
from coassoc.plan.cells import Plan
from coassoc.plan.configuration import CONFIGURATION
from coassoc.storage.forms import validate
from plans import CONFIG, settings

SPEC = {
    "pool": "kmeans-small",
    "m": 20,
    "datasets": ["Glass", "Wine"],
    "methods": ["LWEA", "LTA-SC", "ACMK-SC"],
    "metrics": ["ARI", "NMI"],
    "groups": {"UCI": ["Wine"]},
    "tuned": {"methods": ["LWEA"], "score": "ARI"},
}


@pytest.fixture(scope="module")
def few(catalogues):
    """The catalogues with one study, as expanding all of them takes a while."""
    return replace(catalogues, studies={"rce": catalogues.studies["rce"]})


def wanted(catalogues, *, config=None, **changes):
    """The ranking of a configuration that has little else."""
    usual = {"name": "ranked", "seed": 0, "threads": 1, "ranking": {**SPEC, **changes}}
    return Plan({**usual, **(config or {})}, catalogues).ranking


def test_rows_are_methods_at_their_defaults_and_tuned_ones_apart(few):
    ranking = wanted(few)
    assert ranking.rows == ["LWEA", "LTA-SC", "ACMK-SC", "LWEA (tuned)"]
    assert [row for row, facts in ranking.spec["rows"].items() if facts["tuned"]] == [
        "LWEA (tuned)"
    ]
    assert [row for row, facts in ranking.spec["rows"].items() if facts["reads_order"]] == [
        "LTA-SC"
    ]
    assert ranking.spec["datasets"]["Wine"] == {"n": 178, "d": 13, "classes": 3, "groups": ["UCI"]}
    cells = {(cell.row, cell.dataset): cell for cell in ranking.cells}
    assert cells["LWEA", "Glass"].sources == ["kmeans-small/Glass/m20/LWEA/default"]
    assert cells["LWEA (tuned)", "Glass"].tune == "ARI"
    assert set(ranking.spec["metrics"]) == {"ARI", "NMI", "seconds"}


def test_null_switches_tuned_rows_and_groups_off(few):
    ranking = wanted(few, tuned=None, groups=None)
    assert ranking.rows == ["LWEA", "LTA-SC", "ACMK-SC"]
    assert ranking.spec["datasets"]["Wine"]["groups"] == []


def test_all_means_every_method_and_every_data_set_that_the_pool_can_have(few):
    """Of the methods those that are given the number of clusters."""
    ranking = wanted(few, methods="all", datasets="all", pool="kmeans-sqrt", groups={})
    given = {name for name, method in few.methods.items() if method.n_clusters_is != "chosen"}
    assert given < set(few.methods) and given == set(ranking.rows) - {"LWEA (tuned)"}
    with_features = {name for name, dataset in few.datasets.items() if dataset.has_features}
    assert set(ranking.datasets) == with_features


def test_groups_and_pools_of_other_data_sets_have_no_part_in_it(few):
    groups = {"UCI": ["Wine"], "digits": ["Digits"]}
    ranking = wanted(few, groups=groups, pools={"Digits": "kmeans-c"})
    assert {group for facts in ranking.spec["datasets"].values() for group in facts["groups"]} == {
        "UCI"
    }
    assert {cell.pool for cell in ranking.cells} == {"kmeans-small"}


def test_a_method_that_sees_features_says_why_it_has_no_score(few):
    pools = {"Caltech20": "published"}
    ranking = wanted(few, datasets=["Wine", "Caltech20"], pools=pools)
    cells = {(cell.row, cell.dataset): cell for cell in ranking.cells}
    assert cells["ACMK-SC", "Caltech20"].not_run == "it sees the features, which are not public"
    assert cells["ACMK-SC", "Caltech20"].sources == []
    assert cells["LWEA", "Caltech20"].pool == "published"
    assert not cells["ACMK-SC", "Wine"].not_run


def test_cells_are_left_out_with_a_reason_and_overrides_are_for_papers(few):
    config = {
        "override": {"datasets": ["Digits"], "pool": "kmeans-sqrt", "methods": ["RCE"]},
        "not_run": [{"targets": ["ranking"], "rows": ["LTA-SC"], "reason": "slow"}],
    }
    cells = wanted(few, config=config).cells
    assert {cell.dataset for cell in cells} == {"Glass", "Wine"}
    assert {cell.row for cell in cells if cell.not_run == "slow"} == {"LTA-SC"}


def test_cells_are_shortened_as_those_of_papers_are(few):
    config = {
        "shortened": [
            {"targets": ["ranking"], "rows": ["LTA-SC"], "datasets": ["Wine"], "repeats": 2},
            {"targets": ["ranking"], "rows": ["LWEA (tuned)"], "race": True},
        ],
    }
    cells = wanted(few, config=config).cells
    runs = {(cell.row, cell.dataset): cell.runs[0] for cell in cells}
    assert runs["LTA-SC", "Wine"].repeats == 2
    assert runs["LTA-SC", "Glass"].repeats is None is runs["LWEA", "Wine"].repeats
    assert runs["LWEA (tuned)", "Wine"].race == "ARI"


def test_a_tuned_row_can_be_tuned_over_some_points(few):
    ranking = {**SPEC, "tuned": {"methods": ["EC-CMS"], "score": "ARI"}}
    entry = {"targets": ["ranking"], "rows": ["EC-CMS (tuned)"], "grid": {"lam": [0.1, 1]}}
    cells = wanted(few, config={"ranking": ranking, "shortened": [entry]}).cells
    tuned = [cell for cell in cells if cell.row == "EC-CMS (tuned)"]
    assert tuned and all(cell.runs[0].points == (20, 70) for cell in tuned)


def test_data_sets_of_batteries_are_ranked_once_and_named_by_their_battery(few):
    batteries = {"names": ["uci", "wut"], "repeats": 2, "up_to": 1500}
    batteries["methods_up_to"] = {"ACMK-SC": 120}
    ranking = wanted(few, batteries=batteries)
    groups = {name: facts["groups"] for name, facts in ranking.spec["datasets"].items()}
    assert groups["Wine"] == ["no battery", "UCI"]
    assert groups["wut-x1"] == ["battery wut"]
    assert "uci-wine" not in groups  # Wine again
    assert {"uci-ecoli", "wut-x3-K4"} <= set(groups) and "wut-x3-K3" not in groups
    cells = {(cell.row, cell.dataset): cell for cell in ranking.cells}
    assert cells["LWEA", "wut-x1"].runs[0].repeats == 2
    assert cells["LWEA", "Wine"].runs[0].repeats is None
    assert ("LWEA (tuned)", "Wine") in cells and ("LWEA (tuned)", "wut-x1") not in cells
    assert not cells["ACMK-SC", "wut-x1"].not_run and not cells["ACMK-SC", "Wine"].not_run
    assert "wut-cross" not in groups  # of 2,000 samples
    assert "data sets of up to 120 samples" in cells["ACMK-SC", "uci-yeast"].not_run


def test_ensembles_may_be_all_base_clusterings_of_a_pool(few):
    changes = {"pool": "suite-main", "m": "all", "datasets": ["wut-x1", "wut-x2-K4"]}
    ranking = wanted(few, **changes, groups={})
    assert {cell.m for cell in ranking.cells} == {0} and ranking.cells[0].pool == "suite-main"
    with pytest.raises(ConfigError, match="draws ensembles of 10, 20, 30, and ranking needs all"):
        wanted(few, m="all")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pool": "kmeans"}, "config: ranking.pool names 'kmeans'"),
        ({"pools": {"Digit": "kmeans-c"}}, "config: ranking.pools names 'Digit'.*mean 'Digits'"),
        ({"datasets": ["Glas"]}, "ranking.datasets names 'Glas'.*did you mean 'Glass'"),
        ({"methods": ["LWAE"]}, "ranking.methods names 'LWAE'.*did you mean 'LWEA'"),
        ({"metrics": ["RI"]}, "ranking.metrics names 'RI'; allowed are ACC"),
        ({"batteries": {"names": ["wat"]}}, "batteries.names names 'wat'; .*'wut'"),
        (
            {"batteries": {"names": ["wut"], "repeats": 9}},
            "repeats is 9 for LWEA on wut-x1, and kmeans-small has 3 repeats",
        ),
        ({"m": 7}, "kmeans-small draws ensembles of 10, 20, 30, and ranking needs 7"),
        ({"groups": {"faces": ["OLR"]}}, "ranking.groups.faces names 'OLR'.*did you mean 'ORL'"),
        ({"datasets": ["Caltech20"], "groups": {}}, "of Caltech20, which cannot be generated"),
        ({"tuned": {"methods": ["CSPA"], "score": "ARI"}}, "tuned.methods has CSPA, which has no"),
        ({"tuned": {"methods": ["LWEA"], "score": "AMI"}}, "tuned.score names 'AMI'; allowed"),
    ],
)
def test_a_mistake_is_one_sentence(few, changes, message):
    with pytest.raises(ConfigError, match=message):
        wanted(few, **changes)


@pytest.mark.parametrize("name", [[], ["full"]])
def test_the_configurations_have_a_ranking(catalogues, name):
    config, batteries = settings(*name), load_batteries(CONFIG / "batteries.yaml")
    validate(config, CONFIGURATION, "config")
    ranking = Plan(config, catalogues).ranking
    groups = {group for facts in ranking.spec["datasets"].values() for group in facts["groups"]}
    assert {"digits", "UCI"} <= groups
    small = {key for key, entry in catalogues.datasets.items() if entry.n and entry.n <= 11_000}
    left_out = small - set(ranking.datasets) - {entry.name for entry in batteries.values()}
    assert not name or left_out == {"Yale-standardised"}


def test_beside_the_kept_rows_only_own_methods_are_fitted(few):
    own = replace(few.methods["LWEA"], name="Mine")
    with_own = replace(few, methods={**few.methods, "Mine": own})
    ranking = wanted(with_own, beside="kept", methods=["LWEA", "Mine"])
    assert {cell.row for cell in ranking.cells} == {"Mine"}
    pools = ["data/pools/kmeans-small/Glass.h5", "data/pools/kmeans-small/Wine.h5"]
    assert ranking.spec["beside"] == pools
    assert wanted(with_own).spec["beside"] == []
    with pytest.raises(ConfigError, match="has no method of your own"):
        wanted(few, beside="kept")
