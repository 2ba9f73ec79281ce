"""The start of every script of the workflow: a log, and errors in one sentence."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coassoc.errors import CoassocError


@contextmanager
def job(log: str | Path) -> Iterator[logging.Logger]:
    """Log to a file. A user's error ends the script without a traceback."""
    # Folder of a user's own methods. It comes last, so that nothing there hides an installed
    # module.
    sys.path.append(os.getcwd())
    form = "%(asctime)s %(levelname)s %(message)s"
    logging.basicConfig(filename=log, filemode="w", format=form, level=logging.INFO, force=True)
    logger = logging.getLogger("reproduction")
    try:
        yield logger
    except (CoassocError, OSError) as error:  # such as a disk that is full
        logger.exception("%s", error)
        sys.exit(f"\ncoassoc: {error}\n")
    except Exception:
        logger.exception("This is a bug in coassoc, not an error in the input.")
        raise
