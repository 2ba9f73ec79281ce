"""Choosing the number of clusters: six criteria over a range of c, and whether they agree.

For each c, P(c) is the consensus partition of all base clusterings, and P_1(c) … P_B(c) are the
consensus partitions of B random halves of them. Monti et al. (2003) compute a consensus matrix for
each c by clustering resampled data. Here, base clusterings are given and may have any numbers of
clusters, so the matrix for c is computed from the consensus partitions of the draws:

    M_ij(c) = fraction of the draws b with P_b(c)_i = P_b(c)_j, among those that label i and j.

If each c has its own base clusterings, as in Monti et al., these are the draws.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigvalsh

from coassoc.confidence import agreement_with_base, sample_silhouette
from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError, DataError
from coassoc.methods import resolve_method
from coassoc.methods.auto import COMPARISONS
from coassoc.methods.base import FewRowsWarning
from coassoc.numerics.integers import integer_arguments
from coassoc.numerics.threads import one_thread_per_library
from coassoc.selection.distribution import (
    ConsensusDistribution,
    consensus_distribution,
    criteria_of_cdf,
)
from coassoc.selection.parameters import stability
from coassoc.selection.resampling import Factory, draw_partitions, partitions
from coassoc.similarity import co_association

if TYPE_CHECKING:
    import pandas as pd

    from coassoc.methods.names import MethodName

Array = NDArray[np.float64]

#: Relative growth of the area under the CDF that counts as appreciable.
APPRECIABLE = 0.05
#: Difference below which two values of a criterion count as equal.
_EQUAL = 1e-9

#: Names of the criteria.
Criterion = Literal["PAC", "delta area", "stability", "ANMI", "silhouette", "eigengap"]
#: The criteria and their rules.
CRITERIA: Mapping[Criterion, str] = {
    "PAC": "smallest proportion of ambiguous pairs",
    "delta area": (
        f"last c at which the area under the CDF grows by at least {100 * APPRECIABLE:.0f} %"
    ),
    "stability": "largest mean ARI between resamples",
    "ANMI": "largest mean NMI with the base clusterings",
    "silhouette": "largest mean silhouette with distance 1 − co-association",
    "eigengap": "largest gap after the c-th eigenvalue of the co-association",
}


@dataclass(frozen=True)
class Selection:
    """The result of :func:`select_n_clusters`.

    Attributes
    ----------
    criteria : DataFrame
        A row for each c, with the columns "area" and :data:`CRITERIA`.
    chosen : dict of Criterion to int
        The c that each criterion chooses.
    partitions : dict of int to (n,) integer array
        The consensus of all base clusterings at each c.
    distributions : dict of int to ConsensusDistribution
        Distribution of M_ij(c) for each c.
    """

    criteria: pd.DataFrame
    chosen: dict[Criterion, int]
    partitions: dict[int, NDArray[np.intp]]
    distributions: dict[int, ConsensusDistribution]

    @property
    def verdict(self) -> str:
        """The number that each criterion chooses."""
        votes = ", ".join(f"{name} {c}" for name, c in self.chosen.items())
        return f"Numbers of clusters by criterion: {votes}."

    def __repr__(self) -> str:
        return f"{self.verdict}\n{self.table.to_string()}"

    @property
    def table(self) -> pd.DataFrame:
        """The criteria as text, with a star at the number that each criterion chooses."""
        return with_stars(self.criteria, self.chosen)


def with_stars(criteria: pd.DataFrame, chosen: Mapping[Any, int]) -> pd.DataFrame:
    """Criteria as text, with a star at the number that each criterion chooses."""
    text = criteria.map(lambda value: f"{value:.3f}" if np.isfinite(value) else "")
    for name, c in chosen.items():
        text.loc[c, name] += " *"
    return text


@integer_arguments("n_clusters", "n_draws", "random_state")
def select_n_clusters(
    labels: ArrayLike | Ensemble | Mapping[int, ArrayLike | Ensemble],
    method: MethodName | Factory,
    n_clusters: Sequence[int] | None = None,
    *,
    n_draws: int = 20,
    random_state: int = 0,
) -> Selection:
    """Compare numbers of clusters by criteria that need no classes.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble; or a mapping of int to these
        The base clusterings, m ≥ 2; see :class:`coassoc.Ensemble`. In a mapping, each c has its own
        base clusterings with c clusters (Monti et al. 2003), which then serve as the draws.
    method : str or callable
        The consensus method: its name in :data:`coassoc.methods.METHODS`, or a callable that
        returns an estimator from ``n_clusters`` and ``random_state``, such as its class. "auto"
        chooses LWEA, which cuts one dendrogram into each number of clusters.
    n_clusters : sequence of int, optional
        Increasing numbers of clusters c, each from 2 to n − 1. Default: 2 to 10, or fewer if there
        are fewer samples or distinct rows of labels; all numbers of a mapping.
    n_draws : int
        B, number of random halves of the base clusterings (draws), at least 2. PAC, delta area and
        stability depend on the draws. `n_draws` has no effect if `labels` is a mapping.
    random_state : int
        Seed of all random numbers.

    Returns
    -------
    Selection
        Each criterion chooses the largest of equally good c.

    Warns
    -----
    FewRowsWarning
        If a c exceeds the number of distinct rows of labels.

    Raises
    ------
    ConfigError
        If `n_clusters` or `n_draws` is not as described.
    DataError
        If there is only one base clustering, if a sample is in no draw, or if base clusterings of
        different c have different samples.

    Notes
    -----
    CDF_c is the distribution function of M_ij(c) over all pairs of different samples. The criteria
    are:

    PAC
        CDF_c(0.9) − CDF_c(0.1), the proportion of ambiguous pairs (Şenbabaoğlu et al. 2014).
        Chosen: the smallest.
    delta area
        A(c) = ∫ CDF_c, and Δ(c) = (A(c) − A(c′)) / A(c′) with c′ the number before c in the range;
        for the first, Δ = A (Monti et al. 2003). The paper chooses c by visual inspection. Chosen:
        the last c with Δ(c) ≥ 0.05. The area of a perfect partition into c equal clusters is
        1 − 1/c, which grows by less than 5 % beyond c = 5.
    stability
        Mean ARI of P_b(c) and P_b'(c) over all pairs of draws. Chosen: the largest.
    ANMI
        Mean NMI of P(c) with the base clusterings (Strehl & Ghosh 2002). Chosen: the largest.
    silhouette
        Mean silhouette of P(c) with distance 1 − Ã (Rousseeuw 1987). Chosen: the largest.
    eigengap
        λ_c − λ_{c+1}, with the eigenvalues of D^{-1/2} Ã D^{-1/2} in decreasing order, where D has
        the row sums of Ã (von Luxburg 2007). It does not depend on the method. Chosen: the largest.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering", Machine Learning 52, 91–118,
    2003.
    Y. Şenbabaoğlu, G. Michailidis, J. Z. Li, "Critical limitations of consensus clustering in class
    discovery", Scientific Reports 4, 6207, 2014.
    A. Strehl, J. Ghosh, "Cluster ensembles – a knowledge reuse framework for combining multiple
    partitions", Journal of Machine Learning Research 3, 583–617, 2002.
    U. von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17, 395–416, 2007.
    """
    import pandas as pd

    method = resolve_method(COMPARISONS.method if method == "auto" else method)
    if isinstance(labels, Mapping):
        numbers = sorted(labels) if n_clusters is None else list(n_clusters)
        drawn = ensembles = _ensembles_of_each(labels, numbers)
        _check_numbers(numbers, ensembles[numbers[0]].n_samples)
        consensus = {c: partitions(method, ensembles[c], [c], random_state)[c] for c in numbers}
        eigengaps = np.concatenate([_eigengaps(ensembles[c], [c]) for c in numbers])
    else:
        ensemble = Ensemble.of(labels)
        if n_clusters is None:
            # Samples with equal labels cannot be separated by more clusters than distinct rows.
            last = min(10, ensemble.n_samples - 1, ensemble.microclusters.count)
            n_clusters = range(2, max(last, 2) + 1)
        _check_numbers(n_clusters, ensemble.n_samples)
        numbers = list(n_clusters)
        if numbers[-1] > ensemble.microclusters.count:
            warnings.warn(
                f"n_clusters goes up to {numbers[-1]}, but there are only "
                f"{ensemble.microclusters.count} distinct rows of labels. Compare fewer clusters, "
                "because samples with equal labels are separated arbitrarily.",
                FewRowsWarning,
                stacklevel=3,  # one frame is that of `integer_arguments`
            )
        ensembles = dict.fromkeys(numbers, ensemble)
        drawn = draw_partitions(method, ensemble, numbers, n_draws, random_state)
        consensus = partitions(method, ensemble, numbers, random_state)
        eigengaps = _eigengaps(ensemble, numbers)
    distributions = {c: consensus_distribution(draws) for c, draws in drawn.items()}
    columns: dict[str, Any] = {
        **criteria_of_cdf(distributions.values()),
        "stability": [stability(draws) for draws in drawn.values()],
        "ANMI": [agreement_with_base(ensembles[c], P).mean() for c, P in consensus.items()],
        "silhouette": [sample_silhouette(ensembles[c], P).mean() for c, P in consensus.items()],
        "eigengap": eigengaps,
    }
    criteria = pd.DataFrame(columns, index=pd.Index(numbers, name="n_clusters"))
    chosen = choices(criteria)
    return Selection(criteria, chosen, consensus, distributions)


def _check_numbers(n_clusters: Any, n_samples: int) -> None:
    several = np.ndim(n_clusters) == 1 and len(n_clusters) > 0
    if several and (np.diff([1, *n_clusters, n_samples]) > 0).all():
        return
    raise ConfigError(
        f"n_clusters is {n_clusters!r}. Pass increasing integers from 2 to {n_samples - 1} (the "
        "number of samples minus 1), such as range(2, 11)."
    )


def _ensembles_of_each(labels: Mapping[int, Any], numbers: Sequence[int]) -> dict[int, Ensemble]:
    """The base clusterings of each number of clusters."""
    ensembles = {c: Ensemble.of(labels[c]) for c in numbers}
    n_samples = {ensemble.n_samples for ensemble in ensembles.values()}
    if len(n_samples) > 1 or min(each.n_clusterings for each in ensembles.values()) < 2:
        raise DataError(
            "labels: each number of clusters needs at least two base clusterings of the same "
            "samples. Pass such labels for all numbers of clusters."
        )
    return ensembles


def choices(criteria: pd.DataFrame) -> dict[Criterion, int]:
    """The choice of each criterion in a table, such as that of a :class:`Selection`."""
    return {name: chosen_by(name, criteria[name]) for name in CRITERIA if name in criteria}


@one_thread_per_library()  # the last digits of a product of matrices depend on the threads
def _eigengaps(ensemble: Ensemble, numbers: Sequence[int]) -> Array:
    """λ_c − λ_{c+1} of D^{-1/2} Ã D^{-1/2}; eigenvalues inside microclusters are 0, as Ã's.

    On complete labels Ã = ZZᵀ/m, and the smaller of ZᵀZ and ZZᵀ has all nonzero eigenvalues.
    """
    r = ensemble.microclusters.r
    if ensemble.has_missing:
        S = co_association(ensemble).S
        scale = np.sqrt(r / (S @ r))
        normalized = S * scale * scale[:, None]
    else:
        Z = ensemble.microcluster_membership
        B = Z.multiply(np.sqrt(r / (Z @ ensemble.cluster_sizes))[:, None]).tocsr()
        normalized = (B.T @ B if B.shape[1] < B.shape[0] else B @ B.T).toarray()
    q, last = len(normalized), numbers[-1] + 1
    values = eigvalsh(normalized, subset_by_index=[max(q - last, 0), q - 1])[::-1]
    values = np.append(values, np.zeros(max(last - q, 0)))
    return np.array([values[c - 1] - values[c] for c in numbers])


def chosen_by(criterion: Criterion, values: pd.Series) -> int:
    """The c that a criterion chooses, the largest of equally good numbers."""
    if criterion == "delta area":
        good = values >= APPRECIABLE - _EQUAL
    elif criterion == "PAC":
        good = values <= values.min() + _EQUAL
    else:
        good = values >= values.max() - _EQUAL
    # If the area grows by less at every c, the first c is as good as any other.
    return int(values.index[good][-1]) if good.any() else int(values.index[0])
