"""The evidence of ``method="auto"``: what is kept, and how candidates are judged."""

import runpy
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from coassoc import choose_method
from coassoc.methods.auto import TAKEN
from reproduction import choice
from snakemake_runs import ROOT

SCRIPT = runpy.run_path(str(ROOT / "release/choice.py"))
KEPT = pd.read_csv(ROOT / SCRIPT["TABLE"])


def test_the_library_tells_the_means_of_the_kept_scores():
    means = (ROOT / SCRIPT["MEANS"]).read_text()
    expected = SCRIPT["means_of"](KEPT).to_csv(index=False, lineterminator="\n")
    assert means == expected
    lines = pd.read_csv(StringIO(means)).set_index(["kind", "method"])["mean"]
    for kind, method in TAKEN.items():
        assert lines[kind, method] > lines[kind, "LWEA"]
    choice = choose_method([[0, 0], [0, 1], [1, 1]], 2)
    assert f"its mean ARI was {lines['others', 'HCLCE']:.3f}" in choice.evidence


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
