"""Similarities and graphs that methods learn, against the outputs of the authors' programs."""

from functools import cache

import numpy as np
import pytest

from coassoc import Ensemble, InvariantMatrix, Microclusters
from coassoc.methods import METHODS, sdgca, weac
from coassoc.methods.awec import first_order_topology, learn_graph, second_order_topology
from coassoc.methods.cdec import balanced_consensus
from coassoc.methods.ceam import adaptive_multiplex, cut_vectors
from coassoc.methods.cehm import spread, support
from coassoc.methods.drec import dense_representation
from coassoc.methods.ecpcs import ncut_vectors
from coassoc.methods.lce import approximate_simrank, connected_triple_similarity, simrank
from coassoc.methods.lta import refine_co_association
from coassoc.partition.discretisation import discretize
from coassoc.partition.labels import canonical_labels, vote_labels
from coassoc.partition.spectral import spectral_embedding
from coassoc.similarity import (
    co_association,
    enhanced_co_association,
    jaccard_of_clusters,
    propagated_cluster_similarity,
)
from ensembles import of_method
from goldens import FOLDER, STORED, Golden, assert_rows
from oracles import lce

# -- AWEC ------------------------------------------------------------------------------------------

# AWEC against golden outputs and n × n arrays.
#
# The stored outputs are those of the authors' program under Octave 7.3, with three of its lines
# changed as the module's docstring says: all neighbours of equal rank count, samples without links
# get none, and eigenvectors of equal eigenvalues are left out.


learn_graph = of_method(learn_graph, "AWEC")


def topologies(ensemble, n_clusters):
    A = co_association(ensemble)
    T = first_order_topology(A, n_clusters)
    return A, [T, second_order_topology(T)]


def test_golden_topologies_of_awec(golden):
    expected = golden.outputs("awec")
    _, (T1, T2) = topologies(golden.ensemble, golden.n_clusters)
    assert_rows(T1, expected, "T1", 1e-13)
    assert_rows(T2, expected, "T2", 1e-13)


@pytest.mark.parametrize(("run", "lam", "gamma"), [("a", 0.1, 10), ("b", 0.02, 1)])
def test_golden_graphs_of_awec(golden, run, lam, gamma):
    expected = golden.outputs("awec")
    c = golden.n_clusters
    parameters = {"n_clusters": c, "lam": lam, "gamma": gamma}
    C, Z, weights = learn_graph(*topologies(golden.ensemble, c), **parameters)
    for key, matrix in (("C", C), ("Z", Z)):
        assert_rows(matrix, expected, f"{key}_{run}", 1e-9)
    np.testing.assert_allclose(weights, expected[f"weights_{run}"], atol=1e-9)
    model = METHODS["AWEC"](c, lam=lam, gamma=gamma).fit(golden.ensemble)
    np.testing.assert_allclose(np.asarray(model.affinity_), np.asarray(Z), rtol=0, atol=1e-12)
    assert model.n_iter_ == len(expected[f"residuals_{run}"]) and model.converged_


# -- CDEC ------------------------------------------------------------------------------------------

# CDEC against golden outputs and n × n arrays.
#
# The stored outputs are those of the authors' program under Octave 7.3 for the distinct rows of the
# stored ensembles in lexicographic order, with the start given. Octave's qp took the place of
# quadprog.


balanced_consensus = of_method(balanced_consensus, "CDEC")


@pytest.mark.parametrize("run", ["a", "b", "c"])
def test_golden_partitions_of_cdec(golden, run):
    expected = golden.outputs("cdec")
    ensemble = Ensemble(golden.ensemble.distinct_labels)
    lam, gamma = float(expected[f"lam_{run}"]), float(expected[f"gamma_{run}"])
    labels, weights = balanced_consensus(ensemble, expected["start"], lam=lam, gamma=gamma)
    np.testing.assert_array_equal(labels, expected[f"labels_{run}"])
    np.testing.assert_allclose(weights, expected[f"alpha_{run}"], atol=1e-10)
    estimator = balanced_consensus.estimator
    assert estimator.n_iter_ == len(expected[f"objective_{run}"]) and estimator.converged_


# -- CEAM ------------------------------------------------------------------------------------------

# CEAM against golden outputs.
#
# The stored outputs are those of the authors' program under Octave 7.3, with its search for the
# nearest samples changed so that all of equal distance count.


adaptive_multiplex = of_method(adaptive_multiplex, "CEAM")


