"""Results for every number of clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.confidence import margins, silhouette_of_margins
from coassoc.ensemble import Ensemble
from coassoc.io.labels import EncodedLabels
from coassoc.numerics.compiled import compiled
from coassoc.numerics.pairs import label_planes, pair_counts, sums_over_pairs
from coassoc.numerics.threads import row_blocks
from coassoc.selection.distribution import ConsensusDistribution, distribution_of_counts
from coassoc.subtyping.algorithms import MANY

if TYPE_CHECKING:
    import pandas as pd

    from coassoc.alignment import Alignment
    from coassoc.selection.numbers import Criterion
    from coassoc.subtyping.blocks import ClusteredBlocks
    from coassoc.subtyping.clouds import CloudTest

Array = NDArray[np.float64]

#: Number of samples in a random block, all pairs of which are compared if there are many samples.
_BLOCK = 512


class ItemConsensus(NamedTuple):
    """Item and cluster consensus for one number of clusters.

    Attributes
    ----------
    items : (n, k) array
        Mean consensus of each sample with the others of each cluster (Monti et al. 2003, m_i(k)),
        clusters in increasing order of their labels. Pairs in no resample count as 0.
    clusters : (k,) array
        Mean consensus of two samples of each cluster (m(k)); NaN for a cluster of one sample.
    distribution : ConsensusDistribution
        Distribution of M_ij over all pairs.
    """

    items: Array
    clusters: Array
    distribution: ConsensusDistribution

    @classmethod
    def of(cls, draws: NDArray, labels: NDArray[np.intp]) -> ItemConsensus:
        """Compute it from (n, B) labels of resamples and (n,) clusters, without an n × n matrix.

        If there are more than :data:`MANY` samples, an item consensus is a ratio of sums instead of
        a mean of ratios, and the distribution is that of the pairs in a random partition of the
        samples into blocks of 512 (an incomplete U-statistic that contains each sample equally
        often: G. Blom, "Some properties of incomplete U-statistics", Biometrika 63, 1976). Each of
        its values then has a standard error of at most 0.0005.
        """
        n = len(labels)
        _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        own_cluster = np.arange(n), codes
        if n <= MANY:
            counts, sums = sums_over_pairs(draws, codes)
            others = np.broadcast_to(sizes, sums.shape).copy()
            others[own_cluster] -= 1
        else:
            order = np.random.default_rng(0).permutation(n)
            counts = np.zeros((draws.shape[1] + 1,) * 2)
            for rows in row_blocks(n, _BLOCK):
                block = order[rows]
                counts += sums_over_pairs(draws[block], codes[block])[0]
            sums, others = pairs_with_clusters(draws, codes, draws)
            itself = np.count_nonzero(draws >= 0, axis=1)
            sums[own_cluster] -= itself
            others[own_cluster] -= itself
        counts[0, 0] = 0  # Pairs of samples that no draw contains.
        items = sums / np.maximum(others, 1)
        clusters = np.bincount(codes, items[own_cluster]) / sizes
        clusters[sizes == 1] = np.nan
        return cls(items, clusters, distribution_of_counts(counts))


def pairs_with_clusters(draws: NDArray, clusters: NDArray[np.intp], new: NDArray) -> NDArray:
    """Pairs of a new sample and a sample of a cluster in the resamples that contain both.

    Parameters
    ----------
    draws : (n, B) array of int16
        Labels of the resamples; negative if missing.
    clusters : (n,) array
        0 … k−1; negative for samples that do not count.
    new : (n_new, B) array of int16
        Labels of the new samples in the same resamples.

    Returns
    -------
    (2, n_new, k) array
        Number of pairs that are co-clustered, and of all pairs, summed over the resamples.
    """
    counts = np.zeros((draws.shape[1], int(draws.max()) + 1, int(clusters.max()) + 1))
    pairs = np.zeros((2, len(new), counts.shape[2]))
    _add_pairs(draws, clusters, new, counts, *pairs)
    return pairs


@compiled("void(int16[:, ::1], i1, int16[:, ::1], float64[:, :, ::1], f2, f2)")
def _add_pairs(draws, clusters, new, counts, together, common):
    """Fill the numbers of samples of each resample, label and cluster, and of pairs with them."""
    for i in range(len(draws)):
        if clusters[i] >= 0:
            for b in range(draws.shape[1]):
                if draws[i, b] >= 0:
                    counts[b, draws[i, b], clusters[i]] += 1.0
    totals = counts.sum(axis=1)
    for i in range(len(new)):
        for b in range(new.shape[1]):
            if new[i, b] >= 0:
                for c in range(counts.shape[2]):
                    together[i, c] += counts[b, new[i, b], c]
                    common[i, c] += totals[b, c]


class Matrices(Mapping[int, Array]):
    """Number of clusters → (n, n) consensus matrix, computed at each access.

    Parameters
    ----------
    draws : mapping of int to (n, B) array
        Number of clusters → labels of the resamples.
    """

    def __init__(self, draws: Mapping[int, NDArray]) -> None:
        self._draws = draws

    def __getitem__(self, k: int) -> Array:
        planes = label_planes(self._draws[k])
        matrix = np.empty((planes.shape[2],) * 2)
        for rows, together, common in pair_counts(planes):
            with np.errstate(invalid="ignore"):
                np.divide(together, common, out=matrix[rows])
        return matrix

    def __iter__(self) -> Iterator[int]:
        return iter(self._draws)

    def __len__(self) -> int:
        return len(self._draws)


@dataclass(frozen=True, eq=False)
class Subtypes:
    """The result of :func:`coassoc.subtypes`.

    Attributes
    ----------
    labels : dict of int to (n,) integer array
        Number of clusters → cluster of each sample, 0 … k−1 in order of first appearance, or names
        from an earlier result.
    draws : dict of int to (n, B) integer array
        Number of clusters → cluster of each sample in each resample, −1 if the resample lacks the
        sample.
    consensus : dict of int to ItemConsensus
        Number of clusters → item and cluster consensus, and the distribution of M.
    criteria : DataFrame
        A row for each number of clusters: area under the CDF, PAC, delta area, stability and
        silhouette, as in :func:`coassoc.selection.select_n_clusters`.
    chosen : dict of Criterion to int
        Number of clusters that each criterion chooses.
    model : ClusteredBlocks
        The fitted resamples, with which new samples are compared.
    warnings : list of str
        Sentences about clusters that depend on local optima or on chance.
    clouds : dict of str to CloudTest
        Name of the block → test for groups. A single block has an empty name; the dict is empty if
        there was no test.
    alignments : dict of int to Alignment
        Number of clusters → alignment with the clusters of an earlier result.
    """

    labels: dict[int, NDArray[np.intp]]
    draws: dict[int, NDArray]
    consensus: dict[int, ItemConsensus]
    criteria: pd.DataFrame
    chosen: dict[Criterion, int]
    model: ClusteredBlocks
    warnings: list[str] = field(default_factory=list)
    clouds: dict[str, CloudTest] = field(default_factory=dict)
    alignments: dict[int, Alignment] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Number of samples, n."""
        return self.model.n_samples

    @property
    def index(self) -> Any:
        """(n,) names of the samples, or None."""
        return self.model.samples

    @cached_property
    def matrices(self) -> Matrices:
        """Number of clusters → (n, n) consensus matrix M.

        An entry is NaN if no resample contains both samples. Each access computes the matrix again.
        """
        return Matrices(self.draws)

    def confidence(self, k: int, block: str | None = None) -> Array:
        """(n,) mean consensus with the own cluster, minus the mean with the nearest other cluster.

        If a block is named, only its resamples count, and samples that the block lacks have NaN.
        """
        if block is None:
            return _confidence(self.consensus[k], self.labels[k])
        confidence = np.full(self.n_samples, np.nan)
        for one, columns in self.model.columns():
            if one.name == block:
                draws, labels = self.draws[k][one.places, columns], self.labels[k][one.places]
                confidence[one.places] = _confidence(ItemConsensus.of(draws, labels), labels)
        return confidence

    def named_labels(self, k: int) -> Any:
        """Clusters at k, as a pandas Series if the samples have names."""
        if self.index is None:
            return self.labels[k]
        import pandas as pd

        return pd.Series(self.labels[k], index=self.index, name=f"k={k}")

    def ensemble(self, k: int) -> Ensemble:
        """The resamples at k as an ensemble of base clusterings."""
        return ensemble_of_draws(self.draws[k], self.index)

    def predict(self, X: Any, k: int) -> NDArray[np.intp]:
        """Clusters of new samples.

        In each resample, a new sample joins the cluster with the nearest mean or, if the algorithm
        uses only distances, the cluster with the smallest mean distance. Of the k clusters, it then
        joins the one with whose samples it has the largest mean consensus.

        Parameters
        ----------
        X : (n_new, d) array, sparse matrix or table
            New samples with the features of the clustered samples, preprocessed in the same way.
            For blocks, pass a mapping, in which some blocks may be missing.
        k : int

        Returns
        -------
        (n_new,) integer array
            Clusters as in ``labels[k]``.

        Raises
        ------
        DataError
            If X has different features, or values that are not numbers.
        """
        return self.model.predict(X, self.draws[k], self.labels[k])

    def __repr__(self) -> str:
        criteria = self.criteria.to_string(float_format="{:.3f}".format)
        return f"Subtypes of {self.n_samples:,} samples. {self.verdict}\n{criteria}"

    @property
    def verdict(self) -> str:
        """Whether there are groups, what the criteria choose, and the warnings."""
        votes = ", ".join(f"{name} {k}" for name, k in self.chosen.items())
        answers = [
            f"{name}: {test.verdict}" if name else test.verdict
            for name, test in self.clouds.items()
        ] or ["Not tested for groups."]
        sentence = f"Numbers of clusters by criterion: {votes}."
        return " ".join([*answers, sentence, *self.warnings])


def ensemble_of_draws(draws: NDArray, index: Any) -> Ensemble:
    """(n, B) labels without gaps as base clusterings; columns without any label are left out."""
    used = np.flatnonzero((draws >= 0).any(axis=0))
    return Ensemble.from_labels(EncodedLabels(used.tolist(), draws[:, used], index))


def _confidence(consensus: ItemConsensus, labels: NDArray[np.intp]) -> Array:
    own_mean, nearest, alone = margins_of(consensus, labels)
    return np.where(alone, 0.0, own_mean - nearest)


def margins_of(consensus: ItemConsensus, labels: NDArray[np.intp]) -> tuple[Array, Array, Any]:
    """:func:`coassoc.confidence.margins` of the clusters."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return margins(consensus.items, codes, sizes)


def silhouette(consensus: ItemConsensus, labels: NDArray[np.intp]) -> float:
    """Mean silhouette with distance 1 − M."""
    return float(silhouette_of_margins(*margins_of(consensus, labels)).mean())
