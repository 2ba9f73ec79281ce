"""Results in the table library of the input: pandas, polars or Arrow."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal

from numpy.typing import NDArray

#: Libraries whose tables are returned in the same library. Results for arrays and AnnData objects
#: are pandas tables.
FrameLibrary = Literal["pandas", "polars", "pyarrow"]


def frame_library(data: Any) -> FrameLibrary:
    """The library of a table or of one of its columns; "pandas" for all other objects."""
    package = type(data).__module__.partition(".")[0]
    if package == "polars":
        return "polars"
    return "pyarrow" if package == "pyarrow" else "pandas"


def frame_of_columns(
    library: FrameLibrary, columns: Mapping[str, NDArray], index: Any, index_name: str
) -> Any:
    """A table of a library, with a row for each sample.

    Parameters
    ----------
    library : FrameLibrary
    columns : mapping of str to (n,) array
    index : (n,) sequence or None
        Names of the samples: the index in pandas, the first column in the other libraries.
    index_name : str
        Name of this first column. If `columns` has a column of the same name, " name" is appended.
    """
    if library == "pandas":
        return import_module("pandas").DataFrame(dict(columns), index=index)
    values = {name: _plain(array) for name, array in columns.items()}
    if index is not None:
        name = f"{index_name} name" if index_name in values else index_name
        values = {name: list(index), **values}
    if library == "polars":
        return import_module("polars").DataFrame(values)
    return import_module("pyarrow").table(values)


def _plain(values: NDArray) -> Any:
    """An array of numbers as it is; a list of an array of objects, whose type is then inferred."""
    return values.tolist() if values.dtype.kind == "O" else values
