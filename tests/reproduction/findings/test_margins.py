"""The margin study on numbers of which it is known what becomes of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

import make_margins
from make_margins import page, study
from refusals import cases
from reproduction.findings import margins
from reproduction.findings.cells import cells_of
from reproduction.findings.measures import Measures
from reproduction.findings.standing import slopes_of_change, standing_table
from scored_cells import card_of, known_of

ROWS = {"Ours": (0.7, 0.6), "A": (0.6, 0.5), "B": (0.5, 0.65)}


def card(pool="kmeans-c", rows=ROWS) -> pd.DataFrame:
    """A paper's column on each of three data sets: row → number in print and here."""
    lines = [(f"d{k}", name, *numbers) for k in range(3) for name, numbers in rows.items()]
    columns = ["dataset", "method", "mean", "reproduced_mean"]
    return card_of(pd.DataFrame(lines, columns=columns), 10, 0.02, pool)


def cells(pool="kmeans-c", rows=ROWS) -> pd.DataFrame:
    return cells_of(card(pool, rows), {"p": ["Ours"]}, known_of(10))


@cases(
    "here, expected",
    # With errors of √(2 / 10) · 0.02 = 0.0089, and 0.0155 for a one-sided test.
    ((0.6, 0.5, 0.65), {"within 2 sd": 0, "within 2 se": 0, "equivalent": 0, "different": 1}),
    ((0.71, 0.6, 0.5), {"within 2 sd": 1, "within 2 se": 1, "equivalent": 2 / 3}),
    ((0.72, 0.6, 0.46), {"within 2 sd": 1, "within 2 se": 1 / 3, "different": 1 / 3}),
)
def test_measures_of_three_methods_are_those_of_their_definitions(here, expected):
    printed = (0.7, 0.6, 0.5)
    numbers = dict(zip(ROWS, zip(printed, here, strict=True), strict=True))
    found = Measures(cells(rows=numbers)).observed()
    gaps = np.array(
        [(printed[i] - printed[j], here[i] - here[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    )
    signs, product = np.sign(gaps.prod(axis=1)), gaps.prod(axis=1).sum()
    excess = np.mean(np.square(np.subtract(here, printed))) - 2 * 0.02**2 / 10
    margin, error = here[0] - max(here[1:]), 0.02 * (2 / 10) ** 0.5
    test = t.ppf(0.95, 18) * error
    expected = expected | {
        "between laboratories": max(excess, 0) ** 0.5,
        **{"Kendall tau": signs.mean(), "same winner": float(np.argmax(here) == 0)},
        **{"margin in print": 0.1, "margin here": margin, "margin, change": margin - 0.1},
        **{"pairs, same": (signs > 0).mean(), "pairs, opposite": (signs < 0).mean()},
        "slope": product / np.square(gaps[:, 0]).sum(),
        "slope, reversed": product / np.square(gaps[:, 1]).sum(),
        # No published number is near another one, and 95 % of perfect reproductions are near.
        **{"within 2 sd, wrong": 0, "within 2 se, wrong": 0},
        **{"within 2 sd, perfect": 1 - 2 * norm.sf(40**0.5), "within 2 se, perfect": 0.9544997361},
        "chance-corrected 2 se": expected["within 2 se"] / 0.9544997361,
        "equivalent, perfect": 2 * norm.cdf((0.02 - test) / error) - 1,
        "different, perfect": 2 * norm.sf((0.02 + test) / error),
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)


def test_what_was_selected_by_noise_falls_by_chance_alone():
    made = cells(rows={"Ours": (0.9, 0.9)} | dict.fromkeys("ABCDEF", (0.5, 0.5)))
    columns = margins.columns_of(made)
    drawn = margins.draw_chance(made, columns, seed=0).mean(axis=-1)
    found = margins.lines_of_columns(columns, drawn).mean(numeric_only=True)
    # The largest of six normal numbers is 1.267 of their deviations above the mean.
    assert found["best rival in print"] == pytest.approx(-1.267 * 0.02 / 10**0.5, abs=4e-4)
    assert found["own"] == pytest.approx(0, abs=4e-4)


def test_effects_of_units_without_errors_are_those_of_student():
    values = np.array([0.1, 0.2, 0.4])
    found = margins.random_effects(values, np.zeros(3))
    half = 4.302653 * values.std(ddof=1) / 3**0.5
    expected = margins.Effect(values.mean(), values.mean() - half, values.mean() + half, 0, 3)
    assert found._replace(spread=0) == pytest.approx(expected, abs=1e-6)
    assert found.spread == pytest.approx(values.std(ddof=1), rel=1e-6)
    # Units that differ by less than their errors have no spread.
    near = margins.random_effects(values, np.full(3, 0.5))
    assert near.spread == 0
    # Their interval is that of these errors, not of how near they happen to lie.
    assert near.high - near.value == pytest.approx(4.302653 * (0.5 / 3) ** 0.5)


def test_a_paper_with_a_single_data_set_is_no_part_of_the_group():
    lines = [
        ("b", "d0", 0.2),
        ("b", "d1", 0.3),
        ("c", "d0", 0.4),
        ("c", "d1", 0.5),
        ("d", "d0", 9.0),
    ]
    table = pd.DataFrame(lines, columns=["paper", "dataset", "x"]).assign(public=False)
    group = margins.effects(table, pd.Series(dtype=float), "x")[margins.NOT_PUBLIC]
    assert (group.units, group.value) == (2, pytest.approx(0.35))


def test_families_of_a_single_metric_do_not_narrow_a_slope_on_other_metrics():
    names = [("d0", "x"), ("d0", "y"), ("d1", "x"), ("d1", "y"), ("d2", "x"), ("d3", "x")]
    lines = pd.DataFrame(names, columns=["dataset", "metric"])
    lines = lines.assign(paper="p", method="A", family=lines["dataset"], here=0.0)
    lines = lines.assign(printed=[1.0, 1, 1, 1, 1, 1], change=[-0.1, -0.1, -0.3, -0.3, 9, 9])
    made = slopes_of_change(lines).set_index("quantity").loc["slope on other metrics"]
    assert made["value"] == pytest.approx(-0.2)
    assert made["high"] - made["value"] == pytest.approx(t.ppf(0.975, 1) * 0.1)
    alone = slopes_of_change(lines[lines["metric"] == "x"]).set_index("quantity")
    assert alone.loc["slope on other metrics", ["value", "low", "high"]].isna().all()


def test_a_page_without_numbers_says_so(monkeypatch):
    monkeypatch.setattr(make_margins, "_DRAWS", 10)
    monkeypatch.setattr(margins, "DRAWS", 10)
    none = cells().iloc[:0]
    assert "No number" in page(study(none, seed=0), standing_table(none, {}, seed=0))
