"""The yardsticks of agreement on reproductions of which it is known what they are."""

import numpy as np
import pandas as pd
import pytest

from reproduction.findings.agreement import measure_papers, page
from reproduction.findings.cells import cells_of
from reproduction.findings.cells import with_repeats as read_repeats
from reproduction.findings.intervals import Resampling, intervals, percent
from reproduction.findings.measures import Measures, stand_in
from scored_cells import card_of, known_of, score_frame

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
