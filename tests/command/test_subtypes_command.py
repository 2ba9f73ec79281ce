"""``coassoc subtypes``: what it reads, asks, and writes."""

import re
from functools import partial

import h5py
import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import coassoc
from coassoc import EnsembleClusterer
from coassoc.io.features import read_features
from coassoc.io.table import TableFile
from coassoc.pages import cluster as page
from coassoc.pages.cluster import conclusion
from coassoc.pages.subtypes import files_of_subtypes, plot_matrix
from ensembles import THREE_GROUPS as GROUPS
from programs import coassoc as run
from refusals import cases, refuses

TABLE = pd.DataFrame(GROUPS, [f"s{i}" for i in range(30)], [f"g{j}" for j in range(12)])
FAST = ("--numbers", "2", "3", "--draws", "20", "--clouds", "0")


subtypes = partial(run, "subtypes")


def test_the_results_are_those_of_the_library(tmp_path):
    TABLE.T.to_csv(tmp_path / "genes.csv")
    said = subtypes(
        *(tmp_path / "genes.csv", "--samples", "columns", "-o", tmp_path / "out", *FAST[:5]),
        *("--clouds", 49, "--algorithm", "hierarchical", "--linkage", "ward", "--log"),
        *("--most-variable", 10, "--z-scores", "--matrices", "--save"),
    )
    assert said.stderr.startswith(f"{tmp_path / 'genes.csv'}: 30 samples (the columns) × 12 feat")
    assert said.stdout.startswith("Groups separated by gaps at 3 and 2 clusters")
    out = tmp_path / "out"
    written = [out / f"subtypes.k={k}.consensusMatrix.csv" for k in (2, 3)]
    written += [out / "subtypes.joblib", *files_of_subtypes(out, [2, 3])]
    assert {*out.iterdir()} == {*written}
    data = coassoc.subtyping.Measurements.of(TABLE)
    data = data.preprocess(log=True, most_variable=10, z_scores=True)
    words = {"algorithm": "hierarchical", "linkage": "ward", "n_clouds": 49}
    found = coassoc.subtypes(data, [2, 3], 20, **words)
    clusters = pd.read_csv(out / "subtypes.csv", index_col="sample")
    assert clusters.index.tolist() == TABLE.index.tolist()
    assert (clusters["k=3"] == found.labels[3] + 1).all()
    assert clusters["k=3 confidence"].to_numpy() == pytest.approx(found.confidence(3), abs=1e-5)
    matrix = pd.read_csv(written[1], index_col=0)
    assert matrix.to_numpy() == pytest.approx(found.matrix(3), abs=1e-5)
    classes = pd.read_csv(out / "subtypes.k=3.consensusClass.csv", header=None)
    assert classes[1].tolist() == (found.labels[3] + 1).tolist()
    items = pd.read_csv(out / "subtypes.summary.item.consensus.csv")
    items = items.query("k == 3 and cluster == 2")
    assert items["itemConsensus"].to_numpy() == pytest.approx(found.consensus[3].items[:, 1], 1e-5)
    means = pd.read_csv(out / "subtypes.summary.cluster.consensus.csv")
    assert means["cluster"].tolist() == [1, 2, 1, 2, 3]
    page = (out / "subtypes.html").read_text()
    assert len(re.findall("data:image/png", page)) == 1 + 2 * 2
    (image,) = plot_matrix(found, 3).axes[0].images
    assert image.get_array()[0, 5] > image.get_array()[0, 25]
    for text in ("log; most variable 10; z scores", "smallest possible 0.020", "hierarchical"):
        assert text.lower() in page.lower()


