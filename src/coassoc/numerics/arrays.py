"""Arrays from users."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError


def plain_array(what: str, given: Any) -> NDArray:
    """An array of what a user passed. A DataError is raised for masked or complex entries."""
    array = np.asanyarray(given)
    if np.ma.is_masked(array):
        at = ", ".join(map(str, np.argwhere(np.ma.getmaskarray(array))[0]))
        raise DataError(f"{what}: entry {at} is masked. Leave it out, or fill it with a number.")
    if array.dtype.kind == "c":
        raise DataError(f"{what}: the numbers are complex. Pass real numbers.")
    return np.asarray(array)


def join_chains(place: Any, array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Items × draws and the chain of each draw, from chain × draw × item as ArviZ has it."""
    chains, m, n = array.shape
    if chains > max(m, 1):
        raise DataError(
            f"{place}: the array holds {chains:,} chains of {m:,} draws. Pass chain × draw × item; "
            "R has iterations first, so transpose the first two axes."
        )
    return array.reshape(chains * m, n).T, np.repeat(np.arange(1, chains + 1), m)
