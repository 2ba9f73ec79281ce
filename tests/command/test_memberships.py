"""``coassoc memberships`` reads what programs write, and gives each run its mode and columns."""

import gzip

import numpy as np
import pandas as pd
import pytest

from coassoc import DataError
from coassoc.io.memberships import read_groups, read_memberships
from programs import coassoc
from refusals import refused


@pytest.fixture
def runs(tmp_path):
    """Two runs of K = 2, the second with its columns exchanged, and one of K = 3."""
    Q = np.random.default_rng(0).dirichlet([0.3, 0.3, 0.3], 30).round(4)
    Q[:, 2] = (1 - Q[:, 0] - Q[:, 1]).round(4)
    two = np.column_stack([Q[:, 0], (1 - Q[:, 0]).round(4)])
    folder = tmp_path / "runs"
    (folder / "b").mkdir(parents=True)
    np.savetxt(folder / "one.2.Q", two, fmt="%.4f")
    with gzip.open(folder / "b/two.qopt.gz", "wt") as file:
        np.savetxt(file, two[:, ::-1], fmt="%.4f")
    np.savetxt(folder / "three.3.meanQ", Q, fmt="%.4f", delimiter="  ")
    (folder / "one.2.log").write_text("likelihood\n")
    return folder, two, Q


def test_runs_of_a_folder_are_aligned_and_written_for_other_programs(tmp_path, runs):
    folder, two, Q = runs
    groups = tmp_path / "populations.txt"
    groups.write_text("north\n" * 10 + "south\n" * 20)
    done = coassoc("memberships", folder, "--groups", groups, "-o", tmp_path / "found")
    assert "3 runs of 30 samples, K = 2, 3; 1 other files ignored" in done.stderr
    assert "K = 2: 2 runs in 1 mode (2), H' 1.0000" in done.stdout
    table = pd.read_csv(tmp_path / "found/memberships_runs.csv", index_col="run")
    assert {*table.index} == {"b/two", "one.2", "three.3"}
    first, second = (table["columns"][name].split() for name in ("one.2", "b/two"))
    assert first == second[::-1] and (table["mode"] == 1).all()
    for name, given in {"one.2": two, "b/two": two[:, ::-1], "three.3": Q}.items():
        written = np.loadtxt(tmp_path / f"found/memberships_aligned/{name}.Q")
        columns = [int(column) - 1 for column in table["columns"][name].split()]
        np.testing.assert_allclose(written, given[:, columns], atol=1e-9)
    samples = pd.read_csv(tmp_path / "found/memberships.csv")
    assert samples["group"].value_counts().to_dict() == {"south": 20, "north": 10}
    means = samples[[f"K3 mode1 Cluster{k}" for k in (1, 2, 3)]].to_numpy()
    np.testing.assert_array_equal(samples["K3 cluster"], means.argmax(axis=1) + 1)
    page = (tmp_path / "found/memberships.html").read_text()
    assert page.count("<img") == 2 and "A cluster keeps its colour" in page


STRUCTURE = """
Inferred clusters
Inferred ancestry of individuals:
        Label (%Miss) Pop:  Inferred clusters (and 90% probability intervals)
  1    ann    (0)    A :  0.900 0.100  (0.800,1.000) (0.000,0.200)
  2    bob    (3)    B :  0.250 0.750  (0.100,0.300) (0.700,0.900)

Estimated Allele Frequencies
"""


def test_structure_and_clumpp_are_read_with_names(tmp_path):
    file = tmp_path / "run_1_f"
    file.write_text(STRUCTURE)
    ((name, Q),) = read_memberships([str(tmp_path)])[0].items()
    assert name == "run_1_f" and list(Q.index) == ["ann", "bob"]
    assert Q.to_numpy().tolist() == [[0.9, 0.1], [0.25, 0.75]]
    file.write_text(STRUCTURE.replace("bob", "Böb"), "latin-1")
    with pytest.raises(DataError, match="--encoding"):
        read_memberships([str(file)])
    assert [*read_memberships([str(file)], encoding="latin-1")[0]["run_1_f"].index] == [
        "ann",
        "Böb",
    ]
    two = tmp_path / "both.indfile"
    two.write_text(" 1 a (0) 1 : 1 0\n 2 b (0) 1 : 0 1\n\n 1 a (0) 1 : 0 1\n 2 b (0) 1 : 1 0\n")
    assert list(read_memberships([str(two)])[0]) == ["both.indfile 1", "both.indfile 2"]


