"""What every registered method promises, whatever it computes."""

import inspect
import re
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.base import clone
from threadpoolctl import threadpool_info, threadpool_limits

from coassoc import ConfigError, DataError, Ensemble, InvariantMatrix, use_threads
from coassoc.methods import METHODS, Parameter
from coassoc.methods.base import NeverMetWarning, NotConvergedWarning
from coassoc.metrics import score_partition
from coassoc.numerics.threads import ROWS
from ensembles import (
    CLASSES,
    EXTREME,
    asked,
    noisy_ensemble,
    same_partition,
    shuffled,
    with_missing,
)
from goldens import stored_ensemble
from refusals import refuses

pytestmark = pytest.mark.filterwarnings("ignore::coassoc.methods.base.FewRowsWarning")


@pytest.fixture(scope="module", params=CLASSES)
def name(request) -> str:
    return request.param


#: Three classes.
TRUTH = np.repeat(np.arange(3), 30)


@pytest.fixture(scope="module")
def labels() -> np.ndarray:
    """Clear enough that no exact tie decides the partition."""
    return noisy_ensemble(90, 12, 3, seed=5, noise=0.08)


@pytest.fixture(scope="module")
def features() -> np.ndarray:
    return np.eye(3)[TRUTH] * 4 + np.random.default_rng(0).normal(size=(90, 3)) * 0.4


#: Settings of methods that take seconds, for what a promise about all of them does not need.
FEWER_STEPS = {f"ACMK-{ending}": {"max_iter": 2} for ending in ("SC", "KM", "SC-A", "KM-A")}


def estimator(name, n_clusters=3, **parameters):
    parameters = FEWER_STEPS.get(name, {}) | parameters
    return METHODS[name](n_clusters=asked(name, n_clusters), random_state=0, **parameters)


def fit(name, labels, features, n_clusters=3, **parameters):
    return estimator(name, n_clusters, **parameters).fit(labels, X=features)


@pytest.fixture(scope="module")
def fitted(name, labels, features):
    """A method on these labels, for tests that only look at it."""
    return fit(name, labels, features)


#: Attributes that every fitted method has.
ALWAYS = {"ensemble_", "labels_", "n_iter_", "converged_", "history_", "n_clusters_found_"}


def test_declares_and_describes_every_parameter(name):
    method = METHODS[name]
    taken = set(inspect.signature(method.estimator).parameters)
    assert taken - {"n_clusters", "random_state"} == set(method.parameters) | set(method.fixed)
    docstrings = "\n".join(inspect.cleandoc(cls.__doc__) for cls in method.estimator.__mro__)
    described = re.findall(r"^(\w.*) : ", docstrings, re.MULTILINE)
    assert taken | ALWAYS | set(method.offers) <= set(", ".join(described).split(", "))


def test_the_number_of_clusters_is_never_assumed(name, labels, fitted):
    """Methods that choose it do not take it, and nothing else chooses it unasked."""
    kind = METHODS[name].n_clusters_is
    if kind == "chosen":
        unasked = METHODS[name](random_state=0).fit_predict(labels)
        np.testing.assert_array_equal(unasked, fitted.labels_)
        return
    with pytest.raises(TypeError, match="'n_clusters'"):
        METHODS[name]()
    if kind == "optional":
        est = METHODS[name](n_clusters=None, random_state=0).fit(labels)
        assert est.n_clusters_found_ == est.labels_.max() + 1


def test_refuses_impossible_numbers_of_clusters(name, labels, features):
    kind = METHODS[name].n_clusters_is
    allowed = "left out" if kind == "chosen" else "an integer from 1 to 90"
    wrong = [0, 91, 2.5, "three", True, *{"chosen": [3], "given": [None]}.get(kind, [])]
    for n_clusters in wrong:
        with pytest.raises(ConfigError, match=f"{name}: n_clusters is .* It must be {allowed}"):
            METHODS[name](n_clusters=n_clusters).fit(labels, X=features)


