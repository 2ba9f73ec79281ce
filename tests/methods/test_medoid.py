"""MEDOID: what it considers, and the mean ARI behind its choice."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from coassoc.methods import METHODS
from coassoc.methods.medoid import CONSIDERED
from ensembles import noisy_copies, same_partition, with_missing


def _partition(labels, name):
    """The partition of a method, or a base clustering."""
    if name in CONSIDERED:
        return METHODS[name](3, random_state=0).fit(labels).labels_
    return labels[:, int(name.removeprefix("base clustering "))]


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_partition_with_the_largest_mean_ari_is_chosen(missing):
    labels = noisy_copies(80, 7, 3, 0.4, seed=2)[0]
    labels[:, 2] = np.where(np.arange(80) < 5, 3, labels[:, 2])  # one cluster too many
    labels[:, 4:] = with_missing(labels[:, 4:], missing, seed=1)
    found = METHODS["MEDOID"](3, random_state=0).fit(labels)
    known = labels >= 0

    def mean(partition, others):
        pairs = [(partition[known[:, j]], labels[known[:, j], j]) for j in others]
        return np.mean([adjusted_rand_score(*pair) for pair in pairs])

    expected = {name: mean(_partition(labels, name), range(7)) for name in CONSIDERED}
    expected |= {
        f"base clustering {j}": mean(labels[:, j], {*range(7)} - {j})
        for j in range(7)
        if known[:, j].all() and len(np.unique(labels[:, j])) == 3
    }
    assert "base clustering 0" in expected and "base clustering 2" not in expected
    assert ("base clustering 6" in expected) == (missing == 0)
    assert found.candidates_ == pytest.approx(expected)
    assert same_partition(found.labels_, _partition(labels, next(iter(found.candidates_))))
    assert [*found.candidates_.values()] == sorted(found.candidates_.values(), reverse=True)


def test_a_base_clustering_wins_if_the_others_agree_with_it():
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1], [60, 6])
    finer = [2 * classes + rng.integers(0, 2, 66) for _ in range(6)]
    labels = np.column_stack([classes, *finer])
    found = METHODS["MEDOID"](2, random_state=0).fit(labels)
    assert adjusted_rand_score(found.labels_, classes) == 1
