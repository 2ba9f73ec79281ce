"""Display of results: numbers of clusters, counts and sizes in words, progress in notebooks."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Number of cluster sizes to list.
_LISTED = 8


def notebook_progress(step: str, done: int, total: int) -> None:
    """Show the progress of a step in a notebook, on a line that the next call replaces.

    It shows nothing in scripts and terminals.

    Parameters
    ----------
    step : str
        The step, such as "draws".
    done, total : int
        Amount done and total amount. The line disappears when everything is done.
    """
    if "ipykernel" in sys.modules:
        line = f"{step}: {done} of {total}" if done < total else ""
        sys.stdout.write(f"\r{line:<40}" + "\r" * (not line))
        sys.stdout.flush()


def sizes_in_words(labels: Any) -> str:
    """Number of clusters and their sizes, largest first; negative labels are ignored."""
    values = np.asarray(labels)
    if values.dtype.kind in "iu":
        values = values[values >= 0]
    _, sizes = np.unique(values, return_counts=True)
    numbers = [f"{size:,}" for size in np.sort(sizes)[::-1]]
    more = ", …" if len(numbers) > _LISTED else ""
    return f"{count_of(len(sizes), 'cluster')} ({', '.join(numbers[:_LISTED])}{more})"


def cluster_numbers(labels: Any) -> NDArray[Any]:
    """Clusters as files and pages number them: from 1, and in Python from 0. Names stay."""
    values = np.asarray(labels)
    return values + 1 if values.dtype.kind in "iu" else values


def count_of(number: int, what: str) -> str:
    """A number with its noun, such as "1 cluster" or "2,000 clusters"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
