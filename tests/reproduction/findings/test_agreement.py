"""The yardsticks of agreement on reproductions of which it is known what they are."""

import re

import numpy as np
import pandas as pd
import pytest

from reproduction.findings.agreement import measure_papers, page
from reproduction.findings.cells import cells_of
from reproduction.findings.cells import with_repeats as read_repeats
from reproduction.findings.intervals import Resampling, intervals, percent
from reproduction.findings.measures import Measures, stand_in
from scored_cells import as_read, card_of, known_of, score_frame

METHODS = ["EAC", "LWEA", "HGPA", "PTGP", "NMFC", "CSPA", "Ours"]
REPEATS, SPREAD = 20, 0.04
YARDSTICKS = known_of(REPEATS)


@pytest.fixture
def printed() -> pd.DataFrame:
    """Seven methods on thirty data sets, whose true means are spread over a tenth or two."""
    rng = np.random.default_rng(3)
    truth = 0.5 + 0.1 * rng.normal(size=30 * len(METHODS))
    found = truth + SPREAD / np.sqrt(REPEATS) * rng.normal(size=len(truth))
    datasets = np.repeat(["d" * (k + 1) for k in range(30)], len(METHODS))
    lines = pd.DataFrame({"dataset": datasets, "method": METHODS * 30, "truth": truth})
    return lines.assign(mean=found)


def cells_for(printed: pd.DataFrame, here) -> pd.DataFrame:
    card = card_of(printed.assign(reproduced_mean=here), REPEATS, SPREAD)
    return cells_of(card, {"p": ["Ours"]}, YARDSTICKS)


def with_repeats(cells: pd.DataFrame, repeats) -> pd.DataFrame:
    return cells.assign(by_repeat=pd.Series(repeats, dtype=object))


def observed(printed: pd.DataFrame, here) -> dict[str, float]:
    return Measures(cells_for(printed, here)).observed()


def test_one_method_in_place_of_all_orders_nothing(printed):
    of_lwea = printed[printed["method"] == "LWEA"].set_index("dataset")["mean"]
    here = printed["dataset"].map(of_lwea).to_numpy()
    found = observed(printed, here)
    expected = {"slope": 0, "Kendall tau": 0, "pairs, same": 0, "pairs, opposite": 0}
    expected |= {"margin here": 0}
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    share, number = stand_in(cells_for(printed, here), "LWEA")
    assert number == 30 * (len(METHODS) - 1)
    # Its own cells agree with themselves.
    assert found["within 2 sd"] == pytest.approx((share * number + 30) / (number + 30))


def test_intervals_hold_what_was_found_and_what_is_true(printed):
    # Means of other repeats of the same methods.
    noise = np.random.default_rng(4).normal(size=len(printed))
    perfect = (printed["truth"] + SPREAD / np.sqrt(REPEATS) * noise).to_numpy()
    cells = cells_for(printed, perfect)
    repeats = np.random.default_rng(6).normal(size=(len(cells), REPEATS))
    scaled = (repeats - repeats.mean(axis=1)[:, None]) / repeats.std(axis=1)[:, None]
    repeats = [*perfect[:, None] + SPREAD * scaled]
    agreement = Measures(cells)
    found = agreement.observed()
    ends = intervals(agreement.measure, Resampling(with_repeats(cells, repeats)), found, seed=0)
    inside = [name for name in ends.index if "," not in name]
    assert all(ends.low[name] <= found[name] <= ends.high[name] for name in inside)
    assert ends.low["chance-corrected 2 se"] < 1 and ends.low["slope"] < 1 < ends.high["slope"]
    again = intervals(agreement.measure, Resampling(with_repeats(cells, repeats)), found, seed=0)
    pd.testing.assert_frame_equal(ends, again)


def test_methods_on_the_same_ensembles_are_resampled_together(printed):
    cells = cells_for(printed, printed["mean"])
    same = np.random.default_rng(7).normal(scale=SPREAD, size=REPEATS)
    repeats = [mean + same - same.mean() for mean in printed["mean"]]
    here, _ = Resampling(with_repeats(cells, repeats)).numbers(np.random.default_rng(8))
    moved = pd.Series(here - cells["here"].to_numpy()).groupby(cells["dataset"])
    assert moved.std().max() < 1e-12 < moved.mean().abs().min()
    # Of two repeats, the first or the second is drawn twice, or each once.
    two = Resampling(with_repeats(cells, [mean + np.array([-0.1, 0.1]) for mean in cells["here"]]))
    rng = np.random.default_rng(9)
    steps = np.hstack([two.numbers(rng)[0] - cells["here"] for _ in range(99)]) * 10
    assert {*steps.round(9).tolist()} == {-1, 0, 1} and abs(steps.mean()) < 0.3
    times = pd.Series(two.weights(rng)).groupby(cells["dataset"]).agg(["min", "max"])
    assert (times["min"] == times["max"]).all() and times["min"].sum() == 30


