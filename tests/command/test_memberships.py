"""``coassoc memberships`` reads what programs write, and gives each run its mode and columns."""

import gzip

import numpy as np
import pandas as pd
import pytest

from coassoc import DataError
from coassoc.io.memberships import read_memberships
from coassoc.pages.memberships import sample_order
from programs import coassoc
from refusals import cases, refused, refuses


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
    (folder / "one.2.P").write_text("0.5 0.5\n")
    for K, cv in ((2, 0.51), (3, 0.53)):
        text = "".join(f"Pop{k}\t\n" for k in range(K)) + f"Loglikelihood: -{K}00.5\n"
        (folder / f"log{K}.out").write_text(text + f"CV error (K={K}): {cv}\n" * (K == 2))
        (folder / f"cv{K}.log").write_text(f"CV error (K={K}): {cv}\n")
    return folder, two, Q


def test_runs_of_a_folder_are_aligned_and_written_for_other_programs(tmp_path, runs):
    folder, two, Q = runs
    groups = tmp_path / "populations.txt"
    groups.write_text("north\n" * 10 + "south\n" * 20)
    done = coassoc("memberships", folder, "--groups", groups, "-o", tmp_path / "found")
    assert "3 runs of 30 samples, K = 2, 3; 1 other file ignored (.P)" in done.stderr
    assert done.stderr.endswith("2 groups in column 1, samples in the order of the runs.\n")
    assert len(done.stderr.splitlines()) == 1, "a warning of the drawing"
    assert "K = 2: 2 runs in 1 mode (2), H' 1.0000" in done.stdout
    assert (
        "lowest at K = 2; at no K most of several runs agree on distinct clusters." in done.stdout
    )
    scores = pd.read_csv(tmp_path / "found/memberships_k.csv", index_col="K")
    assert scores["CV error"].to_dict() == {2: 0.51, 3: 0.53}
    assert scores["log likelihood"].to_dict() == {2: -200.5, 3: -300.5}
    mode = np.loadtxt(tmp_path / "found/memberships_modes/K2_mode1.2.Q")
    np.testing.assert_allclose(mode, two[:, np.argsort(-two.sum(axis=0))], atol=1e-6)
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
    assert page.count("<img") == 3 and "by at most 0.001" in page


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
    file.write_text("Estimated Ln Prob of Data   = -9203.3\n" + STRUCTURE)
    runs = read_memberships([str(tmp_path)])
    ((name, Q),) = runs.memberships.items()
    assert name == "run_1_f" and runs.samples == ["ann", "bob"]
    assert Q.to_numpy().tolist() == [[0.9, 0.1], [0.25, 0.75]]
    assert runs.groups.tolist() == ["A", "B"] and runs.scores == [("ln P(D)", 2, -9203.3)]
    for damaged, line in (("(0)    A", 5), ("(3)    B", 6)):
        file.write_text(STRUCTURE.replace(damaged, damaged[1:]).partition("\n\nE")[0])
        with pytest.raises(DataError, match=f"run_1_f: line {line} is not that of a sample"):
            read_memberships([str(file)])
    file.write_text(STRUCTURE.replace("bob", "Böb"), "latin-1")
    refuses(DataError, "--encoding", read_memberships, [str(file)])
    assert read_memberships([str(file)], encoding="latin-1").samples == ["ann", "Böb"]
    both = tmp_path / "both.indfile"
    # Names are the numbers of the samples in their data file, and need not begin with 1.
    both.write_text(" 5 a (0) 1 : 1 0\n 2 b (0) 1 : 0 1\n\n 5 a (0) 1 : 0 1\n 2 b (0) 1 : 1 0\n")
    runs = read_memberships([str(both)])
    assert list(runs.memberships) == ["both.indfile 1", "both.indfile 2"]
    assert runs.memberships["both.indfile 2"].loc["a"].tolist() == [0, 1]
    (tmp_path / "c.popfile").write_text("1: 0.9 0.1 10\n7: 0 1 5\n1: 0.1 0.9 10\n7: 1 0 5\n")
    runs = read_memberships([str(tmp_path / "c.popfile")])
    assert [*runs.memberships] == ["c.popfile 1", "c.popfile 2"] and runs.samples == ["1", "7"]
    assert runs.memberships["c.popfile 2"].to_numpy().tolist() == [[0.1, 0.9], [1, 0]]


def test_usepopinfo_gives_the_expected_ancestry(tmp_path):
    lines = "  1  a  (0)  2 : 0.900 | Pop 1: 0.010 0.020 0.040  | Pop 3: 0.030 0.000 0.000  |  *\n"
    file = tmp_path / "a_f"
    file.write_text(lines + "  2  b  (1)  2 :  0.200 0.300 0.500\n")
    (Q,) = read_memberships([str(file)]).memberships.values()
    ancestry = [0.01 + 0.02 / 2 + 0.04 / 4, 0.9 + 0.02 / 2 + 0.04 * 3 / 4, 0.03]
    np.testing.assert_allclose(Q.to_numpy(), [ancestry, [0.2, 0.3, 0.5]])
    file.write_text(lines.replace("(0)  2", "(0)  4"))
    with pytest.raises(DataError, match="sample a is of population '4', but its line has the pop"):
        read_memberships([str(file)])


