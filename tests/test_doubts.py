"""Tables as programs write them: what is no clustering is asked about, never combined silently."""

import gzip
import lzma
import shlex
import warnings
import zipfile
from pathlib import Path

import h5py
import numpy as np
import openpyxl
import pandas as pd
import pytest
import scipy.io
from click.testing import CliRunner
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.datasets import load_iris

from coassoc import DataError, Ensemble, find_consensus
from coassoc.command import program
from coassoc.methods import METHODS
from coassoc.posterior import point_estimate
from coassoc.posterior.draws import Draws
from coassoc.selection.resolutions import resolutions_in
from coassoc.subtyping.measurements import Measurements
from coassoc.tables.draw_files import DrawFile, read_draws
from coassoc.tables.label_files import TableFile, open_table
from coassoc.tables.label_table import InRowsWarning

N = 400
RANDOM = np.random.default_rng(0)
CLASS = RANDOM.integers(0, 4, N)


def clustering(k: int, noise: float = 0.15) -> np.ndarray:
    """A clustering with k clusters that is nearly a refinement or a merger of the classes."""
    parts = CLASS % k if k < 4 else CLASS + 4 * RANDOM.integers(0, max(k // 4, 1), N)
    return np.where(RANDOM.random(N) < noise, RANDOM.integers(0, k, N), parts % k)


def metadata(**columns) -> pd.DataFrame:
    """A table of cells with clusterings at three resolutions, and more columns."""
    frame = pd.DataFrame(
        {f"RNA_snn_res.{r}": clustering(k) for r, k in ((0.2, 3), (0.5, 4), (1, 8))}
    )
    return frame.assign(**columns).set_axis([f"AACT-{i}" for i in range(N)])


def read(path: Path, **keys) -> np.ndarray:
    return open_table(TableFile(str(path), **keys)).labels().labels


def run(*words: object) -> str:
    """What the program says, on success or not."""
    result = CliRunner().invoke(program, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.output


@pytest.fixture(autouse=True)
def same_draws():
    """A test draws the same whatever was drawn before."""
    RANDOM.bit_generator.state = np.random.default_rng(1).bit_generator.state


DEPTH = RANDOM.negative_binomial(3, 0.004, N) + 200
#: Columns that are no clusterings.
OTHERS = {
    "orig.ident": np.where(RANDOM.random(N) < 0.5, "s1", "s2"),
    "nCount_RNA": DEPTH,
    "nFeature_RNA": DEPTH // 20 + 7,
    "percent.mt": RANDOM.random(N).round(3),
    "donor": RANDOM.integers(1, 5, N),
    "plate_of_384": RANDOM.choice(["A", "B"], N),
    "project": "pbmc",
    "run": 1,
    "age": RANDOM.integers(18, 80, N),
    "lot": RANDOM.integers(0, 2, N),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("kind", ["csv", "tsv.gz", "parquet"])
def test_a_column_that_is_no_clustering_is_named(tmp_path, name, kind):
    path, frame = tmp_path / f"cells.{kind}", metadata(**{name: OTHERS[name]})
    if kind == "parquet":
        frame.rename_axis("cell").to_parquet(path)
    else:
        frame.to_csv(path, sep="," if kind == "csv" else "\t")
    id = {} if kind == "parquet" else {"id": "first"}
    with pytest.raises(DataError, match=rf"column '{name}'"):
        read(path, **id)
    expected = read(path, columns=("RNA_snn_res.*",), **id)
    assert expected.shape == (N, 3)
    np.testing.assert_array_equal(read(path, without=(name,), **id), expected)
    with pytest.raises(DataError, match=name):
        Ensemble(frame)


def test_all_of_them_are_named_with_the_way_on(tmp_path):
    frame = metadata(**OTHERS)
    frame.assign(seurat_clusters=frame["RNA_snn_res.1"]).to_csv(tmp_path / "cells.csv")
    said = run("consensus", tmp_path / "cells.csv", "--id", "first", "-k", 4, "-o", tmp_path)
    assert "--columns 'RNA_snn_res.*'" in said and not (tmp_path / "consensus.csv").exists()
    frame = metadata(seurat_clusters=lambda table: table["RNA_snn_res.1"])
    with pytest.raises(DataError, match=r"'seurat_clusters' is a copy of 'RNA_snn_res.1'"):
        Ensemble(frame)


def test_chosen_measurements_are_taken_with_a_warning():
    frame = metadata(nCount_RNA=DEPTH)
    with pytest.warns(UserWarning, match="column 'nCount_RNA' has .* values"):
        assert Ensemble(frame, columns=[*frame.columns]).n_clusterings == 4
    with pytest.raises(DataError, match=r"columns has 'leiden_\*', which fits none of RNA_snn"):
        Ensemble(frame, columns="leiden_*")


def test_clusterings_of_any_kind_are_taken(tmp_path, recwarn):
    words = np.array(["T", "B", "NK", "mono"])
    frame = pd.DataFrame(
        {
            "kmeans 3": clustering(3),
            "kmeans 20": clustering(20),
            "ward": words[clustering(4)],
            "dbscan": np.where(RANDOM.random(N) < 0.3, -1, clustering(4)),
            "leiden_0.1": clustering(2),
            "leiden_50": np.arange(N) % 150,
            "float": clustering(4).astype(float),
        }
    )
    frame.to_csv(tmp_path / "l.csv", index=False)
    assert read(tmp_path / "l.csv").shape == frame.shape
    rows = Ensemble(frame.iloc[:3, :2])
    assert rows.n_samples == 3 and not recwarn


@pytest.mark.parametrize("mean", [0.3, 3.0, 40.0])
def test_counts_are_no_clusterings(tmp_path, mean):
    rates = RANDOM.gamma(2, mean / 2, (4, 30))[CLASS]
    counts = pd.DataFrame(RANDOM.poisson(rates)).add_prefix("gene")
    counts.to_csv(tmp_path / "counts.csv", index=False)
    np.save(tmp_path / "counts.npy", counts.to_numpy())
    for name in ("counts.csv", "counts.npy"):
        said = run("consensus", tmp_path / name, "-k", 3, "-o", tmp_path)
        assert "hold counts or other measurements" in said and "coassoc subtypes" in said


@pytest.mark.parametrize("depth", [3.0, 3000.0])
def test_two_columns_of_counts_are_no_clusterings(depth):
    counts = RANDOM.poisson(RANDOM.gamma(3, depth, 3000))
    features = RANDOM.binomial(counts, 0.4)
    for others in ({"nFeature": features}, {"other": RANDOM.permutation(counts)}):
        with pytest.raises(DataError, match="hold counts or other measurements"):
            Ensemble(pd.DataFrame({"nCount": counts, **others}))


# -- rows and columns -----------------------------------------------------------------------------


def test_clusterings_in_rows_are_asked_about_everywhere(tmp_path):
    table = metadata().T
    table.to_csv(tmp_path / "l.csv")
    scipy.io.savemat(tmp_path / "l.mat", {"labels": table.to_numpy()})
    for name, id in (("l.csv", {"id": "first"}), ("l.mat", {})):
        with pytest.raises(DataError, match="there are 400 columns and 3 rows; say in: rows if"):
            read(tmp_path / name, **id)
        np.testing.assert_array_equal(read(tmp_path / name, in_="rows", **id), table.T)
    said = run(
        "consensus", tmp_path / "l.csv", "--id", "first", "--in", "rows", "-k", 4, "-o", tmp_path
    )
    assert "LWEA" in said
    assert pd.read_csv(tmp_path / "consensus.csv")["sample"].tolist() == list(table.columns)
    arrays = [*table.to_numpy()]
    with pytest.raises(DataError, match=r"3 arrays of 400 labels .*numpy.column_stack"):
        find_consensus(arrays, 3)
    assert find_consensus(np.column_stack(arrays), 3).ensemble.n_samples == N
    with pytest.warns(InRowsWarning, match="3 samples in 400 clusterings"):
        Ensemble(table.to_numpy())


def test_a_clustering_in_each_file_is_never_stacked(tmp_path):
    folder, labels = tmp_path / "runs", metadata().to_numpy()
    for j, column in enumerate(labels.T):
        path = folder / f"method{j}" / "wut.result3.gz"
        path.parent.mkdir(parents=True)
        path.write_bytes(gzip.compress(("label\n" + "\n".join(map(str, column)) + "\n").encode()))
        pd.DataFrame({"label": 9 - column}).to_csv(folder / f"{j}.csv", index=False)
    assert "say --each-file clustering" in run("consensus", folder, "-k", 3, "-o", tmp_path)
    assert "say --each-file clustering" in run("consensus", folder, "-k", 3, "-o", tmp_path)
    table = open_table(TableFile(str(folder), each_file="clustering"))
    assert table.names == ["0", "1", "2", *(f"method{j}/wut" for j in range(3))]
    np.testing.assert_array_equal(
        table.labels().labels, np.hstack([labels.max(0) - labels, labels])
    )
    (tmp_path / "parts").mkdir()
    for j in range(2):  # several columns in each
        pd.DataFrame(labels).add_prefix("c").to_csv(tmp_path / f"parts/{j}.csv", index=False)
    assert "say --each-file" in run("consensus", tmp_path / "parts", "-k", 3, "-o", tmp_path)


def test_files_with_a_clustering_in_a_row_are_turned(tmp_path):
    labels = metadata()
    for name, column in labels.items():
        column.to_frame().T.to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.raises(DataError, match="400 columns and 1 rows; say in: rows if a row is a"):
        open_table(TableFile(str(tmp_path), each_file="clustering"))
    labels.T.to_csv(tmp_path.with_suffix(".csv"), index_label="by")
    with pytest.raises(DataError, match=r"first column, 'by', has texts .*; say id: first if it"):
        read(tmp_path.with_suffix(".csv"), in_="rows")
    turned = open_table(TableFile(str(tmp_path), each_file="clustering", in_="rows")).labels()
    assert turned.samples.tolist() == [*labels.index]
    np.testing.assert_array_equal(turned.labels, labels)


def test_files_with_ids_are_matched_and_lists_of_members_are_read(tmp_path):
    labels = {"x": [0, 1], "y": [1, 1], "z": [0, 0]}
    for j, order in enumerate(["xyz", "zyx"]):
        lines = [f"{name},{labels[name][j]}" for name in order]
        (tmp_path / f"{j}.csv").write_text("\n".join(["cell,label", *lines, ""]))
    source = TableFile(str(tmp_path), each_file="clustering", id="cell")
    found = open_table(source).labels()
    assert found.samples.tolist() == ["x", "y", "z"]
    np.testing.assert_array_equal(found.labels, [*labels.values()])
    members = tmp_path / "members"
    members.mkdir()
    (members / "a.txt").write_text("x\tz\ny\n")
    (members / "b.txt").write_text("z\nx\ty\n")
    found = open_table(TableFile(str(members), each_file="members")).labels()
    assert found.samples.tolist() == ["x", "z", "y"]
    assert found.labels.tolist() == [[0, 1], [0, 0], [1, 1]]
    (members / "b.txt").write_text("z\nx\tz\n")
    with pytest.raises(DataError, match="the sample 'z' is in the clusters 1 and 2"):
        open_table(TableFile(str(members), each_file="members"))


def test_names_in_a_small_table_and_a_single_clustering(tmp_path):
    path = tmp_path / "l.tsv"
    pd.DataFrame({"name": [f"p{i}" for i in range(6)], "c": [0, 0, 0, 1, 1, 1]}).to_csv(
        path, sep="\t", index=False
    )
    words = ("consensus", path, "-k", 2, "-o", tmp_path)
    assert "column 'name' has 6 values for 6 samples; say --id name" in run(*words)
    assert "'c' is the only clustering" in run(*words, "--id", "name")


# -- missing labels -------------------------------------------------------------------------------


def test_words_and_zeros_that_mean_no_cluster_are_told_and_may_be_named(tmp_path):
    labels = np.column_stack([clustering(4, 0.05) + 1 for _ in range(5)])
    labels[RANDOM.random(labels.shape) < 0.2] = 0
    for word in ("0", "unassigned", "?"):
        frame = pd.DataFrame(labels).astype(str).replace("0", word).add_prefix("c")
        frame.to_csv(tmp_path / "l.csv", index=False)
        with pytest.warns(
            UserWarning, match=rf"'[{word}]+' is taken for a cluster in 5 columns; say"
        ):
            assert read(tmp_path / "l.csv").min() == 0
        found = read(tmp_path / "l.csv", missing=(word,))
        np.testing.assert_array_equal(found, labels - 1)
    with pytest.warns(UserWarning, match=r"say Ensemble\(labels, missing='unassigned'\)"):
        Ensemble(pd.DataFrame(labels).astype(str).replace("0", "unassigned"))


def test_samples_without_a_label_are_counted(tmp_path):
    labels = metadata().astype(object)
    labels.iloc[:7] = None
    labels.to_csv(tmp_path / "l.csv", index=False)
    assert "7 samples have no label at all" in run(
        "consensus", tmp_path / "l.csv", "-k", 3, "-o", tmp_path
    )


# -- kinds of files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "keys"),
    [
        ("l.txt", b"a\tb\n1\tx\n2\ty\n1\tx\n", {}),
        ("l.tab", b"a\tb\n1\tx\n2\ty\n1\tx\n", {}),
        ("l.txt", b'"a" "b"\n1   "x"\n2 y\n1 x\n', {}),
        ("l.txt", b'"a" "b"\n"1" 1 "x"\n"2" 2 "y"\n"3" 1 "x"\n', {"id": "first"}),
        ("l.csv", b"a;b\n1;x\n2;y\n1;x\n", {"separator": "semicolon"}),
        ("l.csv", b"a\tb\n1\tx\n2\ty\n1\tx\n", {"separator": "\\t"}),
        ("l.csv", b"# made\n# twice\na,b\n1,x\n# between\n2,y\n1,x\n", {}),
        ("l.csv", b"# made, twice\na,b\n1,x\n2,y\n1,x\n", {}),
        ("l.csv", b"#a,b\n1,x\n2,y\n1,x\n", {}),
        ("l.txt", b"# by np.savetxt\n# a b\n1 x\n2 y\n1 x\n", {}),
        ("l.tsv", b"##made\ttwice\n#IID\ta\tb\n1\t1\tx\n2\t2\ty\n3\t1\tx\n", {"id": "IID"}),
        ("l.csv", b"id,a,b\n#1,1,x\n#2,2,y\n#3,1,x\n", {"id": "id"}),
        ("l.csv", b"# a,b\n1,x\n2,y\n1,x\n", {"header": False}),
        ("l.csv", b"a,b\n#REF!,x\n2,y\n#REF!,x\n", {}),
        ("l.csv", "a,b\n1,x\n2,y\n1,x\n".encode("utf-16"), {}),
        ("l.csv", "a,b\n1,é\n2,y\n1,é\n".encode("latin-1"), {"encoding": "latin-1"}),
        (
            "l.arff",
            b"% c\n@relation r\n@attribute a numeric\n@attribute 'b c' {x,'y z'}\n@DATA\n"
            b"1,x\n2,'y z'\n% c\n1,x\n",
            {},
        ),
    ],
)
def test_text_of_many_kinds(tmp_path, name, content, keys):
    (tmp_path / name).write_bytes(content)
    encoded = read(tmp_path / name, **keys)
    assert encoded[:, 0].tolist() == [0, 1, 0] and len(set(encoded[:, 1])) == 2
    with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
        archive.writestr(f"folder/{name}", content)
    np.testing.assert_array_equal(read(tmp_path / f"{name}.zip", **keys), encoded)
    (tmp_path / f"{name}.xz").write_bytes(lzma.compress(content))
    np.testing.assert_array_equal(read(tmp_path / f"{name}.xz", **keys), encoded)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"#a,b\nx,y\n1,y\n", "'#a,b' may name the columns or be a comment; remove its #"),
        (b"# a,b\nx,y\nz,y\n", "'# a,b' may name the columns or be a comment; remove its #"),
        (b"a,b\n1,x\n#2,y\n1,x\n", "'#2,y' may be a sample or a comment; quote its first cell"),
        (b"#a,b\n#1,x\n#2,y\n", "all lines begin with #, as comments do; remove the # of the line"),
    ],
)
def test_a_line_that_may_be_a_comment_is_asked_about(tmp_path, content, said):
    (tmp_path / "l.csv").write_bytes(content)
    with pytest.raises(DataError, match=said):
        read(tmp_path / "l.csv")


