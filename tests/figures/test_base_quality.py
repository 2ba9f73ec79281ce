"""Each repeat against the base clusterings that its draw saw."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from coassoc.figures.base_quality import draw_base_quality, repeats_against_base
from coassoc.figures.inputs import Inputs
from coassoc.storage.records import Pool


def test_points_are_the_draws_of_the_repeats():
    pool = Pool(np.zeros((5, 4), dtype=int), None, {2: np.array([[0, 1], [2, 3], [0, 3]])})
    base = pd.DataFrame({"NMI": [0.1, 0.3, 0.5, 0.9]})
    scores = pd.DataFrame(
        {"parameters": "{}", "repeat": [0, 1, 2], "NMI": [0.4, 0.8, 0.6], "status": "ok"}
    )
    scores.loc[1, "status"] = "skipped: too large"
    cell = {"label": "M", "dataset": "A", "pool": "p", "m": 2, "reference": None, "tune": None}
    cell |= {"point": None, "sources": ["s"]}
    spec = {"metrics": {"NMI": "NMI"}}
    inputs = Inputs(spec, [cell], {"s": scores}, {"p/A": base}, {"p/A": pool})
    points = repeats_against_base(inputs, "NMI")
    assert points["repeat"].tolist() == [0, 2]
    assert points["base"].tolist() == pytest.approx([0.2, 0.5])
    assert points["score"].tolist() == [0.4, 0.6]
    assert points["pool"].tolist() == pytest.approx([0.45, 0.45])
    axis = draw_base_quality(inputs).axes[0]
    assert any(np.allclose(line.get_ydata(), 0.45) for line in axis.lines)
    assert axis.get_title() == "A" and "NMI" in axis.get_xlabel()
