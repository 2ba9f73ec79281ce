"""Comparison of your own methods with archived scores of other methods, and audits."""

import logging
from typing import Any

# The status of a fit tells its outcome. Only programs that set up logging get a traceback.
logging.getLogger("coassoc").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name == "check_method":  # loaded on first use, because its dependencies are slow to load
        from coassoc.bench.audit import check_method

        return check_method
    if name == "survives":
        from coassoc.bench.survival import survives

        return survives
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