@pytest.mark.filterwarnings(
    "error",
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::coassoc.methods.base.NotConvergedWarning",
    "ignore::coassoc.methods.base.FewRowsWarning",
    "ignore::coassoc.partition.spectral.FewPointsWarning",
    "ignore::coassoc.partition.spectral.FewVectorsWarning",
)
@pytest.mark.parametrize("extreme", EXTREME.values(), ids=EXTREME.keys())
def test_extreme_ensembles(name, extreme):
    n = len(extreme)
    numbers = {1, min(2, n), n}
    cases = [(c, np.random.default_rng(0).normal(size=(n, 3))) for c in sorted(numbers)]
    if METHODS[name].uses_features:
        equal, repeated = np.zeros((n, 3)), np.arange(2.0 * n).reshape(n, 2) % 7
        cases += [(max(numbers), equal), (min(2, n), equal), (min(2, n), repeated)]
    starts = {"n_init": 2} if "n_init" in METHODS[name](2).get_params() else {}
    for c, X in cases:
        model = fit(name, extreme, X, c, **starts)
        n_clusters = asked(name, c) or model.n_clusters_found_
        np.testing.assert_array_equal(np.unique(model.labels_), np.arange(n_clusters))
        assert 1 <= model.n_clusters_found_ <= n


def test_a_second_fit_forgets_the_first():
    labels, _ = stored_ensemble("g60")
    model = METHODS["KC"](n_clusters=2, random_state=0).fit(labels)
    assert model.set_params(n_clusters=5).fit(labels).n_clusters_found_ == 5


def test_missing_labels_are_taken_or_refused_in_one_sentence(name, labels, features):
    gaps = with_missing(labels, 0.15, seed=2)
    if not METHODS[name].estimator.takes_missing:
        refuses(DataError, "needs complete labels, but", fit, name, gaps, features)
        return
    definition = sys.modules[METHODS[name].estimator.__module__].__doc__
    definition += METHODS[name].estimator.__doc__
    assert re.search(r"labels\s+are\s+missing|missing\s+label", definition)
    model = fit(name, gaps, features)
    assert score_partition(TRUTH, model.labels_)["ACC"] > 0.9
    order = np.random.default_rng(1).permutation(len(labels))
    here = fit(name, gaps[order], features[order])
    assert same_partition(model.labels_[order], here.labels_)
    np.testing.assert_array_equal(fit(name, gaps.astype(float), features).labels_, model.labels_)


def test_pairs_that_never_met_are_told(labels, features):
    gaps = labels.copy()
    gaps[0, :6] = gaps[1, 6:] = -1
    with pytest.warns(NeverMetWarning, match="both samples of 1 pair"):
        METHODS["LWEA"](n_clusters=3).fit(gaps)


def test_finds_clear_classes(name, labels, features):
    """With its defaults, or at a point of the grid that its paper tunes over."""
    declared = METHODS[name].parameters
    points = [{}, *({key: value} for key in declared for value in declared[key].grid)]
    models = (METHODS[name](asked(name, 3), random_state=0, **point) for point in points)
    partitions = (model.fit_predict(labels, X=features) for model in models)
    assert any(score_partition(TRUTH, partition)["ARI"] > 0.8 for partition in partitions)


def numbers_of(est) -> list[np.ndarray]:
    """All that a fit has found."""
    learned = getattr(est, "affinity_", np.zeros(0))
    if isinstance(learned, InvariantMatrix):
        arrays = [learned.S, learned.e]
    else:
        arrays = [learned.toarray() if issparse(learned) else learned]
    return [est.labels_, *arrays, *est.history_.values()]


def test_is_the_same_on_any_number_of_threads(name):
    """To the last bit, on an ensemble of several blocks, whatever the libraries are set to."""
    labels = np.unique(noisy_ensemble(450, 12, 3, seed=5, noise=0.25), axis=0)[: 2 * ROWS + 6]
    assert Ensemble(labels).microclusters.count > 2 * ROWS
    features = np.random.default_rng(0).normal(size=(len(labels), 3)) + labels[:, :3]
    taken = inspect.signature(METHODS[name].factory).parameters
    few = {steps: 2 for steps in ("max_iter", "n_outer", "n_rounds") if steps in taken}
    runs = []
    for number in (1, 3):
        with threadpool_limits(number), use_threads(number):
            runs.append(numbers_of(fit(name, labels, features, **few)))
            assert {library["num_threads"] for library in threadpool_info()} == {number}
    for there, here in zip(*runs, strict=True):
        np.testing.assert_array_equal(there, here)


def test_does_not_depend_on_any_numbering(name, labels, features, fitted):
    """Of samples, unless it says so, of base clusterings, and of clusters."""
    renumbered, order = shuffled(labels, seed=1)
    if METHODS[name](2).depends_on_sample_order:
        assert name.startswith("LTA") or name == "GTLEC"
        original = np.argsort(order)
        renumbered, order = renumbered[original], order[original]
    here = fit(name, 3 * renumbered + 1, features[order]).labels_
    assert same_partition(fitted.labels_[order], here)


