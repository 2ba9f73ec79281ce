"""Fixtures that tests of several packages share."""

import gc
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from ensembles import noisy_ensemble
from goldens import STORED, Golden

pytest_plugins = ["dataset_files", "finished_run", "plans", "scored_cells"]

# Tests of the published results, which the source distribution lacks.
if not Path(__file__).parents[1].joinpath("results-published").exists():
    collect_ignore = ["test_article.py", "test_documentation.py", "bench/test_shipped.py"]
    collect_ignore += [f"results/test_{name}.py" for name in ("archived", "choice", "readings")]

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
    """One more than there are cores: tests of the workflow mostly wait for other processes."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start what takes longest first: SLURM's clock, then whole workflows."""

    def place(item: pytest.Item) -> int:
        if item.get_closest_marker("slurm"):
            return 0
        return 1 if item.path.parent.name in ("workflow", "faults") else 2

    items.sort(key=place)


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
def noisy_labels() -> np.ndarray:
    """(120, 9) base clusterings of four classes in which a sixth of the labels is random."""
    return noisy_ensemble(120, 9, 4, seed=1)


@pytest.fixture
def blobs() -> tuple[np.ndarray, np.ndarray]:
    """(45, 4) features of three classes far apart, and the classes."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    return rng.normal(size=(45, 4)) * 0.3 + 3 * np.eye(3, 4)[y], y