def test_feather_and_sheets(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 1], "b": ["x", "y", "x"]})
    frame.to_feather(tmp_path / "l.feather")
    assert read(tmp_path / "l.feather").tolist() == [[0, 0], [1, 1], [0, 0]]
    with pd.ExcelWriter(tmp_path / "l.xlsx") as book:
        frame.iloc[::-1].to_excel(book, sheet_name="old", index=False)
        frame.iloc[:2].to_excel(book, sheet_name="new", index=False)
    with pytest.warns(UserWarning, match="the first sheet is read; say sheet: NAME .*: new"):
        assert len(read(tmp_path / "l.xlsx")) == 3
    assert len(read(tmp_path / "l.xlsx", sheet="new")) == 2
    with pytest.raises(DataError, match="there is no sheet 'x'; it has old, new"):
        read(tmp_path / "l.xlsx", sheet="x")


@pytest.mark.parametrize("separator", [";;", "", "ab", '"'])
def test_what_separates_nothing_is_a_sentence(tmp_path, separator):
    (tmp_path / "l.csv").write_text("a,b\n1,1\n2,2\n")
    with pytest.raises(DataError, match="it must be one character"):
        read(tmp_path / "l.csv", separator=separator)


def test_structs_cells_and_groups(tmp_path):
    labels = metadata().to_numpy()
    cells = np.empty(3, dtype=object)
    cells[:] = [*labels.T]
    structs = np.array([(column, 3) for column in labels.T], dtype=[("of", "O"), ("k", "O")])
    held = {"all": {"members": labels, "gt": CLASS}, "cells": cells, "structs": structs}
    scipy.io.savemat(tmp_path / "l.mat", held)
    with h5py.File(tmp_path / "l.h5", "w") as file:
        file["all/members"], file["all/gt"] = labels, CLASS
    with h5py.File(tmp_path / "new.mat", "w") as file:
        for j, column in enumerate(labels.T):
            file[f"#refs#/{j}"] = column[None].astype(float)
        file["cells"] = [[file[f"#refs#/{j}"].ref] for j in range(3)]
    for name, variable in (
        *(("l.mat", v) for v in ("all.members", "all/members", "cells", "structs.of")),
        ("l.h5", "all/members"),
        ("new.mat", "cells"),
        ("new.mat", None),
    ):
        np.testing.assert_array_equal(read(tmp_path / name, variable=variable), labels)
    for name, variable, said in (
        ("l.mat", None, "say variable: NAME with one of these: all .*, cells .*, structs"),
        ("l.mat", "all", "it has all.members, all.gt. Say variable: NAME"),
        ("l.h5", "all", "it has all/gt, all/members. Say variable: NAME"),
        ("l.h5", "x", r"all/gt \(400\), all/members \(400 × 3\)"),
    ):
        with pytest.raises(DataError, match=said) as raised:
            read(tmp_path / name, variable=variable)
        assert "delete" not in str(raised.value)