def test_text_with_names_titles_and_commas_is_read_or_refused(tmp_path):
    texts = {"a.Q": "x p1 .9 .1\ny p1 .2 .8\n", "b.Q": "id pop k1 k2\nx p1 .7 .3\ny p1 0 1\n"}
    for name, text in {
        **texts,
        "c.Q": "0.9,0.1\n0.2,0.8\n",
        "d.Q": "u v\n.9 .1\n.2 .8\n",
        "e.Q": "u\tv\n.9\t.1\n.2\t.8\n",
    }.items():
        (tmp_path / name).write_text(text)
    files = {name: str(tmp_path / name) for name in ("a.Q", "b.Q", "c.Q", "d.Q", "e.Q")}
    (tmp_path / "a.Q").write_text(texts["a.Q"].replace(" p1", "\tp1"))  # tabs and spaces
    runs = read_memberships([files["a.Q"], files["b.Q"]])
    assert runs.samples == ["x", "y"] and runs.groups.tolist() == ["p1", "p1"]
    assert runs.memberships["b"].to_numpy().tolist() == [[0.7, 0.3], [0, 1]]
    for name in ("c.Q", "d.Q", "e.Q"):
        assert read_memberships([files[name]]).memberships[name[0]].tolist() == [
            [0.9, 0.1],
            [0.2, 0.8],
        ]
    for name, options in {"a.Q": {"separator": "tab"}, "c.Q": {"header": True}}.items():
        refuses(DataError, "the first line h", read_memberships, [files[name]], **options)
    (tmp_path / "map").write_text("# pong\none\t2\tc.Q\ntwo\t2\td.Q\n")
    assert [*read_memberships([str(tmp_path / "map")]).memberships] == ["one", "two"]
    (tmp_path / "map").write_text("one\t3\tc.Q\n")
    with pytest.raises(DataError, match="the run has 2 clusters, but the file map says 3"):
        read_memberships([str(tmp_path / "map")])


N = 6
NAMES, POPULATIONS = [f"s{i}" for i in range(N)], ["A", "A", "B", "B", "C", "C"]


@pytest.fixture
def q(tmp_path):
    np.savetxt(tmp_path / "q.2.Q", np.tile([0.4, 0.6], (N, 1)))
    return str(tmp_path / "q.2.Q")


def lines(*columns, above=""):
    return above + "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))


@cases("name, text, options",
    ("i2p", lines(POPULATIONS), {}),
        ("i2p", lines("112233").replace("1", "10"), {}),
        ("i2p.txt", "pop\n" + lines(POPULATIONS), {}),
        ("i2p.txt", "Ort\n" + lines(POPULATIONS), {}),
        ("i2p.txt", lines(["Pop", *POPULATIONS[1:]]), {"header": False}),
        ("i2p.txt", lines([f"South {p}" for p in POPULATIONS]), {}),
        ("ids.tsv", lines(POPULATIONS, NAMES), {}),
        ("ids.csv", "sample,x,pop\n" + lines(NAMES, "112121", POPULATIONS).replace("\t", ","),
         {"group_column": "pop"}),
        ("ids.txt", lines(NAMES, "112121", POPULATIONS), {"group_column": "3"}),
        ("x.fam", lines(POPULATIONS, NAMES, *["0" * N] * 4).replace("\t", " "), {}),
)  # fmt: skip
def test_groups_are_read_in_the_forms_that_programs_have(name, text, options, tmp_path, q):
    (tmp_path / name).write_text(text)
    runs = read_memberships([q], str(tmp_path / name), **options)
    expected = [0, 1, 2, 2, 3, 3] if "header" in options else [0, 0, 1, 1, 2, 2]
    assert pd.factorize(runs.groups)[0].tolist() == expected
    assert runs.samples in (None, NAMES) and (runs.samples is None) == name.startswith("i2p")


@refused(
    DataError,
    ("i2p", "pop\n" + lines(POPULATIONS[:-1]), "5 rows below the column names 'pop' for 6 samples"),
    ("i2p", "pop\n" + lines("11223"), "5 rows below the column names 'pop' for 6 samples"),
    ("a.tsv", "sample\tpop\n" + lines(NAMES[1:], POPULATIONS[1:]), "5 rows below the column names"),
    ("i2p", "Ort\n" + lines("11223"), "5 rows below the column names 'Ort' for 6 samples"),
    ("i2p", "Ort\n" + lines("AABBB"), "5 rows below the column names 'Ort' for 6 samples"),
    ("i2p", lines([*POPULATIONS, "D"]), "there are 7 rows for 6 samples"),
    ("i2p", "A\n", "there are 1 rows for 6 samples"),
    ("i2p", lines(NAMES), "each sample has a group of its own"),
    ("a.tsv", lines(NAMES, "112121", POPULATIONS), "2 columns may hold the .*Choose one of 2, 3 "),
    ("a.tsv", lines(POPULATIONS, POPULATIONS), "2 columns may hold the groups"),
    ("a.txt", "s0 South A\ns1 B\n", "line 2 has 2 cells, and the first 3. Separate .* by tabs"),
    ("a.tsv", lines(NAMES, ["", *"ababa"]), "sample 's0' has no group"),
)
def test_groups_that_shift_or_cannot_be_told_are_refused(name, text, tmp_path, q):
    (tmp_path / name).write_text(text)
    read_memberships([q], str(tmp_path / name))


