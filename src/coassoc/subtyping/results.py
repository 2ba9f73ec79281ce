"""Results for every number of clusters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.io.labels import EncodedLabels
from coassoc.numerics.pairs import label_planes, pair_counts
from coassoc.subtyping.blocks import ClusteredBlocks
from coassoc.subtyping.item_consensus import ItemConsensus, confidence_of

if TYPE_CHECKING:
    import pandas as pd

    from coassoc.alignment import Alignment
    from coassoc.selection.numbers import Criterion
    from coassoc.subtyping.structure import Structure

Array = NDArray[np.float64]


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
        Sentences about clusters that depend on local optima or on chance, and about samples that
        may be replicates.
    structure : Structure
        Comparison with null data, gaps, outliers and replicates.
    alignments : dict of int to Alignment
        Number of clusters → alignment with the clusters of an earlier result.
    """

    labels: dict[int, NDArray[np.intp]]
    draws: dict[int, NDArray]
    consensus: dict[int, ItemConsensus]
    criteria: pd.DataFrame
    chosen: dict[Criterion, int]
    model: ClusteredBlocks
    structure: Structure
    warnings: list[str] = field(default_factory=list)
    alignments: dict[int, Alignment] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Number of samples, n."""
        return self.model.n_samples

    @property
    def index(self) -> Any:
        """(n,) names of the samples, or None."""
        return self.model.samples

    def matrix(self, k: int) -> Array:
        """(n, n) consensus matrix M at k. An entry is NaN if no resample contains both samples."""
        planes = label_planes(self.draws[k])
        matrix = np.empty((self.n_samples, self.n_samples))
        for rows, together, common in pair_counts(planes):
            with np.errstate(invalid="ignore"):
                np.divide(together, common, out=matrix[rows])
        return matrix

    def confidence(self, k: int, block: str | None = None) -> Array:
        """(n,) mean consensus with the own cluster, minus the mean with the nearest other cluster.

        If a block is named, only its resamples count, and samples that the block lacks have NaN.
        """
        if block is None:
            return confidence_of(self.consensus[k], self.labels[k])
        confidence = np.full(self.n_samples, np.nan)
        for one, columns in self.model.columns():
            if one.name == block:
                draws, labels = self.draws[k][one.places, columns], self.labels[k][one.places]
                confidence[one.places] = confidence_of(ItemConsensus.of(draws, labels), labels)
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
    def separated(self) -> dict[int, bool | None]:
        """Number of clusters → whether there is a gap between each two clusters.

        None if some clusters have fewer than eight samples, which is too few to tell. Clusters of
        one or two samples may be outliers and do not count.
        """
        return self.structure.separated

    @property
    def verdict(self) -> str:
        """Whether there are groups, and warnings."""
        structure = self.structure
        tests = "; ".join(
            f"{name}: {test}" if name else str(test) for name, test in structure.clouds.items()
        )
        tests = f" ({tests})" if tests else ", without a comparison with null data"
        if structure.groups:
            sizes = {k: len(structure.densities[k]) for k in structure.groups}
            numbers = " and ".join(
                f"{k} ({n} without possible outliers)" if n < k else str(k)
                for k, n in sizes.items()
            )
            answer = f"Groups separated by gaps at {numbers} clusters{tests}."
        elif structure.is_clustered is False:
            tried = " to ".join(map(str, dict.fromkeys((min(self.labels), max(self.labels)))))
            answer = (
                f"No evidence of more than one group at {tried} clusters{tests}. More clusters "
                "were not tried."
            )
        else:
            more = "More clustered than null data, but at" if structure.is_clustered else "At"
            answer = (
                f"{more} no k are all clusters separated by gaps{tests}. The samples may be a "
                "continuum, replicates, groups that overlap or that another factor hides, or more "
                "groups than these k."
            )
        names = np.arange(1, self.n_samples + 1) if self.index is None else self.index
        return " ".join(
            [
                answer,
                *structure.remarks(names),
                *self.warnings,
            ]
        )


def ensemble_of_draws(draws: NDArray, index: Any) -> Ensemble:
    """(n, B) labels without gaps as base clusterings; columns without any label are left out."""
    used = np.flatnonzero((draws >= 0).any(axis=0))
    return Ensemble.from_labels(EncodedLabels(used.tolist(), draws[:, used], index))
