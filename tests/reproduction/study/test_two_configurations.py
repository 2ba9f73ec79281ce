"""Two configurations in one folder: neither changes what the other one makes."""

from pathlib import Path

import pytest

from coassoc.errors import ConfigError
from plans import settings
from reproduction.study.cells_file import CELLS, read_cells
from reproduction.study.plan import Plan

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
        with pytest.raises(ConfigError, match=r"another Snakemake run .* snakemake --unlock"):
            Plan(other).write()
        # Locks of a Snakemake that was killed can be taken away under any configuration.
        Plan(other).write(unlocking=True)
    assert Path(CELLS).read_bytes() == before
    Path(".snakemake/locks/0.input.lock").unlink()
    Plan({**one, "seed": 7}).write()
    assert Path(CELLS).read_bytes() != before


def test_a_target_outside_the_plan_waits_too(one):
    plan = Plan(one)
    plan.write()
    with pytest.raises(ConfigError, match="another Snakemake run in this folder"):
        plan.add("hclce/table3")


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
    with pytest.raises(ConfigError, match="the edits remove all cells of hclce_figure5"):
        plan.of("hclce/figure5")
