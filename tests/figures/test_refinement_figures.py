"""Figures of what a method made of base clusterings and features, and the fits behind them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coassoc.figures.before_after import Refinement, plot_before_after, scores_of_refinement
from coassoc.figures.embedding import map_samples, plot_embedding
from coassoc.figures.style import curve_style
from coassoc.methods import METHODS
from coassoc.pools.draws import make_draws
from coassoc.running.runs import execute_run, first_fit
from coassoc.storage.hdf5 import write_dataset, write_pool
from coassoc.storage.records import Dataset, Pool
from ensembles import noisy_ensemble

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    return rng.normal(size=(45, 4)) * 0.3 + 3 * np.eye(3, 4)[y], y


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


def test_first_fit_is_the_first_repeat(blobs, tmp_path):
    X, y = blobs
    write_dataset(tmp_path / "set.h5", Dataset(X, y))
    labels = noisy_ensemble(45, 8, 3, seed=1)
    write_pool(tmp_path / "pool.h5", Pool(labels, y, make_draws(8, [4], 2, seed=0)))
    fit = {
        "method": "ACMK-SC",
        "estimator": METHODS.method("ACMK-SC").record(),
        "parameters": {"order": 2},
        "m": 4,
        "pool": "pool",
        "dataset": "set",
        "pool_file": tmp_path / "pool.h5",
        "features": tmp_path / "set.h5",
    }
    estimator, pool, features = first_fit(fit, seed=5)
    np.testing.assert_array_equal(features, X)
    run = execute_run(
        tmp_path / "run.h5",
        pool,
        METHODS["ACMK-SC"],
        method="ACMK-SC",
        points=[{"order": 2}],
        m=4,
        n_clusters=3,
        seed=5,
        names=("pool", "set"),
        features=X,
    )
    np.testing.assert_array_equal(estimator.labels_, run.results[0][0].labels)
    lwea = {"method": "LWEA", "estimator": METHODS.method("LWEA").record(), "parameters": {}}
    labels_only, _, nothing = first_fit({**fit, **lwea, "features": ""}, 5)
    assert nothing is None and len(labels_only.labels_) == 45
