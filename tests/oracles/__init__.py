"""Plain dense transcriptions of the methods' formulas: slow, n × n, and independent of the library.

They are what the compressed methods are tested and benchmarked against. Each module defines
``ORACLES``: table name → function of (labels, n_clusters) that returns labels; those of methods
that see the samples' features take them as a third argument X. Methods whose authors' outputs are
archived in ``golden`` have none.
"""

import importlib
import pkgutil
from collections.abc import Callable


def all_oracles() -> dict[str, Callable]:
    """Table name → plain transcription, from all modules of ``oracles``."""
    oracles: dict[str, Callable] = {}
    for module in pkgutil.iter_modules(__path__, "oracles."):
        oracles |= getattr(importlib.import_module(module.name), "ORACLES", {})
    return oracles