def test_a_later_run_keeps_the_names(tmp_path, undrawn):
    TABLE.to_csv(tmp_path / "x.csv")
    subtypes(tmp_path / "x.csv", "--samples", "rows", "--save", "-o", tmp_path, *FAST)
    found = joblib.load(tmp_path / "subtypes.joblib")
    TABLE[::-1].to_csv(tmp_path / "y.csv")
    words = tmp_path / "y.csv", "--samples", "rows", "-o", tmp_path / "later", *FAST
    again = subtypes(*words, "--align-to", tmp_path / "subtypes.joblib")
    assert "3 clusters: 3 of 3 clusters and " in again.output
    later = pd.read_csv(tmp_path / "later/subtypes.csv")
    assert (later["k=3"][::-1] == found.labels[3] + 1).all()
    wrong = tmp_path / "y.csv", "--samples", "rows", "--align-to", tmp_path / "x.csv"
    assert "x.csv: this file was not written by coassoc" in subtypes(*wrong, code=1).output


def write_h5ad(path):
    """As AnnData writes sparse measurements by column."""
    with h5py.File(path, "w") as file:
        X, group = sp.csc_array(GROUPS), file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = "csc_matrix", X.shape
        for part in ("data", "indices", "indptr"):
            group[part] = getattr(X, part)
        for axis, names in (("obs", TABLE.index), ("var", TABLE.columns)):
            table = file.create_group(axis)
            table.attrs["_index"], table.attrs["column-order"] = "names", []
            table["names"] = names.to_numpy(dtype=object)


WRITE = {
    **dict.fromkeys((".csv", ".csv.zip"), TABLE.to_csv),
    **dict.fromkeys((".tsv", ".txt"), partial(TABLE.to_csv, sep="\t")),
    ".parquet": TABLE.to_parquet,
    ".feather": TABLE.reset_index().to_feather,
    ".xlsx": TABLE.to_excel,
    ".h5ad": write_h5ad,
    ".npy": lambda path: np.save(path, GROUPS),
    ".npz": lambda path: sp.save_npz(path, sp.csc_array(GROUPS)),
}


def written_as(kind, folder):
    """The table in a file of some kind."""
    path = folder / f"x{kind}"
    WRITE[kind](path)
    return path


@pytest.mark.parametrize("kind", WRITE)
def test_tables_of_all_kinds_are_read_alike(kind, tmp_path):
    X, rows, names = read_features(TableFile(str(written_as(kind, tmp_path))))
    np.testing.assert_allclose(sp.csr_array(X).toarray(), GROUPS, rtol=1e-14)
    named = kind not in (".npy", ".npz")
    assert (rows is None, names is None) == (not named,) * 2
    if named:
        assert [*rows] == [*TABLE.index] and [*names] == [*TABLE.columns]


