"""Memory and time that a run requests of a cluster, from the size of its ensembles.

Functions take a method as the plan has it. The objects that a fit works on are the n' distinct rows
of labels, or the n samples if the method sees features or the samples' order. Each method's entry
in methods/methods.yaml has its measured ``cost``:

=========  ======================================================================================
key        meaning
=========  ======================================================================================
seconds    processor seconds of one fit with 1000 objects
power      how they grow: seconds · (objects / 1000)^power
arrays     memory at the peak, in arrays of objects × objects floating-point numbers
grows_with "samples" for a method that works on them though it sees labels only; "features" for one
           whose time also grows with the features, seconds being those with 1000 of these too
=========  ======================================================================================

The numbers are upper bounds: a job that exceeds its request is killed, while one that needs less
only waits a little longer for its turn.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Cost of a method whose entry has none.
UNKNOWN: dict[str, Any] = {"seconds": 10.0, "power": 3.0, "arrays": 12.0}

#: Megabytes of the interpreter and its libraries, in the job, in the worker process that fits, and
#: in the two Snakemakes around them.
_BASE_MB = 1000
#: Minutes that a job may take to start on a busy file system.
_BASE_MINUTES = 5
#: Of a method that grows with the features, those with fewer take as long: what it does besides.
_FEWEST_FEATURES = 50
#: Elapsed time of a job on a busy or old processor, in processor time of the one measured on.
_SLOWNESS = 2.5


@dataclass(frozen=True)
class RunSize:
    """What the cost of a run depends on."""

    #: Distinct rows of labels, or samples where :func:`works_on_samples`.
    n_objects: int
    n_samples: int
    #: 0 for a method that sees labels only.
    n_features: int = 0
    #: Points of its parameters times repeats.
    fits: int = 1


def run_size(
    method: Mapping[str, Any], n_samples: int, distinct_rows: int, n_features: int | None
) -> RunSize:
    """What the cost of a fit of a method depends on; the features of the data set may be unknown.

    A method works on the n samples, or on the distinct rows of labels.
    """
    on_samples = method["uses_features"] or method["cost"].get("grows_with") == "samples"
    d = (n_features or 1000) if method["uses_features"] else 0
    return RunSize(n_samples if on_samples else distinct_rows, n_samples, d)


def memory_mb(method: Mapping[str, Any], size: RunSize) -> int:
    """Megabytes that a run should ask for."""
    cost = UNKNOWN | method["cost"]
    arrays = 8e-6 * cost["arrays"] * size.n_objects**2
    features = 8e-6 * 4 * size.n_samples * size.n_features
    return math.ceil(_BASE_MB + arrays + features)


def seconds(method: Mapping[str, Any], size: RunSize) -> float:
    """Processor seconds of all fits of a run, on the processor that costs were measured on."""
    cost = UNKNOWN | method["cost"]
    of_a_fit = cost["seconds"] * (size.n_objects / 1000) ** cost["power"]
    if cost.get("grows_with") == "features":
        # n samples span no more than n dimensions.
        of_a_fit *= max(min(size.n_features, size.n_samples), _FEWEST_FEATURES) / 1000
    return float(size.fits * of_a_fit)


def minutes(method: Mapping[str, Any], size: RunSize) -> int:
    """Minutes that a run should ask for."""
    return math.ceil(_BASE_MINUTES + _SLOWNESS * seconds(method, size) / 60)
