"""Own methods beside the kept scores of all others, and audits of what a method does."""

import logging
from typing import Any

# The status of a fit tells its outcome; a traceback is for those who set up logging.
logging.getLogger("coassoc").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name == "check_method":  # loaded when it is asked for, as what it needs is slow to load
        from coassoc.bench.audit import check_method

        return check_method
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
