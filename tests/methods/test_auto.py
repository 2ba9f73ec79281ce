"""``method="auto"``: what several methods agree on, for any numbering, and how certain it is."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from coassoc import ConfigError, Ensemble, choose_method, find_consensus
from coassoc.methods.auto import FAST, THOROUGH, canonicalize
from coassoc.metrics import score_partition
from ensembles import noisy_copies, same_partition, with_missing
from programs import coassoc
from refusals import cases, refuses

DIVERSE = noisy_copies(90, 12, 5, 0.4, seed=1)[0]
MANY = np.random.default_rng(0).integers(0, 40, (1500, 6))


def _ari(a, b):
    return score_partition(a, b)["ARI"]


@pytest.mark.parametrize(("labels", "c"), [(DIVERSE, 5), (DIVERSE, 3), (MANY[:150], 5)])
def test_the_answer_is_the_partition_that_agrees_most_with_the_others(labels, c):
    given = canonicalize(Ensemble(labels))
    fits = {x: find_consensus(given, c, x).labels for x in FAST}
    scores = [_ari(a, b) for a in fits.values() for b in fits.values() if a is not b]
    if np.mean(scores) < 0.9:
        fits = {THOROUGH: find_consensus(given, c, THOROUGH).labels, **fits}
    sums = {x: sum(_ari(fits[x], other) for other in fits.values()) for x in fits}
    found = find_consensus(labels, c)
    assert sums[found.choice.method] == pytest.approx(max(sums.values()))
    np.testing.assert_array_equal(found.labels, fits[found.choice.method])
    for other in fits.keys() - {found.choice.method}:
        assert f"{other} {_ari(found.labels, fits[other]):.2f}" in found.choice.reason
    np.testing.assert_array_equal(found.estimator.predict(labels), found.labels)
    assert found.table.attrs == {
        "method": found.choice.method,
        "choice": str(found.choice),
        "support": found.support.verdict,
    }


def test_without_a_number_and_for_many_rows():
    assert choose_method(DIVERSE, None).method == "WEAC"
    many = choose_method(MANY, 40)
    assert many.method in FAST and THOROUGH not in many.reason


@pytest.mark.parametrize("seed", [22, 27])
def test_an_answer_that_no_other_method_finds_is_not_given(seed):
    rng, y = np.random.default_rng(seed), np.arange(200) % 5
    X = 5 * rng.normal(size=(5, 3))[y] + rng.normal(size=(200, 3))
    starts = [KMeans(5, init="random", n_init=1, random_state=i) for i in range(6)]
    labels = np.column_stack([start.fit_predict(X) for start in starts])
    assert _ari(y, find_consensus(labels, 5, "HCLCE").labels) < 0.8
    assert _ari(y, find_consensus(labels, 5).labels) == 1


@cases("labels, c", (DIVERSE, 5), (DIVERSE, 3), (MANY[:150], 5), (DIVERSE, None))
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
    if c:
        assert there.support.halves == here.support.halves
    assert same_partition(here.labels[order], there.labels)


def test_two_groups_of_clusterings_have_two_answers(tmp_path):
    first, one = noisy_copies(150, 5, 3, 0.1, seed=1)
    second, two = noisy_copies(150, 4, 3, 0.1, seed=2)
    order = np.random.default_rng(0).permutation(150)
    labels = with_missing(np.column_stack((first, second[order])), 0.1, seed=1)
    labels[0] = [-1] * 5 + [0] * 4
    table = pd.DataFrame(labels).add_prefix("run").rename(index="s{}".format)
    found = find_consensus(table, 3)  # without a warning of columns that may not be clusterings
    assert found.support.groups == ["run0, run1, run2, run3, run4", "run5, run6, run7, run8"]
    assert found.support.verdict.startswith("Two answers: ")
    for answer, truth in zip(found.answers.values(), (one, two[order]), strict=True):
        assert _ari(truth[1:], answer[1:]) > 0.9
    assert found.answers["answer 1"][0] == -1 and {*found.answers} < {*found.table}
    # Nested clusterings have one answer.
    finer = np.column_stack((one[:, None] == [0, 1, 2], one * 2 + np.arange(150) % 2, *first.T))
    assert not find_consensus(finer, 3).answers
    table.replace(-1, None).to_csv(tmp_path / "labels.csv")
    words = "--id", "first", "-k", 3, "-o", tmp_path
    assert found.support.verdict in coassoc("consensus", tmp_path / "labels.csv", *words).output
    made = pd.read_csv(tmp_path / "consensus.csv", index_col=0)
    method = found.choice.method
    assert made[f"{method} answer 2"].tolist() == (found.answers["answer 2"] + 1).tolist()
    assert np.isnan(made[f"{method} answer 1"].iloc[0])


def test_halves_of_the_clusterings_tell_whether_the_answer_is_stable():
    clear = find_consensus(noisy_copies(200, 10, 4, 0.05, seed=1)[0], 4).support
    assert clear.halves > 0.95 and clear.verdict.startswith("Stable: ")
    chance = find_consensus(Ensemble.from_clusterings(MANY[:300] % 4), 4).support
    assert abs(chance.halves) < 0.05 and chance.verdict.startswith("Unstable: ")
    assert find_consensus(DIVERSE[:, :2], 1).support is None
    # A column with many values decides the answer of a small half.
    copies = noisy_copies(300, 7, 3, 0.1, seed=2)[0]
    age = np.random.default_rng(0).integers(20, 60, 300)
    found = find_consensus(Ensemble.from_clusterings(np.column_stack((copies, age))), 3).support
    assert found.halves > 0.85 and found.apart == "7" and " without 7 give" in found.verdict


def test_what_it_cannot_be_asked_is_refused():
    with pytest.raises(ConfigError, match=r"^method is 'auto', which has no parameter theta. Ch"):
        find_consensus(DIVERSE, 3, theta=0.3)
    for wrong in ("3", 0, 2.5, True, 91):
        said = rf"^n_clusters is {wrong!r}. It must be an integer from 1 to 90, or None"
        refuses(ConfigError, said, find_consensus, DIVERSE, wrong)
