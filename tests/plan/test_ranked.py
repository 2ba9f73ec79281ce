"""What the key ``ranking`` of a configuration may say."""

import itertools
from dataclasses import replace

import pytest
import yaml

from coassoc.datasets.batteries import load_batteries
from coassoc.errors import ConfigError
from plans import CONFIG, by_place, mistakes, runs_of
from reproduction.plan.planning import Plan

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


def groups_of(ranking):
    """The groups of each ranked data set."""
    return {name: facts["groups"] for name, facts in ranking.spec["datasets"].items()}


def test_rows_are_methods_at_their_defaults_and_tuned_ones_apart(few):
    ranking = wanted(few)
    assert ranking.rows == ["LWEA", "LTA-SC", "ACMK-SC", "LWEA (tuned)"]
    rows = ranking.spec["rows"].items()
    assert [row for row, facts in rows if facts["tuned"]] == ["LWEA (tuned)"]
    assert [row for row, facts in rows if facts["reads_order"]] == ["LTA-SC"]
    assert ranking.spec["datasets"]["Wine"] == {"n": 178, "d": 13, "classes": 3, "groups": ["UCI"]}
    cells = by_place(ranking)
    assert [*cells["LWEA", "Glass"].sources] == ["kmeans-small/Glass/m20/LWEA/default"]
    assert cells["LWEA (tuned)", "Glass"].tune == "ARI"
    assert set(ranking.spec["metrics"]) == {"ARI", "NMI", "seconds"}


def test_null_switches_tuned_rows_and_groups_off(few):
    ranking = wanted(few, tuned=None, groups=None)
    assert ranking.rows == ["LWEA", "LTA-SC", "ACMK-SC"]
    assert groups_of(ranking) == {"Glass": [], "Wine": []}


def test_all_means_every_method_and_every_data_set_that_the_pool_can_have(few):
    """Of the methods those that are given the number of clusters, and combine no others."""
    ranking = wanted(few, methods="all", datasets="all", pool="kmeans-sqrt", groups={})
    given = {
        name
        for name, method in few.methods.items()
        if method.n_clusters_is != "chosen" and not method.combines
    }
    assert given < set(few.methods) and given == set(ranking.rows) - {"LWEA (tuned)"}
    assert set(ranking.datasets) == set(few.with_features)


def test_groups_and_pools_of_other_data_sets_have_no_part_in_it(few):
    groups = {"UCI": ["Wine"], "digits": ["Digits"]}
    ranking = wanted(few, groups=groups, pools={"Digits": "kmeans-c"})
    assert groups_of(ranking) == {"Glass": [], "Wine": ["UCI"]}
    assert {cell.pool for cell in ranking.cells} == {"kmeans-small"}


def test_a_method_that_sees_features_says_why_it_has_no_score(few):
    pools = {"Caltech20": "published"}
    cells = by_place(wanted(few, datasets=["Wine", "Caltech20"], pools=pools))
    assert cells["ACMK-SC", "Caltech20"].not_run == "it sees the features, which are not public"
    assert cells["ACMK-SC", "Caltech20"].sources == ()
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
    tuned = {"methods": ["LWEA", "EC-CMS"], "score": "ARI"}
    shortened = [
        {"rows": ["LTA-SC"], "datasets": ["Wine"], "repeats": 2},
        {"rows": ["LWEA (tuned)"], "race": True},
        {"rows": ["EC-CMS (tuned)"], "grid": {"lam": [0.1, 1]}},
    ]
    here = [{"targets": ["ranking"], **entry} for entry in shortened]
    config = {"ranking": {**SPEC, "tuned": tuned}, "shortened": here}
    runs = {place: runs_of(cell)[0] for place, cell in by_place(wanted(few, config=config)).items()}
    assert runs["LTA-SC", "Wine"].repeats == 2
    assert runs["LTA-SC", "Glass"].repeats is None is runs["LWEA", "Wine"].repeats
    assert runs["LWEA (tuned)", "Wine"].race == "ARI"
    cut = [runs["EC-CMS (tuned)", name].points for name in ("Glass", "Wine")]
    assert cut == [(20, 70), (20, 70)]


