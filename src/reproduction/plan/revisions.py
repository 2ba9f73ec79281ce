"""Revisions: which code results are of.

A revision is a number beside the code, raised where its numbers move: of a method on its class, of
races, of each kind of pools and of the steps after runs as ``REVISION`` of their module. A result
names those that it rests on, and is made again where one of them is another.
``tests/methods/test_revisions.py`` fails where numbers move and the revision stays.
"""

from coassoc import racing
from coassoc.methods.registry import Method
from coassoc.pools import draws, generation
from reproduction.pools import label_import, published, results

#: Kind of pools → the module that makes them; "shuffled" are others in another order.
POOLS = {
    "generated": generation,
    "published": published,
    "results": results,
    "labels": label_import,
    "shuffled": draws,
}


def code_of_run(name: str, method: Method, race: str | None = None) -> str:
    """Identity of the code behind a method's runs, such as "LWEA 1" or "LWEA 1, race by ARI 1"."""
    code = method.code(name)
    return f"{code}, race by {race} {racing.REVISION}" if race else code


def code_of_pools(kind: str) -> str:
    """Identity of the code that makes the pools of a kind, such as "pools generated 1"."""
    return f"pools {kind} {POOLS[kind].REVISION}"
