"""Parquet files."""

from pathlib import Path
from typing import Any

from pyarrow import parquet

from coassoc.errors import DataError, message_of


def open_parquet(path: Path) -> Any:
    """A file of which the head is read, as :class:`pyarrow.parquet.ParquetFile`."""
    try:
        return parquet.ParquetFile(path)
    except Exception as error:  # damaged names are no UTF-8, damaged types are unknown
        raise DataError(f"{path}: not a Parquet file ({message_of(error)}).") from error
