"""Import this first: then scikit-learn takes a third of the time to import.

Whatever is used of it, it imports pandas, which it then does not use, and all statistics of SciPy,
which few methods need. A job that fits in a tenth of a second would wait a second for them.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Later(ModuleType):
    """Stands for a module until something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if self.__dict__.pop("__waiting__", None):  # of several threads, once
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


if "sklearn" not in sys.modules:
    stand_in = _Later("scipy.stats")
    stand_in.__dict__["__waiting__"] = True
    sys.modules.setdefault("scipy.stats", stand_in)
    pandas = sys.modules.pop("pandas", None)
    sys.modules["pandas"] = None  # type: ignore[assignment]
    import_module("sklearn.base")
    del sys.modules["pandas"]
    if pandas:
        sys.modules["pandas"] = pandas