def test_ends_are_quantiles_of_draws_around_what_was_observed():
    class Drawn:
        def numbers(self, rng):
            return rng.normal(), None

        def weights(self, rng):
            return None

    observed = {"slope": 3.0, "share": 0.9}
    ends = intervals(lambda x, *_: dict.fromkeys(observed, x), Drawn(), observed, seed=5)
    drawn = np.random.default_rng(5).normal(size=500)
    low, high = np.quantile(drawn, [0.025, 0.975]) - drawn.mean()
    assert ends.loc["slope"].to_dict() == pytest.approx({"low": 3 + low, "high": 3 + high})
    assert ends.loc["share"].to_dict() == {"low": 0, "high": 1}
    assert percent(0.61) == "61" and percent(-0.001) == "0"


def test_measures_are_of_each_paper_and_of_all_with_and_without_hgpa(printed, monkeypatch):
    monkeypatch.setattr("reproduction.findings.intervals.DRAWS", 9)
    cells = cells_for(printed, printed["truth"])
    assert not any(map(len, cells["by_repeat"]))
    cells = cells.assign(paper=np.repeat(["q", "p"], [70, 140]))
    found = measure_papers(cells, seed=0)
    counts = found.groupby(["HGPA", "paper"])["cells"].first().to_dict()
    expected = {"with": {"q": 70, "p": 140, "all": 210}, "without": {"q": 60, "p": 120, "all": 180}}
    assert counts == {(side, x): n for side, of in expected.items() for x, n in of.items()}
    known = YARDSTICKS["p"]
    papers = {"p": known, "q": {**known, "repeats": 7, "stated": False}, "other": known}
    text, rows = as_read(page(found, cells, papers))
    assert [row[1:] for row in rows if row[:1] == ["measure"]] == [["q", "p", "all"]] * 2
    assert "published mean: 20 (p), 7 (q, assumed because the paper states no number)." in text
    slopes = found[found["measure"] == "slope"][["value", "low", "high"]].round(3).to_numpy()
    shown = [row[1:] for row in rows if row[:1] == ["slope on published numbers"]]
    numbers = [re.findall(r"\d*\.\d{3}", cell) for row in shown for cell in row]
    np.testing.assert_allclose(np.array(numbers, float), slopes)
    assert "0." not in "".join(map("".join, shown))
    # A paper without HGPA is one column of one table.
    alone = cells[(cells["paper"] == "p") & (cells["method"] != "HGPA")].reset_index(drop=True)
    text, rows = as_read(page(measure_papers(alone, seed=0), alone, papers))
    assert [row for row in rows if row[:1] in (["measure"], ["cells"])] == [
        ["measure", "p"],
        ["cells", "120"],
    ]


def test_repeats_are_those_of_the_point_of_a_cell_if_it_has_their_mean():
    frame = score_frame([({"a": 1}, [0.2, 0.4]), ({"a": 2}, [0.5, 0.9])]).iloc[::-1]
    rows = [("ARI", "r", 1, 0.3), ("ARI", "r", 2, 0.8), ("ACC", "r", 1, 0.3), ("ARI", "x", 1, 0.3)]
    cells = pd.DataFrame(rows, columns=["metric", "run", "parameters", "here"]).assign(paper="p")
    cells["parameters"] = [f'{{"a": {a}}}' for a in cells["parameters"]]
    found = read_repeats(cells, {"r": frame}, {"p": {"ARI": "ARI"}})["by_repeat"]
    assert [x.tolist() for x in found] == [[0.2, 0.4], [], [], []]


def test_a_scorecard_without_cells_to_compare_has_no_numbers(printed):
    cells = cells_for(printed.iloc[:0], [])
    assert page(measure_papers(cells, seed=0), cells, YARDSTICKS)
