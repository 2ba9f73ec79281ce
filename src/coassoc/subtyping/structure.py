"""What the samples show beyond their clusters: null data, gaps, outliers and replicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.io.display import cluster_numbers, count_of
from coassoc.io.table import listed
from coassoc.numerics.seeds import seed_sequence
from coassoc.subtyping.blocks import Block, ClusteredBlocks
from coassoc.subtyping.clouds import CloudTest, cloud_test, principal_components
from coassoc.subtyping.gaps import OUTLIERS, densities, separated, splits
from coassoc.subtyping.samples import distances, isolated, replicates

Labels = NDArray[np.intp]

#: Largest number of samples to compare with null data and to search for gaps.
MOST_SAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Structure:
    """Comparison of clusters with null data, and the gaps between them.

    Attributes
    ----------
    clouds : dict of str to CloudTest
        Name of the block → comparison with null data; empty if there was none.
    densities : dict of int to (k, k) array
        Number of clusters → density between each two clusters of more than two samples, relative to
        the clusters, the least of all blocks; see :mod:`coassoc.subtyping.gaps`.
    splits : list
        Clusters that split again, into two with a gap between them, at the largest number of
        clusters that are separated.
    outliers : (n_outliers,) integer array
        Positions of samples that are far from the others and in a cluster of one or two samples.
    replicates : list of arrays
        Positions of samples that are much nearer to each other than to all others.
    """

    clouds: dict[str, CloudTest]
    densities: dict[int, NDArray[np.float64]]
    splits: list[Any]
    outliers: NDArray[np.intp]
    replicates: list[NDArray[np.intp]]

    @property
    def is_clustered(self) -> bool | None:
        """Whether the data are more clustered than null data; None if there was no comparison."""
        tests = self.clouds.values()
        return any(test.is_clustered for test in tests) if tests else None

    @property
    def separated(self) -> dict[int, bool | None]:
        """See :attr:`coassoc.subtyping.Subtypes.separated`."""
        return {k: separated(density) for k, density in self.densities.items()}

    @property
    def groups(self) -> list[int]:
        """Numbers of clusters that are separated, the largest first.

        Of several numbers that differ only in clusters of one or two samples, it is the smallest.
        It is empty if the data are no more clustered than null data.
        """
        found: dict[int, int] = {}
        for k, answer in self.separated.items():
            if answer and self.is_clustered is not False:
                found.setdefault(len(self.densities[k]), k)
        return [*found.values()][::-1]

    def remarks(self, names: Any) -> list[str]:
        """Sentences about the samples; `names` are all names of samples."""
        said = []
        if self.groups and self.splits:
            some = " and ".join(map(str, cluster_numbers(self.splits)))
            said.append(
                f"At {self.groups[0]} clusters, cluster {some} splits again into two with a gap "
                "between them."
            )
        unclear = [k for k, answer in self.separated.items() if answer is None]
        if unclear and not self.groups:
            said.append(
                f"At {listed(unclear)} clusters, some clusters have too few samples to show a gap."
            )
        if len(self.outliers):
            said.append(
                f"{count_of(len(self.outliers), 'sample')} in clusters of one or two may be "
                f"outliers instead of subtypes: {listed(names[self.outliers])}."
            )
        if self.replicates:
            pairs = [" and ".join(map(str, names[found])) for found in self.replicates]
            said.append(
                f"{count_of(len(pairs), 'set')} of samples may be replicates, because they are "
                f"much nearer to each other than to all others: {listed(pairs, 3)}. Name their "
                "patients (groups, --replicates)."
            )
        return said


def structure_of(
    model: ClusteredBlocks,
    labels: dict[int, Labels],
    n_clouds: int,
    say: Callable[[str, int, int], object],
) -> Structure:
    """Compare the clusters of all blocks with null data, and look for gaps and odd samples.

    Parameters
    ----------
    model : ClusteredBlocks
    labels : dict of int to (n,) integer array
        Number of clusters → clusters.
    n_clouds : int
        Number of null data sets, as for :func:`coassoc.subtypes`.
    say : callable
        Function that receives the name of a step, the amount done and the total amount.
    """
    clusters = {k: np.unique(of, return_inverse=True) for k, of in labels.items()}
    codes = {k: code for k, (_, code) in clusters.items()}
    clouds, all_scores, density = {}, [], {k: np.full((k, k), np.nan) for k in labels}
    far, sets = np.zeros(model.n_samples, dtype=bool), []
    for block in model.blocks:
        rows, X, scores = _units(block)
        done = lambda *count, name=block.name: say(f"clouds {name}".strip(), *count)
        if test := cloud_test(X, scores, block.protocol, n_clouds, done):
            clouds[block.name] = test
        D = distances(scores)
        far[block.places[rows[isolated(D)]]] = True
        alike = replicates(D) if block.protocol.groups is None else []
        sets += [block.places[rows[found]] for found in alike]
        # Replicates would pull the lines between clusters towards each other.
        once = np.setdiff1d(np.arange(len(rows)), [i for found in alike for i in found[1:]])
        scores, of_units = scores[once], {k: c[block.places[rows[once]]] for k, c in codes.items()}
        for k, between in densities(scores, of_units, block.protocol.seed).items():
            size = len(between)
            density[k][:size, :size] = np.fmin(density[k][:size, :size], between)
        all_scores.append((scores, of_units))
    outliers = np.zeros(model.n_samples, dtype=bool)
    for k, code in codes.items():
        sizes = np.bincount(code, minlength=k)
        density[k] = density[k][np.ix_(sizes > OUTLIERS, sizes > OUTLIERS)]
        outliers |= far & (sizes[code] <= OUTLIERS)
    again = []
    if some := [k for k, between in density.items() if separated(between)]:
        names, largest = clusters[some[-1]][0], some[-1]
        again = [
            name
            for c, name in enumerate(names.tolist())
            if any(
                splits(scores[of[largest] == c], model.protocol.seed, largest)
                for scores, of in all_scores
            )
        ]
    return Structure(clouds, density, again, np.flatnonzero(outliers), sets)


def _units(block: Block) -> tuple[NDArray[np.intp], Any, NDArray[np.float64]]:
    """Rows of some samples of a block, or of one of each set of replicates; means; components."""
    X, groups = block.protocol.algorithm.coordinates(block.data.X), block.protocol.groups
    rows = np.arange(X.shape[0])
    if groups is not None:
        rows = np.unique(groups, return_index=True)[1]
        weights = 1 / np.bincount(groups)[groups]
        X = sp.csr_array((weights, (groups, np.arange(len(groups))))) @ X
    if len(rows) > MOST_SAMPLES:
        generator = np.random.default_rng(seed_sequence(block.protocol.seed, "samples of clouds"))
        some = np.sort(generator.choice(len(rows), MOST_SAMPLES, replace=False))
        rows, X = rows[some], X[some]
    return rows, X, principal_components(X)
