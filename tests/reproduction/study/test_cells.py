"""The cells of all studies and their runs, against what they were before studies were Python."""

import hashlib
import re
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from coassoc.errors import ConfigError
from plans import settings
from refusals import cases, refuses
from reproduction.study.cells_file import CELLS, read_cells
from reproduction.study.compiler import lines_of
from reproduction.study.plan import Plan
from reproduction.study.tasks import tasks_by_file
from snakemake_runs import ROOT

#: Columns that decide what a number is and what is made for it.
COLUMNS = [
    "label", "dataset", "pool", "m", "x", "variant", "reference", "tune", "source", "run_file",
    "measured_file", "pool_file", "features_file", "not_run",
]  # fmt: skip
GOLDEN = ROOT / "tests/golden/cells.csv"


def digests(names: tuple[str, ...]) -> pd.DataFrame:
    """Number of lines of each target, and a hash of all that they have, in their order."""
    plan = Plan(settings(*names))
    lines = lines_of(plan.cells(plan.targets), plan.catalogues.methods)
    rows = []
    for target, own in lines.groupby("target", sort=False):
        text = own[COLUMNS].to_csv(index=False, lineterminator="\n")
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        rows.append(("+".join(names), target, len(own), digest))
    return pd.DataFrame(rows, columns=["configuration", "target", "lines", "hash"])


@cases("names", pytest.param(("full",), marks=pytest.mark.slow), ("full", "two-cores"))
def test_cells_and_runs_are_as_they_were(names):
    golden = pd.read_csv(GOLDEN)
    golden = golden[golden["configuration"] == "+".join(names)].reset_index(drop=True)
    made = digests(names)
    differs = made["target"][~made["hash"].isin(golden["hash"])].tolist()
    assert len(golden) > 100 and differs == [] and made["lines"].equals(golden["lines"])


@pytest.fixture
def arena(tmp_path, monkeypatch):
    """Plans and writes a part of the arena, by the methods that are left of it."""
    monkeypatch.chdir(tmp_path)

    def plan(*methods: str) -> Plan:
        kept = {"dataset": ["fcps-hepta", "wut-x1"], "method": ["", *methods]}
        edits = [{"of": {"target": "arena/main"}, "keep": kept}]
        if "LWGP" in methods:
            edits.append({"of": {"target": "arena/main", "method": "LWGP"}, "repeats": 1})
        made = Plan({**settings("full"), "targets": ["arena_main"], "kept": None, "edits": edits})
        made.write()
        return made

    return plan


def batches(plan: Plan) -> list[str]:
    return [file for file in plan.inputs("arena/main", "run") if file.endswith(".txt")]


def test_runs_of_one_point_of_methods_of_rows_are_one_job_for_each_data_set(arena):
    plan = arena("LWEA", "EAC-AL", "RSEC-H", "LWGP", "LTA-EA")
    files = plan.inputs("arena/main", "run")
    names = [re.sub(r"\+[0-9a-f]{8}/", "batch/", file) for file in files]
    folder = "results/runs/suite-main/wut-x1/m0"
    assert names[len(names) // 2 :] == [
        f"{folder}/batch/runs.txt",
        f"{folder}/LTA-EA+LTA-SC/default.h5",  # its time grows with the samples
    ]
    *_, pool, dataset, m, method, name = batches(plan)[1].split("/")
    w = SimpleNamespace(pool=pool, dataset=dataset, m=m[1:], method=method)
    w.block = name.removesuffix(".txt")
    files = tasks_by_file(plan, w)
    assert {file: [x["method"] for x in files[file]] for file in files} == {
        f"{folder}/EAC-AL/default.h5": ["EAC-AL"],
        f"{folder}/LWEA/default.h5": ["LWEA"],
        f"{folder}/LWGP/repeats=1.h5": ["LWGP"],
        f"{folder}/RSEC-H+RSEC-Z/default.h5": ["RSEC-H", "RSEC-Z"],
    }
    w.method = "+00000000"
    refuses(ConfigError, "has no such batch", tasks_by_file, plan, w)


def test_another_selection_of_methods_is_another_batch(arena):
    assert not {*batches(arena("LWEA", "EAC-AL"))} & {*batches(arena("LWEA", "EAC-AL", "CSPA"))}


