"""Whether the machine can have the memory that a fit takes, told before it begins."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from coassoc.ensemble import Ensemble
from coassoc.errors import TooLargeError
from coassoc.methods.names import name_of
from coassoc.numerics.memory import memory_of_machine
from coassoc.partition.linkage import MOST_IN_MATRIX

__all__ = ["check_memory", "squares"]


def squares(estimator: Any, ensemble: Ensemble) -> int:
    """How many arrays of q × q numbers a fit of an ensemble has at its peak, at the least.

    What its class says, but for linkage of many rows, which needs one only if it is complete.
    """
    large = ensemble.microclusters.count > MOST_IN_MATRIX and not ensemble.has_missing
    complete = getattr(estimator, "linkage", "average") == "complete"
    return 0 if large and estimator.links_labels and not complete else int(estimator.squares)


def check_memory(estimator: Any, ensemble: Ensemble) -> None:
    """Refuse a fit that cannot have its memory.

    Raises
    ------
    TooLargeError
        With what it would take, and the methods that take no matrix.
    """
    samples = estimator.uses_features or estimator.depends_on_sample_order
    q = ensemble.n_samples if samples else ensemble.microclusters.count
    needed, most = 8e-9 * squares(estimator, ensemble) * q**2, memory_of_machine() / 1e3
    if needed > most:
        raise TooLargeError(
            f"{name_of(estimator)} takes at least {needed:,.1f} GB for {q:,} "
            f"{'samples' if samples else 'distinct rows of labels'}, and the machine has "
            f"{most:,.1f} GB. Without such a matrix do {', '.join(_linear(ensemble))}."
        )


def _linear(ensemble: Ensemble) -> list[str]:
    """Methods of labels that take no matrix of this ensemble's rows."""
    # By a call: another method in the register is nothing to the numbers of those there are.
    register = import_module("coassoc.methods").METHODS
    methods = {name: make(2) for name, make in register.items()}
    return [
        name
        for name, each in methods.items()
        if not (squares(each, ensemble) or each.uses_features)
        if each.takes_missing or not ensemble.has_missing
    ]
