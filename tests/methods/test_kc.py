"""KC: k-means on the rows of the co-association matrix."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from coassoc import Ensemble
from coassoc.methods.kc import co_association_points
from ensembles import label_matrices, label_matrices_with_gaps
from oracles.common import co_association


@given(st.one_of(label_matrices(), label_matrices_with_gaps()))
def test_points_are_as_far_apart_as_rows_of_the_co_association_matrix(labels):
    ensemble = Ensemble(labels)
    points = ensemble.microclusters.expand(co_association_points(ensemble))
    rows = co_association(labels)
    np.testing.assert_allclose(cdist(points, points), cdist(rows, rows), atol=1e-7)
    if (labels >= 0).all():
        assert points.shape[1] <= min(ensemble.microclusters.count, ensemble.n_clusters_total)
