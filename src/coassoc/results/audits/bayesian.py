"""Bayesian signed-rank test with a region of practical equivalence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coassoc.seeds import seed_sequence

__all__ = ["Beliefs", "signed_ranks"]

#: Weight of the prior, one pseudo-observation of no difference.
_PRIOR = 0.5
#: Draws from the posterior; a probability is known to 0.005.
_DRAWS = 10_000


class Beliefs(NamedTuple):
    """Probabilities that a method is worse than another, practically the same, and better."""

    worse: float
    alike: float
    better: float


def signed_ranks(differences: ArrayLike, rope: float) -> Beliefs:
    """What differences on several data sets say of the next one.

    The data sets' weights w have a Dirichlet posterior, in which a difference of zero has the prior
    weight s = 0.5 and each data set 1. For each draw of w, the share of pairs of data sets whose
    mean difference is below −r, within ±r and above r is Σ_ij w_i w_j over these pairs; the
    probability of each of the three is that its share is the largest.

    Parameters
    ----------
    differences : (N,) array
        One for each data set.
    rope : float
        r: a mean difference within ±r is none in practice.

    Returns
    -------
    Beliefs

    References
    ----------
    Benavoli, Corani, Demšar & Zaffalon, "Time for a change", JMLR 18 (2017), Sec. 4.2.
    """
    z = np.append(0.0, np.asarray(differences, dtype=float))
    weights = np.random.default_rng(seed_sequence(0, "Bayesian signed ranks")).dirichlet(
        np.append(_PRIOR, np.ones(len(z) - 1)), _DRAWS
    )
    means = (z[:, None] + z) / 2
    regions = (means < -rope, np.abs(means) <= rope, means > rope)
    shares = [np.einsum("si,ij,sj->s", weights, region, weights) for region in regions]
    largest = np.bincount(np.argmax(shares, axis=0), minlength=3) / _DRAWS
    return Beliefs(*map(float, largest))