def test_fitted_samples_keep_their_clusters(name, labels, fitted):
    """Unless the method parts samples with equal rows; then they go where most are."""
    rows, predicted = fitted.ensemble_.microclusters.assignment, fitted.predict(labels)
    parted = len(set(zip(rows, fitted.labels_, strict=True))) > len(set(rows))
    if not parted:
        np.testing.assert_array_equal(predicted, fitted.labels_)
        return
    assert name in ("CSPA", "HGPA") or fitted.uses_features or fitted.depends_on_sample_order
    for row in set(rows):
        inside = np.bincount(fitted.labels_[rows == row], minlength=3)
        assert set(predicted[rows == row]) == {inside.argmax()}


def test_follows_scikit_learn_and_is_deterministic_for_a_seed(name, labels, features, fitted):
    est = estimator(name)
    before = est.get_params()
    copy = clone(est)
    assert copy.get_params() == before
    ensemble = Ensemble(labels)
    predicted = copy.fit_predict(ensemble, X=features)
    assert copy.get_params() == before
    np.testing.assert_array_equal(ensemble.labels, Ensemble(labels).labels)
    np.testing.assert_array_equal(predicted, fitted.labels_)
    for key, values in fitted.history_.items():
        np.testing.assert_array_equal(values, copy.history_[key])


def test_leaves_behind_what_its_class_declares(name, fitted, labels):
    left = {key for key in vars(fitted) if key.endswith("_") and not key.startswith("_")}
    assert left - ALWAYS == set(METHODS[name].offers)
    assert {type(values) for values in fitted.history_.values()} <= {np.ndarray}
    assert {type(x) for x in (fitted.n_iter_, fitted.n_clusters_found_)} == {int}
    assert min(fitted.n_iter_, fitted.n_clusters_found_) >= 1
    assert isinstance(fitted.converged_, bool)
    if hasattr(fitted, "affinity_"):
        assert np.asarray(fitted.affinity_).shape == (len(labels), len(labels))


def test_says_when_it_does_not_converge(name, features):
    if "max_iter" not in METHODS[name](2).get_params():
        return
    labels = noisy_ensemble(90, 12, 3, seed=5, noise=0.25)
    told = "did not converge in 1 iter"
    with pytest.warns(NotConvergedWarning, match=told) as caught:
        est = fit(name, labels, features, max_iter=1)
    assert not est.converged_ and sum(told in str(warning.message) for warning in caught) == 1


SEE_FEATURES = [name for name in CLASSES if METHODS[name].uses_features]


def not_allowed(declared: Parameter) -> list:
    """Values that the declaration of a parameter rules out."""
    values = ["nothing of the kind", float("nan")]
    if declared.default is not None:
        values.append(None)
        if not isinstance(declared.default, str):
            values.append(str(declared.default))  # a number that was read as text
    beyond = (declared.minimum, -1), (declared.above, 0), (declared.maximum, 1)
    return values + [bound + step for bound, step in beyond if bound is not None]


def test_refuses_parameters_out_of_range(name, labels, features):
    for key, declared in METHODS[name].parameters.items():
        for value in not_allowed(declared):
            message = f"{key} is {value!r}. It must be {declared.allowed}."
            refuses(ConfigError, re.escape(message), fit, name, labels, features, **{key: value})


@pytest.mark.parametrize("name", SEE_FEATURES, scope="module")
def test_features_may_be_lists_or_sparse(name, labels, features, fitted):
    for form in (np.ndarray.tolist, csr_array, csr_matrix):
        given = fit(name, labels, form(features))
        np.testing.assert_array_equal(given.labels_, fitted.labels_)


@pytest.mark.parametrize("name", SEE_FEATURES, scope="module")
def test_refuses_bad_features(name, labels, features):
    with pytest.raises(DataError, match="X has 5 samples, but the base clusterings have 90"):
        fit(name, labels, features[:5])
    ragged = [*features.tolist()[1:], [1.0]]
    texts = features.astype(str).tolist()
    for wrong in (features[:, 0], csr_array(features * np.inf), texts, ragged):
        refuses(DataError, "X", fit, name, labels, wrong)
    for scale in (1e200, 1e-200):
        refuses(DataError, "Pass X in a different unit", fit, name, labels, features * scale)


def test_refuses_bad_labels(name, features):
    refuses(DataError, "labels:", fit, name, np.array([[0, 1], [-2, 2]]), features[:2], 1)
    if METHODS[name](2).uses_features:
        with pytest.raises(DataError, match="needs the features of the samples"):
            METHODS[name](n_clusters=2).fit(np.array([[0], [1], [1]]))
