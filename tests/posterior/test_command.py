"""The program ``coassoc posterior`` and the files that it reads."""

from functools import partial

import h5py
import numpy as np
import pandas as pd
import pytest

from coassoc import DataError
from coassoc.io.chains import read_draws
from coassoc.posterior import point_estimate
from ensembles import noisy_ensemble
from programs import coassoc
from refusals import refused, refuses

DRAWS = noisy_ensemble(9, 12, 3, seed=0)
ITEMS = [f"V{i}" for i in range(1, 10)]
COUNTER = "".join(f"{5 * i},{i % 2}\n" for i in range(1, 21))


ROWS = pd.DataFrame(DRAWS.T + 1, columns=ITEMS)
STAN = ROWS.rename(columns=lambda name: f"z.{name[1:]}").iloc[:, ::-1]
STAN = STAN.assign(**{"mu.1": 0.5, "mu.2": 1.5, "lp__": -3.25})
STAN_TEXT = f"# model\n{STAN.to_csv(index=False)}# Elapsed Time\n"
CHAINED = ROWS.assign(chain=[1] * 6 + [2] * 6)
#: Draws of three chains.
CHAINS = DRAWS.T.reshape(3, 4, 9)


def write_nc(path):
    with h5py.File(path, "w") as file:
        z = file.create_dataset("posterior/z", data=CHAINS.astype(float))
        file["posterior/mu"] = np.full((3, 4, 2), 0.5)
        for axis, name, size in ((0, "chain", 3), (1, "draw", 4)):
            file[f"posterior/{name}"] = np.arange(size)
            file[f"posterior/{name}"].make_scale()
            z.dims[axis].attach_scale(file[f"posterior/{name}"])


IN_ROWS, IN_COLUMNS = {"draws": "rows"}, {"draws": "columns"}
#: How a file of draws is written, and what has to be said to read it.
KINDS = {
    ".csv": (lambda path: ROWS.to_csv(path, index=False), IN_ROWS),  # salso
    ".names.csv": (lambda path: ROWS.rename("draw {}".format).to_csv(path), IN_ROWS),  # R
    ".csv.gz": (lambda path: CHAINED.to_csv(path, index=False), {**IN_ROWS, "chain": "chain"}),
    ".tsv": (lambda path: ROWS.T.sub(1).add_prefix("d").to_csv(path, sep="\t"), IN_COLUMNS),
    ".stan.csv": (lambda path: path.write_text(STAN_TEXT), {}),
    ".nc": (write_nc, {}),
    ".npz": (lambda path: np.savez(path, z=CHAINS), {}),
    ".npy": (lambda path: np.save(path, DRAWS), IN_COLUMNS),
}


def written(folder, kind):
    """A file with the draws, and how it has to be read."""
    write, source = KINDS[kind]
    write(folder / f"draws{kind}")
    return folder / f"draws{kind}", source


NAMED = [".csv", ".names.csv", ".csv.gz", ".tsv"]


@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_those_of_the_file(tmp_path, kind):
    path, source = written(tmp_path, kind)
    table = read_draws([str(path)], **source)
    assert (table.labels - table.labels.min() == DRAWS).all()
    number = {".csv.gz": 2, ".nc": 3, ".npz": 3}.get(kind, 1)
    assert len(set(table.chains)) == number and (np.sort(table.chains) == table.chains).all()
    assert table.items == (ITEMS if kind in NAMED else [str(i) for i in range(1, 10)])


def test_several_files_are_a_chain_each(tmp_path):
    path, source = written(tmp_path, ".stan.csv")
    table = read_draws([str(path)] * 2, **source)
    assert (table.labels == np.hstack([DRAWS, DRAWS]) + 1).all()
    assert table.chains.tolist() == ["1"] * 12 + ["2"] * 12


