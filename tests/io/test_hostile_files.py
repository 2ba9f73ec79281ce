"""Files of strangers: nothing runs, nothing small fills the memory, damage is a sentence."""

import gzip
import os
import pickle
import signal
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

import h5py
import numpy as np
import openpyxl
import pandas as pd
import pytest
import scipy.io
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coassoc.errors import CoassocError, DataError
from coassoc.io import untrusted
from coassoc.io.features import read_features
from coassoc.io.files import open_table
from coassoc.io.labels import labels_of
from coassoc.io.similarities import read_similarity
from coassoc.io.table import TableFile
from coassoc.io.untrusted import in_own_process
from dataset_files import parsed
from refusals import cases, refuses


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
    refuses(DataError, "cannot read this file", parsed, "npz", tmp_path / "a.npz")
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
    refuses(DataError, "X is neither an array nor a sparse matrix", parsed, "hdf5", path, y=None)


def _read_labels(source: TableFile) -> list[np.ndarray]:
    return [labels_of(open_table(source)).labels]


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
        refuses(DataError, r"(at most|more than) 0.1 MB", parsed, path.stem, path)


def _source(path: Path, **options: bool) -> TableFile:
    """With the options that apply to files of this kind."""
    if path.suffix in (".npy", ".npz", ".h5", ".mat"):
        options = {} if path.suffix == ".npy" else {"variable": "labels"}
    return TableFile(str(path), **options)


def test_small_files_of_labels_that_are_large(tmp_path, monkeypatch):
    monkeypatch.setattr(untrusted, "MAX_BYTES", 2**24)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("labels", shape=(2**29 - 1, 1), dtype="f8", chunks=True)
    np.savez_compressed(tmp_path / "a.npz", labels=np.zeros((2**24 + 1, 1), np.uint8))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"0," * 10_000_000, compresslevel=1))
    head = b"{'descr': '|S0', 'fortran_order': False, 'shape': (1000000000, 2), }"
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + head.ljust(117) + b"\n")
    for path in tmp_path.iterdir():
        source = _source(path, header=False)
        for read in (_read_labels, read_features):
            refuses(DataError, r"at most 16.78 MB|has no values|unpacks to", read, source)


def test_a_cell_far_away_and_a_number_without_end(tmp_path):
    book = openpyxl.Workbook()
    book.active["XFD1048576"] = 1
    book.save(tmp_path / "a.xlsx")
    for read in (open_table, read_features):
        refuses(DataError, "more than 20,000,000 cells", read, TableFile(str(tmp_path / "a.xlsx")))
    (tmp_path / "a.csv").write_text(f"a,b\n{'9' * 5000},1\n2,2\n3,1\n")
    with pytest.raises(DataError, match=r"'a' .inf, but a label is"):
        labels_of(open_table(TableFile(str(tmp_path / "a.csv"))))


# -- anything at all ------------------------------------------------------------------------------


#: Files of parsers, which are called as these, and of tables.
SOUND = ["npz", "matlab", "hdf5", "parquet", "delimited", "sparse_text", "l.csv", "l.csv.gz"]
SOUND += [f"l.{end}" for end in ("parquet", "feather", "xlsx", "npy", "npz", "mat", "h5")]