def test_data_sets_of_batteries_are_ranked_once_and_named_by_their_battery(few):
    batteries = {"names": ["uci", "wut"], "repeats": 2, "up_to": 1500}
    batteries["methods_up_to"] = {"ACMK-SC": 120}
    ranking = wanted(few, batteries=batteries)
    groups, cells = groups_of(ranking), by_place(ranking)
    assert groups["Wine"] == ["no battery", "UCI"]
    assert groups["wut-x1"] == ["battery wut"]
    assert "uci-wine" not in groups  # Wine again
    assert {"uci-ecoli", "wut-x3-K4"} <= set(groups) and "wut-x3-K3" not in groups
    assert runs_of(cells["LWEA", "wut-x1"])[0].repeats == 2
    assert runs_of(cells["LWEA", "Wine"])[0].repeats is None
    assert ("LWEA (tuned)", "Wine") in cells and ("LWEA (tuned)", "wut-x1") not in cells
    assert not cells["ACMK-SC", "wut-x1"].not_run and not cells["ACMK-SC", "Wine"].not_run
    assert "wut-cross" not in groups  # of 2,000 samples
    assert "data sets of up to 120 samples" in cells["ACMK-SC", "uci-yeast"].not_run


def test_ensembles_may_be_all_base_clusterings_of_a_pool(few):
    changes = {"pool": "suite-main", "m": "all", "datasets": ["wut-x1", "wut-x2-K4"]}
    cells = wanted(few, **changes, groups={}).cells
    assert {(cell.m, cell.pool) for cell in cells} == {(0, "suite-main")}


IN_A_RANKING = """
{pool: kmeans} | config: ranking.pool names 'kmeans'
{pools: {Digit: kmeans-c}} | config: ranking.pools names 'Digit'.*mean 'Digits'
{datasets: [Glas]} | ranking.datasets names 'Glas'.*did you mean 'Glass'
{methods: [LWAE]} | ranking.methods names 'LWAE'.*did you mean 'LWEA'
{metrics: [RI]} | ranking.metrics names 'RI'; allowed are ACC
{batteries: {names: [wat]}} | batteries.names names 'wat'; .*'wut'
{batteries: {names: [wut], repeats: 9}}
    | repeats is 9 for LWEA on wut-x1, and kmeans-small has 3 repeats
{m: 7} | kmeans-small draws ensembles of 10, 20, 30, and ranking needs 7
{m: all} | kmeans-small draws ensembles of 10, 20, 30, and ranking needs all
{groups: {faces: [OLR]}} | ranking.groups.faces names 'OLR'.*did you mean 'ORL'
{datasets: [Caltech20], groups: {}} | of Caltech20, which cannot be generated
{tuned: {methods: [CSPA], score: ARI}} | tuned.methods has CSPA, which has no
{tuned: {methods: [LWEA], score: AMI}} | tuned.score names 'AMI'; allowed
"""


@pytest.mark.parametrize(("changes", "message"), mistakes(IN_A_RANKING))
def test_a_mistake_is_one_sentence(few, changes, message):
    with pytest.raises(ConfigError, match=message):
        wanted(few, **yaml.safe_load(changes))


def test_the_configurations_have_a_ranking(catalogues, by_default, as_published):
    for plan in (by_default, as_published):
        groups = set(itertools.chain.from_iterable(groups_of(plan.ranking).values()))
        assert {"digits", "UCI"} <= groups
    small = {key for key, entry in catalogues.datasets.items() if entry.n and entry.n <= 11_000}
    of_batteries = {entry.name for entry in load_batteries(CONFIG / "batteries.yaml").values()}
    assert small - set(as_published.ranking.datasets) - of_batteries == {"Yale-standardised"}
