"""Labels of every method without outputs of its authors, on ensembles without decisive ties."""

import numpy as np
import pytest
import scipy.sparse as sp

from coassoc import Ensemble, InvariantMatrix
from coassoc.bench.audit_ensembles import coarse_cases
from coassoc.methods import METHODS
from coassoc.methods.hclce import HCLCE, fused_similarities, structured_graph
from coassoc.methods.nmfc import factorize
from coassoc.methods.rmsc import shared_transitions, symmetrized_chain
from coassoc.methods.rsec import RSEC, robust_representation
from coassoc.methods.sc import gaussian_neighbor_graph, graph_embedding
from coassoc.partition.labels import membership_labels
from coassoc.partition.spectral import FewPointsWarning
from ensembles import (
    EXTREME,
    asked,
    groups,
    noisy_copies,
    noisy_ensemble,
    of_method,
    same_partition,
    with_missing,
)
from goldens import FOLDER, stored_ensemble
from oracles import all_oracles, factorizations, hclce
from oracles.common import co_association, spectral_vectors
from refusals import cases

ORACLES = all_oracles()
#: Transcriptions that take missing labels.
WITH_MISSING = (
    "ACMK-Fix",
    "AGGLOMERATIVE",
    "BALLS",
    "CA-SC",
    "FURTHEST",
    "HBGF",
    "HCLCE",
    "KC",
    "LWSC",
)
WITH_MISSING += ("U-SENC", "VOTE")


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_labels_are_those_of_the_transcription(name):
    labels, _ = noisy_copies(90, 12, 3, 0.15, seed=1)
    X = groups()[0] if METHODS[name](3).uses_features else None
    partition = METHODS[name](asked(name, 3), random_state=0).fit_predict(labels, X=X)
    expected = ORACLES[name](labels, 3) if X is None else ORACLES[name](labels, 3, X)
    assert same_partition(partition, expected)


@pytest.mark.parametrize("name", WITH_MISSING)
def test_labels_where_some_are_missing(name):
    labels = with_missing(noisy_copies(40, 7, 4, 0.1, seed=2)[0], 0.25, seed=5)
    X = groups(40)[0] if METHODS[name](4).uses_features else None
    partition = METHODS[name](asked(name, 4), random_state=0).fit_predict(labels, X=X)
    assert same_partition(partition, ORACLES[name](labels, 4))


@pytest.mark.parametrize("name", ["RMSC", "RSEC-H"])
def test_labels_where_nearly_all_rows_differ(name):
    """Of a part of Digits; the kept labels of all of its samples take long of these methods."""
    with np.load(FOLDER / "cases.npz") as cases:
        labels = cases["Digits, a part/labels"][::5]
    partition = METHODS[name](10, random_state=0).fit_predict(labels)
    assert same_partition(partition, ORACLES[name](labels, 10))


@pytest.mark.parametrize("eta", [0.3, 2.0])
def test_weights_of_gwca_are_those_of_the_transcription(eta):
    labels, _ = noisy_copies(60, 7, 3, 0.3, seed=1)
    found = METHODS["GWCA"](3, eta=eta, tol=0, max_iter=8).fit(labels).weights_
    np.testing.assert_allclose(found, factorizations.aggregate(labels, eta, n_iter=8), atol=1e-10)


# -- NMFC ------------------------------------------------------------------------------------------

# NMFC: the fit of another program.


def test_fits_as_well_as_another_program(golden):
    labels, c = golden.labels, golden.n_clusters
    theirs = golden.outputs("nmfc")
    Q, S = theirs["nmf_Q"], theirs["nmf_S"]
    expected = np.linalg.norm(co_association(labels) - Q @ S @ Q.T) ** 2
    starts = np.random.RandomState(0).uniform(size=(10, golden.ensemble.microclusters.count, c))
    fits = (factorize(golden.ensemble, METHODS["NMFC"](c), start) for start in starts)
    assert min(objective for _, objective in fits) <= 1.002 * expected


def test_every_column_gets_a_row():
    U = np.array([[0.9, 0.1, 0.3], [0.8, 0.0, 0.7], [0.5, 0.4, 0.0]])
    labels, n_preferred = membership_labels(U)
    assert n_preferred == 1
    np.testing.assert_array_equal(labels, [0, 2, 1])


# -- RMSC ------------------------------------------------------------------------------------------

# RMSC: the plain transcription, the duality gap, and the chain.


shared_transitions = of_method(shared_transitions, "RMSC")


@pytest.mark.parametrize("golden", ["g60", "gdisc40"], indirect=True)
@pytest.mark.parametrize("lam", [0.01, 0.3])
def test_plain_transcription_of_rmsc(golden, lam):
    labels = golden.labels
    shared = shared_transitions(Ensemble(labels), lam=lam, tol=1e-12, max_iter=40)
    P = factorizations.shared_transitions(labels, lam=lam, n_iter=40)
    np.testing.assert_allclose(np.asarray(shared), P, atol=1e-10)