def test_what_cannot_be_read_says_what_to_do(tmp_path):
    (tmp_path / "l.rds").write_bytes(b"x")
    with pytest.raises(DataError, match=r"write.csv\(table, 'table.csv', row.names = FALSE\)"):
        read(tmp_path / "l.rds")
    pd.DataFrame({"a": [[1, 2], [3]], "b": [{"x": 1}, {"x": 2}]}).to_parquet(tmp_path / "l.parquet")
    for name in "ab":
        with pytest.raises(DataError, match=f"column '{name}' has values of type .*each of which"):
            read(tmp_path / "l.parquet", columns=(name,))


def test_a_table_with_a_row_for_each_sample_in_each_clustering_is_refused(tmp_path):
    path = tmp_path / "long.csv"
    frame = metadata().rename_axis("cell").reset_index()
    frame.melt("cell", var_name="run", value_name="cluster").to_csv(path, index=False)
    with pytest.raises(DataError, match="columns 'cell' and 'run' have each pair of their values"):
        read(path)


def test_one_negative_number_in_several_columns_may_mean_missing(tmp_path):
    path, frame = tmp_path / "cells.csv", metadata()
    frame.iloc[:9] = -9
    frame.to_csv(path)
    with pytest.raises(DataError, match=r"3 columns have -9, which is no label; say missing: .-9."):
        read(path, id="first")
    assert (read(path, id="first", missing=("-9",), columns=("RNA*",))[:9] == -1).all()


