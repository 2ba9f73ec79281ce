"""Criteria for the number of clusters beside their distribution under a null."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble
from coassoc.numerics.batches import in_batch
from coassoc.partition.linkage import agglomerate_samples
from coassoc.selection.null import Generator, check_agreement, gaussian_cloud, permutations
from coassoc.selection.numbers import CRITERIA, DisagreementWarning, select_n_clusters
from coassoc.selection.resampling import Factory
from coassoc.similarity import co_association

if TYPE_CHECKING:
    import pandas as pd

#: The height of the merge that is undone to make c clusters, beside the criteria.
_HEIGHT = "height"


@dataclass(frozen=True)
class CriteriaTest:
    """What :func:`criteria_test` finds.

    Attributes
    ----------
    observed : DataFrame
        A row for each c, a column for each of :data:`~coassoc.selection.CRITERIA` and "height", the
        distance at which average linkage of the co-association joins c clusters to c − 1.
    null : (B, c, k) array
        The same of each draw.
    """

    observed: pd.DataFrame
    null: NDArray[np.float64]

    @property
    def p(self) -> pd.DataFrame:
        """P of each criterion at each c: the draws that are as good, as of a NullTest."""
        import pandas as pd

        return pd.DataFrame(self._ranks()[0], *self.observed.axes)

    @property
    def p_best(self) -> pd.Series:
        """P of each criterion over all c: of its smallest p, against those of the draws."""
        import pandas as pd

        smallest = self._ranks().min(axis=1)
        p = np.mean(smallest <= smallest[0], axis=0)
        return pd.Series(p, self.observed.columns, name="p")

    def _ranks(self) -> NDArray[np.float64]:
        """(B + 1, c, k) share of the data and draws, the data first, that are as good as each."""
        values = np.concatenate((self.observed.to_numpy()[None], self.null))
        values = values * np.where(self.observed.columns == "PAC", -1, 1)
        return np.mean(values[None] >= values[:, None] - 1e-12, axis=1)


def criteria_test(
    labels: ArrayLike | Ensemble | None = None,
    method: str | Factory = "EAC-AL",
    n_clusters: Sequence[int] = range(2, 9),
    *,
    X: Any = None,
    generate: Generator | None = None,
    n_draws: int = 99,
    n_halves: int = 10,
    random_state: int = 0,
    most: int = 500,
) -> CriteriaTest:
    """Are criteria for the number of clusters better than under a null?

    With `labels` the base clusterings are independent of each other under the null, as in
    :func:`~coassoc.selection.agreement_test`; with `X` and `generate` they are those of a Gaussian
    cloud, as in :func:`~coassoc.selection.structure_test` and in M3C (John et al. 2020), which
    compares PAC at each c.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
    method, n_clusters
        As for :func:`~coassoc.selection.select_n_clusters`.
    X, generate
        As for :func:`~coassoc.selection.structure_test`, in place of `labels`.
    n_draws, n_halves : int
        Draws of the null, and draws of half of the base clusterings in each.
    random_state : int
    most : int
        Larger data are subsampled to this size; a draw of the null takes about as long as
        :func:`~coassoc.selection.select_n_clusters`.

    References
    ----------
    C. R. John et al., "M3C: Monte Carlo reference-based consensus clustering", Scientific Reports
    10, 1816, 2020.
    """
    if generate is None:
        ensemble = Ensemble.of(labels)
        check_agreement(ensemble)
        sizes = ensemble.microclusters.sizes
        draw, given = permutations(ensemble.distinct_labels, sizes, random_state, most)
        observed: Any = given
    else:
        if X.shape[0] > most:
            X = X[
                np.sort(np.random.default_rng(random_state).choice(X.shape[0], most, replace=False))
            ]
        cloud, observed = (
            gaussian_cloud(X, random_state=random_state),
            generate(X, random_state=random_state),
        )

        def draw(b: int) -> Any:
            return generate(cloud(b), random_state=random_state)

    def criteria(table: ArrayLike) -> pd.DataFrame:
        ensemble = Ensemble(table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DisagreementWarning)
            selection = select_n_clusters(
                ensemble, method, n_clusters, n_draws=n_halves, random_state=random_state
            )
        merges = agglomerate_samples(co_association(ensemble), "average")
        heights = np.sort(np.repeat(merges.heights, merges.n_pairs))[::-1]
        return selection.criteria[[*CRITERIA]].assign(
            **{_HEIGHT: heights[np.asarray(n_clusters) - 2]}
        )

    null = [*in_batch(lambda b: criteria(draw(b)).to_numpy(), range(n_draws))]
    return CriteriaTest(criteria(observed), np.array(null))
