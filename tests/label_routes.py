"""Ways by which labels come: objects of Python, files of every kind, and the workflow's import."""

from collections.abc import Callable, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from coassoc import Ensemble
from coassoc.bench.pools.settings import PoolSettings
from coassoc.io.table import TableFile
from reproduction.pools.label_import import import_labels

Cells = Sequence[Any]


def imported(path: Path, **keys: Any) -> NDArray:
    """Labels of a file as the workflow reads them."""
    labels = TableFile(str(path), columns=tuple(keys.pop("columns", ())), **keys)
    settings = PoolSettings(name="mine", kind="labels", sizes=(2,), repeats=1, labels=labels)
    return import_labels(settings, "mine").labels


def as_text(cells: Cells, separator: str = ",", quoted: bool = False) -> str:
    """A column of these cells and one of 0 and 1 in turn, with a header."""
    mark = '"' if quoted else ""
    texts = ("" if cell is None else cell for cell in cells)
    rows = [f"{mark}{text}{mark}{separator}{i % 2}" for i, text in enumerate(texts)]
    return "\n".join([f"a{separator}b", *rows, ""])


def as_arrow(cells: Cells) -> pa.Table:
    large = any(isinstance(cell, int) and cell >= 2**63 for cell in cells)
    column = pa.array(cells, pa.uint64() if large else None)
    return pa.table({"a": column, "b": pa.array([i % 2 for i in range(len(cells))])})


def as_frame(cells: Cells, dtype: Any = object) -> pd.DataFrame:
    column = pd.Series(cells, dtype=dtype)
    return pd.DataFrame({"a": column, "b": np.arange(len(column)) % 2})


def nullable(cells: Cells) -> pd.DataFrame:
    """Numbers and gaps, or texts and gaps, in pandas' types of their own."""
    if any(isinstance(cell, str) for cell in cells):
        return as_frame(cells, "string")
    if any(isinstance(cell, float) for cell in cells):
        return as_frame(cells, "Float64")
    large = any(isinstance(cell, int) and cell >= 2**63 for cell in cells)
    return as_frame(cells, "UInt64" if large else "Int64")


def file(name: str, write: Callable[[Path, Cells], Any], **keys: Any) -> Callable:
    def labels(folder: Path, cells: Cells) -> NDArray:
        write(folder / name, cells)
        return imported(folder / name, **keys)

    return labels


def text(name: str, make: Callable[[Cells], str] = as_text, **keys: Any) -> Callable:
    """A file of text, packed as its name says."""

    def write(path: Path, cells: Cells) -> None:
        with pa.output_stream(path) as stream:
            stream.write(make(cells).encode())

    return file(name, write, **keys)


def of_object(make: Callable[[Cells], Any], **keys: Any) -> Callable:
    return lambda folder, cells: Ensemble(make(cells), **keys).labels


def write_h5ad(path: Path, cells: Cells) -> None:
    """Texts as categories, numbers as values and a mask, as AnnData writes them."""
    with h5py.File(path, "w") as target:
        obs = target.create_group("obs")
        obs.attrs["_index"], obs.attrs["column-order"] = "cell", ["a", "b"]
        obs["cell"] = [f"cell {i}" for i in range(len(cells))]
        obs["b"] = np.arange(len(cells)) % 2
        column = obs.create_group("a")
        if any(isinstance(cell, str) for cell in cells):
            codes, values = pd.factorize(pd.Series(cells, dtype=object))
            column["codes"], column["categories"] = codes.astype(np.int8), list(values)
        else:
            column["mask"] = pd.isna(pd.Series(cells, dtype=object)).to_numpy()
            column["values"] = nullable(cells)["a"].fillna(0).to_numpy()


def observed(cells: Cells) -> Any:
    """What has the ``obs`` and the names of an AnnData object."""
    frame = nullable(cells)
    return SimpleNamespace(obs=frame, obs_names=frame.index)


ROUTES: dict[str, Callable[[Path, Cells], NDArray]] = {
    "list": of_object(lambda cells: [[cell, "xy"[i % 2]] for i, cell in enumerate(cells)]),
    "masked": of_object(
        lambda cells: np.ma.array(as_frame(cells), mask=[[x is None, False] for x in cells])
    ),
    "object frame": of_object(as_frame),
    "frame with pandas.NA": of_object(
        lambda cells: as_frame([pd.NA if x is None else x for x in cells])
    ),
    "nullable frame": of_object(nullable),
    "categorical": of_object(lambda cells: as_frame(cells).astype({"a": "category"})),
    "pandas.read_csv": of_object(lambda cells: pd.read_csv(StringIO(as_text(cells)), dtype=str)),
    "Arrow": of_object(as_arrow),
    "AnnData, its columns chosen": of_object(observed, columns=["a", "b"]),
    "csv": text("l.csv"),
    "csv, semicolons": text("l.csv", partial(as_text, separator=";"), separator=";"),
    "csv, no header": text("l.csv", lambda cells: as_text(cells).split("\n", 1)[1], header=False),
    "tsv": text("l.tsv", partial(as_text, separator="\t")),
    **{f"csv.{end}": text(f"l.csv.{end}") for end in ("gz", "zst")},
    "parquet": file("l.parquet", lambda path, cells: pa.parquet.write_table(as_arrow(cells), path)),
    "parquet of categories": file(
        "l.parquet", lambda path, cells: as_frame(cells).astype({"a": "category"}).to_parquet(path)
    ),
    "parquet of pandas": file("l.parquet", lambda path, cells: nullable(cells).to_parquet(path)),
    "xlsx": file("l.xlsx", lambda path, cells: as_frame(cells).to_excel(path, index=False)),
    "h5ad, its columns chosen": file("l.h5ad", write_h5ad, columns=["a", "b"]),
}