def test_groups_are_matched_by_name_and_ordered(tmp_path):
    (tmp_path / "a.Q").write_text("y .9 .1\nx .2 .8\n")
    (tmp_path / "pops.tsv").write_text("pop\tname\n2\tx\n3\tz\n1\ty\n")
    (tmp_path / "order").write_text("2\tNorth\n1\tSouth\n3\tEast\n")
    files = [str(tmp_path / "a.Q")], str(tmp_path / "pops.tsv")
    runs = read_memberships(*files, group_order=str(tmp_path / "order"))
    assert runs.samples == ["y", "x"] and runs.groups.tolist() == ["South", "North"]
    assert runs.order == ["North", "South", "East"]
    assert runs.line.endswith("pops.tsv: 2 groups in column 1, samples named in column 2")
    order = sample_order(np.array([[0.9, 0.1], [0.2, 0.8]]), runs.groups, runs.order)
    assert order.tolist() == [1, 0]
    for name, text, told in (
        ("pops.tsv", "x\t2\nz\t3\n", "sample 'y' has no group"),
        ("pops.tsv", "x\t2\ny\t3\nx\t1\n", "sample 'x' has no group, or several"),
        ("order", "2\n", "group '1' is missing"),
    ):
        (tmp_path / "pops.tsv").write_text("x\t2\ny\t1\n")
        (tmp_path / name).write_text(text)
        refuses(DataError, told, read_memberships, *files, group_order=str(tmp_path / "order"))


def test_tables_of_runs_and_groups_of_other_kinds_are_joined_by_names(tmp_path):
    table = pd.DataFrame({"who": ["b", "a"], "Cluster1": [0.9, 0.2], "Cluster2": [0.1, 0.8]})
    table.to_parquet(tmp_path / "x.parquet")
    (tmp_path / "y.Q").write_text("a .7 .3\nb .6 .4\n")
    groups = pd.DataFrame({"wer": [*"abc"], "ort": ["North", "South Africa", "South Africa"]})
    groups.to_excel(tmp_path / "pops.xlsx", index=False)
    (tmp_path / "order").write_text("South Africa\nNorth\n")
    x, y, pops, order = (
        str(tmp_path / name) for name in ("x.parquet", "y.Q", "pops.xlsx", "order")
    )
    runs = read_memberships([x, y], pops, "ort", order, id="who")
    assert runs.samples == ["b", "a"] and runs.groups.tolist() == ["South Africa", "North"]
    assert runs.memberships["x"].to_numpy().tolist() == [[0.9, 0.1], [0.2, 0.8]]
    assert runs.order == ["South Africa", "North"]


def test_numbers_of_samples_are_not_ignored(tmp_path):
    rows = "".join(f"{i},0.5,0.5\n" for i in (31, 12, 55, 40, 28, 17))
    (tmp_path / "a.csv").write_text(f"ID,Cluster1,Cluster2\n{rows}")
    with pytest.raises(DataError, match="Pass --id=ID to match the samples of the runs by name"):
        read_memberships([str(tmp_path / "a.csv")])
    assert read_memberships([str(tmp_path / "a.csv")], id="ID").samples[:2] == ["31", "12"]


@refused(
    DataError,
    ("a.Q", "0.5 0.5\n1 0 0\n", "Row #2: Expected 2 columns, got 3"),
    ("a.Q", "0.5 x\n", "Write K numbers on each line"),
    ("a.Q", "s1 A x 0.5 0.5\ns2 B y 0.4 0.6\n", "the first line has the words 's1 A x'"),
    ("a.Q", "0.5 0.5\n0.5 x\n", "column '2' has 'x', which is not a number"),
    ("a.out", "CV error (K=2): 0.5\n", "only logs were found"),
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


def test_several_runs_of_one_file_begin_at_its_first_sample(tmp_path):
    """The numbers of CLUMPP's samples need not begin with 1, and groups are matched by name."""
    lines = [f"{i} {i} (0) 1 : {0.1 * i:.1f} {1 - 0.1 * i:.1f}" for i in (4, 5, 4, 5)]
    (tmp_path / "a.indfile").write_text("\n".join([*lines[:2], "", *lines[2:], ""]))
    (tmp_path / "groups.txt").write_text("5 north\n4 south\n6 north\n7 south\n")
    found = read_memberships([str(tmp_path / "a.indfile")], str(tmp_path / "groups.txt"))
    assert len(found.memberships) == 2 and found.groups.tolist() == ["south", "north"]
    (tmp_path / "a.indfile").write_text("\n".join([*lines[:1], "5 5 (0) 1 0.5 0.5", ""]))
    with pytest.raises(DataError, match=r"line 2 is not that of a sample or .*'5 5 .0. 1 0.5 0.5'"):
        read_memberships([str(tmp_path / "a.indfile")])