@refused(
    DataError,
    ("a.csv", "x,y\n1,2\n", {}, "Pass --draws rows"),
    ("a.csv", "1,2\n1,2\n", {"draws": "rows"}, "Pass --header=false"),
    ("a.csv", "x,y\n1,2\n", {"draws": "rows", "chain": "z"}, "chain: 'z' is not a column"),
    ("a.csv", "x,y\n1,2\n", {"draws": "columns", "chain": "x"}, "'x' needs draws in rows"),
    ("a.csv", "# Stan\nz.1,w.1\n1,2\n", {}, "Pass --variable with one of .*: z, w"),
    ("a.csv", "# Stan\nz.1,w.1\n1,2\n", {"variable": "v"}, "Pass --variable with one of .*: z, w"),
    ("a.csv", "gene,d1,d2\ng1,0,1\ng2,0,0\n", {"draws": "columns"}, "column 'gene' holds"),
    ("a.csv", "K,z[1],z[2]\n2,1,2\n", {"draws": "rows"}, "'K' is not an element of z"),
    ("a.csv", "z.1.,z.1.,w.1.\n1,2,0.5\n", {}, "an element of z has two columns"),
    ("a.csv", f"X,y\n{COUNTER}", {"draws": "rows"}, "'X' are 5, 10, 15, …, as if they number"),
    ("a.csv", f"item,d1\n{COUNTER}", {"draws": "columns"}, "Pass --id item if the column"),
    ("a.nc", "", {}, "a.nc"),
    ("a.npy", "", {}, "cannot read this file"),
    ("a.npz", "", {}, "cannot read this file"),
    ("a.rds", "", {}, "unknown kind of file"),
)
def test_what_a_file_leaves_open_is_asked_in_a_sentence(name, text, source, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    read_draws([str(path)], **source)


def test_items_of_several_files_are_matched_by_name(tmp_path):
    rows = pd.DataFrame(DRAWS.T, columns=ITEMS)
    for name, table in {
        "a": rows,
        "b": rows[ITEMS[::-1]],
        "c": rows.rename(columns=str.lower),
    }.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    a, b, c = (str(tmp_path / f"{name}.csv") for name in "abc")
    table = read_draws([a, b], "rows")
    assert (table.labels == np.hstack([DRAWS, DRAWS])).all() and table.items == ITEMS
    refuses(DataError, r"c\.csv: the items are not those of .*a\.csv", read_draws, [a, c], "rows")


def test_elements_keep_their_numbers_and_the_line_names_their_variable(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("z.10.,z.2.,mu.1.,.chain,.iteration,.draw\n1,2,0.5,1,1,1\n1,1,0.5,2,1,2\n")
    table = read_draws([str(path)])
    assert table.items == ["2", "10"] and table.labels.tolist() == [[2, 1], [1, 1]]
    assert table.line == "2 draws × 2 items, 2 chains; labels from 'z'"


def test_columns_that_number_chains_and_draws_are_no_items(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Chain,Iteration,P1,P2\n1,10,1,2\n1,20,1,1\n2,10,2,2\n2,20,2,1\n")
    table = read_draws([str(path)], "rows")
    assert table.items == ["P1", "P2"] and table.chains.tolist() == ["1", "1", "2", "2"]


run = partial(coassoc, "posterior")


def test_the_program_writes_what_the_library_finds(tmp_path):
    path, _ = written(tmp_path, ".nc")
    run(path, "--loss", "binder", "-o", tmp_path / "made")
    found = point_estimate(DRAWS, "Binder")
    table = pd.read_csv(tmp_path / "made/posterior.csv")
    assert table["cluster"].tolist() == (found.labels + 1).tolist()
    assert table["probability"].between(0, 1).all()
    similarity = pd.read_csv(tmp_path / "made/posterior_similarity.csv", index_col=0)
    assert similarity.shape == (9, 9)
    numbers = pd.read_csv(tmp_path / "made/posterior_clusters.csv")
    assert numbers["probability"].sum() == pytest.approx(1, abs=1e-5)
    page = (tmp_path / "made/posterior.html").read_text()
    assert "Convergence" in page and "too short to tell" in page


def test_draws_whose_axes_are_given_may_be_fewer_than_the_items(tmp_path, undrawn):
    rows = pd.DataFrame(np.tile([0, 1, 0, 1, 1, 0], (4, 5)), columns=[f"z.{i}" for i in range(30)])
    rows.to_csv(tmp_path / "draws.csv", index=False)
    done = run(tmp_path / "draws.csv", "--draws", "rows", "-o", tmp_path)
    assert "4 draws × 30 items" in done.output and "draws.T" not in done.output


def test_a_mistake_is_one_sentence(tmp_path):
    path, _ = written(tmp_path, ".csv")
    done = run(path, code=1)
    assert done.stderr.count("\n") == 1 and done.stderr.startswith(
        f"Error: {path}: the draws could be the 12 rows or the 9 columns. Pass --draws rows"
    )
    path.write_text(path.read_text().replace("1", "NA", 5))
    done = run(path, "--draws", "rows", code=1)
    assert done.stderr.count("\n") == 1 and "column 'V4' has no label in row 2" in done.stderr
    (tmp_path / "posterior.csv").write_text("x,y\n1,2\n")
    done = run(tmp_path / "posterior.csv", "--draws", "rows", "-o", tmp_path, code=2)
    assert "would overwrite" in done.stderr


def test_command_finds_a_number_of_clusters(tmp_path, undrawn):
    path, _ = written(tmp_path, ".csv")
    made = run(path, "--draws", "rows", "-n", 5, "-o", tmp_path)
    expected = point_estimate(DRAWS, n_clusters=5)
    assert f"{expected}\n" in made.output and "9 items: 5 clusters" in made.output
    assert pd.read_csv(tmp_path / "posterior.csv")["cluster"].nunique() == 5
