"""Fixtures that tests of several packages share."""

import gc
import os
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from ensembles import noisy_ensemble
from goldens import STORED, Golden

pytest_plugins = ["dataset_files", "finished_run", "plans", "scored_cells"]

# Tests of the published results, which the source distribution lacks.
collect_ignore: list[str] = []
if not Path(__file__).parents[1].joinpath("results-published").exists():
    collect_ignore += ["test_article.py", "test_documentation.py"]
    collect_ignore += [f"reproduction/findings/test_{name}.py" for name in ("archived", "readings")]
    collect_ignore += ["reproduction/survey/test_choice.py"]

# A busy machine is no failure; where a failure would stop others, the examples are always the same.
settings.register_profile(
    "shared machine",
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("shared machine")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are cores: tests of the workflow mostly wait for other processes."""
    return len(os.sched_getaffinity(0)) + 2


def pytest_configure(config: pytest.Config) -> None:
    """Each worker collects from another place: it compiles files that no other has compiled."""
    tests, worker = Path(__file__).parent, os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker and [*map(Path.resolve, map(Path, config.args))] == [tests]:
        folders = {path.parent for path in tests.glob("*/test_*.py")}
        files = {*tests.glob("test_*.py")} - {tests / name for name in collect_ignore}
        places = sorted(map(str, folders | files))
        start = len(places) * int(worker[2:]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        config.args = places[start:] + places[:start]


#: Folders of tests that mostly wait, for SLURM's clock first.
WAITING = ["slurm", "workflow", "faults"]
#: Files that take long and would be among the last, where one processor waits for the other.
LONG = """
archived audit cells_of_adata clusterer compare contract documentation ensemble loads memory
packages revisions
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start what waits in turn with what computes meanwhile, of both the longest files first."""
    paths = sorted({item.path for item in items})
    waiting = [path for path in paths if path.parent.name in WAITING]
    waiting.sort(key=lambda path: (WAITING.index(path.parent.name), path.stem != "test_workflow"))
    busy = [path for path in paths if path.parent.name not in WAITING]
    busy.sort(key=lambda path: path.stem.removeprefix("test_") not in LONG.split())
    turn = {path: 2 * place + 1 for place, path in enumerate(busy)}
    turn |= {path: 2 * place for place, path in enumerate(waiting)}
    items.sort(key=lambda item: turn[item.path])


def pytest_collection() -> None:
    """Thousands of items stay until the end: collections of garbage need not look through them."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(params=STORED)
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(request.param)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports have empty pictures; drawing takes longer than all else that a command does."""
    empty = 'src="data:image/png"'
    monkeypatch.setattr("coassoc.pages.report.embedded_figure", lambda figure: empty)


@pytest.fixture
def short_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits of one data set without new base clusterings, which take longest."""
    monkeypatch.setattr(import_module("coassoc.bench.audit"), "DATASETS", ("Glass",))
    questions = import_module("coassoc.bench.audit_questions")
    none = questions.Finding("", "", "", False)
    monkeypatch.setattr(questions.Questions, "new_pools", lambda self: none)


@pytest.fixture
def noisy_labels() -> np.ndarray:
    """(120, 9) base clusterings of four classes in which a sixth of the labels is random."""
    return noisy_ensemble(120, 9, 4, seed=1)


@pytest.fixture
def blobs() -> tuple[np.ndarray, np.ndarray]:
    """(45, 4) features of three classes far apart, and the classes."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    return rng.normal(size=(45, 4)) * 0.3 + 3 * np.eye(3, 4)[y], y
