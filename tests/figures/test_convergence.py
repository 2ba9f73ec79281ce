"""Curves of what methods record: one for each repeat, on an axis that fits."""

from __future__ import annotations

import numpy as np

from coassoc.figures.convergence import draw_convergence
from coassoc.figures.inputs import Inputs
from coassoc.storage.records import RepeatResult, Run


def test_a_curve_for_each_repeat_and_a_logarithmic_axis_where_they_fall_far():
    falling = [np.array([1.0, 0.1, 0.001]), np.array([2.0, 0.5])]
    level = [np.array([3.0, 2.0, 2.0])]
    runs = [
        Run([{}], [[RepeatResult(None, history={"change": trace}) for trace in traces]])
        for traces in (falling, level)
    ]
    runs[0].results[0].append(RepeatResult(None, status="skipped: too slow"))
    cells = [{"dataset": dataset, "label": "M"} for dataset in "AB"]
    spec = {"quantity": "change", "axis": "relative change"}
    figure = draw_convergence(Inputs(spec, cells, runs=runs))
    far, near = figure.axes
    assert [len(line.get_xdata()) for line in far.lines] == [3, 2]
    assert far.lines[0].get_xdata()[0] == 1
    assert (far.get_yscale(), near.get_yscale()) == ("log", "linear")
    assert far.get_ylabel() == "relative change"
    assert len(figure.legends[0].get_texts()) == 1
