"""The kinds of targets: their sections, what they read, and what they need."""

#: Kinds of targets of each section, and what they read: "scores" of runs, "timing" or "scaling"
#: (times measured with no other job running), "selection" (criteria for the number of clusters),
#: "null" (tests of structure), "choice" (all methods on an ensemble of each kind), "runs" with
#: their history, "pools", or "fits" (methods fitted to first draws).
KINDS = {
    "tables": {"table": "scores", "times": "timing", "ranking": "scores"},
    "figures": {
        "sensitivity": "scores",
        "surface": "scores",
        "ensemble_size": "scores",
        "base_quality": "scores",
        "reliability": "pools",
        "transform": "pools",
        "convergence": "runs",
        "matrices": "fits",
        "before_after": "fits",
        "embedding": "fits",
    },
    "analyses": {
        "comparison": "scores",
        "protocol": "scores",
        "order": "scores",
        "significance": "scores",
        "arena": "scores",
        "scaling": "scaling",
        "n_clusters": "selection",
        "null": "null",
        "choice": "choice",
    },
}
#: Names of groups of targets: sections, kinds, and values of the option "group".
GROUPS = (*KINDS, "protocol", "sensitivity", "ensemble_size", "ablations", "runtime")
READS = {kind: read for kinds in KINDS.values() for kind, read in kinds.items()}
#: Measurements that are separate from runs.
MEASURED = ("timing", "scaling", "selection", "null", "choice")
#: Measurements whose repeats, races and grids no configuration shortens.
WHOLE = ("timing", "scaling", "selection")
#: Kinds of figures that the script plot_curves draws.
CURVES = ("sensitivity", "surface", "ensemble_size")
#: Kinds that need the classes themselves and not only scores.
BY_CLASSES = ("reliability", "base_quality", "before_after", "arena", "choice")
#: Kinds that use single repeats, which the base clusterings of a whole pool do not have.
BY_REPEAT = ("base_quality", "comparison", "order", "significance", "arena")
#: Attributes of a fitted estimator that a kind shows.
SHOWS = {
    "before_after": ("initial_labels_", "refined_labels_"),
    "matrices": ("affinity_",),
    "embedding": ("embedding_",),
}
#: Kinds that read the base clusterings of whole pools in addition to the sources of their cells.
READ_POOLS = ("base_quality", "arena")
