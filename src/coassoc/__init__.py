"""Ensemble (consensus) clustering: exact, compressed, and reproducible.

The names below are imported on first use, so that reading a configuration loads no numerical
library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coassoc import posterior as posterior
    from coassoc.alignment import align as align
    from coassoc.answer.clusterer import EnsembleClusterer as EnsembleClusterer
    from coassoc.bench.audit import audit as audit
    from coassoc.consensus import find_consensus as find_consensus
    from coassoc.ensemble import Ensemble as Ensemble
    from coassoc.ensemble import Microclusters as Microclusters
    from coassoc.errors import CoassocError as CoassocError
    from coassoc.errors import ConfigError as ConfigError
    from coassoc.errors import DataError as DataError
    from coassoc.errors import MethodError as MethodError
    from coassoc.errors import TooLargeError as TooLargeError
    from coassoc.graphs import communities as communities
    from coassoc.graphs import graph_consensus as graph_consensus
    from coassoc.invariant import InvariantMatrix as InvariantMatrix
    from coassoc.methods.auto import choose_method as choose_method
    from coassoc.numerics.threads import use_threads as use_threads
    from coassoc.soft import align_memberships as align_memberships
    from coassoc.subtyping.finding import subtypes as subtypes

__version__ = "0.2.0"

_HOMES = {
    "alignment": ["align"],
    "bench.audit": ["audit"],
    "answer.clusterer": ["EnsembleClusterer"],
    "consensus": ["find_consensus"],
    "ensemble": ["Ensemble", "Microclusters"],
    "errors": ["CoassocError", "ConfigError", "DataError", "MethodError", "TooLargeError"],
    "graphs": ["communities", "graph_consensus"],
    "invariant": ["InvariantMatrix"],
    "methods.auto": ["choose_method"],
    "numerics.threads": ["use_threads"],
    "soft": ["align_memberships"],
    "subtyping.finding": ["subtypes"],
}
__all__ = ["posterior", *(name for names in _HOMES.values() for name in names)]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    if name == "posterior":  # a separate module
        return import_module("coassoc.posterior")
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"coassoc.{module}"), name)
    raise AttributeError(f"module 'coassoc' has no attribute {name!r}")
