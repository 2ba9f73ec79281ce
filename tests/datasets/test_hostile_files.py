"""Files of strangers: nothing runs, nothing leads out of a file, nothing small fills the memory."""

import gzip
import os
import pickle
import signal
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coassoc.errors import CoassocError, DataError
from coassoc.tables import untrusted
from coassoc.tables.untrusted import in_own_process
from dataset_files import parsed


class Trap:
    """Unpickling it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


# -- code -----------------------------------------------------------------------------------------


def test_nothing_is_unpickled(tmp_path):
    trap = tmp_path / "sprung"
    np.savez(tmp_path / "a.npz", X=np.array([[Trap(trap)]], dtype=object), y=np.zeros(1))
    with pytest.raises(DataError, match="not a NumPy archive of plain arrays"):
        parsed("npz", tmp_path / "a.npz")
    for parser in ("npz", "matlab", "hdf5", "parquet", "delimited"):
        with pytest.raises(DataError):
            parsed(parser, tmp_path / "b.npz", pickle.dumps(Trap(trap)))
    assert not trap.exists()


@pytest.mark.parametrize("content", ["type", "group of a type", "group of a group"])
def test_hdf5_without_an_array_where_one_should_be(tmp_path, content):
    """One damaged byte makes a type of an array."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        if content == "group of a group":
            file.create_group("X/data")
        else:
            file["X" if content == "type" else "X/data"] = np.dtype("f8")
    with pytest.raises(DataError, match="X is neither an array nor a group of arrays"):
        parsed("hdf5", path, y=None)


# -- sizes ----------------------------------------------------------------------------------------


def write_files(folder: Path, X: np.ndarray, packed: bool = False) -> None:
    """A file for each parser of arrays and tables, called as that, with the features X."""
    y = np.arange(len(X)) % 2
    with (folder / "npz").open("wb") as file:
        (np.savez_compressed if packed else np.savez)(file, X=X, y=y)
    scipy.io.savemat(folder / "matlab", {"X": X, "Y": y}, appendmat=False, do_compression=packed)
    with h5py.File(folder / "hdf5", "w") as file:
        file.create_dataset("X", data=X, compression="gzip" if packed else None)
        file["y"] = y
    pd.DataFrame(X).rename(columns=str).to_parquet(folder / "parquet")


def test_small_files_that_unpack_to_large_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(untrusted, "MAX_BYTES", 100_000)
    write_files(tmp_path, np.zeros((1000, 50)), packed=True)
    (tmp_path / "delimited.gz").write_bytes(gzip.compress(b"0,0\n" * 100_000))
    for path in tmp_path.iterdir():
        assert path.stat().st_size < 100_000
        with pytest.raises(DataError, match=r"(larger|more) than 100000 bytes"):
            parsed(path.stem, path)


# -- anything at all ------------------------------------------------------------------------------


OF_FILES = ("npz", "matlab", "hdf5", "parquet", "delimited", "sparse_text")


@cache
def _whole_files() -> dict[str, tuple[bytes, dict]]:
    """One good file for each parser."""
    folder = Path(mkdtemp())
    write_files(folder, np.random.default_rng(0).normal(size=(8, 3)))
    (folder / "delimited").write_text("1,2,a\n3,4,b\n5,6,a\n")
    (folder / "sparse_text").write_text("3 3 3\n1 1.0\n2 1.0\n3 1.0\n")
    options = {"delimited": {"label": "last"}}
    return {name: ((folder / name).read_bytes(), options.get(name, {})) for name in OF_FILES}


@pytest.mark.parametrize("parser", OF_FILES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_end_with_one_sentence(tmp_path, parser, data):
    content, options = _whole_files()[parser]
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(damaged) - 1))
        damaged[position] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.none(), st.integers(0, len(damaged))))
    path = tmp_path / "damaged"
    try:
        X = parsed(parser, path, bytes(damaged[:cut]), **options).X
    except CoassocError as error:
        assert "\n" not in str(error)
    else:
        assert X.ndim == 2


def _crash(path):
    os.kill(os.getpid(), signal.SIGSEGV)


def _refuse(path):
    raise DataError(f"{path}: not this one")


def test_a_reader_that_crashes_is_an_error_of_the_file():
    """SciPy's reader of MATLAB files crashes on some, and must not take the job along."""
    with pytest.raises(DataError, match="some file: the file is damaged; its reader crashed"):
        in_own_process(_crash, "some file")
    with pytest.raises(DataError, match="some file: not this one"):
        in_own_process(_refuse, "some file")
    assert in_own_process(len, "some file") == 9