def test_nines_that_end_several_columns_are_told(tmp_path):
    path, frame = tmp_path / "cells.csv", metadata()
    frame.iloc[:9] = 99
    frame.to_csv(path)
    with pytest.warns(
        UserWarning, match="'99' is taken for a cluster in 3 columns; say missing: .99."
    ):
        read(path, id="first")


@pytest.mark.parametrize("mark", ";|:")
def test_another_separator_is_asked_about(tmp_path, mark):
    path = tmp_path / "cells.csv"
    metadata().to_csv(path, sep=mark)
    with pytest.raises(DataError, match=f"say separator: .[{mark}]. if it has several"):
        read(path)


def test_arrays_are_warned_about_as_files_are_refused():
    counts = np.random.default_rng(0).poisson(3, (200, 12))
    with pytest.warns(
        UserWarning, match="labels: the columns look like counts or other measurements"
    ):
        Ensemble(counts)
    good = metadata().to_numpy()
    with pytest.warns(UserWarning, match="labels: column '3' has 400 values for 400 samples"):
        Ensemble(np.column_stack([good, np.arange(N)]))
    with warnings.catch_warnings(action="error"):
        Ensemble(good)
    with pytest.warns(UserWarning, match="there is one base clustering only"):
        find_consensus(good[:, :1], 3)


# -- tables of people who have no clusterings, or more in the file than these ---------------------


def answers(items: int = 12) -> pd.DataFrame:
    """Answers from 1 to 5 that go back to one attitude."""
    attitude = RANDOM.normal(size=(N, 1))
    numbers = np.rint(3 + 1.2 * attitude + 0.9 * RANDOM.normal(size=(N, items)))
    return pd.DataFrame(np.clip(numbers, 1, 5).astype(int)).add_prefix("item")


