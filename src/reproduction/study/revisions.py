"""Revisions, which identify the code behind results.

A revision is a number that is raised if a change of the code alters results. The revision of a
method is an attribute of its class. :data:`STEPS` has the revisions of all other steps, so that
planning need not import their code. A result records its revisions and is recomputed if one of them
changes. ``tests/methods/test_revisions.py`` fails if the labels of a method or of a generated pool
change but the revision does not.
"""

from coassoc.metrics import METRICS

#: Increase the number of a step if a change alters its results: labels or draws of a kind of pools
#: (the kind "shuffled" reorders the samples of other pools), the points and repeats that successive
#: halving keeps, the criteria of ``select_n_clusters.py``, the measurements of
#: ``measure_choice.py``, or any scores.
STEPS = {
    **dict.fromkeys(("generated", "published", "results", "labels", "shuffled"), 1),
    **{"race": 1, "selection": 1, "choice": 1, "scores": 1},
}
#: Score → identity of the code for successive halving by this score.
RACES = {metric: f"race by {metric} {STEPS['race']}" for metric in METRICS}


def code_of_pools(kind: str) -> str:
    """Identity of the code that builds the pools of a kind, such as "pools generated 1"."""
    return f"pools {kind} {STEPS[kind]}"
