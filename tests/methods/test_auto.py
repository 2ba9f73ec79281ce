"""``method="auto"``: the same for any numbering, and said with its reason wherever it is taken."""

import numpy as np
import pytest

from coassoc import ConfigError, Ensemble, EnsembleClusterer, choose_method, find_consensus
from coassoc.methods.auto import MOST_CLUSTERS, Auto, canonicalize
from coassoc.pages.consensus import write_consensus
from ensembles import groups, noisy_copies, same_partition, with_missing

DIVERSE = noisy_copies(90, 12, 5, 0.4, seed=1)[0]
MANY = np.random.default_rng(0).integers(0, 40, (1500, 6))
CLUSTERS = np.tile(np.arange(100), (MOST_CLUSTERS // 100 + 1, 1)).T

QUESTIONS = [
    (DIVERSE, None, "WEAC"),
    (MANY, None, "WEAC"),
    (MANY, 3, "LWGP"),
    (MANY, 40, "LWGP"),
    (DIVERSE, 4, "LEADERS"),
    (DIVERSE, 5, "HCLCE"),
    (np.tile(MANY[:900], 11), 40, "LWGP"),
    (CLUSTERS, 100, "LWGP"),
    (CLUSTERS[:, :40], 100, "HCLCE"),
    (with_missing(DIVERSE, 0.2, seed=1), 5, "HCLCE"),
]


@pytest.mark.parametrize(("labels", "c", "method"), QUESTIONS)
def test_questions_in_their_order(labels, c, method):
    choice = choose_method(labels, c)
    assert choice.method == method
    assert str(choice) == f"auto chose {method}: {choice.reason}."


CASES = [(DIVERSE, 5), (DIVERSE, 3), (MANY[:150], 5), (DIVERSE, None)]


@pytest.mark.parametrize(("labels", "c"), CASES)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_numbering_does_not_matter(labels, c, missing):
    labels = with_missing(labels, missing, seed=3)
    labels = labels[(labels >= 0).any(axis=1)]
    here = find_consensus(labels, c)
    rng = np.random.default_rng(2)
    order, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    names = np.append(rng.permutation(labels.max() + 1), -1)
    there = find_consensus(names[labels][order][:, columns], c)
    assert there.choice == here.choice
    assert same_partition(here.labels[order], there.labels)


def test_it_is_the_method_that_it_names():
    for c in (5, 3, None):
        here = find_consensus(DIVERSE, c)
        there = find_consensus(canonicalize(Ensemble(DIVERSE)), c, here.choice.method)
        np.testing.assert_array_equal(here.labels, there.labels)
        assert there.choice is None
        assert here.table.attrs == {"method": here.choice.method, "choice": str(here.choice)}
        assert there.table.attrs == {}
        np.testing.assert_array_equal(here.estimator.predict(DIVERSE), here.labels)


def test_every_way_in_takes_it(tmp_path, caplog, undrawn):
    X, _ = groups(d=4, seed=1)
    caplog.set_level("INFO", "coassoc")
    clusterer = EnsembleClusterer(3, members="kmeans", random_state=0).fit(X)
    choice = choose_method(clusterer.members_, 3)
    assert clusterer.consensus_.choice_ == choice and caplog.messages == [str(choice)]
    found = find_consensus(clusterer.members_, 3)
    write_consensus(tmp_path / "c", {choice.method: found}, "mine")
    assert str(choice) in (tmp_path / "c.html").read_text()
    named = find_consensus(clusterer.members_, 3, choice.method)
    write_consensus(tmp_path / "n", {choice.method: named}, "mine")
    assert "auto chose" not in (tmp_path / "n.html").read_text()


def test_what_it_cannot_be_asked_is_refused():
    with pytest.raises(ConfigError, match=r"^method is 'auto', which has no parameter theta. Ch"):
        find_consensus(DIVERSE, 3, theta=0.3)
    for wrong in ("3", 0, 2.5, True):
        with pytest.raises(ConfigError, match=rf"^n_clusters is {wrong!r}. It must be an integer"):
            find_consensus(DIVERSE, wrong)
    with pytest.raises(ConfigError, match=r"HCLCE: n_clusters is 91. It must be an integer"):
        Auto(91).fit(DIVERSE)