def aligned(k: int) -> np.ndarray:
    """A clustering whose clusters have the same numbers in all that are drawn."""
    return np.where(RANDOM.random(N) < 0.5, RANDOM.integers(0, k, N), (3 * np.arange(N)) % k)


def test_answers_are_told_from_clusters(tmp_path, recwarn):
    answers().to_csv(tmp_path / "answers.csv", index=False)
    with pytest.warns(UserWarning, match="as ordered numbers do, such as answers from 1 to 5"):
        read(tmp_path / "answers.csv")
    with pytest.warns(UserWarning, match="as ordered numbers do"):
        Ensemble(answers().to_numpy())
    with pytest.raises(DataError, match="hold counts or other measurements"):
        Ensemble(answers().assign(age=OTHERS["age"]))
    recwarn.clear()
    Ensemble(np.column_stack([aligned(5) for _ in range(12)]))
    Ensemble(np.column_stack([RANDOM.permutation(5)[aligned(5)] for _ in range(12)]))
    Ensemble(RANDOM.integers(0, 5, (N, 12)))
    assert not recwarn


@pytest.mark.parametrize("title", ["Our study: 2026,,,", "Our study: 2026", "Our study\n"])
def test_a_title_above_the_names_is_told(tmp_path, title):
    text = metadata().to_csv(index_label="cell")
    (tmp_path / "t.csv").write_text(f"{title}\n{text}")
    for command in ("consensus", "tree", "subtypes", "posterior"):
        said = run(command, tmp_path / "t.csv", "--id", "first", "-o", tmp_path)
        assert "does not name the columns, as a title does not; remove what is above" in said


def test_a_title_in_a_sheet_is_told(tmp_path):
    metadata().to_excel(tmp_path / "t.xlsx", startrow=2)
    book = openpyxl.load_workbook(tmp_path / "t.xlsx")
    book.active["A1"] = "Our study"
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(DataError, match="first line, 'Our study', does not name the columns"):
        read(tmp_path / "t.xlsx")


def test_a_row_of_totals_is_no_sample(tmp_path):
    frame = metadata()
    frame.loc["Total"] = frame.sum()
    frame.to_csv(tmp_path / "t.csv", index_label="cell")
    frame.iloc[:, 0].to_csv(tmp_path / "one.csv", index_label="cell")
    for words in (
        ("consensus", "t.csv", "--id", "first"),
        ("subtypes", "t.csv", "--id", "cell", "--samples", "rows"),
        ("posterior", "t.csv", "--id", "cell", "--draws", "columns"),
    ):
        said = run(words[0], tmp_path / words[1], *words[2:], "-o", tmp_path)
        assert "the last row is called 'Total'; remove it if it sums up the others" in said
    # A clustering by the average linkage is called so, and is no sample.
    linkages = metadata().T.set_axis(["single", "ward", "average"])
    linkages.to_csv(tmp_path / "rows.csv")
    assert read(tmp_path / "rows.csv", id="first", in_="rows").shape == (N, 3)


def test_codes_of_missing_values_are_named_with_the_option(tmp_path):
    first, second, third = (clustering(4) + 1 for _ in range(3))
    some = RANDOM.random(N) < 0.1
    frame = pd.DataFrame({"a": np.where(some, -9, first), "b": second, "c": third})
    with pytest.raises(DataError, match=r"is -9; .* say .*missing=-9\) if it means that a sample"):
        Ensemble(frame)
    frame["b"] = np.where(some, -8, second)
    frame.to_csv(tmp_path / "two.csv", index=False)
    with pytest.raises(DataError, match=r"2 columns have -9 and -8.* missing: .-9, -8."):
        read(tmp_path / "two.csv")
    read(tmp_path / "two.csv", missing=("-9", "-8"))
    frame.assign(a=np.where(some, np.inf, first)).to_csv(tmp_path / "two.csv", index=False)
    with pytest.raises(DataError, match=r"2 columns have -8 and inf.* missing: .-8, inf."):
        read(tmp_path / "two.csv")
    read(tmp_path / "two.csv", missing=("-8", "inf"))
    with pytest.warns(UserWarning, match="'999' is taken for a cluster in 1 column; say"):
        Ensemble(frame.assign(a=np.where(some, 999, first), b=second))
    measured = pd.DataFrame(RANDOM.normal(size=(N, 3))).add_prefix("x")
    with pytest.warns(UserWarning, match="-99 is far from .* such as 'x1'; say --missing -99"):
        Measurements.of(measured.assign(x1=measured["x1"].mask(some, -99)))


def test_measurements_that_are_none_are_told(tmp_path):
    measured = pd.DataFrame(RANDOM.normal(size=(N, 3))).add_prefix("x")
    with pytest.warns(UserWarning, match="only 'ill' has whole numbers, and few; leave it out"):
        Measurements.of(measured.assign(ill=CLASS))
    infinite = Measurements.of(measured.assign(x1=measured["x1"].mask(CLASS == 0, np.inf)))
    with pytest.raises(DataError, match="has inf in feature 1, counted from 0; imputation fills"):
        infinite.preprocess(impute="median")
    measured.to_csv(tmp_path / "comma.csv", sep=";", decimal=",", index=False)
    said = run("subtypes", tmp_path / "comma.csv", "--separator", ";", "-o", tmp_path)
    assert "write numbers with a decimal point and without commas between thousands" in said
    said = run("subtypes", tmp_path / "comma.csv", "-o", tmp_path)
    assert "say --separator ';' if it has several" in said
    with pytest.raises(DataError, match="'leiden_0,5_1' has a comma in its number"):
        resolutions_in(["leiden_0,5_1", "leiden_1_1"])
    draws = metadata().assign(lp=measured["x0"].to_numpy())
    draws.to_csv(tmp_path / "draws.csv", index=False)
    said = run("posterior", tmp_path / "draws.csv", "--draws", "rows", "-o", tmp_path)
    assert "column 'lp' has" in said and "which is no label; leave the column out" in said


