"""How often each sentence that the product can say is false: ``docs/results/verdicts.md``.

A module of this package describes one product: kinds of data sets, of which it is known whether
each sentence is true, and what the product says of a data set.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Kind:
    """Data sets of one kind.

    Attributes
    ----------
    make : returns a data set, drawn with a generator
    true : keys of the sentences that are true of these data sets
    plain : keys of those that the product should say of at least nine in ten
    open : keys of sentences that nobody can call true or false of these data sets
    """

    make: Callable[[np.random.Generator], Any]
    true: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Product:
    """What a command or a page can say.

    Attributes
    ----------
    title : of the section in the page
    sentences : the sentences as they are printed, by keys
    kinds : by names, those without the thing first
    said : returns the keys of the sentences that the product says of a data set; it calls the same
        functions as the command
    first : number of the first data set; those before it were looked at
    """

    title: str
    sentences: Mapping[str, str]
    kinds: Mapping[str, Kind]
    said: Callable[[Any], set[str]]
    first: int = 0


def kind(
    make: Callable[[np.random.Generator], Any], true: str = "", plain: str = "", open: str = ""
) -> Kind:
    """A kind whose keys are given as words. A sentence that is plain is true."""
    words = [frozenset(keys.split()) for keys in (f"{true} {plain}", plain, open)]
    return Kind(make, *words)
