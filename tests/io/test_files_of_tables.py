"""Tables as people have them: read as they are, with a line that says so, or refused by name."""

import re
import shlex
import warnings
from pathlib import Path

import h5py
import numpy as np
import openpyxl
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from coassoc import DataError, Ensemble, find_consensus
from coassoc.io.chains import read_draws
from coassoc.io.features import read_features
from coassoc.io.files import open_table
from coassoc.io.labels import EncodedLabels, labels_of
from coassoc.io.memberships import read_memberships
from coassoc.io.similarities import read_similarity
from coassoc.io.table import TableFile
from programs import coassoc
from refusals import cases, refuses

N = 400
RANDOM = np.random.default_rng(0)
CLASS = RANDOM.integers(0, 4, N)


def clustering(k: int, noise: float = 0.15) -> np.ndarray:
    """A clustering with k clusters that is nearly a refinement or a merger of the classes."""
    parts = CLASS % k if k < 4 else CLASS + 4 * RANDOM.integers(0, max(k // 4, 1), N)
    return np.where(RANDOM.random(N) < noise, RANDOM.integers(0, k, N), parts % k)


@pytest.fixture(autouse=True)
def same_draws():
    """A test draws the same whatever was drawn before."""
    RANDOM.bit_generator.state = np.random.default_rng(1).bit_generator.state


def cells(**columns) -> pd.DataFrame:
    """A table of cells with clusterings at three resolutions, and more columns."""
    found = {f"RNA_snn_res.{r}": clustering(k) for r, k in ((0.2, 3), (0.5, 4), (1, 8))}
    return pd.DataFrame({**found, **columns}).set_axis([f"AACT-{i}" for i in range(N)])


def read(path: Path, **keys) -> EncodedLabels:
    return labels_of(open_table(TableFile(str(path), spelled="--{}={}", **keys)))


def written(folder: Path, table: pd.DataFrame, index: bool = False) -> Path:
    table.to_csv(folder / "t.csv", index=index)
    return folder / "t.csv"


DEPTH = RANDOM.negative_binomial(3, 0.004, N) + 200
#: What is said of a column that is unrelated to the others.
APART = "hardly any agreement beyond chance with the largest group of columns"
#: Columns that are no clusterings, and why.
OTHERS = {
    "orig.ident": (np.where(RANDOM.random(N) < 0.5, "s1", "s2"), APART),
    "nCount_RNA": (DEPTH, f".* values|{APART}"),
    "percent.mt": (RANDOM.random(N).round(3), r"0\.\d+, but a label is a non-negative integer"),
    "donor": (RANDOM.integers(1, 5, N), APART),
    "age": (RANDOM.integers(20, 80, N), APART),
    "umi": (RANDOM.poisson(0.3, N), APART),
    "project": (np.full(N, "pbmc"), "one value"),
    "barcode": ([f"b{i}" for i in range(N)], "400 different values for 400 samples, as names"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_column_that_is_no_clustering_is_named_and_the_user_chooses(tmp_path, name):
    values, said = OTHERS[name]
    frame, said = cells(**{name: values}), rf"'{name}' \(({said})"
    path = written(tmp_path, frame, index=True)
    refuses(DataError, said, read, path)
    for keys in ({"columns": ("RNA_snn_res.*",)}, {"without": (name,)}):
        assert read(path, **keys).labels.shape == (N, 3)
    refused = name in ("nCount_RNA", "percent.mt", "barcode", "project")
    with pytest.raises(DataError, match=said) if refused else pytest.warns(match=said):
        assert Ensemble(frame).n_clusterings == 4


def test_all_of_them_are_named_with_the_way_on(tmp_path):
    others = {name: values for name, (values, _) in OTHERS.items()}
    path = written(tmp_path, cells(**others), index=True)
    said = coassoc("consensus", path, "-k", 4, "-o", tmp_path, code=1).output
    assert all(repr(name) in said for name in others) and not (tmp_path / "consensus.csv").exists()
    assert "--columns=… or --except=… and the samples' names with --id=…" in said
    assert "pass --missing=… for missing labels. For measurements use coassoc subtypes" in said
    table = pd.DataFrame({"patient": [f"p{i % 10}" for i in range(11)], "a": 0, "b": 1})
    table.loc[5:, ["a", "b"]] = 1, 0
    with pytest.raises(DataError, match=r"'patient' .10 different values for 11 samples"):
        read(written(tmp_path, table))


@pytest.mark.parametrize(("name", "n"), [("age", 60), ("donor", 60), ("rare", 60), ("rare", 400)])
def test_a_column_in_doubt_is_named_in_the_line(tmp_path, name, n, recwarn):
    values = 1 * (RANDOM.random(N) < 0.05) if name == "rare" else OTHERS[name][0]
    frame = cells(**{name: values})[:n]
    path = written(tmp_path, frame, index=True)
    said = f"may not be clusterings: '{name}' .{APART}"
    found = read(path)
    assert found.labels.shape == (n, 4) and re.search(said, found.line) and not recwarn
    assert name not in read(path, columns=("RNA*", name)).line
    with pytest.warns(UserWarning, match=said):
        Ensemble(frame)


@pytest.mark.parametrize("mean", [0.3, 3.0, 40.0])
def test_counts_are_no_clusterings(tmp_path, mean):
    rates = RANDOM.gamma(2, mean / 2, 30)
    counts = pd.DataFrame(RANDOM.poisson(rates, (N, 30))).add_prefix("gene")
    for some in (counts, counts.iloc[:120, :10]):
        with pytest.raises(DataError, match=r"agreement beyond chance[)].*coassoc subtypes"):
            read(written(tmp_path, some))
    for given in (counts, counts.to_numpy()):
        with pytest.warns(UserWarning, match="labels: columns that .*agreement beyond chance[)]"):
            assert Ensemble(given).n_clusterings == 30


def test_clusterings_of_any_kind_are_read_without_a_word(tmp_path, recwarn):
    words = np.array(["T", "B", "NK", "mono"])
    table = {
        "kmeans 3": clustering(3),
        "kmeans 20": clustering(20),
        "ward": words[clustering(4)],
        "dbscan": np.where(RANDOM.random(N) < 0.3, -1, clustering(4)),
        "leiden_0.1": clustering(2),
        "single": 1 * (np.arange(N) > N - 3),
        "float": clustering(4).astype(float),
    }
    found = read(written(tmp_path, pd.DataFrame(table)))
    assert found.labels.shape == (N, 7)
    line = "t.csv: 400 samples × 7 clusterings, 2 to 20 clusters, 5 % missing; −1 read as missing"
    assert found.line.endswith(line) and not [str(warning.message) for warning in recwarn]
    bins = pd.DataFrame({"a": CLASS, "b": CLASS, "c": np.arange(N) % 2}).astype(object)
    bins.loc[CLASS != 0, "c"] = None  # all that are in one cluster of the others
    assert read(written(tmp_path, bins)).labels.shape == (N, 3)


def test_weak_clusterings_agree_enough(recwarn):
    points = RANDOM.normal(size=(N, 20)) + 1.2 * np.eye(4, 20)[CLASS] * 2
    from sklearn.cluster import KMeans

    labels = [KMeans(20, n_init=1, random_state=s).fit_predict(points) for s in range(10)]
    Ensemble(pd.DataFrame(np.transpose(labels)).add_prefix("run"))
    assert not recwarn


# -- tables of other kinds ------------------------------------------------------------------------


def test_clusterings_in_rows_are_asked_about(tmp_path):
    table = cells().T
    table.T.to_csv(tmp_path / "columns.csv", index=False)
    table.to_csv(tmp_path / "l.csv")
    scipy.io.savemat(tmp_path / "l.mat", {"labels": table.to_numpy()})
    for name in ("l.csv", "l.mat"):
        refuses(DataError, "400 columns and 3 rows. Pass --in=rows if a", read, tmp_path / name)
    for way in ({"columns": ("*",)}, {"in_": "columns"}):
        assert read(tmp_path / "l.mat", **way).labels.shape == table.shape
    for name, names in (("l.csv", [*cells()]), ("l.mat", ["1", "2", "3"])):
        found = read(tmp_path / name, in_="rows")
        np.testing.assert_array_equal(found.labels, read(tmp_path / "columns.csv").labels)
        assert found.clusterings == names and len(found.samples) == 400
    with pytest.raises(DataError, match=r"3 lists of 400 labels .*numpy.column_stack"):
        find_consensus([*table.to_numpy()], 3)
    with pytest.warns(UserWarning, match="there are 400 clusterings of 3 samples"):
        Ensemble(table.to_numpy())


def draws_in_rows() -> np.ndarray:
    """(300, 40) draws numbered by first appearance, as salso writes them."""
    draws = np.array([clustering(4)[:40] for _ in range(300)])
    return np.array([np.unique(d, return_index=True)[1].argsort().argsort()[d] for d in draws])


def test_square_tables_and_draws_in_rows_are_refused(tmp_path):
    memberships = np.hstack([np.eye(4, dtype=int)[clustering(4)] for _ in range(3)])[:50]
    names = [f"card {i}" for i in range(50)]
    similarities = pd.DataFrame(memberships @ memberships.T, names, names)
    path = written(tmp_path, similarities.sample(frac=1, random_state=0), index=True)
    refuses(DataError, r"50 columns and 50 rows. .* coassoc consensus --similarity", read, path)
    assert read(path, id="first", columns=("*",)).labels.shape == (50, 50)
    with pytest.raises(DataError, match=r"'c0' .one value, 0"):
        read(written(tmp_path, pd.DataFrame(draws_in_rows()).add_prefix("c")))


def test_columns_that_are_clusters_are_refused(tmp_path):
    clusters = pd.DataFrame(np.hstack([np.eye(4, dtype=int)[clustering(4)] for _ in range(3)]))
    for table in (clusters, clusters.astype(bool), clusters.iloc[:, :4]):
        path = written(tmp_path, table.add_prefix("c"))
        refuses(DataError, r"as if a column were a cluster.*--columns='\*'", read, path)
        with pytest.warns(UserWarning, match="as if a column were a cluster"):
            Ensemble(table)
    assert read(path, columns=("*",)).labels.shape == (N, 4)


@pytest.mark.parametrize("changed", [{}, {"resolution": 0.5}, {"row": np.arange(3 * N)}])
def test_a_row_for_each_label_is_refused_with_the_way_to_reshape(tmp_path, changed):
    wide = cells().rename_axis("cell").reset_index()
    table = wide.melt("cell", var_name="run", value_name="cluster").assign(**changed)
    way = r"table\.pivot\(index='cell', columns='run', values='cluster'\)"
    way += " if 'cell' names the samples and 'run' the clusterings, or pass"
    for each in (table, table.sample(frac=0.8, random_state=0)):
        path = written(tmp_path, each)
        for keys in ({}, {"id": "cell"}):
            refuses(DataError, f"one label of one sample. Reshape .*{way}", read, path, **keys)
        refuses(DataError, way, Ensemble, each, id="cell")
    assert read(path, columns=("cell", "run", "cluster")).labels.shape[1] == 3
    with pytest.warns(UserWarning, match=way):
        Ensemble(table[["cell", "run", "cluster"]])


@pytest.mark.parametrize("names", [["cell", "run", "label"], [3, 1, 2]])
def test_the_way_to_reshape_names_the_right_columns(names):
    table = cells().melt(ignore_index=False).reset_index().set_axis(names, axis=1)
    index, columns, values = names
    run = table[columns].factorize()[0]
    own = table.assign(**{values: run * 100 + table[values]} if values == "label" else {})
    way = f"pivot(index={index!r}, columns={columns!r}, values={values!r}) if {index!r} names the"
    with pytest.warns(UserWarning, match="one label of one sample") as seen:
        Ensemble(own)
    assert way in str(seen[0].message) and seen[0].filename == __file__
    numbered = table.replace({columns: dict(zip(cells(), (0.2, 0.5, 1.5), strict=True))})
    refuses(DataError, re.escape(way), Ensemble, numbered, id=index)


def test_pairs_of_samples_and_positions_are_not_rows_for_each_label(tmp_path):
    i, j = np.triu_indices(30, 1)
    pairs = pd.DataFrame({"a": i, "b": j, "count": (i * j) % 7})
    spots = pd.DataFrame({"spot": [f"s{i}" for i in range(400)]})
    spots[["row", "column"]] = np.stack(np.indices((20, 20)), axis=2).reshape(400, 2)
    spots["leiden"] = spots["row"] // 5
    for table in (pairs, pairs.assign(count=pairs["count"] / 7), spots):
        with pytest.raises(DataError, match="these columns do not look like clusterings"):
            read(written(tmp_path, table))


def test_fine_clusterings_are_not_rows_for_each_label(recwarn):
    i = np.arange(40)
    table = pd.DataFrame({"a": i // 2, "b": (i + 1) // 2 % 20, "c": i // 4})
    assert not table.duplicated(["a", "b"]).any()
    Ensemble(table)
    assert not any("one label of one sample" in str(each.message) for each in recwarn)


def test_a_column_without_a_name_is_refused(tmp_path):
    path = written(tmp_path, cells().set_axis(CLASS), index=True)
    refuses(DataError, r"clusterings: '' .no name, so it may name the rows", read, path)
    assert read(path, without=("",)).labels.shape == (N, 3)
    refuses(DataError, r"'Unnamed: 0' .no name", Ensemble, pd.read_csv(path))


# -- missing labels -------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["0", "99", "unassigned", "?"])
@pytest.mark.parametrize("columns", [1, 5])
def test_a_value_that_means_no_cluster_is_told(tmp_path, value, columns):
    table = pd.DataFrame({f"c{j}": clustering(4, 0.05) + 1 for j in range(5)}).astype(str)
    for name in table.columns[:columns]:
        table.loc[RANDOM.random(N) < 0.2, name] = value
    path = written(tmp_path, table)
    if value == "0" and columns == 1:  # a cluster's number like any other
        assert read(path).labels.min() == 0
        return
    if value == "99" and columns == 1:
        with pytest.raises(DataError, match="is read as a cluster, but it is far above") as asked:
            read(path)
        said = str(asked.value)
    else:
        with pytest.warns(UserWarning, match="is read as a cluster, but .* Pass") as warned:
            assert read(path).labels.min() == 0
        said = str(warned[0].message)
    said = said.split(". Pass ")[1].split(" if ")[0]
    with warnings.catch_warnings(action="error"):
        found = read(path, missing=(shlex.split(said)[0].split("=")[1],))
    assert f"{value} read as missing" in found.line and found.labels.min() == -1


def test_a_background_is_asked_about(tmp_path):
    labels = np.array([RANDOM.permutation(4)[clustering(4)] + 1 for _ in range(5)]).T
    labels[:150] = 0
    np.save(tmp_path / "l.npy", labels)
    said = "'0' .* it marks the same samples in all columns"
    with pytest.raises(DataError, match=f"{said}.* Pass --missing='0' if .*--columns='.*' if it"):
        read(tmp_path / "l.npy")
    assert read(tmp_path / "l.npy", missing=("0",)).labels.min() == -1
    for given in (labels, pd.DataFrame(labels)):
        with pytest.warns(UserWarning, match=f"{said}.* Replace it by NaN if"):
            Ensemble(given)


def test_words_for_noise_in_one_column_are_told(tmp_path):
    table = pd.DataFrame({f"c{j}": clustering(4, 0.05) for j in range(5)}).astype(str)
    table["words"] = np.array(["T", "B", "NK", "other"])[CLASS]  # a cluster like any other
    for word in ("unclassified", "?", "-", "Noise"):
        scattered = table["words"].mask(RANDOM.random(N) < 0.2, word)
        with pytest.warns(UserWarning, match=re.escape(f"{word!r} is read as a cluster, but its")):
            read(written(tmp_path, table.assign(words=scattered)))
    with warnings.catch_warnings(action="error"):
        read(written(tmp_path, table))


def test_one_map_is_asked_about(tmp_path):
    i, j = np.indices((60, 24))
    labels = (i // 20 + j // 8) % 5
    labels[RANDOM.random(labels.shape) < 0.1] = 0
    np.save(tmp_path / "map.npy", labels)
    with pytest.raises(DataError, match=r"as in one map\. Pass --in=columns if .* --each-file=map"):
        read(tmp_path / "map.npy")
    with pytest.warns(UserWarning, match="as in one map"):
        Ensemble(labels)
    runs = np.sort(CLASS)[:60, None] * np.ones(24, int)
    with pytest.warns(UserWarning) as warned:  # sorted samples, with equal numbers in all runs
        Ensemble(np.where(RANDOM.random(runs.shape) < 0.1, 0, runs).astype(int))
        warnings.warn("the only one", stacklevel=1)
    assert not any("one map" in str(each.message) for each in warned)


def test_one_word_in_two_forms_of_unicode_is_one_label(tmp_path):
    table = cells()
    table["RNA_snn_res.0.5"] = np.array(["na\u00efve", "nai\u0308ve", "T", "B"])[CLASS]
    for found in (read(written(tmp_path, table)), Ensemble(table)):
        assert found.values[1] == ["B", "T", "na\u00efve"]
    names = pd.DataFrame({"id": ["e\u0301", "\u00e9"], "a": [0, 1]})
    refuses(DataError, "2 samples have the id '\u00e9'", Ensemble, names, id="id")
    runs = pd.DataFrame({"e\u0301": ["s", "t", "u"], "a": [0, 1, 1], "b": [0, 0, 1]})
    assert list(Ensemble(runs, id="\u00e9").index) == ["s", "t", "u"]


def test_a_single_cluster_is_not_a_background(recwarn):
    Ensemble(pd.DataFrame(np.zeros((30, 3), int)), columns=range(3))
    assert not recwarn


def test_codes_of_missing_values_are_named_with_the_option(tmp_path):
    table = cells()
    table.iloc[:9] = -9
    path = written(tmp_path, table)
    refuses(DataError, r"-9, but a label is .* pass --missing=…", read, path)
    assert (read(path, missing=("-9",)).labels[:9] == -1).all()
    said = coassoc("consensus", path, "--missing=-9", "-k", 3, "-m", "LWEA", "-o", "-").output
    assert "leaving out 9 samples without any label" in said and "-9 read as missing" in said


# -- files ----------------------------------------------------------------------------------------

#: Name of a file, its content, and how it is read: three samples with a, x; b, y; a, x.
TEXTS = {
    "tabs": ("l.txt", b"a\tb\n1\tx\n2\ty\n1\tx\n", {}),
    "spaces": ("l.txt", b'"a" "b"\n1   "x"\n2 y\n1 x\n', {}),
    "R's names": ("l.txt", b'"a" "b"\n"1" 1 "x"\n"2" 2 "y"\n"3" 1 "x"\n', {}),
    "a word": ("l.csv", b"a;b\n1;x\n2;y\n1;x\n", {"separator": "semicolon"}),
    "PLINK": ("l.tsv", b"#IID\ta\tb\n#1\t1\tx\n#2\t2\ty\n#3\t1\tx\n", {"id": "#IID"}),
    "UTF-16": ("l.csv", "a,b\n1,x\n2,y\n1,x\n".encode("utf-16"), {}),
    "latin-1": ("l.csv", "a,b\n1,é\n2,y\n1,é\n".encode("latin-1"), {"encoding": "latin-1"}),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text_of_many_kinds(tmp_path, case):
    name, content, keys = TEXTS[case]
    (tmp_path / name).write_bytes(content)
    labels = read(tmp_path / name, **keys).labels
    assert labels[:, 0].tolist() == [0, 1, 0] and len({*labels[:, 1].tolist()}) == 2


#: Content of a file that is refused, and what is said.
NO_TABLES = {
    "empty": (b"", "the file is empty"),
    "empty line": (b",\na,b\n1,1\n", "the first line does not name the columns. Remove everything"),
    "title": (b"Our study\na,b,c\n1,2,3\n", "the first line does not name the columns"),
    "filled title": (b"Our study,,\na,b,c\n1,2,3\n", "the first line does not name the columns"),
    "no rows": (b"a,b", "there is no row of labels"),
    "packed": (b"\x1f\x8b\x08\x00\x00", "not UTF-8 text"),
    "UTF-16": ("a,b\n1,1\n".encode("utf-16-le"), "Pass its encoding|pass its encoding"),
    "names after #": (b"# a,b\nx,y\n1,y\n", "a line begins with '# ' or '##', as comments do"),
    "comment": (b"a,b\n1,y\n##c,d\n2,y\n", "a line begins with '# ' or '##'"),
    "one byte": (b"a,b\n1,1\n" + b"0,1\n" * 200 + b"\x000,1\n", "line 203 has a byte 0, which no"),
    "another width": (b"a,b\n1,2\n1\n", "Row #3: Expected 2 columns, got 1.* Write the"),
}


@pytest.mark.parametrize("case", NO_TABLES)
def test_text_that_is_no_table_says_what_is_wrong(tmp_path, case):
    content, said = NO_TABLES[case]
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError, match=said) as error:
        read(tmp_path / "t.csv")
    assert "\n" not in str(error.value)


def test_sheets_merged_cells_hidden_rows_and_formulas(tmp_path):
    path = tmp_path / "l.xlsx"
    pd.DataFrame({"a": [1, 1, 2, 2], "b": ["x", "y", "x", "y"]}).to_excel(path, index=False)
    book = openpyxl.load_workbook(path)
    new = book.create_sheet("new")
    book.save(path)
    assert read(path, sheet="Sheet1").labels[:, 0].tolist() == [0, 0, 1, 1]
    for sheet in (None, "x"):
        with pytest.raises(DataError, match="choose one of the sheets Sheet1, new with --sheet"):
            read(path, sheet=sheet)

    def assert_refused():
        book.save(path)
        said = "'Sheet1' has merged cells, hidden rows or columns, or formulas without"
        refuses(DataError, said, read, path, sheet="Sheet1")

    book.active.row_dimensions[3].hidden = True
    assert_refused()
    book.active.row_dimensions[3].hidden = False
    book.active.merge_cells("A2:A3")
    assert_refused()
    book.active.unmerge_cells("A2:A3")
    new.append(["=1+1"])
    assert_refused()


def test_folders_say_what_each_file_has(tmp_path):
    labels = {"x": [0, 1], "y": [1, 1], "z": [0, 0]}
    for j, order in enumerate(["xyz", "zy"]):
        (tmp_path / f"m{j}").mkdir()
        rows = [f"{name},{labels[name][j]}" for name in order]
        (tmp_path / f"m{j}/labels.csv").write_text("\n".join(["cell,label", *rows, ""]))
        (tmp_path / f"m{j}/config.json").write_text("{}")
    said = coassoc("consensus", tmp_path, "-k", 2, "-o", tmp_path, code=1).output
    assert "this is a folder. Pass --each-file=clustering if" in said
    with pytest.raises(DataError, match=r"config\.json: unknown kind of file"):
        read(tmp_path, each_file="clustering", id="cell")
    with pytest.warns(UserWarning, match="1 of 2 files lack some of the 3 samples"):
        found = read(tmp_path / "*/labels.csv", each_file="clustering", id="cell")
    assert found.labels.tolist() == [[0, -1], [1, 1], [0, 0]]
    assert found.clusterings == ["m0/labels", "m1/labels"]


#: Options, and kinds of files that do not have them.
NOT_FOR = {
    "sheet": (".csv", ".tsv", ".parquet", ".npy", ".h5"),
    "separator": (".parquet", ".xlsx", ".npy", ".mat"),
    "encoding": (".parquet", ".xlsx", ".npy", ".mat"),
    "header": (".parquet", ".feather", ".npy", ".h5ad"),
    "variable": (".csv", ".xlsx", ".parquet", ".npy"),
}


@pytest.mark.parametrize("option", NOT_FOR)
@cases("reader", read, lambda path, **keys: read_features(TableFile(path, **keys)))
def test_options_of_other_kinds_of_files_are_refused(tmp_path, option, reader):
    value = False if option == "header" else ","
    for ending in NOT_FOR[option]:
        path = tmp_path / f"a{ending}"
        path.touch()
        with pytest.raises(DataError, match=f"a{ending}: .*{option}.* is for .* Leave out this"):
            reader(str(path), **{option: value})


def test_options_that_only_tables_have_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(3))
    (tmp_path / "a.Q").write_text("0.1 0.9\n0.2 0.8\n")
    file = str(tmp_path / "a.npy")
    with pytest.raises(DataError, match="--id=… is for tables with names of columns"):
        read_features(TableFile(file, id="first", spelled="--{}={}"))
    for keys in ({"id": "x"}, {"columns": ("x",)}, {"without": ("x",)}, {"missing": ("0",)}):
        with pytest.raises(DataError, match="is for tables with names of columns"):
            read_similarity(TableFile(file, **keys))
    for keys in ({"id": "x"}, {"header": True}, {"separator": ","}):
        refuses(DataError, f"{next(iter(keys))}=… is for", read_draws, [file], "rows", **keys)
    for keys in ({"id": "x"}, {"columns": ("x",)}, {"sheet": "x"}):
        with pytest.raises(DataError, match=f"{next(iter(keys))}=… is for"):
            read_memberships([str(tmp_path / "a.Q")], **keys)
    assert len(read_memberships([str(tmp_path / "a.Q")], header=False).memberships) == 1
    refuses(DataError, "--chain is for tables", read_draws, [file], "rows", "x")


def test_an_option_is_for_some_files_of_a_folder(tmp_path):
    table = pd.DataFrame({"label": [0, 1, 1]})
    table.to_csv(tmp_path / "a.csv", sep="|", index=False)
    table.to_parquet(tmp_path / "b.parquet")
    assert read(tmp_path, each_file="clustering", separator="|").labels.shape == (3, 2)
    with pytest.raises(DataError, match="--sheet=… is for Excel files"):
        read(tmp_path, each_file="clustering", sheet="x")


def test_files_of_unknown_kinds_may_have_any_format(tmp_path):
    (tmp_path / "a.Q").write_text("0.1 0.9\n")
    with pytest.raises(DataError, match=r"unknown kind of file\. .*coassoc memberships"):
        read(tmp_path, each_file="clustering", header=False)
    (tmp_path / "a.Q").rename(tmp_path / "a.mcl").write_text("x;y\nz\n")
    found = read(tmp_path, each_file="members", separator="semicolon")
    assert found.labels.tolist() == [[0], [0], [1]]
    for keys in ({"id": "x"}, {"header": True}, {"missing": ("x",)}):
        with pytest.raises(DataError, match=f"{next(iter(keys))}=… is for tables"):
            read(tmp_path, each_file="members", **keys)


@pytest.mark.parametrize("head", ["", "OG1: "])
def test_lists_of_members(tmp_path, head):
    second = head.replace("1", "2")
    (tmp_path / "a.txt").write_text(f"{head}x z\n{second}y\n")
    (tmp_path / "b.txt").write_text(f"{head}z\n{second}x y\n")
    found = read(tmp_path, each_file="members")
    assert found.samples.tolist() == ["x", "z", "y"]
    assert found.labels.tolist() == [[0, 1], [0, 0], [1, 1]]
    for text, said in (
        ("# a\nz\nx z\n", "sample 'z' is on the lines 2 and 3"),
        ("x\t\ty\nz\n", "line 1 has two separators without a name"),
    ):
        (tmp_path / "b.txt").write_text(text)
        refuses(DataError, said, read, tmp_path, each_file="members")


def test_structs_cells_and_groups(tmp_path):
    labels = cells().to_numpy()
    several = np.empty(3, dtype=object)
    several[:] = [*labels.T]
    held = {"all": {"members": labels, "gt": CLASS}, "cells": several}
    scipy.io.savemat(tmp_path / "l.mat", held)
    with h5py.File(tmp_path / "l.h5", "w") as file:
        file["all/members"], file["all/gt"] = labels, CLASS
    with h5py.File(tmp_path / "new.mat", "w") as file:
        for j, column in enumerate(labels.T):
            file[f"#refs#/{j}"] = column[None].astype(float)
        file["cells"] = [[file[f"#refs#/{j}"].ref] for j in range(3)]
    ways = {"l.mat": ("all.members", "all/members", "cells"), "l.h5": ["all/members"]}
    for name, variable in (("new.mat", None), *((x, v) for x, vs in ways.items() for v in vs)):
        np.testing.assert_array_equal(read(tmp_path / name, variable=variable).labels, labels)
    for name, variable, said in (
        ("l.mat", None, "Pass --variable=NAME with an array of the file: all .*, cells"),
        ("l.mat", "all", "all is a struct. Choose one of the struct's fields .*all.members, all"),
        ("l.h5", "all", r"Choose one of its arrays \(all/gt, all/members\)"),
        ("l.h5", "x", r"all/gt \(400\), all/members \(400 × 3\)"),
    ):
        refuses(DataError, said, read, tmp_path / name, variable=variable)


def test_names_with_commas_and_patterns(tmp_path):
    table = pd.DataFrame({f"k={k},a=1": clustering(k) for k in (3, 4, 5)})
    path = written(tmp_path, table)
    assert read(path, columns=("k=3", "a=1")).clusterings == ["k=3,a=1"]
    path = written(tmp_path, table.assign(**{"depth, [x]": OTHERS["donor"][0]}))
    words = ["consensus", path, "-k", 3, "-m", "LWEA", "-o", "-"]
    assert "3 clusterings" in coassoc(*words, "--except", "depth? ?x]").output


# -- sparse matrices ------------------------------------------------------------------------------


X = sp.random_array((30, 8), density=0.3, format="csr", rng=np.random.default_rng(0))
PARTS = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}
#: Parts of a sparse matrix that are wrong.
DAMAGES = {
    "beyond": {"indices": np.append(8, X.indices[1:])},
    "fractional": {"indices": X.indices + 0.5},
    "few indices": {"indices": X.indices[:-1]},
    "unsorted": {"indptr": np.insert(X.indptr[2:], 0, [0, X.indptr[2] + 1])},
    "no start": {"indptr": np.append(1, X.indptr[1:])},
    "texts": {"data": np.array(["x"] * X.nnz, dtype="S1")},
    "more axes": {"data": X.data[:, None]},
    "large shape": {"shape": np.array([30, 10**12])},
    "negative shape": {"shape": np.array([30, -8])},
    "one size": {"shape": np.array([30])},
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_sparse_matrix_is_one_sentence(tmp_path, kind):
    parts = PARTS | DAMAGES[kind]
    np.savez(tmp_path / "x.npz", format=np.array(b"csr"), **parts)
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        group = file.create_group("X")
        for name in ("data", "indices", "indptr"):
            group[name] = parts[name]
        group.attrs["shape"] = parts["shape"]
    for name in ("x.npz", "x.h5ad"):
        with pytest.raises(DataError, match=r"sparse matrix .* is damaged .*Write the") as error:
            read_features(TableFile(str(tmp_path / name)))
        assert "\n" not in str(error.value)
