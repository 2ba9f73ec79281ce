"""The families A¹ … A⁴ of HCLCE and the fusion of each, Algorithm 1."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array
from coassoc.numerics.compiled import compiled
from coassoc.numerics.sparse import scaled_rows


class _AgreementSets:
    """Pairs of microclusters grouped by the set of base clusterings that agree on them."""

    def __init__(self, ensemble: Ensemble) -> None:
        labels = np.ascontiguousarray(ensemble.distinct_labels.T)
        m, n_micro = labels.shape
        #: (q, m) 0/1 array of the sets that occur.
        self.sets = np.ones((1, 0))
        #: (n', n') number of each pair's set.
        self.of_pair = np.zeros((n_micro, n_micro), dtype=np.int64)
        while (first := self.sets.shape[1]) < m:
            # So many more base clusterings that a table of all sets is no larger than the pairs.
            more = max(1, int(np.log2(n_micro**2 / len(self.sets))))
            self._split(labels[first : first + more])

    def _split(self, columns: NDArray) -> None:
        """Split the sets by whether further base clusterings, given as rows, agree."""
        _append_digits(self.of_pair, columns)
        occurs = np.zeros(len(self.sets) << len(columns), dtype=bool)
        occurs[self.of_pair] = True
        occurring = np.flatnonzero(occurs)
        digits = (occurring[:, None] >> np.arange(len(columns))) & 1
        self.sets = np.hstack((self.sets[occurring >> len(columns)], digits))
        np.take(np.cumsum(occurs) - 1, self.of_pair, out=self.of_pair, mode="clip")

    def values(self, per_set: Array) -> Array:
        """(n', n') array of each pair's value."""
        return per_set[self.of_pair]

    def totals(self, R: Array, left: Array, right: Array) -> Array:
        """Sum of diag(`left`) R diag(`right`) over the pairs of each set."""
        sums = np.zeros(len(self.sets))
        _add_to_sets(self.of_pair, R, left, right, sums)
        return sums


@compiled("void(i2, s2)")
def _append_digits(numbers, columns):
    """The digits of pairs, those of the first column last, behind their numbers."""
    n_columns, n = columns.shape
    for k in range(n):
        row = numbers[k]
        for j in range(n):
            row[j] <<= n_columns
        for c in range(n_columns):
            label = columns[c, k]
            if label >= 0:
                for j in range(n):
                    row[j] += np.int64(columns[c, j] == label) << c


@compiled("void(i2, f2, f1, f1, f1)")
def _add_to_sets(of_pair, R, left, right, sums):
    for k in range(len(left)):
        for j in range(len(right)):
            sums[of_pair[k, j]] += left[k] * R[k, j] * right[j]


class _Single:
    """A¹ = {S^i}: an entry of Σ w_i S^i is the weight of the agreement set."""

    def __init__(self, agreement: _AgreementSets) -> None:
        self.agreement = agreement
        m = agreement.sets.shape[1]
        self.start = np.full(m, 1 / np.sqrt(m))

    def combine(self, w: Array) -> Array:
        return self.agreement.values(self.agreement.sets @ w)

    def traces(self, R: Array, left: Array, right: Array) -> Array:
        return self.agreement.totals(R, left, right) @ self.agreement.sets


def _pairs(m: int) -> Array:
    """(m, m) 0/1 matrix of the pairs i ≠ j; of the pair (1, 1) where there is no other."""
    return 1.0 - np.eye(m) if m > 1 else np.ones((1, 1))


class _SamplePairs:
    """A³ = {S^i ∘ S^j}: an entry of Σ w_ij S^i ∘ S^j sums w over the pairs in the agreement set."""

    def __init__(self, agreement: _AgreementSets) -> None:
        self.agreement = agreement
        self.pairs = _pairs(agreement.sets.shape[1])
        self.start = self.pairs / np.linalg.norm(self.pairs)

    def combine(self, w: Array) -> Array:
        sets = self.agreement.sets
        return self.agreement.values(np.einsum("pi,pi->p", sets @ w, sets))

    def traces(self, R: Array, left: Array, right: Array) -> Array:
        sets = self.agreement.sets
        totals = self.agreement.totals(R, left, right)
        return self.pairs * (sets.T @ (totals[:, None] * sets))


