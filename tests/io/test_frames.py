"""Tables come back from the library that they came from."""

import sys
import types
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import coassoc
from coassoc import selection
from coassoc.hierarchies import consensus_hierarchy
from coassoc.posterior import credible_ball, partial_partition, point_estimate
from ensembles import noisy_ensemble

TABLE = pd.DataFrame(noisy_ensemble(40, 5, 3, seed=0), columns=list("abcde"))
NAMES = [f"s{i}" for i in range(40)]
MADE_BY = {"pandas": lambda table: table, "polars": pl.from_pandas}
MADE_BY["pyarrow"] = partial(pa.Table.from_pandas, preserve_index=False)
TYPES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


@pytest.mark.parametrize("library", TYPES)
def test_consensus_of_a_table_is_a_table_of_its_library(library):
    result = coassoc.find_consensus(MADE_BY[library](TABLE), 3, agreement=True)
    expected = coassoc.find_consensus(TABLE.to_numpy(), 3, agreement=True).table
    assert type(result.table) is TYPES[library]
    table = pd.DataFrame({name: np.asarray(result.table[name]) for name in expected})
    pd.testing.assert_frame_equal(table, expected, check_names=False)


def test_consensus_of_lazy_polars_is_polars():
    result = coassoc.find_consensus(pl.from_pandas(TABLE).lazy(), 3)
    assert result.table.columns == ["cluster", "confidence"]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize(("id", "column"), [("who", "who"), ("cluster", "cluster name")])
def test_names_of_samples_are_the_first_column(library, id, column):
    table = MADE_BY[library](TABLE.assign(**{id: NAMES}))
    result = coassoc.find_consensus(coassoc.Ensemble(table, id=id), 3).table
    columns = getattr(result, "column_names", result.columns)
    assert list(columns) == [column, "cluster", "confidence"]
    assert np.asarray(result[column]).tolist() == NAMES


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_similarities_of_a_table_name_their_samples(library):
    S = MADE_BY[library](pd.DataFrame([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], columns=[*"xyz"]))
    result = coassoc.find_consensus(similarity=S, n_clusters=2).table
    assert type(result) is TYPES[library]
    assert np.asarray(result["sample"]).tolist() == ["x", "y", "z"]
    assert np.asarray(result["cluster"]).tolist() == [0, 0, 1]


# -- DISPLAY ---------------------------------------------------------------------------------------

# Results print as their answers.


LABELS = noisy_ensemble(60, 6, 3, seed=0)
DRAWS = np.repeat([[0, 0, 1], [0, 0, 1], [0, 1, 0]], [8, 8, 4], axis=0)
X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([0, 6], 20)[:, None]
RUNS = pd.DataFrame(LABELS, columns=[f"leiden_{r}_{s}" for r in (1, 2, 3) for s in (0, 1)])

RESULTS = {
    "consensus": lambda: coassoc.find_consensus(LABELS, 3, align_to=LABELS[:, 0]),
    "tree": lambda: selection.consensus_tree(LABELS, n_draws=19, n_halves=2),
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
