"""Heat maps: order of the samples, resolution, units."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from coassoc.figures.inputs import FittedCell, Inputs
from coassoc.figures.matrices import by_class, draw_matrices, within_classes
from coassoc.storage.records import Pool

CLASSES = np.array([1, 0, 1, 0, 2])


def drawn(learned: dict[str, np.ndarray], panel: str, relative: bool = False) -> Figure:
    pool = Pool(CLASSES[:, None], CLASSES)
    fits = [
        FittedCell(name, "A", pool, None, SimpleNamespace(affinity_=matrix))
        for name, matrix in learned.items()
    ]
    return draw_matrices(Inputs({"panels": [panel], "relative": relative}, fits=fits))


def test_samples_are_ordered_by_class_with_borders_between():
    similarity = np.arange(25.0).reshape(5, 5)
    image, borders = by_class(similarity, CLASSES, diagonal=-1.0)
    order = [1, 3, 0, 2, 4]
    expected = similarity[np.ix_(order, order)]
    np.fill_diagonal(expected, -1.0)
    assert np.array_equal(image, expected)
    assert borders.tolist() == [2, 4]


def test_large_matrices_are_averaged():
    image, borders = by_class(np.ones((1000, 1000)), np.repeat([0, 1], 500))
    assert image.shape == (500, 500) and np.allclose(image, 1)
    assert borders.tolist() == [250]


def test_unit_of_a_relative_heat_map():
    same = CLASSES[:, None] == CLASSES
    similarity = np.where(same, 0.2, 0.01)
    assert within_classes(similarity, CLASSES) == pytest.approx(0.2)
    assert within_classes(np.zeros((5, 5)), CLASSES) == 1.0
    learned, ideal = drawn({"M": similarity}, "truth", relative=True).axes[:2]
    assert learned.get_title() == "M"
    image = learned.images[0].get_array()
    assert image.max() == pytest.approx(0.5) and image.min() == pytest.approx(0.01 / 0.4)
    assert ideal.get_title() == "ground truth"


def test_coherent_link_is_where_the_first_similarity_is_one():
    similarity = np.where(CLASSES[:, None] == CLASSES, 1.0, 0.9)
    other = np.full((5, 5), 0.3)
    link, first, second = drawn({"CA": similarity, "M": other}, "coherent-link").axes[:3]
    assert [axis.get_title() for axis in (link, first, second)] == ["coherent link", "CA", "M"]
    order = np.argsort(CLASSES, kind="stable")
    assert np.array_equal(link.images[0].get_array(), similarity[np.ix_(order, order)] == 1)


def test_frame_marks_the_classes_between_which_most_is_lost():
    before = np.full((5, 5), 0.5)
    after = before.copy()
    after[[1, 4], [4, 1]] = 0.1  # a sample of class 0 and the one of class 2
    after[[0, 3], [3, 0]] = 0.3  # a sample of class 1 and one of class 0
    change = drawn({"M": before, "N": after}, "difference").axes[2]
    frames = {tuple(np.round(frame.get_bbox().bounds, 9)) for frame in change.patches}
    assert frames == {(-0.5, 3.5, 2.0, 1.0), (3.5, -0.5, 1.0, 2.0)}


def test_no_frame_where_nothing_is_lost():
    assert not drawn({"M": np.zeros((5, 5)), "N": np.eye(5)}, "difference").axes[2].patches