def test_dates_and_long_names_are_told_briefly(tmp_path):
    dated = metadata(day=pd.to_datetime("2026-01-01") + pd.to_timedelta(CLASS, "D"))
    dated.to_parquet(tmp_path / "d.parquet")
    with pytest.raises(DataError, match="'day' has values of type datetime, which are no labels"):
        read(tmp_path / "d.parquet")
    long = metadata().add_prefix("x" * 5000)
    long.to_csv(tmp_path / "long.csv")
    with pytest.raises(DataError) as error:
        read(tmp_path / "long.csv", id="cell")
    assert "…" in str(error.value) and len(str(error.value)) < 1000
    metadata(note="x" * 200_000).to_csv(tmp_path / "note.csv")
    with pytest.raises(DataError, match="a cell has more than 131,072 characters"):
        read(tmp_path / "note.csv", id="first")


# -- what looks like a table of clusterings, and is another one ---------------------------------


def draws_in_rows() -> np.ndarray:
    """(300, 40) draws numbered by first appearance, as salso writes them."""
    draws = np.array([clustering(4)[:40] for _ in range(300)])
    return np.array([np.unique(d, return_index=True)[1].argsort().argsort()[d] for d in draws])


def memberships() -> np.ndarray:
    """(n, 12) memberships in the clusters of three clusterings."""
    return np.hstack([np.eye(4, dtype=int)[clustering(4)] for _ in range(3)])


def similarities() -> np.ndarray:
    """(50, 50) number of clusterings that have two samples together."""
    together = memberships()[:50]
    return together @ together.T


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (similarities, "the table is symmetric"),
        (memberships, "each row has 3 ones"),
        (lambda: np.eye(3, dtype=int)[clustering(3)], "each row has a single one"),
        (lambda: np.eye(3, dtype=bool)[clustering(3)], "each row has a single one"),
        (draws_in_rows, "each row is numbered from the left, as draws of a posterior in rows"),
        (lambda: np.vstack([aligned(5), aligned(5)] * 2).T, None),
    ],
)
def test_tables_of_other_kinds_are_told(tmp_path, table, said):
    labels = table()
    path = tmp_path / "t.csv"
    pd.DataFrame(labels).add_prefix("c").to_csv(path, index=False)
    if said is None:
        read(path)
        summed = pd.DataFrame(np.vstack([labels, labels.sum(axis=0)])).add_prefix("c")
        summed.to_csv(path, index=False)
        said, labels = "the last row is the sum of the others", summed.to_numpy()
    with pytest.raises(DataError, match=rf"{said}.*; say columns: \['\*'\] if the columns are"):
        read(path)
    with pytest.warns(UserWarning, match=said):
        Ensemble(labels)
    with pytest.warns(UserWarning, match=said):
        read(path, columns=("*",))
    with pytest.raises(DataError, match=r"columns=\['\*'\]\) if .* labels.T if the rows"):
        Ensemble(pd.DataFrame(labels).add_prefix("c"))


@pytest.mark.parametrize("words", [("int", "float", "str"), ("a", "b", "")])
def test_a_second_line_of_names_is_no_sample(tmp_path, words):
    labels = metadata().astype(str)
    said = "the first row has words where all others have numbers, as a second line of names"
    pd.DataFrame([words, *labels.to_numpy()], columns=labels.columns).to_csv(
        tmp_path / "t.csv", index=False
    )
    with pytest.raises(DataError, match=said):
        read(tmp_path / "t.csv")
    noise = labels.copy()
    noise.iloc[0] = "noise"
    noise.to_csv(tmp_path / "t.csv", index=False)
    assert read(tmp_path / "t.csv").shape == labels.shape


@pytest.mark.parametrize("k", [3, 5])
def test_more_clusterings_in_rows_than_samples_are_told(tmp_path, recwarn, k):
    """As draws of a posterior whose labels switch; in columns they are clusterings like others."""
    classes = RANDOM.integers(k, size=50)
    drawn = np.where(RANDOM.random((200, 50)) < 0.1, RANDOM.integers(k, size=50), classes)
    draws = np.array([RANDOM.permutation(k)[draw] for draw in drawn])
    said = "the rows agree with one another and the columns hardly, as where each row is a cluster"
    pd.DataFrame(draws).add_prefix("item ").to_csv(tmp_path / "rows.csv", index=False)
    with pytest.warns(UserWarning, match=rf"{said}.*; say in: rows if so"):
        read(tmp_path / "rows.csv")
    with pytest.warns(UserWarning, match=rf"{said}.*; say labels.T if so"):
        Ensemble(draws)
    recwarn.clear()
    read(tmp_path / "rows.csv", in_="rows")
    read(tmp_path / "rows.csv", in_="columns")
    switched, aligned = Ensemble(draws[:30].T), Ensemble(drawn[:30].T)
    assert not [warning for warning in recwarn if said in str(warning.message)]
    fitted = [METHODS["LWEA"](k).fit(ensemble) for ensemble in (switched, aligned)]
    assert (fitted[0].labels_ == fitted[1].labels_).all()


