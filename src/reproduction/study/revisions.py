"""Revisions: which code results are of.

A revision is a number beside the code, raised where its numbers move: of a method on its class, of
races, of each kind of pools, and of the steps after runs as ``REVISION`` of their module. A result
names those that it rests on, and is made again where one of them is another.
``tests/methods/test_revisions.py`` fails where labels of a method or of a pool that is made move
and the revision stays.
"""

from coassoc import racing
from coassoc.metrics import METRICS
from coassoc.pools import draws, generation
from reproduction.pools import label_import, published, results
from reproduction.running import choosing, nulls, selecting
from reproduction.scores import references

#: Kind of pools → the module that makes them. Pools of the kind "shuffled" are other pools in a
#: different order.
POOLS = {
    "generated": generation,
    "published": published,
    "results": results,
    "labels": label_import,
    "shuffled": draws,
}
#: Score → identity of the code for a race of points by this score.
RACES = {metric: f"race by {metric} {racing.REVISION}" for metric in METRICS}
#: Steps whose code affects numbers, for the parameters of their rules.
STEPS = {
    "shuffled": draws.REVISION,
    "selection": selecting.REVISION,
    "null": nulls.REVISION,
    "choice": choosing.REVISION,
    "scores": references.REVISION,
}


def code_of_pools(kind: str) -> str:
    """Identity of the code that makes the pools of a kind, such as "pools generated 1"."""
    return f"pools {kind} {POOLS[kind].REVISION}"
