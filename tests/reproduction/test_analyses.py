"""Analyses: paired differences, corrections, ranks and exponents on numbers known beforehand."""

import numpy as np
import pandas as pd
import pytest

import analyse_order
import analyse_scaling
from reproduction.scores.evidence import Evidence
from scored_cells import cell, run_scores

SPEC = {"metrics": {"ARI": "ARI"}, "relative_to": "plain"}


def evidence(frames, changes=(), published=(), **spec):
    """Score lines by label, data set and, where there are some, variant or percentage shuffled.

    The cells of a variant may have `changes`.
    """
    cells = []
    for place in frames:
        label, dataset, variant = (*place, "")[:3]
        about = {"variant": variant, "x": variant, "columns": {}, **dict(changes).get(variant, {})}
        cells.append(cell(label, [str(place)], dataset, **about))
    scores = {str(place): frame for place, frame in frames.items()}
    return Evidence(cells, scores, SPEC | spec | {"published": published})


def analysed(script, asked):
    """The lines, the table and the remark of an analysis, by its script."""
    lines = script.analyse(asked)
    return lines, script.table(lines), script.remark(lines, asked)


@pytest.fixture
def random():
    return np.random.default_rng(3)


@pytest.fixture
def orders(random):
    """A reader of the order, a method that is as good in any order, and the plain one."""
    frames = {}
    for dataset in ("set 0", "set 1"):
        noise = random.normal(0.5, 0.02, 8)
        for percent in (0, 50, 100):
            gains = {"reader": 0.3 - 0.0025 * percent, "steady": 0.1, "plain": 0.0}
            for name, gain in gains.items():
                frames[name, dataset, percent] = run_scores(*(noise + gain))
    return frames


def twice(frames):
    """Every repeat again, so that tests find more."""
    again = {place: frame.assign(repeat=frame["repeat"] + 8) for place, frame in frames.items()}
    return {place: pd.concat([frame, again[place]]) for place, frame in frames.items()}


def test_what_a_test_could_not_find_is_not_told_as_absent(orders):
    """Three repeats have no p; the p of eight is not small enough for so many comparisons."""
    few = {place: frame[:3] for place, frame in orders.items()}
    for frames in (few, orders):
        lines, table, _ = analysed(analyse_order, evidence(frames))
        assert not lines["tested"].any() and analyse_order.readers(lines) == []
        assert table.loc["reader", ["tested", "dependence on order"]].tolist() == [
            "0 of 2",
            "not tested",
        ]
    many = twice(orders)
    for percent in (0, 50, 100):
        many["steady", "set 1", percent] = many["steady", "set 1", percent][:3]
    _, table, _ = analysed(analyse_order, evidence(many))
    assert table["tested"].to_dict() == {"reader": "2 of 2", "steady": "1 of 2", "plain": "2 of 2"}
    found = {"reader": "found", "steady": "not found", "plain": "not found"}
    assert table["dependence on order"].to_dict() == found


def growing(seconds, peak_mb, sizes=(100, 200, 400, 800)):
    """Measurements of three repeats at each n that grow as 10^-6 n^seconds, 10^-4 n^peak_mb."""
    n = np.repeat(sizes, 3)
    frame = pd.DataFrame({"n": n, "n_micro": n, "status": "ok", "parameters": "{}"})
    frame = frame.assign(seconds=1e-6 * n**seconds, peak_mb=1e-4 * n**peak_mb)
    return frame.assign(repeat=0, cpu="a processor", cores=2, threads=1, commit="abc")


def measured(**frames):
    return evidence({(name, "A"): frame for name, frame in frames.items()})


@pytest.fixture
def stopped():
    return measured(slow=growing(2.5, 2.0), stopped=growing(1.0, 2.0, sizes=(100, 200)))


def test_exponents_are_recovered(stopped):
    growth, table, remark = analysed(analyse_scaling, measured(M=growing(1.7, 2.0)))
    assert growth["seconds_exponent"].unique() == pytest.approx([1.7])
    assert growth["peak_mb_exponent"].unique() == pytest.approx([2.0])
    shown = table.loc["M", ["exponent of time", "MB, n = 800"]].tolist()
    assert shown == ["1.70±0.00", "64"] and "a processor, using 1 of 2 cores" in remark
    # Below a megabyte there is nothing to fit.
    small = analyse_scaling.analyse(measured(M=growing(1.7, 0.5)))
    assert small["peak_mb_exponent"].isna().all()
    _, table, _ = analysed(analyse_scaling, stopped)
    assert table.loc["stopped", "seconds, n = 800"] == ""