def test_ordinary_clusterings_are_none_of_these(tmp_path, recwarn):
    points = load_iris().data[::2]
    merges = linkage(points, "average")
    cuts = {f"k{k}": fcluster(merges, k, "maxclust") for k in range(2, 51)}  # of 75 samples
    outliers = np.arange(30) > 27
    same, fine = clustering(2)[:30], np.append(np.arange(50), RANDOM.integers(0, 30, 100))
    tables = {
        "nested": pd.DataFrame(cuts),
        "outliers": pd.DataFrame({"single": 1 * outliers, "dbscan": 1 * outliers}),
        "swapped": pd.DataFrame({"a": same, "b": 1 - same, "c": same, "d": 1 - same}),
        "alike": pd.DataFrame({"ward": same + outliers, "ward.D2": same + outliers, "pam": same}),
        "few and many": pd.DataFrame({"k-means": fine % 3, "ward": fine % 2, "spectral": fine}),
    }
    for name, table in tables.items():
        table.to_csv(tmp_path / "t.csv", index=False)
        assert read(tmp_path / "t.csv").shape == table.shape, name
    assert not recwarn


def test_draws_of_a_posterior_that_are_none_are_told(recwarn):
    draws = draws_in_rows()
    point_estimate(draws.T[:, :50], n_starts=1)
    assert not recwarn
    with pytest.warns(UserWarning, match=r"numbered from the left.*must be items × draws"):
        Draws.of(draws)
    with pytest.warns(UserWarning, match="look like counts or other measurements"):
        Draws.of(RANDOM.poisson(3, (N, 20)))
    with pytest.warns(UserWarning, match="the table is symmetric"):
        Draws.of(similarities())


@pytest.mark.parametrize("frame", ["iris", "genotypes", "scores"])
def test_measurements_in_whole_numbers_are_told(tmp_path, frame):
    if frame == "iris":  # half of the columns have few values
        columns = pd.DataFrame((10 * load_iris().data).round().astype(int)).add_prefix("x")
    elif frame == "genotypes":
        rates = RANDOM.beta(1, 1, (4, 60))[CLASS]
        columns = pd.DataFrame(RANDOM.binomial(2, rates)).add_prefix("rs")
    else:
        columns = pd.DataFrame(RANDOM.normal(size=(N, 3))).add_prefix("score")
    columns.to_csv(tmp_path / "t.csv", index=False)
    if frame == "genotypes":
        with pytest.warns(UserWarning, match="as ordered numbers do"):
            read(tmp_path / "t.csv")
    else:
        with pytest.raises(DataError, match="hold counts or other measurements, no clusterings"):
            read(tmp_path / "t.csv")


def test_columns_beside_clusterings_are_named_by_what_they_are(tmp_path):
    names = np.array([f"type {c}" for c in "abcdefgh"])
    frame = metadata(annotation=lambda table: names[table["RNA_snn_res.1"]], UMAP_1=CLASS)
    for n in range(6):  # more scores than clusterings
        frame[f"score{n}"] = RANDOM.random(N)
    frame.to_csv(tmp_path / "t.csv")
    with pytest.raises(DataError) as error:
        read(tmp_path / "t.csv", id="first")
    assert "'annotation' is a copy of 'RNA_snn_res.1'" in str(error.value)
    assert "'UMAP_1' is called like a coordinate" in str(error.value)
    assert "columns: ['RNA_snn_res.*']" in str(error.value)
    frame = pd.DataFrame({"patient": [f"p{i % 10}" for i in range(11)], "a": 0, "b": 1})
    frame.loc[5:, "a"] = 1
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match="'patient' has 10 values for 11 samples; list") as error:
        read(tmp_path / "t.csv")
    assert "names the samples" not in str(error.value)  # as two are called alike


def test_tables_of_many_algorithms_are_taken(tmp_path):
    """Some find the same clusters, and one finds what no other does."""
    names = ["Genie_G0.1", "Genie_G0.3", "ward", "k-means", "birch_5", "birch_9"]
    frame = pd.DataFrame({name: clustering(4) for name in names})
    frame["complete"] = frame["Genie_G0.1"]
    frame["spectral"] = RANDOM.integers(0, 4, N)
    frame.to_csv(tmp_path / "t.csv", index=False)
    with warnings.catch_warnings(action="error"):
        assert read(tmp_path / "t.csv").shape == frame.shape
    few = frame[["ward", "k-means", "complete", "spectral"]]
    few.to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(UserWarning, match="column 'spectral' agrees .* say except: .spectral. to"):
        read(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("value", "columns", "advised"),
    [
        ("not assigned", 5, "'not assigned'"),
        ("Doublet", 1, "Doublet"),
        ("#REF!", 2, "'#REF!'"),
        ("?", 1, "'?'"),
        ("1000", 5, "1000"),
        ("0", 1, "0"),
    ],
)
def test_a_value_that_means_no_cluster_is_told_in_any_number_of_columns(
    tmp_path, value, columns, advised
):
    frame = pd.DataFrame({f"c{j}": clustering(4, 0.05) + 1 for j in range(5)}).astype(str)
    for name in frame.columns[:columns]:
        frame.loc[RANDOM.random(N) < 0.15, name] = value
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("consensus", tmp_path / "t.csv", "-k", 4, "-m", "LWEA", "-o", "-")
    said = run(*words)
    noun = "column" if columns == 1 else "columns"
    assert f"'{value}' is taken for a cluster in {columns} {noun}; say --missing {advised}" in said
    assert "is taken for a cluster" not in run(*words, *shlex.split(f"--missing {advised}"))


