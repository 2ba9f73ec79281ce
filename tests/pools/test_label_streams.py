"""Labels read batch by batch, against the same files read whole."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from coassoc import DataError
from coassoc.pools import label_files
from coassoc.pools.label_files import LabelFile, open_table
from coassoc.pools.label_streams import LabelStream

N = 3000


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(label_files, "BATCH", 700)


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


def write(table, folder, kind):
    folder.mkdir()
    for k, part in enumerate(np.array_split(np.arange(N), 3)):
        path, rows = folder / f"{k}.{kind}", table.iloc[part]
        if kind == "parquet":
            rows.to_parquet(path, index=False, row_group_size=400)
        else:
            rows.to_csv(path, index=False)


def check(stream, whole):
    found = stream.distinct()
    names, group = zip(*stream.rows(found), strict=True)
    group = np.concatenate(group)
    np.testing.assert_array_equal(found.labels[group], whole.labels)
    np.testing.assert_array_equal(np.bincount(group), found.sizes)
    assert len(np.unique(found.labels, axis=0)) == len(found.labels)
    if whole.samples is not None:
        assert [str(name) for part in names for name in part] == list(whole.samples)


@pytest.mark.parametrize("columns", [("bytes", "wide"), ("bytes", "unsigned", "words"), ()])
@pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz"])
def test_a_folder_reads_as_one_table(tmp_path, kind, columns):
    table = frame()
    write(table, tmp_path / "labels", kind)
    stream = LabelStream(LabelFile(str(tmp_path / "labels"), id="cell", columns=columns))
    whole = tmp_path / f"whole.{kind}"
    table.to_parquet(whole) if kind == "parquet" else table.to_csv(whole, index=False)
    check(stream, open_table(LabelFile(str(whole))).labels("cell", columns=columns))
    assert stream.clusterings == list(columns or table.columns[1:])


def test_integers_of_many_widths(tmp_path):
    random = np.random.default_rng(1)
    kinds = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
    table = pd.DataFrame({kind: random.integers(0, 120, N).astype(kind) for kind in kinds})
    table["int16"] *= 250
    path = tmp_path / "labels.parquet"
    table.to_parquet(path)
    check(LabelStream(LabelFile(str(path))), open_table(LabelFile(str(path))).labels())


def refusal(path, **options):
    with pytest.raises(DataError) as caught:
        LabelStream(LabelFile(str(path), **options)).distinct()
    return str(caught.value)


def test_what_cannot_be_grouped_is_told(tmp_path, monkeypatch):
    table = frame()
    write(table, tmp_path / "labels", "parquet")
    assert "column 'cell' has 3000 values for 3000 samples" in refusal(tmp_path / "labels")
    (tmp_path / "labels/1.parquet").write_bytes(b"PAR1 damaged")
    assert "1.parquet: not a Parquet file" in refusal(tmp_path / "labels", id="cell")
    table.drop(columns="wide").to_parquet(tmp_path / "labels/1.parquet", index=False)
    assert "1.parquet: the columns are not those of" in refusal(tmp_path / "labels", id="cell")
    (tmp_path / "empty").mkdir()
    assert "labels are read in batches from .parquet" in refusal(tmp_path / "empty")


def test_distinct_rows_beyond_memory_are_told(tmp_path):
    table = frame()
    table.to_parquet(tmp_path / "labels.parquet")
    source = LabelFile(str(tmp_path / "labels.parquet"), id="cell")
    with pytest.raises(DataError, match="distinct rows, more than memory takes"):
        LabelStream(source, memory=1000).distinct()


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path):
    path = tmp_path / "labels.parquet"
    frame().to_parquet(path)
    stream = LabelStream(LabelFile(str(path), id="cell", columns=("bytes", "words")))
    found = stream.distinct()
    frame().replace({"words": {"rare": "new"}}).to_parquet(path)
    with pytest.raises(DataError, match="changed while they were read"):
        list(stream.rows(found))
