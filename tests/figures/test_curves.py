"""Curves: which methods have bands, and names beside their lines."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib.figure import Figure

from coassoc.figures.curves import draw_ensemble_size


def scores(names: list[str]) -> pd.DataFrame:
    lines = [
        {"label": name, "dataset": "A", "x": m, "mean": 0.5 + 0.001 * i, "std": 0.1}
        | {"repeats": 20, "run": f"published/A/m{m}/{name}/default"}
        for i, name in enumerate(names)
        for m in (10, 20, 30)
    ]
    return pd.DataFrame(lines)


def drawn(summary: pd.DataFrame, *own: str) -> Figure:
    spec = {"metric": "ARI", "own": own}
    return draw_ensemble_size(SimpleNamespace(spec=spec, summary=summary))


def test_few_methods_have_bands_and_a_legend():
    figure = drawn(scores(["LWEA", "EC-CMS"]), "EC-CMS")
    (axis,) = figure.axes
    assert len(axis.collections) == 2 and len(figure.legends) == 1


@pytest.mark.parametrize("number", [5, 13])
def test_of_many_methods_only_the_paper_s_own_has_a_band(number):
    names = [f"M{i}" for i in range(number - 1)] + ["EC-CMS (tuned)"]
    figure = drawn(scores(names), "EC-CMS (tuned)")
    (axis,) = figure.axes
    assert len(axis.collections) == 1 and not figure.legends
    assert [text.get_text() for text in axis.texts] == [name.split(" (")[0] for name in names]
    heights = [text.xyann[1] for text in axis.texts]
    apart = [b - a for a, b in pairwise(heights)]
    # They lie within a hundredth of the scores, and their names apart and beside the panel.
    assert min(apart) > 0.05 and 0 <= min(heights) and max(heights) <= 1


def test_a_method_without_scores_has_no_name():
    frame = scores([f"M{i}" for i in range(6)])
    frame.loc[frame["label"] == "M2", "mean"] = float("nan")
    frame.loc[(frame["label"] == "M3") & (frame["x"] == 30), "mean"] = float("nan")
    (axis,) = drawn(frame).axes
    assert {text.get_text() for text in axis.texts} == {"M0", "M1", "M3", "M4", "M5"}


def test_fewer_repeats_stand_above_the_panel():
    frame = scores(["LTA-EA", "LTA-SC", "LWEA"])
    few = frame["label"] != "LWEA"
    frame.loc[few, "run"] = "published/A/m10/LTA/lam=0.1~repeats=3"
    frame.loc[few, "repeats"] = 3
    (axis,) = drawn(frame).axes
    assert axis.get_title() == "A\nLTA-EA, LTA-SC: 3 repeats"
    (axis,) = drawn(frame[few]).axes
    assert axis.get_title() == "A\n3 repeats"


def test_a_method_that_failed_in_some_repeats_was_not_shortened():
    frame = scores(["LWEA"]).assign(repeats=19)
    (axis,) = drawn(frame).axes
    assert axis.get_title() == "A"
