"""What steps share that lay out or judge tables: printed numbers, and which way is better."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

#: Quantities of which less is better.
LOWER_IS_BETTER = ("seconds", "cpu_seconds", "peak_mb", "between")


def printed_numbers(published: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Published numbers as columns label, dataset, metric, published_mean and published_std."""
    printed = pd.DataFrame(
        list(published), columns=["method", "dataset", "metric", "mean", "std"]
    ).rename(columns={"method": "label", "mean": "published_mean", "std": "published_std"})
    numbers = printed[["published_mean", "published_std"]].apply(pd.to_numeric, errors="coerce")
    printed = printed.assign(**numbers)
    return printed.drop_duplicates(ignore_index=True)  # a table may print a column twice
