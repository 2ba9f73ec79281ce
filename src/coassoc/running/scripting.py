"""What every script of the pipeline begins with: a log, and errors that are one sentence.

A script that imports this first starts in half the time: scikit-learn imports pandas and all
statistics of SciPy, which most methods never use.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from coassoc.errors import CoassocError


class _Later(ModuleType):
    """Stands for a module until something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules[self.__name__] is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


for _name in ("pandas", "scipy.stats"):
    sys.modules.setdefault(_name, _Later(_name))


@contextmanager
def job(log: str | Path) -> Iterator[logging.Logger]:
    """Log to a file; a user's error ends the script with its sentence, others with a traceback."""
    # Where a user's own methods are; last, so that nothing there hides an installed module.
    sys.path.append(os.getcwd())
    logger, handler = logging.getLogger("coassoc"), logging.FileHandler(log, mode="w")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield logger
    except (CoassocError, OSError) as error:  # such as a disk that is full
        logger.exception("%s", error)
        sys.exit(f"\ncoassoc: {error}\n")
    except Exception:
        logger.exception("This is an error of the program, not of its input.")
        raise
    finally:
        logger.removeHandler(handler)
        handler.close()