@cache
def _sound_files() -> dict[str, bytes]:
    """Their content; columns of the tables may be labels, or names and numbers."""
    folder = Path(mkdtemp())
    write_files(folder, np.random.default_rng(0).normal(size=(8, 3)))
    (folder / "delimited").write_text("1,2,a\n3,4,b\n5,6,a\n")
    (folder / "sparse_text").write_text("3 3 3\n1 1.0\n2 1.0\n3 1.0\n")
    frame = pd.DataFrame({"b": ["x", "y", "z", "y"], "a": [0, 1, 2, 0]})
    labels = frame.assign(b=[1, 0, 1, 1]).to_numpy()
    frame.to_csv(folder / "l.csv", index=False)
    frame.to_csv(folder / "l.csv.gz", index=False)
    frame.to_parquet(folder / "l.parquet")
    frame.to_feather(folder / "l.feather")
    frame.to_excel(folder / "l.xlsx", index=False)
    np.save(folder / "l.npy", labels)
    np.savez(folder / "l.npz", labels=labels)
    scipy.io.savemat(folder / "l.mat", {"labels": labels})
    with h5py.File(folder / "l.h5", "w") as file:
        file["labels"] = labels
    return {name: (folder / name).read_bytes() for name in SOUND}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SOUND)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_end_with_one_sentence(tmp_path, name, data):
    damaged, path = bytearray(_sound_files()[name]), tmp_path / name
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(damaged) - 1))
        damaged[position] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.none(), st.integers(0, len(damaged))))
    path.write_bytes(damaged[:cut])
    reads = [partial(read, _source(path)) for read in (_read_labels, read_features)]
    if not path.suffix:
        options = {"label": "last"} if name == "delimited" else {}
        reads = [partial(parsed, name, path, **options)]
    for read in reads:
        try:
            assert read()[0].ndim == 2
        except CoassocError as error:
            assert "\n" not in str(error)
            assert str(error).endswith(".") or not path.suffix


def _crash(path):
    os.kill(os.getpid(), signal.SIGSEGV)


def _refuse(path):
    raise DataError(f"{path}: not this one")


def test_a_reader_that_crashes_or_waits_is_an_error_of_the_file(monkeypatch):
    """SciPy's readers crash on some files, and must not take the job along."""
    with pytest.raises(DataError, match="some file: the file is damaged, and its reader crashed"):
        in_own_process(_crash, "some file")
    refuses(DataError, "some file: not this one", in_own_process, _refuse, "some file")
    assert in_own_process(len, "some file") == 9
    monkeypatch.setattr(untrusted, "_SECONDS", 0.2)
    refuses(DataError, r"took more than 0.2 s and was stopped", in_own_process, _wait, "some file")


def _wait(path):
    signal.pause()


@cases(
    "content, said",
    ("array real symmetric\n3 3\n1\n.5\n1\n.5\n", "has 4 of 6 numbers"),
    ("array real symmetric\n2 2\n1\n.5\n1\n1\n", "has 4 of 3 numbers"),
    ("array real general\n2 2\n1\n.5\n1\n", "Truncated file"),
    ("coordinate real general\n2 2 2\n1 2 .5\n", "Truncated file"),
    ("coordinate complex hermitian\n3 3 1\n2 1 .5 .7\n", "the numbers are complex"),
)
def test_matrix_market_files_that_are_cut_or_complex(tmp_path, content, said):
    path = tmp_path / "s.mtx"
    path.write_text("%%MatrixMarket matrix " + content)
    refuses(DataError, said, read_similarity, TableFile(str(path)))


def test_hdf5_content_in_other_files_is_refused(tmp_path):
    """A labels file could otherwise show /etc/passwd as samples; links inside the file stay."""
    labels, other = np.arange(12).reshape(6, 2) // 6, tmp_path / "other.h5"
    with h5py.File(other, "w") as file:
        file["labels"] = labels
    layout = h5py.VirtualLayout((6, 2), int)
    layout[:] = h5py.VirtualSource(other, "labels", (6, 2))
    outside = {
        "storage": lambda file: file.create_dataset(
            "labels", (400, 3), "u1", external=[("/etc/passwd", 0, 1200)]
        ),
        "link": lambda file: file.update(labels=h5py.ExternalLink(other, "labels")),
        "way": lambda file: file.update(q=h5py.ExternalLink(other, "/"), labels=h5py.SoftLink("q")),
        "virtual": lambda file: file.create_virtual_dataset("labels", layout),
    }
    for name, write in outside.items():
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            write(file)
        with pytest.raises(DataError, match="is in another file, which is not read"):
            open_table(TableFile(str(tmp_path / f"{name}.h5")))
    with h5py.File(tmp_path / "inside.h5", "w") as file:
        file["g/x"], file["labels"] = labels, h5py.SoftLink("/g/x")
        file["g/back"], file["hard"] = file["/"], file["g/x"]
    read = open_table(TableFile(str(tmp_path / "inside.h5"))).read([0, 1])
    np.testing.assert_array_equal(np.transpose([values[at] for at, values in read]), labels)