def test_advice_that_is_followed_helps(tmp_path):
    labels = np.column_stack([clustering(4) for _ in range(3)])
    labels[:9, 1] = -9
    assert Ensemble(labels, missing=-9).has_missing
    table = [[f"p{i}", *row] for i, row in enumerate(labels % 4)]
    with pytest.raises(DataError, match=r"Ensemble\(labels, id=0\) if .* columns=\[1, 2, 3\]"):
        find_consensus(table, 4)
    assert (
        Ensemble(table, id=0).labels.tolist() == Ensemble(table, columns=[1, 2, 3]).labels.tolist()
    )
    path = tmp_path / "t.csv"
    frame = metadata()
    frame.assign(end="").rename(columns={"end": ""}).to_csv(path, index=False)
    with pytest.raises(DataError, match="column 4 has no name; give it one, or list"):
        read(path)
    frame.to_csv(path, index=False, sep=" ")
    with pytest.raises(DataError, match="say separator: ' ' if it has several"):
        read(path)
    assert read(path, separator=" ").shape == (N, 3)
    book = frame.astype(object)
    book.iloc[3, 1] = "2"
    book.to_excel(tmp_path / "t.xlsx", index=False)
    with pytest.raises(DataError, match=r"such as \d and '2'; make it all numbers or all texts"):
        read(tmp_path / "t.xlsx")
    scipy.io.savemat(tmp_path / "t.mat", {"E": {"members": frame.to_numpy()}})
    with pytest.raises(DataError, match=r"it has E\.members. Say variable: NAME"):
        read(tmp_path / "t.mat")
    cells = np.empty((3, 1), dtype=object)
    for j, column in enumerate(frame.to_numpy().T):
        cells[j, 0] = np.array([f"c{label}" for label in column], dtype=object)
    scipy.io.savemat(tmp_path / "t.mat", {"labels": cells})
    np.testing.assert_array_equal(read(tmp_path / "t.mat"), frame)
    frame["depth, [x]"] = DEPTH
    frame.to_csv(path, index=False)
    said = run("consensus", path, "-k", 3, "-o", tmp_path)
    assert "by --except 'depth? ?x]'" in said
    assert "consensus.csv" in run(
        *shlex.split(f"consensus {path} -k 3 -o {tmp_path} --except 'depth? ?x]'")
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\n\na,b\n1,1\n", "the first line is empty; remove what is above the names"),
        (b",\na,b\n1,1\n", "the first line is empty; remove what is above the names"),
        (b"a,b", "there is no row of labels below the names of the columns"),
        (
            gzip.compress(b"a,b\n1,1\n", mtime=0),
            "this is no text; let the name of the file end in .gz",
        ),
        ("a,b\n1,1\n".encode("utf-16-le"), "say encoding: utf-16-le if it is one in UTF-16"),
        ("a,b\n1,1\n".encode("utf-16-be"), "say encoding: utf-16-be if it is one in UTF-16"),
    ],
)
def test_files_without_a_table_say_what_is_wrong(tmp_path, content, said):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError, match=said):
        read(tmp_path / "t.csv")


def test_lists_of_members_hold_nothing_else(tmp_path):
    for name, head in (("a.txt", ""), ("b.txt", "C1: ")):
        (tmp_path / name).write_text(f"{head}x z\n{head.replace('1', '2')}y\n")
    with pytest.warns(UserWarning, match="2 samples, such as 'C1:', are in some files only"):
        open_table(TableFile(str(tmp_path), each_file="members"))
    (tmp_path / "b.txt").write_text('cluster,members\n1,"x;z"\n')
    with pytest.raises(DataError, match="there are quotation marks; a list of members has"):
        open_table(TableFile(str(tmp_path), each_file="members"))


def test_the_columns_that_posterior_adds_are_no_items(tmp_path):
    draws = pd.DataFrame(draws_in_rows()[:20]).add_prefix("z")
    added = draws.assign(**{".chain": 1, ".iteration": np.arange(20), ".draw": np.arange(20)})
    added.to_csv(tmp_path / "t.csv", index=False)
    table = read_draws([str(tmp_path / "t.csv")], DrawFile(draws="rows"))
    np.testing.assert_array_equal(table.labels, draws.T)
    assert set(table.chains) == {"1"}


def test_one_column_is_in_no_order():
    labels = np.repeat(np.arange(20), 20)  # more columns like it would tell of one
    np.testing.assert_array_equal(Ensemble(pd.DataFrame({"a": labels})).labels[:, 0], labels)


def test_a_table_that_is_sorted_by_class_holds_clusterings():
    generator = np.random.default_rng(0)
    classes = np.repeat(range(4), 2500)
    for m in (2, 5):
        moved = generator.random((10_000, m)) < 0.02
        labels = np.where(moved, generator.integers(0, 4, moved.shape), classes[:, None])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Ensemble(pd.DataFrame(labels).add_prefix("c"))


def test_two_clusters_in_a_table_that_is_sorted_by_them_are_no_memberships():
    classes = np.repeat([0, 1], 5000)
    other = classes.copy()
    other[-100:] = 0
    Ensemble(pd.DataFrame({"a": other, "b": classes, "c": 1 - classes}))
    with pytest.raises(DataError, match="a single one"):
        Ensemble(pd.get_dummies(np.repeat(range(3), 4000)).astype(int).add_prefix("c"))


def test_a_code_of_missing_labels_at_the_end_of_a_table_is_seen():
    labels = np.repeat(np.arange(1, 11)[:, None], 3, axis=1).repeat(1000, axis=0)
    for column in labels.T:  # apart in the other columns, as samples of no cluster are
        scattered = RANDOM.choice(10_000, 500, replace=False)
        column[scattered] = 0
    frame = pd.DataFrame(labels).add_prefix("c")
    with pytest.warns(UserWarning, match="'0' is taken for a cluster"):
        Ensemble(frame)
    frame.loc[9000:, "c0"] = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Ensemble(frame)
