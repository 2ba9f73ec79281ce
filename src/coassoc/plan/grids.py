"""Grids of parameters, and how runs cover them.

A run covers several values of one parameter or of all, so that a grid is a few jobs and not
hundreds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from coassoc.metrics import METRICS
from coassoc.plan.methods import MethodEntry

__all__ = ["blocks", "can_race", "size", "tuned_over"]

#: Points of a grid up to which one run covers it; more are spread over runs side by side.
_SMALL_GRID = 8


def size(grids: Mapping[str, Sequence[Any]]) -> int:
    """Points of a grid, from the values of its parameters."""
    return math.prod(map(len, grids.values()))


def blocks(
    method: MethodEntry,
    fixed: Mapping[str, Any],
    grids: Mapping[str, Sequence[Any]],
    *,
    together: bool = False,
) -> dict[tuple[Any, ...], dict[str, tuple[Any, ...]]]:
    """Runs that cover a grid: a small one in one run; of others the last parameter in each.

    Fixed parameters have a single value. In a race one run has to cover the grid however large it
    is, `together`.

    Returns
    -------
    dict
        Values of the parameters of `grids` that a run does not vary → values of the parameters of
        the run that are not at their defaults.
    """
    small = size(grids) <= _SMALL_GRID
    across = 0 if small or together else len(grids) - 1
    outside, inside = list(grids)[:across], list(grids)[across:]
    found = {}
    for outer in itertools.product(*(grids[name] for name in outside)):
        single = {**fixed, **dict(zip(outside, outer, strict=True))}
        values = {name: (value,) for name, value in single.items()}
        values |= {name: tuple(grids[name]) for name in inside}
        found[outer] = {
            name: choice
            for name, choice in values.items()
            if choice != (method.parameters[name].default,)
        }
    return found


def tuned_over(method: MethodEntry, tune: Mapping[str, Any], fixed: Mapping[str, Any]) -> list[str]:
    """Parameters over which a row is tuned: those it names, or all with a grid that are not set."""
    if "over" in tune:
        return list(tune["over"])
    return [name for name, each in method.parameters.items() if each.grid and name not in fixed]


def can_race(tune: Mapping[str, Any]) -> bool:
    """Whether points can race by the score of a row's key ``tune``: one that each repeat has alone.

    The stability of a repeat depends on the others, and ANMI is compared where classes are unknown.
    """
    return tune.get("score") in METRICS
