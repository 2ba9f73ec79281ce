"""Results print as their answers."""

import sys
import types
import warnings

import numpy as np
import pandas as pd
import pytest

import coassoc
from coassoc import selection
from coassoc.hierarchies import consensus_hierarchy
from coassoc.posterior import credible_ball, partial_partition, point_estimate
from ensembles import noisy_ensemble

LABELS = noisy_ensemble(60, 6, 3, seed=0)
DRAWS = np.repeat([[0, 0, 1], [0, 0, 1], [0, 1, 0]], [8, 8, 4], axis=0)
X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([0, 6], 20)[:, None]
RUNS = pd.DataFrame(LABELS, columns=[f"leiden_{r}_{s}" for r in (1, 2, 3) for s in (0, 1)])

RESULTS = {
    "consensus": lambda: coassoc.find_consensus(LABELS, 3, align_to=LABELS[:, 0]),
    "tree": lambda: selection.consensus_tree(LABELS),
    "numbers": lambda: selection.select_n_clusters(LABELS, "EAC-AL", [2, 3], n_draws=2),
    "resolutions": lambda: selection.compare_resolutions(RUNS),
    "null": lambda: selection.agreement_test(LABELS, n_draws=19),
    "subtypes": lambda: coassoc.subtypes(X, [2, 3], n_draws=4, n_clouds=0),
    "estimate": lambda: point_estimate(DRAWS.T[[0, 0, 1, 2]]),
    "ball": lambda: credible_ball(DRAWS, DRAWS[:, 0]),
    "partial": lambda: partial_partition(DRAWS),
    "similarities": lambda: coassoc.find_consensus(similarity=np.eye(4), n_clusters=2),
    "memberships": lambda: coassoc.align_memberships([np.eye(3), np.eye(3)[:, ::-1]]),
    "hierarchy": lambda: consensus_hierarchy(["((a,b),c);", "((a,b),c);"]),
    "alignment": lambda: coassoc.align([0, 0, 1], to=[5, 5, 7]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_prints_as_its_answer(name):
    with warnings.catch_warnings(action="ignore"):
        text = repr(RESULTS[name]())
    assert text.count("\n") < 8 and "array(" not in text and "object at 0x" not in text


def test_subtypes_show_their_progress_in_notebooks(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    coassoc.subtypes(X, [2, 3], n_draws=4, n_clouds=0)
    steps = {step.strip() for step in capsys.readouterr().out.split("\r")}
    assert "consensus: 1 of 2" in steps