def test_a_batch_that_lacks_a_run_is_made_again(arena):
    plan = arena("LWEA", "EAC-AL")
    made = [Path(file) for file in batches(plan)]
    runs = [file for files in plan.planned.batches.values() for file in files]
    for path in map(Path, [*made, *runs]):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    arena("LWEA", "EAC-AL")
    assert all(path.exists() for path in made)
    Path(runs[0]).unlink()
    arena("LWEA", "EAC-AL")
    assert sorted(path.exists() for path in made) == [False, True]


if __name__ == "__main__":  # after a change of the studies that is meant
    frames = [digests(names) for names in (("full",), ("full", "two-cores"))]
    pd.concat(frames).to_csv(GOLDEN, index=False)


# -- TWO CONFIGURATIONS ----------------------------------------------------------------------------

# Two configurations in one folder: neither changes what the other one makes.


TARGETS = {"targets": ["hclce_table2"], "mirror": None}


@pytest.fixture
def one(tmp_path, monkeypatch) -> dict:
    """A configuration whose cells are in the folder, where a Snakemake works."""
    monkeypatch.chdir(tmp_path)
    given = {**settings(), **TARGETS}
    Plan(given).write()
    locks = Path(".snakemake/locks")
    locks.mkdir(parents=True)
    (locks / "0.input.lock").touch()
    return given


def test_the_jobs_of_a_configuration_read_its_cells(one):
    assert len(Plan(one).planned.lines) and len(read_cells("hclce/table2")) > 10
    with pytest.raises(ConfigError, match="planned a different configuration in this folder"):
        len(Plan({**one, "seed": 7}).planned.lines)


def test_cells_stay_while_jobs_read_them(one):
    before = Path(CELLS).read_bytes()
    Plan(one).write()
    for other in ({**one, "seed": 7}, {**one, "targets": ["hclce_table3"]}):
        refuses(ConfigError, r"another Snakemake run .* snakemake --unlock", Plan(other).write)
        # Locks of a Snakemake that was killed can be taken away under any configuration.
        Plan(other).write(unlocking=True)
    assert Path(CELLS).read_bytes() == before
    Path(".snakemake/locks/0.input.lock").unlink()
    Plan({**one, "seed": 7}).write()
    assert Path(CELLS).read_bytes() != before


@pytest.mark.parametrize("change", [{"kind": "removed"}, {"kind": None}])
def test_locks_can_be_taken_away_after_an_update_of_the_project(one, change):
    lines = pd.read_parquet(CELLS).assign(**change).dropna(axis=1, how="all")
    lines.to_parquet(CELLS)
    before, plan = Path(CELLS).read_bytes(), Plan(one)
    plan.write(unlocking=True)
    assert plan.planned.of_targets.keys() == {"hclce/table2"}
    plan.add("hclce/table3")
    assert Path(CELLS).read_bytes() == before


def test_a_target_is_added_if_an_edit_of_its_study_selects_other_targets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    edit = {"of": {"target": "hclce/*", "label": "HCLCE"}, "repeats": 2}
    plan = Plan({**settings(), **TARGETS, "edits": [edit]})
    plan.write()
    plan.add("hclce/figure5")
    assert {*plan.planned.lines["target"]} == {"hclce/table2", "hclce/figure5"}


@pytest.mark.parametrize("targets", [["hclce_table2"], ["eccms_table4"]])
def test_an_edit_that_selects_no_cell_is_told_of_all_targets(tmp_path, monkeypatch, targets):
    """Of a target that is planned at first, and of one that is added."""
    monkeypatch.chdir(tmp_path)
    edit = {"of": {"target": "hclce/*", "label": "no such row"}, "repeats": 2}
    plan = Plan({**settings(), "targets": targets, "edits": [edit]})
    with pytest.raises(ConfigError, match="entry 1: no cell matches"):
        plan.write()
        plan.add("hclce/table2")


def test_a_study_is_made_without_targets_that_have_no_cell_left(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    removed = {"of": {"target": "hclce/figure5"}, "skip": "they take too long"}
    plan = Plan({**settings(), "targets": ["hclce"], "edits": [removed], "mirror": None})
    plan.write()
    files = plan.files_by_name()
    assert {*files["hclce_table2"]} < {*files["hclce"]}
    assert not {*files["hclce_figure5"]} & {*files["hclce"]}
    refuses(ConfigError, "the edits remove all cells of hclce_figure5", plan.of, "hclce/figure5")
