"""``coassoc consensus --similarity`` reads a matrix in each form, or says why not."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
import scipy.io

from coassoc import find_consensus
from programs import coassoc

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
    lower = values.where(np.tril(np.ones((5, 5)), -1).astype(bool))
    return lower.iloc[1:, :-1]


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


@pytest.mark.parametrize(
    ("values", "options", "told"),
    [
        (table(COUNTS), [], "the value for 'ann' and 'bob' is 18"),
        (table(COUNTS), ["--total", 10], "the value for 'ann' and 'bob' is 18"),
        (table(-COUNTS), ["--distance"], "is -18"),
        (table(), ["--distance"], "the distance of 'ann' from itself is 1"),
        (triangle(table()).drop(columns="bob"), [], "'ann' does not have exactly one row"),
        (table().rename(index={"eve": "eva"}), [], "'eve' does not have exactly one row"),
        (table().rename(index={"eve": "ann"}), [], "'ann' does not have exactly one row"),
        (table().replace(0.9, "x"), [], "column 'ann' has 'x'"),
    ],
)
def test_what_cannot_be_right_is_told(tmp_path, values, options, told):
    values.to_csv(tmp_path / "cards.csv")
    words = ["--similarity", tmp_path / "cards.csv", "-k", 2, *options, "-o", tmp_path]
    done = coassoc("consensus", *words, code=1)
    assert told in done.stderr and "cards.csv" in done.stderr


def test_pairs_that_are_missing_or_told_twice_are_named(tmp_path):
    file = tmp_path / "pairs.csv"
    some = some_pairs(table())
    some.to_csv(file, index=False)
    done = coassoc("consensus", "--similarity", file, "-k", 2, code=1)
    assert "the value for 'ann' and 'dia' is nan" in done.stderr and "--total" in done.stderr
    pd.concat([some, some.assign(n=0.5)]).to_csv(file, index=False)
    done = coassoc("consensus", "--similarity", file, "-k", 2, code=1)
    assert "duplicate entries" in done.stderr


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


def test_an_asymmetric_table_is_refused_as_it_is_written(tmp_path):
    wrong = table()
    wrong.loc["ann", "bob"] = 0.7
    wrong.to_csv(tmp_path / "s.csv")
    said = coassoc("consensus", "--similarity", tmp_path / "s.csv", "-k", 2, code=1).stderr
    assert "the entry 0.7 in row 1, column 2 and the entry 0.9 across the diagonal differ" in said
