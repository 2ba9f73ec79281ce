"""Surfaces: what stands above a heat map."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pandas as pd
import pytest

from coassoc.figures.surface import draw_surface


@pytest.mark.parametrize(
    ("repeats", "std", "title"),
    [(20, 0.03, "A: ARI, mean over 20 repeats (each ±0.03)"), (1, None, "A: ARI, one repeat")],
)
def test_the_title_says_over_how_many_repeats(repeats, std, title):
    lines = [
        {"dataset": "A", "metric": "ARI", "x": pair, "mean": 0.5, "std": std, "repeats": repeats}
        for pair in itertools.product((0.5, 0.6), (0.1, 1.0))
    ]
    summary = pd.DataFrame(lines)
    figure = draw_surface(SimpleNamespace(spec={"over": ["alpha", "lam"]}, summary=summary))
    assert figure.axes[0].get_title() == title
