"""Scores of base clusterings before and after a method refined them."""

from __future__ import annotations

import numpy as np
import pytest

from coassoc.figures.before_after import Refinement, plot_before_after, scores_of_refinement
from coassoc.figures.style import curve_style
from coassoc.methods import METHODS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_scores_of_refinement_are_the_estimators(blobs):
    X, y = blobs
    wrong = np.where(np.arange(45) % 5 == 0, (y + 1) % 3, y)
    labels = np.column_stack([y, wrong])
    estimator = METHODS["ACMK-KM"](n_clusters=3, lam=0.001, random_state=0).fit(labels, X=X)
    scores = scores_of_refinement(estimator, y, "ACC")
    np.testing.assert_allclose(scores.before, [1, 0.8])
    np.testing.assert_allclose(scores.after, [1, 1])


def test_bars_stand_side_by_side():
    scores = Refinement(np.array([0.2, 0.4, 0.6]), np.array([0.3, 0.5, 0.7]))
    figure = plot_before_after({"A": {"ACMK-KM": scores}, "B": {"ACMK-KM": scores}}, "ACC")
    for axis, title in zip(figure.axes, "AB", strict=True):
        heights = [bar.get_height() for bar in axis.patches]
        assert heights == [0.2, 0.4, 0.6, 0.3, 0.5, 0.7]
        ends = np.sort([(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axis.patches], 0)
        assert (ends[1:, 0] >= ends[:-1, 1] - 1e-9).all()
        assert axis.get_title() == title
    assert figure.axes[0].get_ylabel() == "ACC"
    assert figure.axes[0].patches[-1].get_facecolor()[:3] == pytest.approx(
        [int(curve_style("ACMK-KM")["color"][i : i + 2], 16) / 255 for i in (1, 3, 5)]
    )


def test_titles_name_methods_where_there_are_several():
    scores = Refinement(np.array([0.2]), np.array([0.3]))
    figure = plot_before_after({"A": {"ACMK-KM": scores, "ACMK-GF": scores}}, "ACC")
    assert [axis.get_title() for axis in figure.axes] == ["A, ACMK-KM", "A, ACMK-GF"]
