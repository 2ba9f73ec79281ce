"""The kinds of targets, what they read and what their cells must have; columns of scores."""

from typing import NamedTuple

from coassoc.bench.storage.hdf5 import MEASURES
from coassoc.bench.storage.records import LABEL_FREE
from coassoc.metrics import METRICS


class Kind(NamedTuple):
    """A kind of target."""

    #: "tables", "figures" or "analyses".
    section: str
    #: "scores" of runs, "timing" or "scaling" (times measured with no other job running),
    #: "selection" (criteria for the number of clusters), "choice" (all methods on an ensemble of
    #: each kind), "runs" with their history, "pools", or "fits" (methods fitted to first draws).
    reads: str = "scores"
    #: Whether it needs the classes themselves and not only scores.
    by_classes: bool = False
    #: Whether it uses single repeats, which the base clusterings of a whole pool do not have.
    by_repeat: bool = False
    #: Whether it reads the base clusterings of whole pools in addition to the sources of its cells.
    whole_pools: bool = False
    #: Attributes of a fitted estimator that it shows.
    shows: tuple[str, ...] = ()


KINDS = {
    "table": Kind("tables"),
    "times": Kind("tables", "timing"),
    "ranking": Kind("tables"),
    "sensitivity": Kind("figures"),
    "surface": Kind("figures"),
    "ensemble_size": Kind("figures"),
    "base_quality": Kind("figures", by_classes=True, by_repeat=True, whole_pools=True),
    "reliability": Kind("figures", "pools", by_classes=True),
    "convergence": Kind("figures", "runs"),
    "matrices": Kind("figures", "fits", shows=("affinity_",)),
    "before_after": Kind("figures", "fits", True, shows=("initial_labels_", "refined_labels_")),
    "embedding": Kind("figures", "fits", shows=("embedding_",)),
    "comparison": Kind("analyses", by_repeat=True),
    "protocol": Kind("analyses"),
    "order": Kind("analyses", by_repeat=True),
    "arena": Kind("analyses", by_classes=True, by_repeat=True, whole_pools=True),
    "scaling": Kind("analyses", "scaling"),
    "n_clusters": Kind("analyses", "selection"),
    "choice": Kind("analyses", "choice", by_classes=True),
}
#: Measurements that are separate from runs; no configuration shortens the repeats, races and grids
#: of the first three.
MEASURED = ("timing", "scaling", "selection", "choice")
WHOLE = MEASURED[:3]
#: Quantities for which smaller values are better.
LOWER_IS_BETTER = ("seconds", "cpu_seconds", "peak_mb", "between")

#: Columns of a run's scores.
SCORES = (*METRICS, *LABEL_FREE, *MEASURES)

#: Scores that can choose the best point of a grid. For each of them, more is better.
TUNING_SCORES = (*METRICS, "ANMI", "stability")
