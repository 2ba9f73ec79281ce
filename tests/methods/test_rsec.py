"""RSEC: the plain transcription, the conditions of optimality, and the partitions."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.bench.audit_ensembles import coarse_cases
from coassoc.methods.rsec import RSEC, robust_representation
from coassoc.partition.spectral import FewPointsWarning
from ensembles import of_method, same_partition
from goldens import stored_ensemble
from oracles import rsec as oracle

robust_representation = of_method(robust_representation, "RSEC-H")


@pytest.mark.parametrize(
    ("name", "weights"), [("g60", (1, 0.3)), ("g60", (0.3, 1)), ("g150", (2, 0.5))]
)
def test_plain_transcription(name, weights):
    labels, c = stored_ensemble(name)
    lam1, lam2 = weights
    ensemble = Ensemble(labels)
    Z, H, *iteration = robust_representation(ensemble, n_clusters=c, lam1=lam1, lam2=lam2)
    plain_Z, _, plain_H, n_iter = oracle.robust_representation(labels, c, lam1, lam2)
    assert iteration == [n_iter, True]
    np.testing.assert_allclose(np.asarray(Z), plain_Z, atol=1e-9)
    expanded = ensemble.microclusters.expand(H)
    np.testing.assert_allclose(expanded @ expanded.T, plain_H @ plain_H.T, atol=1e-9)


def test_order_of_samples_decides_nothing_where_no_partition_is_learned():
    """J never has the rank of c here, so that H is 0 and rows of labels are cut off."""
    case = list(coarse_cases())[29]
    order = case.shuffle(0)
    with pytest.warns(FewPointsWarning, match="K-means found only one cluster instead of"):
        first, second = (
            RSEC(case.n_clusters, random_state=0).fit(labels)
            for labels in (case.labels, case.labels[order])
        )
    assert not first.embedding_.any() and first.n_clusters_found_ == 1
    assert same_partition(first.labels_[order], second.labels_)
