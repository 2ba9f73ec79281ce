"""Conversion of whole numbers to integers, because R passes 3 as 3.0."""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from math import inf
from typing import Any, ParamSpec, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")

#: Smallest number of steps that shows that a row counts.
_STEPS = 19


def as_integer(value: Any) -> Any:
    """A whole number as an integer; any other value as it is.

    >>> as_integer(3.0), as_integer(3.5)
    (3, 3.5)
    """
    is_whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
    return int(value) if is_whole else value


def is_integer(value: Any, least: float = -inf) -> TypeGuard[int]:
    """Whether a value is an integer of at least `least`; Booleans are not integers."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and bool(value >= least)


def find_counter(rows: NDArray[Any]) -> int | None:
    """The first row of numbers that change by equal steps, as the numbers of iterations do."""
    if rows.dtype.kind not in "iuf" or rows.shape[1] <= _STEPS:
        return None
    steps = np.diff(rows[:, : _STEPS + 1].astype(np.float64))
    for i in np.flatnonzero((steps[:, 0] != 0) & (steps == steps[:, :1]).all(axis=1)):
        if (np.diff(rows[i].astype(np.float64)) == steps[i, 0]).all():
            return int(i)
    return None


def integer_arguments(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function whose arguments of these names are integers, or sequences of them."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = parameters.bind(*args, **kwargs)
            for name in names:
                if name in bound.arguments:
                    bound.arguments[name] = _as_integers(bound.arguments[name])
            return function(*bound.args, **bound.kwargs)

        return call

    return decorate


def _as_integers(value: Any) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | range):
        return [as_integer(each) for each in value]
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "f":
        return [as_integer(each) for each in value.tolist()]
    return as_integer(value)


def smallest_unsigned(values: NDArray) -> NDArray:
    """The same non-negative integers in the smallest unsigned type that can represent them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def smallest_integers(values: NDArray) -> NDArray:
    """The same integers in the smallest suitable type, unsigned unless some are negative."""
    if values.min(initial=0) >= 0:
        return smallest_unsigned(values)
    ends = (np.min_scalar_type(int(end)) for end in (values.min(), -1 - int(values.max())))
    return values.astype(np.result_type(*ends))
