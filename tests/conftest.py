"""Ensembles that all tests share, and the golden outputs of the authors' programs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["dataset_files", "finished_run"]

# A busy machine is no failure; where a failure would stop others, the examples are always the same.
for profile, random in (("shared machine", True), ("ci", False)):
    settings.register_profile(
        profile,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=not random,
    )
settings.load_profile("ci" if os.environ.get("CI") else "shared machine")

GOLDEN = Path(__file__).parent / "golden"


class Golden:
    """One golden ensemble: labels, truth, and the outputs stored for a method."""

    def __init__(self, name: str) -> None:
        self.name = name
        with np.load(GOLDEN / f"{name}.npz") as inputs:
            self.labels = inputs["BP"]
            self.n_clusters = int(inputs["k"])

    def outputs(self, method: str) -> dict[str, np.ndarray]:
        with np.load(GOLDEN / f"{self.name}__{method}.npz") as stored:
            return dict(stored)


@pytest.fixture(params=["g60", "g150", "gdisc40"])
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(request.param)


@pytest.fixture
def noisy_labels() -> np.ndarray:
    """(120, 9) base clusterings of four classes in which a sixth of the labels is random."""
    return noisy_ensemble(120, 9, 4, seed=1)


def noisy_ensemble(n: int, m: int, n_classes: int, seed: int, noise: float = 1 / 6) -> np.ndarray:
    """Base clusterings that split and mix `n_classes` contiguous classes."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_classes), -(-n // n_classes))[:n]
    columns = []
    for _ in range(m):
        n_clusters = int(rng.integers(2, 2 * n_classes + 1))
        merged = rng.permutation(np.arange(n_classes) % n_clusters)[truth]
        random = rng.integers(0, n_clusters, n)
        columns.append(np.where(rng.random(n) < noise, random, merged))
    return np.column_stack(columns)
