"""Labels read batch by batch, against the same files read whole."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from coassoc import DataError, TooLargeError
from coassoc.io import streams
from coassoc.io.display import count_of
from coassoc.io.files import open_table
from coassoc.io.labels import labels_of
from coassoc.io.streams import LabelStream
from coassoc.io.table import TableFile
from refusals import cases

N = 3000
FOLDER = partial(TableFile, each_file="samples")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(streams, "BATCH", 700)


def frame(seed=0):
    """Clusterings of every kind, with labels missing in some."""
    random = np.random.default_rng(seed)
    words = np.array(["T cell", "B cell", " B cell", "NA", "", "-1", "rare"])
    return pd.DataFrame(
        {
            "cell": [f"cell {i}" for i in range(N)],
            "bytes": random.integers(-1, 3, N).astype(np.int8) * 42,
            "wide": random.integers(0, 3, N) * 10**12,
            "unsigned": random.integers(0, 4, N).astype(np.uint64) + 2**63,
            "words": words[random.integers(0, 7, N)],
            "categories": pd.Categorical(words[random.integers(0, 2, N)], categories=words),
            "floats": np.where(random.random(N) < 0.1, np.nan, random.integers(0, 3, N)),
        }
    ).assign(bytes=lambda table: table["bytes"].clip(lower=-1))


def write(table, folder):
    folder.mkdir()
    for k, part in enumerate(np.array_split(np.arange(N), 3)):
        table.iloc[part].to_parquet(folder / f"{k}.parquet", index=False, row_group_size=400)


def ask(rows):
    """The number of each row as its answer."""
    return {"row": np.arange(len(rows.labels))}


def check(stream, whole, folder):
    rows = stream.answer(folder / "answers.parquet", ask)
    answers = pd.read_parquet(folder / "answers.parquet")
    row = answers["row"].to_numpy()
    np.testing.assert_array_equal(rows.labels[row], whole.labels)
    np.testing.assert_array_equal(np.bincount(row), rows.sizes)
    if whole.samples is not None:
        assert list(answers["cell"]) == list(whole.samples)
    assert [path.name for path in folder.glob(".*")] == []


@pytest.mark.parametrize("columns", [("bytes", "wide"), ("bytes", "unsigned", "words"), ("*",)])
def test_a_folder_reads_as_one_table(tmp_path, columns):
    table = frame()
    write(table, tmp_path / "labels")
    stream = LabelStream(FOLDER(str(tmp_path / "labels"), id="cell", columns=columns))
    whole = tmp_path / "whole.parquet"
    table.to_parquet(whole)
    source = TableFile(str(whole), id="cell", columns=columns)
    check(stream, labels_of(open_table(source)), tmp_path)
    assert stream.clusterings == list(table.columns[1:] if columns == ("*",) else columns)


def of_many_widths():
    random = np.random.default_rng(1)
    kinds = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
    columns = {kind: random.integers(0, 120, N).astype(kind) for kind in kinds}
    return columns | {"int16": columns["int16"] * 250}


@cases(
    "columns",
    of_many_widths(),
    {"A": [0, 0, 1, 1], "a": [0, 1, 0, 1]},  # names that differ in the case of letters
    {"a": [0.0, -0.0, 1.0, np.nan], "b": [1, 1, 1, 1]},  # zero has one sign
    {"a": [1, 1], "b": [0, 0]},
)
def test_a_file_reads_as_its_table(tmp_path, columns):
    path = tmp_path / "samples/labels.parquet"
    path.parent.mkdir()
    pd.DataFrame(columns).to_parquet(path)
    source = TableFile(str(path), columns=("*",))
    stream = LabelStream(source)
    check(stream, labels_of(open_table(source)), tmp_path)
    rows = count_of(len(pd.DataFrame(columns).drop_duplicates()), "distinct row")
    assert stream.line.startswith(f"{path}: {rows} × ")


def refusal(path, kind=DataError, memory=10**9, **options):
    """What is said; nothing is left beside the files."""
    output = path.parent / "out/answers.parquet"
    with pytest.raises(kind) as caught:
        LabelStream(FOLDER(str(path), **options), memory).answer(output, ask)
    assert [*path.parent.glob("out/*"), *path.parent.glob("out/.*")] == []
    return str(caught.value)


def test_what_cannot_be_grouped_is_told(tmp_path):
    table, folder = frame(), tmp_path / "labels"
    write(table, folder)
    assert "'cell' (3000 different values for 3000 samples" in refusal(folder)
    table.astype({"bytes": "int64"}).to_parquet(folder / "1.parquet", index=False)
    assert "1.parquet: not the same columns as in" in refusal(folder, id="cell")
    (folder / "1.parquet").write_bytes(b"PAR1 damaged")
    assert "1.parquet: cannot read this file" in refusal(folder, id="cell")
    table.to_csv(folder / "2.csv")
    assert "read together must be Parquet. Convert text" in refusal(folder, id="cell")
    (tmp_path / "empty").mkdir()
    assert "read together must be Parquet. Convert text" in refusal(tmp_path / "empty")


@pytest.mark.parametrize("bytes_of_name", [1, 10**6])
def test_a_name_of_two_samples_is_told(tmp_path, monkeypatch, bytes_of_name):
    """Looked for in one part, or in four."""
    monkeypatch.setattr(streams, "_BYTES_OF_NAME", bytes_of_name)
    table = frame()
    table.loc[N - 1, "cell"] = " cell 7"
    write(table, tmp_path / "labels")
    assert "samples have the id 'cell 7'" in refusal(tmp_path / "labels", id="cell")
    table.loc[N - 1, "cell"] = ""
    write(table, tmp_path / "gaps")
    assert "samples have the id ''" in refusal(tmp_path / "gaps", id="cell")


def test_a_value_that_is_no_label_is_told(tmp_path):
    path = tmp_path / "labels.parquet"
    pd.DataFrame({"a": [1, 2, -7], "b": ["x", "y", "x"]}).to_parquet(path)
    assert "'a' (-7, but a label" in refusal(path)
    pd.DataFrame({"a": ["1", "", "NaN"], "b": ["x", "NA", "-1"]}).to_parquet(path)
    assert "some samples (2) have no label at all. Leave out these samples" in refusal(path)


def test_damage_far_from_the_head_is_told(tmp_path):
    write(frame(), tmp_path / "parquet")
    path = tmp_path / "parquet/1.parquet"
    content = path.read_bytes()
    path.write_bytes(content[:100] + bytes(len(content) // 2) + content[100 + len(content) // 2 :])
    assert "parquet: cannot read these labels" in refusal(tmp_path / "parquet", id="cell")


@pytest.mark.parametrize("memory", [10_000, 10**7])
def test_distinct_rows_beyond_memory_are_told(tmp_path, memory):
    n = 300_000
    path = tmp_path / "labels.parquet"
    labels = np.random.default_rng(0).integers(0, 40, (n, 20))
    pd.DataFrame({f"clustering {j}": column for j, column in enumerate(labels.T)}).to_parquet(path)
    assert "distinct rows of labels do not fit into" in refusal(path, TooLargeError, memory)


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path):
    path = tmp_path / "labels.parquet"
    frame().to_parquet(path)
    stream = LabelStream(TableFile(str(path), id="cell", columns=("bytes", "wide")))

    def change(rows):
        frame().replace({"wide": {0: 5}}).to_parquet(path)
        return ask(rows)

    with pytest.raises(DataError, match="the file changed during reading"):
        stream.answer(tmp_path / "answers.parquet", change)
    assert not (tmp_path / "answers.parquet").exists()
