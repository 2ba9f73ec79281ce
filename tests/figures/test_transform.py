"""Slices of a co-association matrix after a Fourier transform along the samples."""

from __future__ import annotations

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.figures.inputs import Inputs
from coassoc.figures.transform import draw_transform, slice_norms
from coassoc.pools.draws import shuffle_pool
from coassoc.similarity import co_association
from coassoc.storage.records import Pool

SORTED = Ensemble(np.repeat(np.arange(4), 8)[:, None] * np.ones((1, 3), dtype=int))
SHUFFLED = Ensemble(np.random.default_rng(0).permutation(np.asarray(SORTED)))


def test_the_norms_are_those_of_the_transform():
    A = np.asarray(co_association(SHUFFLED))
    k, i = np.arange(1, 17)[:, None], np.arange(32)
    transform = np.exp(-2j * np.pi * k * i / 32) @ A
    assert np.allclose(slice_norms(SHUFFLED), np.sqrt((np.abs(transform) ** 2).sum(axis=1)))


def test_a_sorted_file_has_its_squares_in_few_slices():
    few, many = (np.sort(slice_norms(each) ** 2)[::-1] for each in (SORTED, SHUFFLED))
    assert few[:4].sum() > 0.8 * few.sum() and many[:4].sum() < 0.6 * many.sum()


def test_a_line_of_panels_for_each_data_set():
    pool = Pool(np.asarray(SORTED), None, {3: np.array([[0, 1, 2]])})
    cells = [{"dataset": d, "pool": "p", "m": 3} for d in "AB"]
    figure = draw_transform(Inputs({}, cells, pools={"p/A": pool, "p/B": pool}, seed=1))
    assert len(figure.axes) == 6
    titles = [axis.get_title() for axis in figure.axes]
    assert titles[:2] == ["A, order of the file", "A, shuffled"] and titles[4] == "B, shuffled"
    curves = figure.axes[2].get_lines()
    assert [line.get_label() for line in curves] == ["order of the file", "shuffled"]
    assert np.array_equal(curves[0].get_ydata(), slice_norms(SORTED))
    shuffled = Ensemble(shuffle_pool(pool, "A", 1).labels)
    assert np.array_equal(curves[1].get_ydata(), slice_norms(shuffled))
