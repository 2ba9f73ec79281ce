"""k-means by moves of single samples: screened sweeps give the labels of plain sweeps."""

import numpy as np
import pytest

from coassoc.pools import hartigan
from coassoc.pools.hartigan import Samples
from coassoc.pools.hartigan_kmeans import HartiganKMeans

rng = np.random.default_rng(0)
GROUPS = rng.normal(size=(4, 6))[rng.integers(4, size=700)]
NOISE = rng.normal(size=(700, 6))


CASES = {
    "noise": NOISE,
    "line": NOISE[:, :1].copy(),
    "groups": NOISE + 3 * GROUPS,
    "offset": NOISE + 1e7,
    "tiny": NOISE * 1e-120,
    "tinier": NOISE * 1e-162,
    "huge": NOISE * 1e200,
    "scales": NOISE * 10.0 ** np.arange(-3, 3) + 100,
    "tails": rng.standard_t(2, size=(700, 6)),
    "integers": rng.integers(3, size=(700, 6)).astype(float),
    "decimals": np.round(NOISE, 1),
    "duplicates": GROUPS,
    "zeros": np.zeros((700, 2)),
}


@pytest.mark.parametrize("X", CASES.values(), ids=CASES)
def test_screened_sweeps_give_the_labels_of_plain_sweeps(X, monkeypatch):
    for k in (2, 3, 7):
        screened = Samples(X).cluster(k, 3, np.random.default_rng(k))
        with monkeypatch.context() as patch:
            patch.setattr(hartigan, "_SCREENED", np.inf)
            plain = Samples(X).cluster(k, 3, np.random.default_rng(k))
        assert np.array_equal(screened[0], plain[0])
        assert screened[1] == plain[1]


#: The last sample is at the same distance from both groups, whichever has it.
TIE = np.repeat([[-1.0], [1.0], [0.0]], [150, 150, 1], axis=0)


@pytest.mark.parametrize(("X", "settles"), [(NOISE, True), (TIE, False)])
def test_plain_sweeps_take_over_from_ties_alone(X, settles, monkeypatch):
    plain, calls = Samples._plain, []
    monkeypatch.setattr(Samples, "_plain", lambda *args: calls.append(args[2]) or plain(*args))
    Samples(X).cluster(2, 5, np.random.default_rng(0))
    assert (max(calls) == 0) == settles


def test_the_best_of_several_starts_is_the_one_of_least_sum_of_squares():
    X = NOISE + 3 * GROUPS
    starts = np.random.default_rng(5)
    single = [Samples(X).cluster(4, 1, starts) for _ in range(6)]
    labels, squares = Samples(X).cluster(4, 6, np.random.default_rng(5))
    best = min(single, key=lambda fit: fit[1])
    assert squares == best[1]
    assert np.array_equal(labels, best[0])


def test_scale_of_samples_changes_no_label():
    labels, squares = Samples(NOISE).cluster(3, 2, np.random.default_rng(0))
    for exponent in (-700, -1000, 700, 1000):
        scaled = Samples(np.ldexp(NOISE, exponent)).cluster(3, 2, np.random.default_rng(0))
        assert np.array_equal(scaled[0], labels)
        assert scaled[1] == squares * 2.0**exponent * 2.0**exponent


def test_sum_of_squares_is_that_of_the_labels_if_sweeps_never_settle():
    X = 1e6 + np.array([[0.2, 0.7, -0.8, -1.0, -1.3, 0.4, -2.2, -0.3]]).T
    labels = np.zeros(8, dtype=np.int64)
    starts = np.random.default_rng(1456)
    starts.normal(size=8)
    squares = hartigan._move_samples(X, starts.permutation(8), 3, labels, hartigan._SWEEPS)
    assert squares == hartigan._move_samples(X, labels[:0], 3, labels.copy(), 0)
    before = labels.copy()
    hartigan._move_samples(X, labels[:0], 3, labels, 1)
    assert not np.array_equal(labels, before)


def test_fits_are_equal_only_if_neither_divides_a_cluster_of_the_other():
    coarse, fine, renamed = (
        hartigan._Fit(np.array(labels), 0.0) for labels in ([0, 0, 1], [0, 1, 2], [1, 1, 0])
    )
    assert hartigan._are_equal(coarse, renamed)
    assert not hartigan._are_equal(coarse, fine)
    assert not hartigan._are_equal(fine, coarse)


def test_read_only_samples_are_clustered():
    X = NOISE.copy()
    X.flags.writeable = False
    assert np.array_equal(HartiganKMeans(3).fit_predict(X), HartiganKMeans(3).fit_predict(NOISE))


@pytest.mark.parametrize("n_clusters", [0, 2.5])
def test_impossible_number_of_clusters_is_rejected(n_clusters):
    with pytest.raises(ValueError, match="n_clusters"):
        HartiganKMeans(n_clusters).fit(NOISE)
