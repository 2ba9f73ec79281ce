"""How far leading methods agree with a consensus: their own fits, matched, and said everywhere."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from coassoc import Ensemble, find_consensus
from coassoc.methods import METHODS
from coassoc.methods.auto import canonicalize
from coassoc.methods.leaders import COMBINED, FEW_ROWS, MANY_ROWS, agreement_of_leaders
from coassoc.methods.medoid import CONSIDERED
from coassoc.methods.registry import Method
from coassoc.metrics import score_partition
from ensembles import noisy_copies, same_partition, with_missing
from oracles.common import average_linkage
from programs import coassoc

CLEAR = noisy_copies(60, 8, 3, 0.1, seed=1)[0]
NOISE = np.random.default_rng(0).integers(0, 4, (80, 6))


@pytest.mark.parametrize("labels", [NOISE, with_missing(NOISE, 0.2, seed=1)])
def test_shares_are_of_the_methods_themselves(labels):
    found = find_consensus(labels, 4, "LWEA", agreement=True)
    given = canonicalize(Ensemble(labels))
    fits = {name: METHODS[name](4, random_state=0).fit(given).labels_ for name in FEW_ROWS}
    scores = {name: score_partition(found.labels, other) for name, other in fits.items()}
    agreed = found.agreement
    assert agreed.ari == pytest.approx({name: score["ARI"] for name, score in scores.items()})
    # Of matched clusters, as many samples agree as the accuracy counts.
    assert agreed.samples.mean() == pytest.approx(np.mean([s["ACC"] for s in scores.values()]))
    pairs = [score_partition(*two)["ARI"] for two in combinations(fits.values(), 2)]
    assert agreed.among == pytest.approx(np.mean(pairs)) and agreed.among < 0.5
    assert f"Mean ARI with each other: {agreed.among:.2f}." in agreed.verdict
    assert all(f"{name} {ari:.2f}" in agreed.verdict for name, ari in agreed.ari.items())
    assert found.table["agreement"].tolist() == agreed.samples.tolist()
    assert found.table.attrs["verdict"] == agreed.verdict


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_their_consensus_is_the_linkage_of_their_partitions(missing):
    labels = with_missing(noisy_copies(120, 9, 8, 0.3, seed=4)[0], missing, seed=1)
    fits = [METHODS[name](4, random_state=0).fit(labels).labels_ for name in COMBINED]
    alike = np.mean([fit[:, None] == fit for fit in fits], axis=0)
    found = METHODS["LEADERS"](4, random_state=0).fit(labels)
    assert same_partition(found.labels_, average_linkage(alike, 4))
    assert not any(same_partition(found.labels_, fit) for fit in fits)
    members = [METHODS[name] for name in COMBINED]
    assert type(found).cost.squares == max(member.cost.squares for member in members)
    assert all(member.estimator.takes_missing for member in members)


def test_three_equal_partitions_settle_their_consensus(monkeypatch):
    fitted = []
    create = Method.__call__

    def counted(self, *given, **parameters):
        fitted.append(self.name)
        return create(self, *given, **parameters)

    monkeypatch.setattr(Method, "__call__", counted)
    given = Ensemble(noisy_copies(60, 8, 3, 0.02, seed=1)[0])
    found = METHODS["LEADERS"](3, random_state=0).fit(given).labels_
    assert fitted == ["LEADERS", *COMBINED[:3]]
    fits = (METHODS[name](3, random_state=0).fit(given).labels_ for name in COMBINED)
    assert all(same_partition(found, fit) for fit in fits)


def test_where_they_agree_nothing_is_warned_of():
    agreed = find_consensus(CLEAR, 3, agreement=True).agreement
    assert (agreed.samples == 1).all() and set(agreed.ari.values()) == {1.0}
    assert "HCLCE 1.00" in agreed.verdict and "disagree" not in agreed.verdict
    assert find_consensus(CLEAR, 3).agreement is None


def test_rows_that_are_counted_weigh_as_their_samples():
    rows, sizes = np.unique(NOISE[:, :3], axis=0, return_counts=True)
    labels = find_consensus(NOISE[:, :3], 3, "EAC-AL").labels
    place = np.unique(NOISE[:, :3], axis=0, return_inverse=True)[1].ravel()
    first = np.unique(place, return_index=True)[1]
    counted = agreement_of_leaders(Ensemble.from_counts(rows, sizes), labels[first])
    samples = agreement_of_leaders(Ensemble(NOISE[:, :3]), labels)
    assert counted.ari == pytest.approx(samples.ari)
    np.testing.assert_array_equal(counted.samples, samples.samples[first])
    assert counted.verdict == samples.verdict


def test_large_ensembles_ask_methods_without_a_matrix_of_rows():
    labels = np.random.default_rng(1).integers(0, 9, (1200, 6))
    agreed = agreement_of_leaders(Ensemble(labels), np.arange(1200) % 3)
    assert tuple(agreed.ari) == MANY_ROWS
    assert not any(METHODS[name].cost.squares for name in MANY_ROWS)


def test_the_program_shows_it(tmp_path):
    table = pd.DataFrame(NOISE, index=[f"s{i}" for i in range(80)]).add_prefix("run ")
    table.to_csv(tmp_path / "labels.csv")
    # No two of these clusterings agree.
    words = ["--id", "first", "-o", tmp_path, "--columns", "*", "--agreement"]
    method = ["-k", 4, "-m", "LWEA"]
    done = coassoc("consensus", tmp_path / "labels.csv", *words, *method)
    expected = find_consensus(table, 4, "LWEA", agreement=True).agreement
    assert f"LWEA: {expected.verdict}" in done.output
    (tmp_path / "parts").mkdir()
    for part in (0, 1):
        rows = table[part * 40 : part * 40 + 40].rename_axis("cell").reset_index()
        rows.to_parquet(tmp_path / f"parts/{part}.parquet")
    parts = tmp_path / "parts", "--each-file", "samples"
    done = coassoc("consensus", *parts, *words, *method)
    assert f"LWEA: {expected.verdict}" in done.output
    streamed = pd.read_parquet(tmp_path / "consensus.parquet")["LWEA agreement"]
    np.testing.assert_allclose(streamed, expected.samples, atol=1e-6)
    made = pd.read_csv(tmp_path / "consensus.csv", index_col=0)
    np.testing.assert_allclose(made["LWEA agreement"], expected.samples)
    assert expected.verdict in (tmp_path / "consensus.html").read_text()
    done = coassoc("consensus", tmp_path / "labels.csv", *words, code=None)
    assert "--agreement needs -k" in done.output


# -- MEDOID ----------------------------------------------------------------------------------------

# MEDOID: what it considers, and the mean ARI behind its choice.


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
    found = METHODS["MEDOID"](2, random_state=0).fit(np.column_stack([classes, *finer]))
    assert adjusted_rand_score(found.labels_, classes) == 1
