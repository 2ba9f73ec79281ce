"""Whether the machine can have the memory that a fit takes, told before it begins."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from coassoc.ensemble import Ensemble
from coassoc.errors import TooLargeError
from coassoc.methods.names import name_of
from coassoc.numerics.memory import memory_of_machine
from coassoc.partition.linkage import MOST_IN_MATRIX

__all__ = ["SQUARES", "check_memory", "squares"]

#: By class, how many arrays of q × q numbers a fit has at its peak, at the least, with q the number
#: of distinct rows, or of samples where these are worked on. Others have none.
SQUARES = {
    **dict.fromkeys(("CDEC", "CESHL"), 1),
    **dict.fromkeys(
        ("EAC", "Agglomerative", "ECPCSHC", "LCECTS", "LCESRS", "LCEASRS", "LWEA", "SC", "CSPA"), 2
    ),
    **dict.fromkeys(("SPCE", "WEAC", "TRCE"), 3),
    **dict.fromkeys(("SpectralCoAssociation", "GWCA", "LWSC", "DREC", "PTGP", "PTA"), 4),
    **dict.fromkeys(("ACMK", "CEAM", "ECCMS", "RSEC"), 6),
    **dict.fromkeys(("LTA", "HCLCE", "RCE", "RMSC"), 8),
    **dict.fromkeys(("AWEC", "GTLEC", "SDGCA"), 20),
}
#: Classes whose linkage takes no matrix of many rows, unless it is complete linkage.
BY_LABELS = ("EAC", "Agglomerative", "LWEA", "WEAC")


def squares(estimator: Any, ensemble: Ensemble) -> int:
    """How many arrays of q × q numbers a fit has at its peak, at the least."""
    name = type(estimator).__name__
    large = ensemble.microclusters.count > MOST_IN_MATRIX and not ensemble.has_missing
    if name in BY_LABELS and large and getattr(estimator, "linkage", "average") != "complete":
        return 0
    return SQUARES.get(name, 0)


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
