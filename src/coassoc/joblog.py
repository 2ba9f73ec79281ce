"""Logging of one job: progress and tracebacks to its log, one clear sentence to the terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coassoc.errors import CoassocError

__all__ = ["job_log"]


@contextmanager
def job_log(path: str | Path) -> Iterator[None]:
    """Log to `path` while the block runs.

    A mistake that the user can mend ends the process with its sentence alone; anything else
    goes on as an exception. The log holds the traceback in both cases.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=path,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(message)s",
        datefmt="%Y-%m-%d %H:%M:%S",
        force=True,
    )
    try:
        yield
    except CoassocError as error:
        logging.exception("%s", error)
        print(f"\ncoassoc: {error}\n", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        logging.exception("%s", error)
        raise