def test_stationary_distribution_of_a_disconnected_chain():
    ensemble = Ensemble(EXTREME["two blocks"])
    halves = InvariantMatrix(np.diag([1 / 3, 1 / 4]), 0.0, ensemble.microclusters)
    chain = symmetrized_chain(halves)
    np.testing.assert_allclose(chain.row_sums(), np.full(2, 1 / 7), rtol=1e-6)


# -- RSEC ------------------------------------------------------------------------------------------

# RSEC: the plain transcription, the conditions of optimality, and the partitions.


robust_representation = of_method(robust_representation, "RSEC-H")


@cases("name, weights", ("g60", (1, 0.3)), ("g60", (0.3, 1)), ("g150", (2, 0.5)))
def test_plain_transcription(name, weights):
    labels, c = stored_ensemble(name)
    lam1, lam2 = weights
    ensemble = Ensemble(labels)
    Z, H, *iteration = robust_representation(ensemble, n_clusters=c, lam1=lam1, lam2=lam2)
    plain_Z, _, plain_H, n_iter = factorizations.robust_representation(labels, c, lam1, lam2)
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


# -- HCLCE -----------------------------------------------------------------------------------------

# HCLCE: every step against dense formulas, the constraints.


structured_graph = of_method(structured_graph, "HCLCE")


#: Of 40 base clusterings the sets that agree need two words of digits.
ENSEMBLES = [(40, 6, 3, 0.2), (36, 10, 4, 0.3), (30, 2, 2, 0.1), (24, 1, 3, 0.1), (30, 40, 3, 0.1)]


@pytest.mark.parametrize(("n", "m", "c", "noise"), ENSEMBLES)
def test_structured_graphs_equal_dense_formulas(n, m, c, noise):
    labels = noisy_ensemble(n, m, c, seed=n, noise=noise)
    est = HCLCE(c, random_state=0).fit(labels)
    for order, M in est.views_.items():
        expected = hclce.structured(labels, order, c)
        np.testing.assert_allclose(M.to_dense(), expected, atol=1e-7, err_msg=f"order {order}")
        alone = HCLCE(c, view=order, random_state=0).fit(labels)
        np.testing.assert_array_equal(alone.affinity_.S, M.S)
    views = [M.to_dense() for M in est.views_.values()]
    np.testing.assert_allclose(est.affinity_.to_dense(), hclce.fused(views, c), atol=1e-7)


def test_more_components_than_wanted_stay_at_any_penalty():
    labels = noisy_ensemble(40, 6, 3, seed=4, noise=0.2)
    ensemble = Ensemble(labels)
    ((S_hat, _),) = fused_similarities(ensemble, (4,))
    M, (n_components, _) = structured_graph(S_hat, n_clusters=3, lam=1.0)
    assert n_components == ensemble.microclusters.count > 3
    # The transcription runs the schedule to its end.
    expected = hclce.structured(labels, 4, 3, lam=1.0)
    np.testing.assert_allclose(M.to_dense(), expected, atol=1e-9)


def test_the_largest_components_are_the_clusters_when_there_are_too_many():
    sizes = [9, 2, 7, 1, 5]
    est = HCLCE(3, random_state=0).fit(np.repeat(np.arange(5), sizes)[:, None])
    assert est.n_clusters_found_ == 5
    assert same_partition(est.labels_, np.repeat([0, 2, 1, 2, 2], sizes))


def test_unfinished_schedule_is_cut_by_spectral_clustering():
    labels = noisy_ensemble(60, 8, 3, seed=1, noise=0.3)
    est = HCLCE(3, lam=1e-9, max_iter=1, random_state=0).fit(labels)
    assert not est.converged_ and est.n_clusters_found_ < 3 and len(np.unique(est.labels_)) == 3


# -- SC --------------------------------------------------------------------------------------------


def blobs(n=120, c=3, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, c, n)
    return rng.standard_normal((n, 4)) * spread + 4 * rng.standard_normal((c, 4))[y], y


def test_more_components_than_clusters_keeps_the_largest():
    graph = sp.csr_array(sp.block_diag([np.ones((size, size)) for size in (3, 6, 4)]))
    V = graph_embedding(graph, 2)
    np.testing.assert_allclose(np.abs(V[3:9, 0]), 1 / np.sqrt(6))
    np.testing.assert_allclose(np.abs(V[9:, 1]), 1 / 2)
    np.testing.assert_allclose(V[:3], 0)


def test_an_outlier_whose_links_vanish():
    X = np.concatenate([np.linspace(0, 1, 30), [1e9]])[:, None]
    labels = METHODS["SC"](n_clusters=2, random_state=0).fit(np.zeros((31, 1), int), X=X).labels_
    assert len(np.unique(labels)) == 2


@pytest.mark.parametrize(("n", "spread"), [(120, 2.0), (1100, 3.0)])
def test_embedding_as_printed(n, spread):
    X, _ = blobs(n=n, spread=spread)
    W = gaussian_neighbor_graph(X, 10)
    V, expected = graph_embedding(W, 3), spectral_vectors(W.toarray(), 3)
    np.testing.assert_allclose(V @ V.T, expected @ expected.T, atol=1e-8)
