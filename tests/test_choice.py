"""The evidence of ``method="auto"``: what is kept, and how candidates are judged."""

import runpy
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from coassoc import choose_method
from coassoc.methods.auto import TAKEN, measured_means
from reproduction import choice
from snakemake_runs import ROOT

SCRIPT = runpy.run_path(str(ROOT / "release/choice.py"))
KEPT = pd.read_csv(ROOT / SCRIPT["TABLE"])


def test_the_library_tells_the_means_of_the_kept_scores():
    means = (ROOT / SCRIPT["MEANS"]).read_text()
    expected = choice.means_of(KEPT).to_csv(index=False, lineterminator="\n", float_format="%.3f")
    assert means == expected
    lines = pd.read_csv(StringIO(means)).set_index(["kind", "method"])["mean"]
    for kind, method in TAKEN.items():
        assert lines[kind, method] > lines[kind, "LWEA"]
    evidence = choose_method([[0, 0], [0, 1], [1, 1]], 2).evidence
    assert f"its mean ARI was {lines['others', 'HCLCE']:.3f}" in evidence
    assert "it cannot be told from AWEC, " in evidence
    assert choose_method([[0, 0], [0, 1], [1, 1]], None).evidence.endswith("each other method.")


def test_the_docs_have_these_intervals():
    page = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")
    for start, kind in (("| about as many", "others"), ("| more clusters than", "finer")):
        (line,) = [line for line in page.splitlines() if line.startswith(start)]
        means = measured_means(kind)
        own = f"{TAKEN[kind]} {means[TAKEN[kind]].mean:.3f}"
        names = ["AWEC", "EC-CMS", "DREC", "MDEC-BG", "LWEA"]
        cells = [str(means["AWEC"].ensembles), own, *(means[name].versus for name in names)]
        shown = line.replace("−", "-").split(" | ")[1:]
        assert " | ".join(shown) == " | ".join(cells).replace("0.", ".") + " |"


def test_intervals_take_families_as_the_units():
    rng = np.random.default_rng(1)
    family = np.repeat([f"f{k}" for k in range(12)], 5)
    own, other = rng.random(60), rng.random(60) + rng.random(12).repeat(5)
    table = pd.DataFrame({"problem": family, "family": family, "pool": "p", "kind": "finer"})
    table = table.assign(LWGP=own, LWEA=other, **{"WEAC without k": own})
    made = choice.means_of(table).set_index(["kind", "method"]).loc["finer", "LWEA"]
    # With as many ensembles of each family the mean of the families' means, and its error.
    means = pd.Series(other - own).groupby(family).mean()
    low, high = stats.t.interval(0.95, 11, means.mean(), means.std() / np.sqrt(12))
    assert [made["difference"], made["low"], made["high"]] == pytest.approx(
        [means.mean(), low, high], abs=6e-4
    )


def test_the_kept_comparison_is_that_of_the_kept_scores():
    made = SCRIPT["judged_by_both"](KEPT)
    pd.testing.assert_frame_equal(
        made, pd.read_csv(ROOT / SCRIPT["JUDGED"]), atol=6e-4, rtol=0, check_names=False
    )


@pytest.fixture
def table() -> pd.DataFrame:
    """Six families in two pools; B is best where labels are finer, and X wherever it is asked."""
    rng = np.random.default_rng(0)
    lines = [
        {"problem": f"{family}{pool}", "family": family, "pool": pool, "kind": kind,
         "n_clusters": 3, "finer": 1.0 + finer, "rows": 0.5, "missing": 0.0, "diversity": 0.4,
         "LWEA": 0.3, "HCLCE": 0.5 - 0.2 * finer, "LWGP": 0.4 + 0.2 * finer,
         "SPCE": 0.9 if family != "f" else np.nan, "WEAC without k": 0.95}
        for family in "abcdef"
        for pool in ("p", "q")
        for finer, kind in ((0, "others"), (1, "finer"))
        for _ in range(4)
    ]  # fmt: skip
    return pd.DataFrame(lines).sample(frac=1, random_state=rng.integers(9), ignore_index=True)


@pytest.mark.parametrize("groups", ["family", "pool"])
def test_candidates_are_chosen_without_what_they_are_judged_by(table, groups):
    assert choice.methods_of(table) == ["LWEA", "HCLCE", "LWGP"]
    result = choice.judged(table, groups)
    shown = choice.summary(result)
    assert shown.loc[choice.LWEA, "mean"] == pytest.approx(0.3)
    assert shown.loc[choice.FIXED, "mean"] == pytest.approx(0.5)
    for name in (choice.RULE, choice.TREE, choice.AUTO, choice.BEST):
        assert shown.loc[name, "mean"] == pytest.approx(0.55)
        assert shown.loc[name, "closed"] == pytest.approx(1)
    # In one group everything is the other way about, and no choice from the others knows it.
    one = table[groups] == table[groups].iloc[0]
    table.loc[one, ["HCLCE", "LWGP"]] = table.loc[one, ["LWGP", "HCLCE"]].to_numpy()
    result = choice.judged(table, groups)
    np.testing.assert_allclose(result.loc[one, [choice.RULE, choice.TREE]].mean(), 0.35)


def test_what_is_seen_is_in_the_labels():
    labels = np.array([[0, 0, -1], [0, 1, 0], [1, 2, 0], [1, 2, 0]])
    facts = choice.facts_of(SCRIPT["Ensemble"](labels), 2)
    assert facts["kind"] == "others" and facts["n_clusters"] == 2
    assert (facts["finer"], facts["rows"], facts["missing"]) == (1.0, 0.75, 0.0833)
