"""What audits take as evidence: the level of their tests, the fewest repeats, Holm's correction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

__all__ = ["FEWEST_REPEATS", "LEVEL", "Cells", "Scores", "holm"]

#: Probability of an error that the tests allow.
LEVEL = 0.05
#: Repeats below which a test within a data set cannot find anything.
FEWEST_REPEATS = 6

Scores = Mapping[str, pd.DataFrame]
Cells = Iterable[Mapping[str, Any]]


def holm(p: pd.Series) -> pd.Series:
    """Holm's correction of the p-values of several tests; missing ones stay missing."""
    from statsmodels.stats.multitest import multipletests

    given = p.dropna()
    if given.empty:
        return p
    return pd.Series(multipletests(given, method="holm")[1], index=given.index).reindex(p.index)
