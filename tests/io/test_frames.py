"""Tables come back from the library that they came from."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import coassoc
from ensembles import noisy_ensemble

LABELS = pd.DataFrame(noisy_ensemble(40, 5, 3, seed=0), columns=list("abcde"))
NAMES = [f"s{i}" for i in range(40)]
MADE_BY = {"pandas": lambda table: table, "polars": pl.from_pandas}
MADE_BY["pyarrow"] = partial(pa.Table.from_pandas, preserve_index=False)
TYPES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


@pytest.mark.parametrize("library", TYPES)
def test_consensus_of_a_table_is_a_table_of_its_library(library):
    result = coassoc.find_consensus(MADE_BY[library](LABELS), 3, agreement=True)
    expected = coassoc.find_consensus(LABELS.to_numpy(), 3, agreement=True).table
    assert type(result.table) is TYPES[library]
    table = pd.DataFrame({name: np.asarray(result.table[name]) for name in expected})
    pd.testing.assert_frame_equal(table, expected, check_names=False)


def test_consensus_of_lazy_polars_is_polars():
    result = coassoc.find_consensus(pl.from_pandas(LABELS).lazy(), 3)
    assert result.table.columns == ["cluster", "confidence"]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize(("id", "column"), [("who", "who"), ("cluster", "cluster name")])
def test_names_of_samples_are_the_first_column(library, id, column):
    table = MADE_BY[library](LABELS.assign(**{id: NAMES}))
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
