"""Draws that are kept in a folder while others are made, so that an interrupted run goes on."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path
from pickle import PicklingError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.atomic import write_bytes
from coassoc.errors import ConfigError


class KeptDraws:
    """Parts of the draws in a folder.

    Parameters
    ----------
    folder : path
    what : object
        What the draws depend on. Only draws of the same data and settings are read.

    Raises
    ------
    ConfigError
        If that cannot be pickled.
    """

    def __init__(self, folder: str | Path, what: Any) -> None:
        from joblib import hash as hashed

        try:
            self._stem = Path(folder) / f"draws-{hashed(what)}"
        except (PicklingError, TypeError) as error:
            raise ConfigError(
                f"kept is {str(folder)!r}; draws of an algorithm that cannot be pickled would not "
                "be known again there: leave kept out."
            ) from error

    def _path(self, part: slice) -> Path:
        return Path(f"{self._stem}-{part.start}-{part.stop}.npy")

    def read(self, part: slice) -> NDArray[np.int16] | None:
        """The labels of a part, if they are there."""
        with suppress(FileNotFoundError):
            return np.load(self._path(part), allow_pickle=False)
        return None

    def write(self, part: slice, labels: NDArray[np.int16]) -> None:
        """Keep the labels of a part."""
        content = io.BytesIO()
        np.save(content, labels)
        write_bytes(self._path(part), content.getvalue())

    def remove(self) -> None:
        """Remove all that is kept, and the folder if that is all that it has."""
        for path in self._stem.parent.glob(f"{self._stem.name}-*.npy"):
            path.unlink()
        with suppress(OSError):
            self._stem.parent.rmdir()
