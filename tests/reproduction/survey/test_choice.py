"""The evidence of ``method="auto"``: what is kept, and how candidates are judged."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.pools.settings import load_pools
from coassoc.bench.storage.records import Dataset
from coassoc.methods import METHODS
from coassoc.methods.auto import measured_means
from ensembles import groups
from measure_choice import measure, measure_large
from reproduction.study.choice import COMPARED_METHODS, SCALING
from reproduction.survey import choice
from snakemake_runs import ROOT

KEPT = pd.read_csv(ROOT / "results-published/tables/choice/methods.csv")
MEANS = ROOT / "src/coassoc/methods/choice.csv"


def test_the_library_tells_the_means_of_the_kept_scores():
    means = MEANS.read_text()
    expected = choice.means_of(KEPT).to_csv(index=False, lineterminator="\n", float_format="%.3f")
    assert means == expected
    # A commit of digits only is no method.
    assert choice.methods_of(KEPT.assign(commit=12345678)) == choice.methods_of(KEPT)
    lines = pd.read_csv(StringIO(means)).set_index(["kind", "method"])["mean"]
    for kind in ("no number", "large", "finer", "others"):
        assert lines[kind, choice.BASELINES.get(kind, choice.AUTO)] > lines[kind, "LWEA"]
        # No method is significantly better.
        assert all(line.low <= 0 for line in measured_means(kind).values())
    published = (ROOT / "results-published/README.md").read_text()
    assert choice.recommended().to_markdown(index=False) in published


def test_a_line_is_of_the_ensemble_that_the_pool_says():
    X, y = groups(60, d=3, seed=2)
    pool = load_pools(ROOT / "config/pools.yaml")["subsampled"]
    line = measure(Dataset(X, y), "mine", pool, 0)
    assert line["status"] == "ok" and 0.15 < line["missing"] < 0.25 and line["LWGP"] > 0.8
    assert line["auto"] > 0.8
    assert {*COMPARED_METHODS} - {*line} == {
        name for name in COMPARED_METHODS if not METHODS[name].estimator.takes_missing
    }
    refused = measure(Dataset(X[:1], y[:1]), "one", pool, 0)
    assert list(refused) == ["status"] and refused["status"] != "ok"


def test_large_ensembles_are_measured_where_the_clusterers_scale():
    X, y = groups(1100, d=6, seed=2)
    pools = load_pools(ROOT / "config/pools.yaml")
    found = measure_large(Dataset(X, y), "mine", pools["kmeans-choice"], 0)
    assert [*found] == [name + choice.LARGE for name in SCALING] and found["LWGP if large"] > 0.5
    assert measure_large(Dataset(X[:900], y[:900]), "mine", pools["kmeans-choice"], 0) == {}
    assert measure_large(Dataset(X, y), "mine", pools["subsampled"], 0) == {}
    table = pd.DataFrame([{"problem": "p", "family": "p", "kind": "finer", **found}] * 2)
    table = table.assign(auto=0.5, LEADERS=0.5, LWEA=0.5, **{"WEAC without k": 0.5}, pool="p")
    table.loc[1, [*found]] = np.nan
    made = choice.means_of(table).set_index(["kind", "method"])["mean"]["large"]
    assert made["DREC"] == pytest.approx(found["DREC if large"], abs=6e-4)
