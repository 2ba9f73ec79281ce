"""Clusters and annotations of samples, and the features that mark clusters."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, kruskal

import coassoc
from coassoc import DataError
from coassoc.subtyping.annotations import associations, markers, match_annotations
from ensembles import THREE_GROUPS as GROUPS

CLUSTERS = {3: np.repeat(range(3), 20)}


def test_associations_are_those_of_the_chi_squared_and_kruskal_wallis_tests():
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "batch": generator.integers(1, 4, 60),
            "purity": generator.normal(size=60) + CLUSTERS[3],
            "cluster": np.array(["x", "y", "z"])[CLUSTERS[3]],
            "barcode": [f"b{i}" for i in range(60)],
            "site": ["one"] * 60,
        }
    )
    table.loc[:4, "purity"] = np.nan
    found = associations(CLUSTERS, table).set_index("annotation")
    assert found.index.tolist() == ["batch", "purity", "cluster"]
    assert found["kind"].tolist() == ["categories", "numbers", "categories"]
    chi2 = chi2_contingency(pd.crosstab(CLUSTERS[3], table["batch"]), correction=False)
    assert found["effect"]["batch"] == pytest.approx(np.sqrt(chi2.statistic / 60 / 2))
    assert found["p"]["batch"] == pytest.approx(chi2.pvalue, abs=0.04)
    known = table["purity"].dropna()
    test = kruskal(*(known[CLUSTERS[3][known.index] == c] for c in range(3)))
    assert found["effect"]["purity"] == pytest.approx(np.sqrt(test.statistic / 54))
    assert found["samples"]["purity"] == 55 and found["effect"]["cluster"] == pytest.approx(1)
    assert found["p"]["cluster"] == found["smallest p"]["cluster"] == 1 / 1000
    assert found["adjusted p"].tolist() == pytest.approx(
        [found["p"]["batch"], *[1.5 * found["p"]["purity"]] * 2]
    )


def test_numbers_have_many_values_or_fractions():
    table = pd.DataFrame({"age": np.arange(60) % 13, "dose": np.arange(60) % 3 / 2})
    assert associations(CLUSTERS, table)["kind"].tolist() == ["numbers", "numbers"]


def test_markers_are_the_features_that_differ_most():
    X = pd.DataFrame(GROUPS, columns=[f"g{j}" for j in range(12)])
    found = coassoc.subtypes(X, [3], 20, n_clouds=0)
    lines = markers(found)
    assert len(lines) == 3 * 12
    unnamed = markers(coassoc.subtypes(GROUPS, [3], 20, n_clouds=0))["feature"]
    assert [f"g{j - 1}" for j in unnamed] == lines["feature"].tolist()
    for c, of in lines.groupby("cluster"):
        inside = found.labels[3] == c - 1
        best = of.iloc[0]
        assert best["mean"] == pytest.approx(X[best["feature"]][inside].mean())
        within = X - X.groupby(found.labels[3]).transform("mean")
        deviation = np.sqrt((within**2).sum() / (30 - 3))[best["feature"]]
        assert best["difference"] == pytest.approx(
            (best["mean"] - best["mean of others"]) / deviation
        )
        assert best["mean of others"] == pytest.approx(X[best["feature"]][~inside].mean())
        gaps = (X[inside].mean() - X[~inside].mean()).abs()
        assert gaps[best["feature"]] > 0.8 * gaps.max()


def test_every_sample_needs_a_row():
    table = pd.DataFrame({"age": [1.0, 2.0, 3.0]}, index=["c", "a", "b"])
    matched = match_annotations(table, np.array(["a", "c"], object), "pheno.csv")
    assert matched["age"].tolist() == [2.0, 1.0] and [*matched.index] == ["a", "c"]
    with pytest.raises(DataError, match=r"pheno.csv: there is no row for 1 of 2 samples: d\. Add"):
        match_annotations(table, np.array(["c", "d"], object), "pheno.csv")
