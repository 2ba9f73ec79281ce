"""Revisions, which identify the code behind results.

A revision is a number that is raised if a change of the code alters results. The revision of a
method is an attribute of its class. Successive halving and each kind of pools have a ``REVISION``
in their modules. :data:`STEPS` has the revisions of the steps after runs, so that planning need not
import their code. A result records its revisions and is recomputed if one of them changes.
``tests/methods/test_revisions.py`` fails if the labels of a method or of a generated pool change
but the revision does not.
"""

from coassoc.bench import racing
from coassoc.bench.pools import draws
from coassoc.metrics import METRICS
from coassoc.pools import generation
from reproduction.pools import label_import, published, results

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
#: Revisions of steps whose code affects numbers, for the parameters of their rules. Increase the
#: number of a step if a change alters its results: the criteria in :mod:`.survey.selecting`, the
#: measurements in :mod:`.survey.choosing`, or any scores.
STEPS = {
    "shuffled": draws.REVISION,
    "selection": 1,
    "choice": 1,
    "scores": 1,
}


def code_of_pools(kind: str) -> str:
    """Identity of the code that builds the pools of a kind, such as "pools generated 1"."""
    return f"pools {kind} {POOLS[kind].REVISION}"
