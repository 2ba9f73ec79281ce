"""Scores of base clusterings before and after a method refined them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from coassoc.figures.before_after import draw_before_after, scores_of_refinement
from coassoc.figures.inputs import FittedCell, Inputs
from coassoc.figures.style import curve_style
from coassoc.methods import METHODS
from coassoc.storage.records import Pool

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_scores_of_refinement_are_the_estimators(blobs):
    X, y = blobs
    wrong = np.where(np.arange(45) % 5 == 0, (y + 1) % 3, y)
    labels = np.column_stack([y, wrong])
    estimator = METHODS["ACMK-KM"](n_clusters=3, lam=0.001, random_state=0).fit(labels, X=X)
    before, after = scores_of_refinement(estimator, y, "ACC")
    np.testing.assert_allclose(before, [1, 0.8])
    np.testing.assert_allclose(after, [1, 1])


def fit(dataset: str, label: str) -> FittedCell:
    """A method that moves the sample whose wrong label a base clustering has."""
    classes = np.repeat([0, 1], 5)
    given = np.column_stack([np.roll(classes, shift) for shift in (1, 2, 0)])
    estimator = SimpleNamespace(initial_labels_=given, refined_labels_=given[:, [2, 2, 2]])
    return FittedCell(label, dataset, Pool(given, classes), None, estimator)


def drawn(*fits: FittedCell) -> Figure:
    return draw_before_after(Inputs({"metrics": {"accuracy": "ACC"}}, fits=fits))


def test_bars_stand_side_by_side():
    figure = drawn(fit("A", "ACMK-KM"), fit("B", "ACMK-KM"))
    for axis, title in zip(figure.axes, "AB", strict=True):
        heights = [bar.get_height() for bar in axis.patches]
        assert heights == pytest.approx([0.8, 0.6, 1, 1, 1, 1])
        ends = np.sort([(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axis.patches], 0)
        assert (ends[1:, 0] >= ends[:-1, 1] - 1e-9).all()
        assert axis.get_title() == title
    assert figure.axes[0].get_ylabel() == "accuracy"
    colour = to_rgba(curve_style("ACMK-KM")["color"])
    assert figure.axes[0].patches[-1].get_facecolor() == colour


def test_titles_name_methods_where_there_are_several():
    figure = drawn(fit("A", "ACMK-KM"), fit("A", "ACMK-GF"))
    assert [axis.get_title() for axis in figure.axes] == ["A, ACMK-KM", "A, ACMK-GF"]
