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