@pytest.mark.parametrize("run", ["a", "b"])
def test_golden_graphs_of_ceam(golden, run):
    expected = golden.outputs("ceam")
    alpha, n_neighbors = float(expected[f"alpha_{run}"]), int(expected[f"n_neighbors_{run}"])
    W = adaptive_multiplex(golden.ensemble, alpha=alpha, n_neighbors=n_neighbors)
    assert_rows(W, expected, f"W_{run}", 1e-13)
    # The program drops any vector of the null space of a graph in parts.
    if golden.name != "gdisc40":
        vectors = golden.ensemble.microclusters.expand(cut_vectors(W, golden.n_clusters))
        assert_rows(vectors @ vectors.T, expected, f"projector_{run}", 1e-10)
    settings_of_run = {"alpha": alpha, "n_neighbors": n_neighbors, "random_state": 0}
    model = METHODS["CEAM"](golden.n_clusters, **settings_of_run).fit(golden.ensemble)
    np.testing.assert_array_equal(np.asarray(model.affinity_), np.asarray(W))


# -- CEHM ------------------------------------------------------------------------------------------

# CEHM against golden outputs and loops over samples.


def test_golden_partitions_from_given_medoids(golden):
    expected = golden.outputs("cehm")
    ensemble, c = golden.ensemble, golden.n_clusters
    assert len(expected["medoids"]) == 3
    for medoids, partition in zip(expected["medoids"], expected["partitions"], strict=True):
        labels = spread(ensemble, medoids, c)
        for _ in range(100):
            labels = support(ensemble, labels, c).argmax(axis=1)
        np.testing.assert_array_equal(ensemble.microclusters.expand(labels), partition)


# -- LCE -------------------------------------------------------------------------------------------

# LCE's similarities against golden outputs and loops over pairs of samples.


def test_golden_cts_and_srs(golden):
    expected = golden.outputs("lce")
    assert_rows(connected_triple_similarity(golden.ensemble, 0.8), expected, "cts", 1e-13)
    assert_rows(simrank(golden.ensemble, 0.8, 5), expected, "srs", 1e-13)


@pytest.mark.parametrize("golden", ["g60", "g150"], indirect=True)
def test_golden_asrs_but_for_the_most_alike_clusters(golden):
    """The program counts 1 for the pair of different clusters that is most alike, and not d."""
    expected = golden.outputs("lce")
    G = lce.asrs_clusters(golden.labels)
    alike = np.isclose(G, 0.8, rtol=0, atol=1e-13).astype(float)
    assert 2 <= alike.sum() < 10
    excess = 0.2 * lce.mean_over_clusters(golden.labels, alike)
    np.fill_diagonal(excess, 0)
    similarity = np.asarray(approximate_simrank(golden.ensemble, 0.8)) + excess
    assert_rows(similarity, expected, "asrs", 1e-13)


def test_missing_labels_of_lce():
    # The first and the last sample have one base clustering in common and are together there.
    ensemble = Ensemble([[0, 0], [1, 0], [1, 1], [0, -1]])
    similarity = np.asarray(connected_triple_similarity(ensemble, 0.8))
    np.testing.assert_allclose(similarity[0, 3], 1)
    S = np.asarray(simrank(ensemble, 0.8, 2))
    # One of the two clusters of the first sample is the last one's only one.
    np.testing.assert_allclose(S[0, 3], 0.8 / 2)


# -- SDGCA -----------------------------------------------------------------------------------------

# SDGCA against golden outputs and n × n arrays.


#: Parameters of the stored outputs.
LAM, ETA, THETA = 0.09, 0.65, 0.75


def steps(ensemble, lam, eta, theta):
    """W, M, Q, S and D, as the estimator makes them."""
    A = co_association(ensemble)
    W, Q = sdgca.normalized_co_association(ensemble, lam), sdgca.dissimilar_pairs(ensemble)
    M = sdgca.similar_pairs(W, A, Q, theta)
    links = A.map(lambda a: np.where(a >= eta, a, 0.0))
    L = InvariantMatrix.from_diagonal(links.row_sums(), A.microclusters) - links
    return W, M, Q, *sdgca.learn_relations(L, M, Q, METHODS["SDGCA"](2))


def test_golden_outputs_of_sdgca(golden):
    expected = golden.outputs("sdgca")
    W, M, Q, S, D = steps(golden.ensemble, LAM, ETA, THETA)
    assert np.asarray(Q).any() == (golden.name == "gdisc40")
    final = sdgca.guided_similarity(S, D, W)
    for key, matrix in (
        ("NWCA", W), ("ML", M), ("CL", Q), ("S", S), ("D", D), ("W", final),
    ):  # fmt: skip
        assert_rows(matrix, expected, key, 1e-12)
    model = METHODS["SDGCA"](golden.n_clusters, lam=LAM, eta=ETA, theta=THETA)
    found_by_fit = np.asarray(model.fit(golden.ensemble).affinity_)
    np.testing.assert_allclose(found_by_fit, np.asarray(final), rtol=0, atol=1e-12)
    assert model.converged_