ROWS, COLUMNS = ("--samples", "rows"), ("--samples", "columns")
PATIENTS = TABLE.assign(patient=[*range(70, 40, -1)])[["patient", *TABLE]]
GENES = ((100 * TABLE).round() // 50).assign(GeneID=[*range(900, 0, -30)])[["GeneID", *TABLE]]
CLASSES = TABLE.assign(kind=[0, 1, 1] * 10)
GAP = TABLE.mask((np.arange(30)[:, None] == 2) & (np.arange(12) == 3))
ONLY_ONE = "feature 'kind' is the only one with whole numbers"
BARE = {"header": False, "index": False}
#: A table, words of the command, and what is asked; how the table is written.
UNCLEAR = [
    (TABLE, (), "30 rows or the 12 columns of numbers. Pass --samples", {}),
    (TABLE.assign(kind="a"), ROWS, "column 'kind' has 'a', which is not", {}),
    (PATIENTS, ROWS, "column 'patient' is a different whole number", {"index": False}),
    (GENES, COLUMNS, "column 'GeneID' is a different whole number", {"index": False}),
    (CLASSES, (*ROWS, "--linkage", "no"), ONLY_ONE, {}),
    (CLASSES.T, (*COLUMNS, "--linkage", "no"), ONLY_ONE, {}),
    (TABLE.set_axis(["a"] * 30), ("--linkage", "no"), "so numbers were added to them: a.", {}),
    (TABLE, ROWS, "Pass --header=false if this line is a sample", BARE),
    (TABLE.set_axis([*"abcdefghijka"], axis=1), ROWS, "2 columns are called 'a'", {}),
    (GAP, ROWS, "sample s2 has a missing or infinite number in feature g3", {}),
    (TABLE, ("--except", "u"), "except: 'u' is not a column", {}),
    (TABLE[:0], ROWS, "there is no row of measurements", {"index": False}),
]


def test_what_is_not_clear_is_asked(tmp_path):
    for table, words, said, written in UNCLEAR:
        table.to_csv(tmp_path / "x.csv", **written)
        done = subtypes(tmp_path / "x.csv", "-o", tmp_path / "out", *FAST, *words, code=None)
        assert done.exit_code > 0 and said in done.output


def test_missing_numbers_are_imputed_and_columns_left_out(tmp_path, undrawn):
    path, filled = tmp_path / "x.csv", GAP.fillna(-9)
    filled.assign(**{"class": 1}).to_csv(path)
    words = ("--except", "class", *ROWS, "--impute", "mean", "--missing", "-9")
    subtypes(path, "-o", tmp_path / "out", *FAST, *words)
    imputed = read_features(TableFile(str(path), without=("class",), missing=("-9",)))[0]
    assert np.isnan(imputed).sum() == np.isnan(imputed[2, 3]) == 1
    np.save(tmp_path / "x.npy", filled)
    few = TableFile(str(tmp_path / "x.npy"), columns=("4", "1"), missing=("-9.0",))
    assert read_features(few)[0] == pytest.approx(GAP.to_numpy()[:, [3, 0]], nan_ok=True)


def test_blocks_are_files(tmp_path, undrawn):
    TABLE.iloc[:, :6].to_csv(tmp_path / "a.csv")
    TABLE.iloc[2:, 6:].to_csv(tmp_path / "b.csv")
    said = subtypes(
        *("--block", f"rna={tmp_path / 'a.csv'}", "--block", f"meth={tmp_path / 'b.csv'}"),
        *("--samples", "rows", "-o", tmp_path / "out"),
        *(*FAST[:5], "--clouds", 49),
    )
    assert "rna: " in said.output and "meth: " in said.output
    clusters = pd.read_csv(tmp_path / "out/subtypes.csv")
    assert clusters["k=3 confidence meth"].isna().sum() == 2
    assert "20 resamples" in (tmp_path / "out/subtypes.html").read_text()
    for wrong in (("--block", "rna"), (tmp_path / "a.csv", "--block", "a=b"), ()):
        subtypes(*wrong, code=2)


def test_annotations_are_compared_and_replicates_resampled_together(tmp_path, undrawn):
    TABLE.to_csv(tmp_path / "x.csv")
    pheno = pd.DataFrame({"patient": np.arange(30) // 2, "sex": ["f", "m"] * 15}, TABLE.index)
    pheno[::-1].to_csv(tmp_path / "pheno.csv", index_label="sample")
    words = tmp_path / "x.csv", "--samples", "rows", "-o", tmp_path, *FAST
    subtypes(*words, "--annotate", tmp_path / "pheno.csv", "--replicates", "patient", "--save")
    lines = pd.read_csv(tmp_path / "subtypes_associations.csv")
    assert lines["annotation"].tolist() == ["patient", "patient", "sex", "sex"]
    assert (lines["smallest p"] == 1 / 1000).all()
    drawn = joblib.load(tmp_path / "subtypes.joblib").draws[3] >= 0
    assert (drawn[::2] == drawn[1::2]).all()
    assert pd.read_csv(tmp_path / "subtypes_markers.csv")["k"].unique().tolist() == [2, 3]
    assert "Annotations</h2>" in (tmp_path / "subtypes.html").read_text()
    wrong = "--annotate", tmp_path / "pheno.csv", "--replicates", "age"
    assert "--replicates 'age' is not a column. The" in subtypes(*words, *wrong, code=2).output
    assert "Pass --annotate FILE" in subtypes(*words, "--replicates", "age", code=2).output


def test_a_command_that_fails_leaves_no_resamples(tmp_path):
    TABLE.to_csv(tmp_path / "t.csv")
    words = [tmp_path / "t.csv", "--samples", "rows", "-o", tmp_path / "out", *FAST]
    said = subtypes(*words[:-4], "--draws", 2, "--items", 0.2, code=1).stderr
    assert "are in no resample" in said and not (tmp_path / "out/.subtypes").exists()
    said = subtypes(*words, "--linkage", "ward", code=1).stderr
    assert "linkage is for the algorithm hierarchical, not kmeans" in said


#: Files of other programs: name, content, and the way on if it is refused; two samples, two genes.
MEASURED = {
    "a.gct": ("#1.2\n2\t2\nNAME\tDescription\ts1\ts2\nA\tna\t1.5\t2\nB\tna\t3\t4\n", None),
    "b.gct": (
        "#1.3\n2\t2\t1\t1\nid\ttype\ts1\ts2\nbatch\tna\tx\ty\nA\tg\t1.5\t2\nB\tg\t3\t4\n",
        None,
    ),
    "cut.gct": ("#1.2\n2\t2\nNAME\tDescription\ts1\ts2\nA\tna\t1\t2\n", r"are \(1, 2\) instead of"),
    "other.gct": ("#1.4\n2\t2\nNAME\tDescription\ts1\ts2\n", "not a GCT file of version"),
    "r.csv": ('"","s1","s2"\n"A",1.5,2\n"B",3,4\n', None),
    "ids.csv": ('"","01005","2"\n"A",1.5,2\n"B",3,4\n', None),
    "plain.csv": (",01005,2\nA,1.5,2\nB,3,4\n", "the first line holds the number 01005"),
    "comma.csv": ("g;s1;s2\nA;1,5;2\nB;3;4\n", None),
    "thousands.csv": ("g;s1;s2\nA;1,500;2\nB;3;4\n", "'1,500', which is not a number"),
    "counts.txt": (
        "# Program:featureCounts v2.0; Command:x\nGeneid\tChr\tLength\ts1\ts2\nA\tc1\t9\t1\t2\n",
        "--except=Chr,Length",
    ),
}


@pytest.mark.parametrize("name", MEASURED)
def test_files_of_other_programs(tmp_path, name):
    content, refused = MEASURED[name]
    (tmp_path / name).write_text(content)
    form = {"separator": ";"} if ";s1" in content else {}
    source = TableFile(str(tmp_path / name), spelled="--{}={}", **form)
    if refused:
        refuses(coassoc.DataError, refused, read_features, source)
        return
    X, rows, columns = read_features(source)
    np.testing.assert_array_equal(X, [[1.5, 2], [3, 4]])
    assert rows.tolist() == ["A", "B"]
    assert columns.tolist() == (["01005", "2"] if name == "ids.csv" else ["s1", "s2"])


def test_layers_and_embeddings_of_cells_are_read(tmp_path):
    path, X = tmp_path / "cells.h5ad", np.arange(12.0).reshape(4, 3)
    with h5py.File(path, "w") as file:
        for axis, n in (("obs", 4), ("var", 3)):
            group = file.create_group(axis)
            group.attrs["_index"], group.attrs["column-order"] = "name", np.array([], "S1")
            group["name"] = [f"{axis}{i}" for i in range(n)]
        file["X"], file["layers/counts"], file["obsm/X_pca"] = X, X + 1, X[:, :2]
    for variable, expected in (("layers/counts", X + 1), ("obsm/X_pca", X[:, :2]), (None, X)):
        found, rows, columns = read_features(TableFile(str(path), variable=variable))
        np.testing.assert_array_equal(found, expected)
        last = "X_pca 2" if variable == "obsm/X_pca" else "var2"
        assert rows[0] == "obs0" and columns[-1] == last
    said = subtypes(path, "--layer", "logs", "-o", tmp_path, *FAST, code=1).stderr
    assert "no array layers/logs. The file has X, layers/counts, obsm/X_pca." in said
    both = subtypes(path, "--layer", "counts", "--obsm", "X_pca", "-o", tmp_path, code=2).stderr
    assert "--variable, --layer and --obsm name an array each. Pass one of them." in both
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    said = subtypes(tmp_path / "a.csv", "--samples", "rows", "--layer", "logs", code=1).stderr
    assert "a.csv: --layer=… is for .h5ad files. Leave out this option." in said


def test_features_without_a_number_are_named_and_dropped_on_request(tmp_path):
    table = TABLE.T.copy()
    table.iloc[3] = np.nan
    table.to_csv(tmp_path / "t.csv")
    words = [tmp_path / "t.csv", "--samples", "columns", "-o", tmp_path, *FAST]
    assert "--impute median, mean or knn" in subtypes(*words, code=1).stderr
    said = subtypes(*words, "--impute", "median", code=1).stderr
    assert "t.csv: g3 has no number in any sample" in said and "--drop-empty" in said
    subtypes(*words, "--drop-empty")
    assert "g3" not in pd.read_csv(tmp_path / "subtypes_markers.csv")["feature"].tolist()


# -- CLUSTER ---------------------------------------------------------------------------------------

# ``coassoc cluster``: what it reads, asks, and writes.


@pytest.fixture
def file(tmp_path):
    TABLE.to_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


def test_the_results_are_those_of_the_library_with_clusters_from_1(file, tmp_path):
    said = run("cluster", file, "--samples", "rows", "-k", 3, "-o", tmp_path / "out")
    assert said.stdout.startswith("3 clusters of 10, 10, 10 samples: ")
    found = EnsembleClusterer(3, random_state=0).fit(GROUPS)
    lines = pd.read_csv(tmp_path / "out/cluster.csv")
    assert list(lines["sample"]) == list(TABLE.index)
    np.testing.assert_array_equal(lines["cluster"], found.labels_ + 1)
    np.testing.assert_allclose(lines["confidence"], found.confidence_, atol=5e-5)
    page = (tmp_path / "out/cluster.html").read_text()
    assert "Agreement of the candidates" in page and found.candidates_[0].candidate in page


def test_agreement_and_samples_are_told(monkeypatch):
    found = EnsembleClusterer(3, random_state=0).fit(GROUPS)
    assert "is 1.00. The algorithms agree." in conclusion(found)
    assert "agree most" not in conclusion(found)
    noise = np.random.default_rng(0).normal(size=(60, 2))
    monkeypatch.setattr(page, "MOST", 50)
    told = conclusion(EnsembleClusterer(3, random_state=0).fit(noise))
    assert "agree." not in told and "50 samples drawn at random were clustered." in told


@cases(
    "words, match",
    (("-k", 3), "Pass --samples rows or --samples columns"),
    (("--samples", "rows", "-k", 31), "n_clusters is 31, for 30 samples"),
)
def test_what_is_unclear_is_asked(file, tmp_path, words, match):
    said = run("cluster", file, *words, "-o", tmp_path / "out", code=None)
    assert said.exit_code and match in said.output and not (tmp_path / "out/cluster.csv").exists()


@pytest.mark.parametrize("command", ["cluster", "subtypes"])
def test_a_table_is_not_overwritten(command, tmp_path):
    TABLE.to_csv(tmp_path / f"{command}.csv")
    words = (tmp_path / f"{command}.csv", "--samples", "rows", "-o", tmp_path)
    assert "would overwrite" in run(command, *words, code=2).output
