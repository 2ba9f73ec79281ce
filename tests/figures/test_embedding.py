"""Maps of the samples."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from coassoc.figures.embedding import draw_embedding, map_samples
from coassoc.figures.inputs import FittedCell, Inputs
from coassoc.storage.records import Pool


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
    pool, estimator = Pool(y[:, None], y), SimpleNamespace(embedding_=X[:, :3])
    fits = [FittedCell(label, d, pool, X, estimator) for d, label in ("A1", "A2", "B1")]
    figure = draw_embedding(Inputs({}, fits=fits))
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title() for axis in shown] == ["features", "1", "2", "features", "1"]
    points = shown[1].collections[0]
    assert len(points.get_offsets()) == 45
    assert len(np.unique(points.get_facecolors(), axis=0)) == 3