# -- WEAC ------------------------------------------------------------------------------------------

# WEAC and GP-MGLA against golden outputs and plain sums over pairs.


def test_golden_outputs_of_weac(golden):
    expected, ensemble = golden.outputs("weac"), golden.ensemble
    agreement = weac.crowd_agreement(ensemble)
    np.testing.assert_allclose(agreement, expected["ncai"], rtol=0, atol=1e-13)
    weights = agreement**2
    S = weac.agreement_weighted_co_association(ensemble, weights)
    assert_rows(S, expected, "S", 1e-13)
    triples = weac.connected_triples(ensemble, weights)
    np.testing.assert_allclose(triples, expected["SACT"], rtol=0, atol=1e-13)
    points = weac.granularity_embedding(ensemble, weights, 0.5, golden.n_clusters)
    embedding, top = ensemble.microclusters.expand(points), expected["embedding"]
    np.testing.assert_allclose(embedding @ embedding.T, top @ top.T, rtol=0, atol=1e-8)


def test_base_clusterings_that_nobody_agrees_with():
    ensemble = Ensemble(np.column_stack([np.arange(4) // 2, np.arange(4) % 2]))
    np.testing.assert_array_equal(weac.crowd_agreement(ensemble), [1, 1])
    np.testing.assert_array_equal(weac.crowd_agreement(Ensemble(np.arange(4)[:, None])), [1])


def test_missing_labels_are_judged_by_common_samples():
    gaps = np.column_stack([np.arange(8) // 4, np.arange(8) // 4, np.arange(8) % 2])
    gaps[[0, 1, 6, 7], 1] = -1
    np.testing.assert_allclose(weac.crowd_agreement(Ensemble(gaps)), [1, 1, 0], atol=1e-12)
    S = weac.agreement_weighted_co_association(Ensemble(gaps), np.array([1.0, 1.0, 2.0]))
    # Samples 0 and 1: together in the first of the clusterings 1 and 3 that have both.
    np.testing.assert_allclose(np.asarray(S)[0, 1], 1 / 3)


# -- LTA -------------------------------------------------------------------------------------------

# LTA against golden outputs.


refine_co_association = of_method(refine_co_association, "LTA-EA")

FILES = sorted(path.stem for path in FOLDER.glob("*__lta_*.npz"))
#: Where a single random start of k-means finds the best partition often.
EASY_K_MEANS = ("g150__lta_l02", "g150__lta_l2", "g150_sorted__lta_l02", "g60__lta_l2")


def stored(name):
    """Arrays of a golden file, the ensemble it belongs to and the number of clusters."""
    golden = Golden(name.split("__")[0])
    return golden.outputs(name.split("__")[1]), golden.ensemble, golden.n_clusters


@cache
def refined(name):
    """What the library makes of a golden ensemble."""
    expected, ensemble, _ = stored(name)
    return refine_co_association(ensemble, lam=float(expected["lambda"]))


@pytest.mark.parametrize("name", FILES)
def test_refined_matrices_and_violations(name):
    expected, _, _ = stored(name)
    _, P2, E, violations, converged = refined(name)
    assert converged and len(violations) == expected["iters"]
    largest = np.max(violations, axis=1)
    assert largest[-1] < 1e-8
    np.testing.assert_allclose(largest, expected["chg_trace"], rtol=1e-4)
    assert_rows(P2, expected, "A2", 1e-11)
    if "E_rows" in expected:
        np.testing.assert_allclose(E[::6], expected["E_rows"], rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", EASY_K_MEANS)
def test_labels(name):
    expected, ensemble, c = stored(name)
    model = METHODS["LTA-SC"](c, lam=float(expected["lambda"]), random_state=0)
    fitted = model.fit(ensemble)
    np.testing.assert_array_equal(fitted.labels_, expected["sc_top_labels_best"])
    P2 = refined(name)[1]
    np.testing.assert_array_equal(np.asarray(fitted.affinity_), (P2 + P2.T) / 2)
    assert fitted.n_iter_ == expected["iters"] and fitted.converged_


# -- ECPCS -----------------------------------------------------------------------------------------


def test_matrices_of_the_authors_program(golden):
    expected = golden.outputs("ecpcs_hc")
    ensemble = golden.ensemble
    np.testing.assert_allclose(jaccard_of_clusters(ensemble), expected["jaccard"], rtol=1e-14)
    for steps in (5, 20):
        G = propagated_cluster_similarity(ensemble, steps)
        np.testing.assert_allclose(G, expected[f"Z_t{steps}"], rtol=1e-11, atol=1e-13)
    A = np.asarray(enhanced_co_association(ensemble, 20))
    assert_rows(A, expected, "ECA_t20", 1e-11)


@pytest.mark.parametrize("golden", ["g60", "g150"], indirect=True)
def test_ncut_vectors_of_the_authors_program(golden):
    vectors = ncut_vectors(propagated_cluster_similarity(golden.ensemble), golden.n_clusters)
    expected = golden.outputs("ecpcs_mc")["ncut_evec"]
    np.testing.assert_allclose(vectors * -np.sign(vectors[0]), expected, atol=1e-11)


def test_mc_partition_from_every_start(golden):
    ensemble, c = golden.ensemble, golden.n_clusters
    expected = golden.outputs("ecpcs_mc")
    vectors = ncut_vectors(propagated_cluster_similarity(ensemble), c)
    for start in range(len(vectors)):
        meta = discretize(vectors, [start])
        meta_expected = expected["meta_partitions"][expected["meta_partition_of_start"][start]]
        np.testing.assert_array_equal(canonical_labels(meta), meta_expected)
        labels, won = vote_labels(ensemble, meta, c)
        assert won == c
        # The program breaks tied votes by the numbering of meta-clusters, which the start decides.
        known = expected["object_partitions"]
        assert any(np.array_equal(canonical_labels(labels), partition) for partition in known)


def test_a_meta_cluster_without_votes_takes_the_least_certain_microcluster():
    ensemble = Ensemble(np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 2]]))
    clusters, won = vote_labels(ensemble, np.array([0, 0, 1, 1, 1, 1]), 2)
    assert won == 1
    # Shares are 1 against ¼ for the first three samples. The last is tied at ½ and goes to the
    # heavier meta-cluster, so that the other one wins nothing and may take it over.
    np.testing.assert_array_equal(canonical_labels(clusters), [0, 0, 0, 1])


# -- DREC ------------------------------------------------------------------------------------------


#: Settings in the golden files; at λ = 0.1 the program itself is accurate to 1e-7 only.
SETTINGS = [
    ("g60", 2, 1e-7),
    ("g60", 4, 1e-12),
    ("g60", 5, 1e-12),
    ("g150", 5, 1e-12),
    *[("gdisc40", i, 1e-9 if i == 2 else 1e-12) for i in (2, 3, 4, 5, 6)],
]


@pytest.mark.parametrize(("golden", "i", "tolerance"), SETTINGS, indirect=["golden"])
def test_representation_of_the_authors_program(golden, i, tolerance):
    expected = golden.outputs("drec")
    V, C = dense_representation(golden.ensemble, float(expected["lambdas"][i - 1]))
    assert_rows(V @ C, expected, f"l{i}_Z", tolerance)


OF_THE_PROGRAM = [*((name, 5) for name in STORED), ("g60", 4), ("gdisc40", 3), ("gdisc40", 6)]


@pytest.mark.parametrize(("golden", "i"), OF_THE_PROGRAM, indirect=["golden"])
def test_similarity_and_partition_of_the_authors_program(golden, i):
    expected, c = golden.outputs("drec"), golden.n_clusters
    lam = float(expected["lambdas"][i - 1])
    model = METHODS["DREC"](n_clusters=c, lam=lam, random_state=0).fit(golden.ensemble)
    np.testing.assert_array_equal(model.labels_, expected[f"l{i}_labels_best"])
    assert model.n_iter_ == 5
    if i == 5:
        L = model.affinity_.S
        assert_rows(L, expected, "l5_L", 1e-11)
    if i == 5 and golden.name != "gdisc40":
        atoms = Microclusters.from_assignment(np.arange(len(L)))
        embedding, _ = spectral_embedding(InvariantMatrix(L, 0.0, atoms), c)
        X = expected["l5_embedding_mc"]
        np.testing.assert_allclose(embedding @ embedding.T, X @ X.T, atol=1e-10)


def test_vanishing_errors_divide_nothing_by_zero():
    V, C = dense_representation(Ensemble([[0], [1], [2]]), 1e-300)
    np.testing.assert_allclose(V @ C, np.eye(3))
