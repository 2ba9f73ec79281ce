"""Ensemble (consensus) clustering: exact, compressed, and reproducible."""

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.errors import CoassocError, ConfigError, DataError, MethodError
from coassoc.invariant import InvariantMatrix

__all__ = [
    "CoassocError",
    "ConfigError",
    "DataError",
    "Ensemble",
    "InvariantMatrix",
    "MethodError",
    "Microclusters",
]
__version__ = "0.1.0"
