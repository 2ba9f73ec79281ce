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

#: What is made, words of its text, and whether there is a picture.
RESULTS = {
    "consensus": (
        lambda: coassoc.find_consensus(LABELS, 3, align_to=LABELS[:, 0]),
        ("Consensus of 6 clusterings of 60 samples: 3 clusters (", "auto chose ", "earlier name"),
        True,
    ),
    "tree": (lambda: selection.consensus_tree(LABELS), ("Clusters at the kept splits: ",), True),
    "numbers": (
        lambda: selection.select_n_clusters(LABELS, "EAC-AL", [2, 3], n_draws=2),
        ("n_clusters", "silhouette"),
        True,
    ),
    "resolutions": (lambda: selection.compare_resolutions(RUNS), ("stability",), True),
    "null": (lambda: selection.agreement_test(LABELS, n_draws=19), ("p = 0.05: ",), False),
    "subtypes": (
        lambda: coassoc.subtypes(X, [2, 3], n_draws=4, n_clouds=0),
        ("Subtypes of 40 samples. Not tested for groups. ", "PAC"),
        True,
    ),
    "estimate": (
        lambda: point_estimate(DRAWS.T[[0, 0, 1, 2]]),
        ("Point estimate of 4 items: ", "expected VI "),
        False,
    ),
    "ball": (lambda: credible_ball(DRAWS, DRAWS[:, 0]), ("100.0% of the draws within ",), False),
    "partial": (lambda: partial_partition(DRAWS), ("16 items of 20 in 1 cluster (16)",), False),
    "similarities": (
        lambda: coassoc.find_consensus(similarity=np.eye(4), n_clusters=2),
        ("Consensus of similarities of 4 samples: 2 clusters (",),
        True,
    ),
    "memberships": (
        lambda: coassoc.align_memberships([np.eye(3), np.eye(3)[:, ::-1]]),
        ("K = 3: runs 2, modes 2, H' 1.0000",),
        False,
    ),
    "hierarchy": (
        lambda: consensus_hierarchy(["((a,b),c);", "((a,b),c);"]),
        ("hierarchies of 3 samples: 2 clusters in most",),
        False,
    ),
    "alignment": (lambda: coassoc.align([0, 0, 1], to=[5, 5, 7]), ("2 of 2 clusters",), False),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_prints_as_its_answer(name):
    make, words, drawn = RESULTS[name]
    with warnings.catch_warnings(action="ignore"):
        result = make()
    text = repr(result)
    assert [each for each in words if each not in text] == []
    assert text.count("\n") < 8 and "array(" not in text
    assert ("data:image/png" in result._repr_html_()) == drawn


def test_sizes_of_many_clusters_are_cut():
    assert coassoc.display.sizes_in_words(np.arange(12) - 2) == (
        "10 clusters (1, 1, 1, 1, 1, 1, 1, 1, …)"
    )
    assert coassoc.display.sizes_in_words(["T", "T", "B"]) == "2 clusters (2, 1)"


def test_subtypes_show_their_progress_in_notebooks_alone(monkeypatch, capsys):
    coassoc.subtypes(X, [2, 3], n_draws=4, n_clouds=0)
    assert capsys.readouterr().out == ""
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    coassoc.subtypes(X, [2, 3], n_draws=4, n_clouds=0)
    steps = capsys.readouterr().out.split("\r")
    assert "consensus: 1 of 2" in {step.strip() for step in steps}
    assert steps[-1] == ""
    coassoc.subtypes(X, [2, 3], n_draws=4, n_clouds=0, report=lambda *_: None)
    assert capsys.readouterr().out == ""
