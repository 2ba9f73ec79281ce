"""The program ``coassoc``: its help, its errors, and what it needs to be installed."""

import re
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import scipy.io

from coassoc import find_consensus
from coassoc.methods import METHODS
from coassoc.methods.auto import measured_means
from coassoc.selection import consensus_tree
from programs import coassoc
from refusals import cases
from snakemake_runs import environment

LABELS = Path(__file__).parents[2] / "examples/own-labels/labels.csv"
CHEATS = Path(__file__).parents[1] / "bench/cheats.py"


def process(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    """The program as a process of its own."""
    command = [sys.executable, "-m", "coassoc", *arguments]
    options = {"env": environment(), **options}
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_a_mistake_is_one_sentence():
    done = process("consensus", str(LABELS), "-k", "3", "--id", "smple")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"Error: {LABELS}: id: 'smple' is not a column")
    coassoc("consensus", LABELS, "-k", "three", code=2)


FIRST = ["consensus", LABELS, "--id", "first"]


@cases("arguments, said",
    ([*FIRST, "--numbers", 2, 1_000_000], "integers from 2 to 149"),
        ([*FIRST, "-k", 3, "--numbers", 2, 3], "--numbers compares several numbers of clusters"),
        ([*FIRST, "-k", 3, "--draws", 5], "--draws compares several numbers of clusters"),
        (["consensus", "--similarity", LABELS, "-k", 3, "--each-file", "samples"],
         "--each-file does not work with --similarity"),
        (["consensus", "--similarity", LABELS, "-k", 3, "--total", 9, "--distance"],
         "--total is for counts, and --distance"),
        (["consensus", "-k", 2], "Pass either LABELS or --similarity"),
        (["consensus", "--similarity", LABELS], "--similarity needs -k"),
        ([*FIRST, "-k", 3, "--total", 3], "--total needs --similarity"),
        (["methods", "--id", "first"], "--id needs --for"),
        (["methods", "--header", "false"], "--header needs --for"),
        (["consensus", "--similarity", LABELS, "-k", 2, "--in", "rows"],
         "--in does not work with --similarity"),
        (["consensus", "folder", "--each-file", "clustering", "--in", "rows"],
         "--in rows does not work with --each-file"),
        ([*FIRST, "-k", 3, "--save-similarity", "s.foo"], "can be written as .csv, .npz or .mtx"),
        ([*FIRST, "-m", "SPCE", "-k", 3], "\nError: SPCE needs complete labels"),
        (["compare", "--labels", "no folder"], "no folder is not a folder"),
        (["compare"], "exactly one of METHOD, --export and --labels"),
        (["tree", LABELS, "--seed", 2**32], "4294967296 is not in the range"),
        (["resolutions", LABELS, "--id", "first", "--pattern", "("], "a regular expression with"),
        (["resolutions", LABELS, "--id", "first", "--pattern", "k(?P<resolution>zz)"],
         f"Error: {LABELS}: the name of column"),
)  # fmt: skip
def test_what_cannot_be_done_is_told_and_nothing_is_written(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    done = coassoc(*arguments, code=None)
    assert done.exit_code in (1, 2) and "Traceback" not in done.output
    assert said in done.output + str(done.exception) and list(tmp_path.iterdir()) == []


def test_a_warning_of_several_fits_is_printed_once(tmp_path):
    (tmp_path / "labels.csv").write_text("a,b,c\n1,,1\n1,,1\n2,2,2\n2,2,2\n,1,\n,1,\n")
    words = ["-k", 2, "-m", "LWEA", "-m", "EAC-AL", "-o", "-"]
    done = coassoc("consensus", tmp_path / "labels.csv", *words)
    assert done.stderr.count("No base clustering labels both samples of") == 1


def test_a_terminal_shows_the_progress(tmp_path, monkeypatch):
    shown = []
    for module in ("consensus", "tables"):
        monkeypatch.setattr(f"coassoc.command.{module}.show_progress", shown.append)
    words = ["consensus", LABELS, "--id", "first", "-m", "LWEA", "-o", tmp_path]
    coassoc(*words, "-k", 3)
    assert shown == ["LWEA: fit 1", ""]
    coassoc(*words, "-k", 1000, code=None)
    assert shown == ["LWEA: fit 1", ""] * 2


def test_too_little_memory_is_told(monkeypatch):
    monkeypatch.setattr("coassoc.command.tree.read_ensemble", Mock(side_effect=MemoryError()))
    done = coassoc("tree", LABELS, "--id", "first", code=1)
    assert done.stderr == "Error: There is too little memory.\n"


def test_a_package_that_is_missing_is_named(tmp_path):
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError('no click', name='click')")
    done = process("--help", cwd=tmp_path)
    told = "coassoc needs the package click. Install it with pip install 'coassoc[tables]'.\n"
    assert (done.returncode, done.stderr) == (1, told)


def test_a_reader_that_leaves_ends_it_quietly():
    code = f"{sys.executable} -m coassoc methods | head -n 1"
    options = {"env": environment(), "capture_output": True, "text": True}
    done = subprocess.run(code, shell=True, check=True, **options)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_a_consensus_is_that_of_python(tmp_path):
    done = coassoc("consensus", LABELS, "--id", "first", "-k", 3, "-m", "LWEA", "-m", "SPCE",
                   "-o", tmp_path / "made")  # fmt: skip
    read, skipped = done.stderr.splitlines()
    assert read.startswith(f"{LABELS}: 150 samples × 9 clusterings")
    assert skipped.startswith("SPCE: skipped: SPCE needs complete labels")
    frame = pd.read_csv(LABELS, index_col=0)
    expected = find_consensus(frame, 3, "LWEA")
    table = pd.read_csv(tmp_path / "made/consensus.csv", index_col=0)
    assert list(table) == ["LWEA", "LWEA confidence"] and list(table.index) == list(frame.index)
    assert table["LWEA"].tolist() == (expected.labels + 1).tolist()
    assert np.allclose(table["LWEA confidence"], expected.confidence, atol=5e-5)
    assert "LWEA" in done.stdout and done.stdout.endswith("consensus.html\n")
    assert "data:image/png" in (tmp_path / "made/consensus.html").read_text()


def test_the_page_of_the_example_can_be_followed():
    page = LABELS.with_name("README.md").read_text()
    (command,) = re.findall(r"^    coassoc (consensus .+)$", page, re.M)
    done = coassoc(*command.replace("labels.csv", str(LABELS)).split(), "-o", "-")
    assert {"EAC-AL", "LWEA", "LWGP"} < {*pd.read_csv(StringIO(done.stdout))}


def test_standard_input_and_output():
    arguments = ["consensus", "-", "--id", "first", "-k", "3", "-o", "-"]
    done = process(*arguments, input=LABELS.read_text())
    found = find_consensus(pd.read_csv(LABELS, index_col=0), 3)
    method = found.choice.method
    assert done.stdout.splitlines()[0] == f"sample,{method},{method} confidence"
    assert done.stdout.count("\n") == 151
    read = "standard input: 150 samples × 9 clusterings, 2 to 6 clusters, 10 % missing"
    said = f"{found.choice}\n{found.support.verdict}\n"
    assert done.stderr == f"{read}; names from 'sample'; −1 read as missing.\n{said}"
    wrong = coassoc(*arguments, "--header", "false", input="a;b\n1;2\n", code=1)
    assert wrong.stderr == (
        "Error: standard input: the first line has one column. Pass --separator=';' if the "
        "table has several columns.\n"
    )


def test_without_a_number_numbers_are_compared(tmp_path, monkeypatch, undrawn):
    monkeypatch.chdir(tmp_path)
    shutil.copy(LABELS, "n_clusters.csv")
    arguments = ["consensus", "n_clusters.csv", "--id", "first", "--numbers", "2", "4"]
    assert "would overwrite n_clusters.csv" in coassoc(*arguments, code=2).stderr
    done = coassoc(*arguments, "-o", "made")
    assert pd.read_csv("made/n_clusters.csv")["n_clusters"].tolist() == [2, 3, 4]
    assert "by criterion: PAC 2" in done.stdout and Path("made/n_clusters.html").exists()


@pytest.mark.parametrize("words", [["-m", "PIVOT", "-m", "BALLS"], ["-k", "auto"]])
def test_methods_that_choose_the_number_of_clusters_take_none(words):
    found = pd.read_csv(StringIO(coassoc(*FIRST, *words, "-o", "-").stdout), index_col=0)
    method = words[-1]
    expected = find_consensus(pd.read_csv(LABELS, index_col=0), None, method)
    name = expected.choice.method if expected.choice else method
    assert found[name].tolist() == (expected.labels + 1).tolist()


def test_a_tree_needs_no_number(tmp_path, undrawn):
    done = coassoc("tree", LABELS, "--id", "first", "-o", tmp_path)
    splits = pd.read_csv(tmp_path / "tree.csv")
    tree = consensus_tree(pd.read_csv(LABELS, index_col=0))
    assert done.stdout.startswith(tree.verdict)
    assert splits["cluster"].astype(str).tolist() == tree.splits.index.tolist()
    assert splits["p"].to_numpy() == pytest.approx(tree.splits["p"], abs=1e-6, nan_ok=True)
    shutil.copy(LABELS, tmp_path / "tree.csv")
    refused = coassoc("tree", tmp_path / "tree.csv", "-o", tmp_path, code=2)
    assert "would overwrite" in refused.stderr
    for command in ("tree", "consensus"):
        refused = coassoc(command, LABELS, "-o", tmp_path / "tree.csv", code=2)
        assert "tree.csv' is a file" in refused.stderr


def test_methods_say_what_they_need_and_which_a_table_admits():
    every = coassoc("methods").stdout
    for name in METHODS:
        assert re.search(rf"^{name} ", every, re.M)
    others, finer = (measured_means(kind)["LWGP"] for kind in ("others", "finer"))
    told = f"mean ARI {others.mean:.3f} ({others.versus} vs auto); with finer clusterings"
    assert f"{told} {finer.mean:.3f} ({finer.versus} vs auto)\n" in every
    done = coassoc("methods", "--for", LABELS, "--id", "first")
    assert re.search(r"^LWEA ", done.stdout, re.M) and not re.search(r"^SPCE ", done.stdout, re.M)
    assert re.search(r"^SPCE +needs complete labels$", done.stderr, re.M)


@pytest.fixture
def only_wine(tmp_path, monkeypatch):
    """Comparisons are quick."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("coassoc.bench.shipped.QUICK_DATASETS", ("Wine",))
    monkeypatch.setattr("coassoc.bench.compare._times", lambda *_: pd.DataFrame())


def test_ensembles_go_out_and_labels_are_missed(only_wine):
    done = coassoc("compare", "--export", "out", "--quick")
    assert done.output == "out: wrote the ensembles of Wine\n"
    assert len(list(Path("out").glob("Wine.*"))) == 2
    done = coassoc("compare", "--labels", "mine=out", "--quick", code=1)
    assert ".labels.csv not found" in done.output


def test_one_command_makes_the_page(only_wine):
    done = coassoc("compare", f"{CHEATS}:Honest", "--quick")
    assert "Honest: rank " in done.output and done.output.endswith("coassoc-compare/compare.html\n")
    assert "LWEA" in Path("coassoc-compare/compare.html").read_text()


def test_two_samples_have_no_numbers_of_clusters_to_compare(tmp_path):
    (tmp_path / "l.csv").write_text("a,b\nx,x\nx,y\n")
    done = coassoc("consensus", tmp_path / "l.csv", "--columns", "*", code=1)
    assert "(the number of samples minus 1)" in done.output


# -- GIVEN SIMILARITY ------------------------------------------------------------------------------

# ``coassoc consensus --similarity`` reads a matrix in each form, or says why not.


NAMES = ["ann", "bob", "cem", "dia", "eve"]
COUNTS = np.array([[20, 18, 3, 0, 1], [18, 20, 5, 2, 1], [3, 5, 20, 16, 15],
                   [0, 2, 16, 20, 17], [1, 1, 15, 17, 20]])  # fmt: skip


def table(values=COUNTS / 20):
    return pd.DataFrame(values, NAMES, NAMES)


def pairs(values):
    i, j = np.triu_indices(5, 1)
    named = {"a": np.take(NAMES, i), "b": np.take(NAMES, j)}
    return pd.DataFrame({**named, "n": values.to_numpy()[i, j]})


def some_pairs(values):
    return pairs(values).query("n > 0")


def triangle(values):
    return values.where(np.tril(np.ones((5, 5)), -1).astype(bool)).iloc[1:, :-1]


FORMS = {
    "square": (lambda f: table().to_csv(f), []),
    "rows in another order": (lambda f: table().sample(frac=1, random_state=0).to_csv(f), []),
    "triangle": (lambda f: triangle(table()).to_csv(f), []),
    "table of counts": (lambda f: table(COUNTS).to_csv(f), ["--total", 20]),
    "pairs": (lambda f: pairs(table()).to_csv(f, index=False), []),
    "counts": (lambda f: some_pairs(table(COUNTS)).to_csv(f, index=False), ["--total", 20]),
    "distances": (lambda f: table(20 - COUNTS).to_csv(f), ["--distance"]),
    "values alone": (lambda f: table().to_csv(f, index=False, header=False), ["--header", "false"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_gives_the_consensus_of_the_matrix(tmp_path, form):
    write, options = FORMS[form]
    write(tmp_path / "cards.csv")
    words = ["--similarity", tmp_path / "cards.csv", "-k", 2, *options, "-o", "-"]
    done = coassoc("consensus", *words, "--save-similarity", tmp_path / "out.csv")
    assert "of 5 samples" in done.stderr and "auto chose EAC-AL" in done.stderr
    assert "matrix of distances" not in done.stderr
    found = pd.read_csv(StringIO(done.stdout), index_col="sample")
    expected = find_consensus(similarity=table(), n_clusters=2)
    assert str(expected.choice) in done.stderr
    names = NAMES if form != "values alone" else [1, 2, 3, 4, 5]
    assert found.loc[names, "EAC-AL"].tolist() == (expected.labels + 1).tolist()
    confidence = found.loc[names, "EAC-AL confidence"]
    np.testing.assert_allclose(confidence, expected.confidence, atol=1e-4)
    saved = pd.read_csv(tmp_path / "out.csv", index_col=0)
    saved.columns = saved.columns.astype(saved.index.dtype)
    np.testing.assert_allclose(saved.loc[names, names], expected.similarity, atol=1e-8)


def test_the_matrix_of_labels_is_saved_for_other_programs_and_read_again(tmp_path):
    labels = pd.DataFrame({"a": [0, 0, 0, 1, 1, 1], "b": [0, 0, 1, 1, 2, 2]}, list("uvwxyz"))
    labels.to_csv(tmp_path / "labels.csv")
    expected = find_consensus(labels, 2, "EAC-AL").similarity
    for end in (".npz", ".mtx", ".csv"):
        file = tmp_path / f"saved{end}"
        words = ["-k", 2, "-m", "EAC-AL", "-o", "-"]
        coassoc("consensus", tmp_path / "labels.csv", *words, "--save-similarity", file)
        coassoc("consensus", "--similarity", file, *words)
    with np.load(tmp_path / "saved.npz") as saved:
        assert saved["samples"].tolist() == list("uvwxyz")
        np.testing.assert_array_equal(saved["similarity"], expected)
    np.testing.assert_array_equal(scipy.io.mmread(tmp_path / "saved.mtx"), expected)


ODD, SOME = table(), some_pairs(table()).set_index("a")
ODD.loc["ann", "bob"] = 0.7


@cases(
    "values, options, told",
    (ODD, [], "the entry 0.7 in row 1, column 2 and the entry 0.9 across the diagonal differ"),
    (SOME, [], "the value for 'ann' and 'dia' is nan"),
    (pd.concat([SOME, SOME.assign(n=0.5)]), [], "duplicate entries"),
    (table(COUNTS), [], "the value for 'ann' and 'bob' is 18"),
    (table(COUNTS), ["--total", 10], "the value for 'ann' and 'bob' is 18"),
    (table(), ["--distance"], "the distance of 'ann' from itself is 1"),
    (triangle(table()).drop(columns="bob"), [], "'ann' does not have exactly one row"),
    (table().rename(index={"eve": "eva"}), [], "'eve' does not have exactly one row"),
    (table().replace(0.9, "x"), [], "column 'ann' has 'x'"),
)
def test_what_cannot_be_right_is_told(tmp_path, values, options, told):
    values.to_csv(tmp_path / "cards.csv")
    words = ["--similarity", tmp_path / "cards.csv", "-k", 2, *options, "-o", tmp_path]
    done = coassoc("consensus", *words, code=1)
    assert told in done.stderr and "cards.csv" in done.stderr


def test_files_with_different_items_are_joined_and_items_that_nobody_placed_are_named(
    tmp_path, undrawn
):
    labels = {
        "a": {"u": 0, "v": 0, "w": 0, "x": 1, "y": 1, "z": ""},
        "b": {"u": 0, "v": 0, "x": 1, "y": 1, "w": 0, "n": ""},
        "c": {"u": 1, "x": 0, "y": 0, "v": 1, 'q, "k"': 0},
    }
    (tmp_path / "runs").mkdir()
    for name, items in labels.items():
        pd.Series(items, name="cluster").to_csv(tmp_path / f"runs/{name}.csv", index_label="item")
    words = ["--each-file", "clustering", "--id", "item", "-k", 2, "-m", "EAC-AL", "-o", tmp_path]
    done = coassoc("consensus", tmp_path / "runs", *words)
    assert "3 of 3 files lack some of the 8 samples" in done.stderr
    found = pd.read_csv(tmp_path / "consensus.csv", index_col="sample")["EAC-AL"]
    assert found['q, "k"'] == found["x"] == found["y"] != found["u"] and [
        *found[found.isna()].index
    ] == ["z", "n"]
    assert "No clustering has a label for z, n." in (tmp_path / "consensus.html").read_text()


def test_distances_that_are_passed_as_similarities_are_remarked_on(tmp_path, undrawn):
    table(1 - COUNTS / 20).to_csv(tmp_path / "distances.csv")
    words = ["consensus", "--similarity", tmp_path / "distances.csv", "-k", 2, "-o", tmp_path]
    assert "as in a matrix of distances" in coassoc(*words).stderr
    page = (tmp_path / "consensus.html").read_text()
    assert "of 5 samples." in page and "auto chose EAC-AL" in page and ">NMI with" not in page