class _ClusterPairs:
    """A² = {(S^i S^j + S^j S^i) / 2}, by the cluster intersections C = ZᵀZ."""

    def __init__(self, ensemble: Ensemble) -> None:
        self.Z = ensemble.microcluster_membership
        self.C = ensemble.cluster_intersections.tocoo()
        clustering = ensemble.clustering_of_cluster
        self.block = clustering[self.C.row], clustering[self.C.col]
        self.pairs = _pairs(ensemble.n_clusterings)
        self.start = self.pairs / np.linalg.norm(self.pairs)

    def combine(self, w: Array) -> Array:
        K = self.C.copy()
        K.data = self.C.data * w[self.block]
        return np.asarray((self.Z @ K.tocsr()).toarray() @ self.Z.T)

    def traces(self, R: Array, left: Array, right: Array) -> Array:
        T = scaled_rows(self.Z, left).T @ np.asarray(R @ scaled_rows(self.Z, right))
        b = np.zeros_like(self.pairs)
        np.add.at(b, self.block, self.C.data * T[self.C.col, self.C.row])
        return self.pairs * (b + b.T) / 2


#: Largest change of a weight at which the fusion of a family has converged; most rounds.
_FUSION_TOL, _FUSION_ROUNDS = 1e-10, 200


def fused_similarities(
    ensemble: Ensemble, orders: tuple[int, ...]
) -> Iterator[tuple[InvariantMatrix, Array | None]]:
    """Ŝ of several families, Algorithm 1: rows of Σ w_i A_i at unit length, w_i ∝ Tr(A_i Ŝ).

    Parameters
    ----------
    ensemble : Ensemble
    orders : tuple of {1, 2, 3, 4}
        Of A¹ … A⁴, which share what they can.

    Yields
    ------
    S_hat : InvariantMatrix
        Rows of unit Euclidean length over the n samples (Eq. 10); A⁴ itself for order 4.
    weights : array or None
        (m,) weights for order 1, (m, m) symmetric ones of the pairs for orders 2 and 3 (Eq. 12);
        None for order 4, which has one matrix.
    """
    micro, more = ensemble.microclusters, _by_pairs_seen(ensemble, orders)
    agreement = _AgreementSets(ensemble) if {1, 3} & set(orders) else None
    for order in orders:
        if order == 4:
            yield InvariantMatrix(_all_agree(ensemble), 0.0, micro), None
        elif order == 2:
            yield _fuse(_ClusterPairs(ensemble), micro, more[order])
        else:
            assert agreement is not None
            family = (_Single if order == 1 else _SamplePairs)(agreement)
            yield _fuse(family, micro, more[order])


def _by_pairs_seen(ensemble: Ensemble, orders: tuple[int, ...]) -> dict[int, Any]:
    """What the entries of a family's matrices are multiplied by; 1 where no label is missing.

    It is the number of matrices over that of those which have the pair, or 0 if there are none.
    """
    if not ensemble.has_missing:
        return dict.fromkeys(orders, 1.0)
    both, m = ensemble.n_common, ensemble.n_clusterings
    own = np.diagonal(both)
    pairs = m * (m - 1)
    seen = {1: both / m, 2: (own[:, None] * own - both) / pairs, 3: both * (both - 1) / pairs}
    return {d: 1 / np.where(seen[d] > 0, seen[d], np.inf) for d in {1, 2, 3} & set(orders)}


def _all_agree(ensemble: Ensemble) -> Array:
    """A⁴: 1 where all base clusterings that have both microclusters agree, and one does."""
    if not ensemble.has_missing:
        return np.eye(ensemble.microclusters.count)
    Z = ensemble.microcluster_membership
    together = (Z @ Z.T).toarray()
    return ((together == ensemble.n_common) & (together > 0)).astype(np.float64)


def _fuse(
    family: _Single | _SamplePairs | _ClusterPairs, micro: Microclusters, more: Any
) -> tuple[InvariantMatrix, Array]:
    """Alternate (10) and (12) to a fixed point.

    No A_i is ever formed: a family has `start`, the first w, `combine`, which gives (n', n')
    Σ_i w_i A_i on the microclusters, and `traces`, which gives b_i = Tr(A_i Ŝ) for diagonals and
    an R with diag(left) R diag(right) = N Ŝ N.
    """
    r, w, seen_less = micro.r, family.start, np.ndim(more) > 0
    for _ in range(_FUSION_ROUNDS):
        S = family.combine(w)
        if seen_less:
            S *= more
        lengths = np.sqrt(np.einsum("kl,kl,l->k", S, S, r))
        b = family.traces(S * more if seen_less else S, r / np.where(lengths > 0, lengths, 1), r)
        previous, w = w, b / np.linalg.norm(b)
        if np.abs(w - previous).max() <= _FUSION_TOL:
            break
    # A sample that is in none of the matrices is alone.
    alone = lengths == 0
    S[alone, alone], lengths[alone] = 1.0, np.sqrt(r[alone])
    S /= lengths[:, None]
    return InvariantMatrix(S, 0.0, micro), w
