"""Revisions, which identify the code behind results.

A revision is a number that is raised if a change of the code alters results. The revision of a
method is an attribute of its class. Successive halving, each kind of pools, and the steps after
runs have a ``REVISION`` in their modules. A result records its revisions and is recomputed if one
of them changes. ``tests/methods/test_revisions.py`` fails if the labels of a method or of a
generated pool change but the revision does not.
"""

from coassoc import racing
from coassoc.metrics import METRICS
from coassoc.pools import draws, generation
from reproduction.pools import label_import, published, results
from reproduction.running import choosing, nulls, selecting
from reproduction.scores import references

#: Kind of pools → the module that builds them. Pools of the kind "shuffled" are other pools in a
#: different order.
POOLS = {
    "generated": generation,
    "published": published,
    "results": results,
    "labels": label_import,
    "shuffled": draws,
}
#: Score → identity of the code for successive halving by this score.
RACES = {metric: f"race by {metric} {racing.REVISION}" for metric in METRICS}
#: Revisions of steps whose code affects numbers, for the parameters of their rules.
STEPS = {
    "shuffled": draws.REVISION,
    "selection": selecting.REVISION,
    "null": nulls.REVISION,
    "choice": choosing.REVISION,
    "scores": references.REVISION,
}


def code_of_pools(kind: str) -> str:
    """Identity of the code that builds the pools of a kind, such as "pools generated 1"."""
    return f"pools {kind} {POOLS[kind].REVISION}"