def test_tables_with_numbered_columns_are_joined_by_names(tmp_path, undrawn):
    for name, rows in {"x": ["a,.9,.1", "b,.2,.8"], "y": ["b,.7,.3", "a,.1,.9"]}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["who,Cluster 1,Cluster 2", *rows]) + "\n")
    done = coassoc("memberships", tmp_path / "x.csv", tmp_path / "y.csv", "-o", tmp_path)
    assert "2 runs" in done.stderr
    samples = pd.read_csv(tmp_path / "memberships.csv", index_col="sample")
    assert samples.loc["a", "K2 cluster"] != samples.loc["b", "K2 cluster"]
    np.testing.assert_allclose(samples.loc["a"].filter(like="mode1").max(), 0.9)


def test_numbers_of_samples_are_not_ignored(tmp_path):
    rows = "".join(f"{i},0.5,0.5\n" for i in (31, 12, 55, 40, 28, 17))
    (tmp_path / "a.csv").write_text(f"ID,Cluster1,Cluster2\n{rows}")
    with pytest.raises(DataError, match="Pass --id=ID to match the samples of the runs by name"):
        read_memberships([str(tmp_path / "a.csv")])
    runs, _ = read_memberships([str(tmp_path / "a.csv")], id="ID")
    assert list(runs["a"].index[:2]) == ["31", "12"]
    (tmp_path / "groups.csv").write_text("ID,pop\n31,x\n12,y\n31,y\n")
    with pytest.raises(DataError, match="no group, or a sample has several"):
        read_groups(str(tmp_path / "groups.csv"), 2, ["31", "12"])


@refused(
    DataError,
    ("a.Q", "0.5 0.5\n1 0 0\n", "Row #2: Expected 2 columns, got 3"),
    ("a.Q", "0.5 x\n", "Write K numbers on each line"),
    ("a.csv", "who,p,q\nx,.5,.5\n", "no columns are called Cluster1 … ClusterK"),
    ("a.csv", "cluster1,cluster2\n.5,x\n", "column 'cluster2' has 'x'"),
)
def test_files_that_are_no_memberships_are_named(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    read_memberships([str(tmp_path / name)])


def test_a_folder_without_runs_and_groups_that_do_not_fit_are_refused(tmp_path, runs):
    (tmp_path / "empty").mkdir()
    done = coassoc("memberships", tmp_path / "empty", code=1)
    assert "the folder has no file of memberships" in done.stderr
    done = coassoc("memberships", runs[0], "-o", runs[0] / "found", code=2)
    assert "Choose another folder" in done.stderr  # or the aligned runs would be runs
    (tmp_path / "few.txt").write_text("a\nb\nc\n")
    done = coassoc("memberships", runs[0], "--groups", tmp_path / "few.txt", "-o", tmp_path, code=1)
    assert "for 30 samples" in done.stderr


def test_consensus_of_a_table_of_memberships_names_the_right_command(tmp_path):
    Q = np.random.default_rng(1).dirichlet(np.ones(3), 40)
    table = pd.DataFrame(Q, columns=["Cluster1", "Cluster2", "Cluster3"])
    table.to_csv(tmp_path / "q.csv", index=False)
    done = coassoc("consensus", tmp_path / "q.csv", "-k", "3", code=1)
    assert "coassoc memberships" in done.stderr
    (tmp_path / "runs").mkdir()
    np.savetxt(tmp_path / "runs/a.3.Q", Q)
    done = coassoc("consensus", tmp_path / "runs", "--each-file", "clustering", "-k", 3, code=1)
    assert "Soft memberships, such as .Q files, are for coassoc memberships" in done.stderr
