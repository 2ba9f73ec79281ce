"""What Wilcoxon's test over data sets can find at all, given how many data sets there are."""

from __future__ import annotations

import numpy as np
from scipy.stats import wilcoxon

from coassoc.results.audits.evidence import LEVEL
from coassoc.seeds import seed_sequence

__all__ = ["power", "smallest_p"]

#: Simulated experiments; the power is known to 0.02.
_EXPERIMENTS = 1000


def smallest_p(blocks: int, comparisons: int) -> float:
    """Smallest p-value after Holm's correction: that of one method that wins on all data sets."""
    return min(1.0, comparisons * 2 / 2**blocks)


def power(blocks: int, comparisons: int, effect: float) -> float:
    """Probability that a method that differs is found first among so many comparisons.

    Parameters
    ----------
    blocks : int
        Data sets; at least two.
    comparisons : int
        Methods that are compared with the reference.
    effect : float
        Mean of the differences in their standard deviations over the data sets; the simulated
        differences are normal.
    """
    if smallest_p(blocks, comparisons) >= LEVEL:
        return 0.0
    random = np.random.default_rng(seed_sequence(0, "power", blocks))
    differences = random.normal(effect, 1, (_EXPERIMENTS, blocks))
    p = wilcoxon(differences, axis=1).pvalue
    return float(np.mean(comparisons * p < LEVEL))
