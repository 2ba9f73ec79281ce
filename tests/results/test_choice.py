"""The evidence of ``method="auto"``: what is kept, and how candidates are judged."""

import re
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import analyse_choice
from coassoc.methods import METHODS
from coassoc.methods.auto import TAKEN, measured_means
from coassoc.pools.settings import load_pools
from coassoc.storage.records import Dataset
from ensembles import groups
from reproduction import choice
from reproduction.analyses import Evidence
from reproduction.running.choosing import COMPARED_METHODS, SCALING, measure, measure_large
from scored_cells import cell
from snakemake_runs import ROOT

KEPT = pd.read_csv(ROOT / "results-published/tables/choice/methods.csv")
MEANS = ROOT / "src/coassoc/methods/choice.csv"


def test_the_library_tells_the_means_of_the_kept_scores():
    means = MEANS.read_text()
    expected = choice.means_of(KEPT).to_csv(index=False, lineterminator="\n", float_format="%.3f")
    assert means == expected
    lines = pd.read_csv(StringIO(means)).set_index(["kind", "method"])["mean"]
    for kind, method in TAKEN.items():
        assert lines[kind, method] > lines[kind, "LWEA"]
        assert all(line.low <= 0 for line in measured_means(kind).values())
    published = (ROOT / "results-published/README.md").read_text()
    assert choice.recommended().to_markdown(index=False) in published


def test_intervals_take_families_as_the_units():
    rng = np.random.default_rng(1)
    family = np.repeat([f"f{k}" for k in range(12)], 5)
    own, other = rng.random(60), rng.random(60) + rng.random(12).repeat(5)
    table = pd.DataFrame({"problem": family, "family": family, "pool": "p", "kind": "finer"})
    table = table.assign(LEADERS=own, LWGP=own, LWEA=other, **{"WEAC without k": own})
    made = choice.means_of(table).set_index(["kind", "method"]).loc["finer", "LWEA"]
    # With as many ensembles of each family the mean of the families' means, and its error.
    means = pd.Series(other - own).groupby(family).mean()
    low, high = stats.t.interval(0.95, 11, means.mean(), means.std() / np.sqrt(12))
    found = made["difference"], made["low"], made["high"]
    assert found == pytest.approx((means.mean(), low, high), abs=6e-4)


def numbers_in(text):
    """All numbers in order, which stay the same when sentences change."""
    return " ".join(re.findall(r"\d+(?:\.\d+)?", text))


def test_the_published_page_is_that_of_the_kept_scores():
    page = (ROOT / "results-published/tables/choice/methods.md").read_text(encoding="utf-8")
    for sentences in (analyse_choice.answer(KEPT), analyse_choice.remark(KEPT)):
        assert numbers_in(sentences) in numbers_in(page)
    for grouped in ("family", "pool"):
        shown = choice.gaps_closed(choice.judged(KEPT, grouped))
        for name, line in shown.iterrows():
            cells = [f"{value:.3f}" for value in line.drop("closed")]
            rows = [row for row in page.splitlines() if row.startswith(f"| {name} ")]
            assert any(all(text in row for text in cells) for row in rows)


def test_a_line_is_of_the_ensemble_that_the_pool_says():
    X, y = groups(60, d=3, seed=2)
    pool = load_pools(ROOT / "config/pools.yaml")["subsampled"]
    line = measure(Dataset(X, y), "mine", pool, 0)
    assert line["status"] == "ok" and 0.15 < line["missing"] < 0.25 and line["LWGP"] > 0.8
    assert {*COMPARED_METHODS} - {*line} == {
        name for name in COMPARED_METHODS if not METHODS.method(name).estimator.takes_missing
    }
    refused = measure(Dataset(X[:1], y[:1]), "one", pool, 0)
    assert list(refused) == ["status"] and refused["status"] != "ok"


def test_large_ensembles_are_measured_where_the_clusterers_scale():
    X, y = groups(1100, d=6, seed=2)
    pools = load_pools(ROOT / "config/pools.yaml")
    found = measure_large(Dataset(X, y), "mine", pools["kmeans-choice"], 0)
    assert [*found] == [name + choice.LARGE for name in SCALING]
    assert found["LWGP if large"] > 0.5
    few = Dataset(X[:900], y[:900])
    assert measure_large(few, "mine", pools["kmeans-choice"], 0) == {}
    assert measure_large(Dataset(X, y), "mine", pools["subsampled"], 0) == {}
    table = pd.DataFrame([{"problem": "p", "family": "p", "kind": "finer", **found}] * 2)
    table = table.assign(LEADERS=0.5, LWEA=0.5, **{"WEAC without k": 0.5}, pool="p")
    table.loc[1, [*found]] = np.nan
    made = choice.means_of(table).set_index(["kind", "method"])["mean"]["large"]
    assert made["DREC"] == pytest.approx(found["DREC if large"], abs=6e-4)


def test_ensembles_without_a_measurement_are_left_out():
    made = {"status": "ok", "kind": "others", "n_clusters": 2, "LWEA": 0.5, "HCLCE": 0.75}
    given = {"B3": made, "C": {"status": "has no cluster, only noise"}}
    scores = {f"results/choice/p/m0/{x}": pd.DataFrame([given[x]]) for x in given}
    cells = [cell("one", [], name, m=0) for name in ("B3", "C")]
    lines = analyse_choice.analyse(Evidence(cells, scores, {}))
    assert lines[["problem", "family", "HCLCE"]].to_numpy().tolist() == [["B3", "B", 0.75]]


@pytest.fixture
def table() -> pd.DataFrame:
    """Six families in two pools; B is best where labels are finer, and X wherever it is asked."""
    rng = np.random.default_rng(0)
    lines = [
        {"problem": f"{family}{pool}", "family": family, "pool": pool, "kind": kind,
         "n_clusters": 3, "finer": 1.0 + finer, "rows": 0.5, "missing": 0.0, "diversity": 0.4,
         "LWEA": 0.3, "HCLCE": 0.5 - 0.2 * finer, "LEADERS": 0.4 + 0.2 * finer,
         "SPCE": 0.9 if family != "f" else np.nan, "WEAC without k": 0.95}
        for family in "abcdef"
        for pool in ("p", "q")
        for finer, kind in ((0, "others"), (1, "finer"))
        for _ in range(4)
    ]  # fmt: skip
    return pd.DataFrame(lines).sample(frac=1, random_state=rng.integers(9), ignore_index=True)


@pytest.mark.parametrize("groups", ["family", "pool"])
def test_candidates_are_chosen_without_what_they_are_judged_by(table, groups):
    assert choice.methods_of(table) == ["LWEA", "HCLCE", "LEADERS"]
    result = choice.judged(table, groups)
    shown = choice.gaps_closed(result)
    assert shown.loc[choice.LWEA, "mean"] == pytest.approx(0.3)
    assert shown.loc[choice.FIXED, "mean"] == pytest.approx(0.5)
    for name in (choice.RULE, choice.TREE, choice.AUTO, choice.BEST):
        assert shown.loc[name, "mean"] == pytest.approx(0.55)
        assert shown.loc[name, "closed"] == pytest.approx(1)
    # In one group everything is the other way about, and no choice from the others knows it.
    one = table[groups] == table[groups].iloc[0]
    two = ["HCLCE", "LEADERS"]
    table.loc[one, two] = table.loc[one, two[::-1]].to_numpy()
    result = choice.judged(table, groups)
    np.testing.assert_allclose(result.loc[one, [choice.RULE, choice.TREE]].mean(), 0.35)
