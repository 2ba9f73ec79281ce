"""Maps of the samples."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coassoc.figures.embedding import map_samples, plot_embedding


def test_map_keeps_classes_apart(blobs):
    X, y = blobs
    places = map_samples(X)
    assert places.shape == (45, 2)
    distances = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(45)
    assert (y[distances.argmin(axis=1)] == y).all()
    np.testing.assert_array_equal(places, map_samples(X))


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (10, 1), (6, 40)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_map_of_small_data(shape, form):
    places = map_samples(form(np.arange(np.prod(shape), dtype=float).reshape(shape) % 7))
    assert places.shape == (shape[0], 2) and np.isfinite(places).all()


def test_one_map_per_embedding(blobs):
    X, y = blobs
    maps = {"A": {"features": X[:, :2], "k=1": X[:, 1:3]}, "B": {"features": X[:, :2]}}
    figure = plot_embedding(maps, {"A": y, "B": y})
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title() for axis in shown] == ["features", "k=1", "features"]
    points = shown[1].collections[0]
    assert len(points.get_offsets()) == 45
    assert len(np.unique(points.get_facecolors(), axis=0)) == 3
