"""Standings of the own method among its rivals, by hand on a small table."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from reproduction.findings import standing
from reproduction.findings.standing import OWN


@pytest.fixture
def cells():
    """Three methods and two rows of the own method on data sets of two families."""
    scores = {  # published, reproduced
        ("Tr11", "Ours-A"): (0.9, 0.6), ("Tr12", "Ours-A"): (0.8, 0.6),
        ("Wap", "Ours-A"): (0.7, 0.5),
        ("Tr11", "Ours-B"): (0.5, 0.5), ("Tr12", "Ours-B"): (0.5, 0.5),
        ("Wap", "Ours-B"): (0.7, 0.6),
        ("Tr11", "A"): (0.6, 0.6), ("Tr12", "A"): (0.6, 0.6), ("Wap", "A"): (0.5, 0.4),
        ("Tr11", "B"): (0.4, 0.4), ("Tr12", "B"): (0.2, 0.4), ("Wap", "B"): (0.3, 0.4),
    }  # fmt: skip
    lines = [
        {"paper": "p", "table": "t", "dataset": d, "metric": "ACC", "method": m, "own": "Ours" in m,
         "main": True, "printed": a, "here": b}
        for (d, m), (a, b) in scores.items()
    ]  # fmt: skip
    # On a data set without the own method, nothing is compared.
    lines += [dict(lines[6], dataset="Lung"), dict(lines[9], dataset="Lung")]
    return pd.DataFrame(lines)


def test_a_standing_is_relative_to_the_mean_of_the_rivals(cells):
    lines = standing.standings(cells).set_index(["dataset", "method"])
    assert set(lines.index.get_level_values(0)) == {"Tr11", "Tr12", "Wap"}
    np.testing.assert_allclose(lines.loc[("Tr11", OWN), ["printed", "here"]].tolist(), [0.4, 0.1])
    # Ours-B has the better mean of both numbers on Wap.
    np.testing.assert_allclose(lines.loc[("Wap", OWN), ["printed", "here"]].tolist(), [0.3, 0.2])


def test_versions_of_a_data_set_count_once(cells):
    changes = standing.mean_changes(standing.standings(cells))["p"]
    # Tr: −.3 and −.3 (against rivals whose mean rose by .1); Wap: −.1.
    assert changes[OWN] == pytest.approx(((-0.3 - 0.3) / 2 - 0.1) / 2)
    ranks = standing.ranks_of_own(standing.standings(cells))
    assert ranks.loc["p", ["rank", "methods"]].tolist() == [1, 3]


def test_the_exact_p_counts_all_combinations_of_ranks():
    ranks = pd.DataFrame({"rank": [1, 2], "methods": [3, 4]}, index=["a", "b"])
    as_small = [a / 3 + b / 4 <= 1 / 3 + 2 / 4 for a, b in product((1, 2, 3), (1, 2, 3, 4))]
    assert standing.p_of_ranks(ranks) == np.mean(as_small)
    assert standing.p_of_ranks(pd.DataFrame({"rank": [3], "methods": [3]})) == 1


def test_the_single_rival_is_chosen_on_the_other_families(cells):
    margins = standing.margins_over_one_rival(standing.standings(cells)).set_index("family")
    # On both families, A is the best rival of the other one, in both tables (B equals it on Wap).
    np.testing.assert_allclose(margins["printed"], [(0.3 + 0.2) / 2, 0.2])
    np.testing.assert_allclose(margins["here"], [0.0, 0.2])


def test_falls_are_counted_by_data_set_and_family():
    columns = pd.DataFrame(
        {"paper": "p", "dataset": ["Tr11", "Tr11", "Tr12", "Wap"], "change": [-1, 3, -1.5, 1.0]}
    )
    counts = standing.falls(columns)
    assert counts.loc["all"].tolist() == [3, 1, 2, 1]


def test_an_interval_resamples_families():
    values, families = pd.Series([1.0, 1.0, 4.0]), pd.Series(["a", "a", "b"])
    mean, low, high = standing.mean_with_interval(values, families, 0)
    assert (mean, low, high) == (2.0, 1.0, 4.0)


def lines_with(change):
    """Rivals A and B by ACC and NMI on three families, with a change that depends on the line."""
    lines = [
        {"paper": "p", "dataset": x, "family": x, "metric": m, "method": name, "printed": sign * st}
        for name, sign in (("A", 1), ("B", -1))
        for x, of_data in {"Wap": (0.1, 0.2), "Ecoli": (0.4, 0.2), "Glass": (0.3, 0.6)}.items()
        for m, st in zip(("ACC", "NMI"), of_data, strict=True)
    ]
    lines = pd.DataFrame(lines)
    return lines.assign(here=lines["printed"] + change(lines))


def others(lines, keys, apart):
    """The mean published standing of each line's method where `apart` differs."""
    means = lines.groupby([*keys, apart])["printed"].mean()
    of_line = [
        means[[i for i in means.index if i[:-1] == own[:-1] and i[-1] != own[-1]]].mean()
        for own in lines[[*keys, apart]].itertuples(index=False, name=None)
    ]
    return np.array(of_line)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("other families", lambda x: -0.5 * others(x, ["method"], "family")),
        ("other metrics", lambda x: -0.5 * others(x, ["method", "dataset"], "metric")),
        ("both numbers", lambda x: -0.4 * x["printed"]),  # -.4 p = -.5 (p + .6 p) / 2
    ],
)
def test_a_slope_is_on_a_standing_apart_from_the_change(name, change):
    slopes = standing.slopes_of_change(lines_with(change)).set_index("quantity")
    line = slopes.loc[f"slope on {name}"]
    assert line["value"] == pytest.approx(-0.5)
    assert line["low"] <= line["value"] <= line["high"]
    assert (slopes["value"].drop(f"slope on {name}") != pytest.approx(-0.5)).all()
