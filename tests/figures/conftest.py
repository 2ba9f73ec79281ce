"""Figures that a test draws do not stay open."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")
