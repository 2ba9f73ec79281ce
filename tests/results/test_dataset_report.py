"""Summaries, tables and pictures of data sets and pools."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from coassoc.datasets.registry import DatasetEntry
from coassoc.figures.datasets import plot_dataset, plot_overview
from coassoc.figures.style import save
from coassoc.pools.generation import make_pool
from coassoc.pools.settings import PoolSettings
from coassoc.results.dataset_report import (
    comparison_table,
    dataset_table,
    pool_table,
    projection,
    summarize_dataset,
    write_report,
)
from coassoc.storage.records import Dataset

ENTRY = DatasetEntry(
    name="Three", title="Three groups", papers=["RCE"], licence="none", note="small"
)
DRAWS = {"sizes": (10, 20), "repeats": 3}


def dataset(n: int = 60, labelled: bool = True) -> Dataset:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), n // 3)
    X = rng.normal(size=(len(y), 4)) + 3 * y[:, None]
    attributes = {"source": "here", "fingerprint": "f"}
    return Dataset(X, y if labelled else None, attributes)


@pytest.fixture(scope="module")
def pools():
    generated = make_pool(dataset(), PoolSettings("made", size=30, **DRAWS), name="Three")
    published = make_pool(dataset(), PoolSettings("given", size=25, **DRAWS), name="Three", seed=1)
    published.attributes["kind"] = "published"
    other = make_pool(
        dataset(), PoolSettings("unit", size=25, preprocessing="unit", **DRAWS), name="Three"
    )
    return {"unit": other, "made": generated, "given": published}


@pytest.fixture(scope="module")
def summary(pools):
    found = summarize_dataset(ENTRY, dataset(), pools)
    return json.loads(json.dumps(found))


def test_summary_of_a_data_set(summary):
    assert (summary["n"], summary["d"], summary["classes"]) == (60, 4, 3)
    assert summary["class_sizes"] == [20, 20, 20]
    assert len(summary["projection"]["points"]) == 60
    for pool in summary["pools"].values():
        assert min(pool["fixed_point"]) == 1
        assert set(pool["microclusters"]) == {"10", "20"}


def test_summary_without_features_and_without_classes(pools):
    entry = DatasetEntry(name="Pool", n=60, d=9, classes=3)
    found = summarize_dataset(entry, None, {"given": pools["given"]})
    assert (found["n"], found["d"], found["features"]) == (60, 9, False)
    assert found["class_sizes"] == [20, 20, 20]
    assert "fixed_point" not in found["pools"]["given"]
    unlabelled = dataset(labelled=False)
    pool = make_pool(unlabelled, PoolSettings("made", size=20, **DRAWS), name="Three")
    found = summarize_dataset(DatasetEntry(name="Mine"), unlabelled, {"made": pool})
    assert "ari" not in found["pools"]["made"]
    assert found["classes"] is None
    for each in (found, summarize_dataset(entry, None, {"given": pools["given"]})):
        assert plot_dataset(json.loads(json.dumps(each))).axes


def test_pool_of_other_samples_has_no_fixed_point_test(pools):
    found = summarize_dataset(ENTRY, dataset(n=63), {"made": pools["made"]})
    assert "fixed_point" not in found["pools"]["made"]


def test_projection_is_small_and_the_same_for_dense_and_sparse():
    X = np.random.default_rng(0).random((5000, 6))
    found = projection(X, np.zeros(5000, int))
    assert len(found["points"]) == len(found["classes"]) == 3000
    X -= X.mean(axis=0)
    spread = [np.abs(projection(each, None)["points"]) for each in (X, sp.csr_array(X))]
    np.testing.assert_allclose(*spread, atol=1e-2)
    assert projection(X[:, :1], None)["points"] == []


def test_tables(summary):
    assert dataset_table([summary]).loc[0, "largest class"] == 20
    lines = pool_table([summary]).set_index("pool")
    assert lines.loc["made", "base clusterings"] == 30
    assert lines.loc["made", "ARI mean"] == pytest.approx(np.mean(summary["pools"]["made"]["ari"]))
    compared = comparison_table([summary])
    assert compared[["published pool", "generated pool"]].values.tolist() == [["given", "made"]]
    line = compared.iloc[0]
    assert line["difference"] == pytest.approx(line["ARI generated"] - line["ARI published"])
    ours, theirs = summary["pools"]["made"], summary["pools"]["given"]
    differences = []
    for k, score in zip(theirs["k"], theirs["ari"], strict=True):
        limit = sorted(abs(other - k) for other in ours["k"])[4]
        near = [j for j, other in enumerate(ours["k"]) if abs(other - k) <= limit]
        differences.append(np.mean([ours["ari"][j] for j in near]) - score)
    assert line["difference at equal k"] == pytest.approx(np.mean(differences))


def test_report(tmp_path, summary):
    paths = {key: tmp_path / key for key in ("datasets", "pools", "comparison", "page")}
    write_report([summary], paths)
    assert pd.read_csv(paths["datasets"])["dataset"].tolist() == ["Three"]
    assert len(pd.read_csv(paths["pools"])) == 3
    page = paths["page"].read_text()
    assert page.count("\n## ") == 3 and "| Three" in page and "None." not in page
    write_report([{**summary, "pools": {"made": summary["pools"]["made"]}}], paths)
    assert "None." in paths["page"].read_text()


def test_pictures(tmp_path, summary):
    page = plot_dataset(summary)
    assert len(page.axes) == 6
    assert {text.get_text() for text in page.legends[0].get_texts()} == set(summary["pools"])
    overview = plot_overview([summary, {**summary, "name": "Again"}])
    labels = [label.get_text() for label in overview.axes[0].get_yticklabels()]
    assert labels == ["Three", "Again"]
    for name, figure in (("page", page), ("overview", overview)):
        paths = {end: tmp_path / f"{name}.{end}" for end in ("pdf", "png")}
        save(figure, paths)
        assert all(path.stat().st_size > 5000 for path in paths.values())


def test_pictures_are_the_same_twice(tmp_path, summary):
    for name in "ab":
        save(plot_dataset(summary), {"png": tmp_path / f"{name}.png"})
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_page_where_all_k_are_equal(summary):
    same = {name: {**pool, "k": [3] * pool["size"]} for name, pool in summary["pools"].items()}
    axes = plot_dataset({**summary, "pools": same}).axes
    assert axes[2].texts[0].get_text() == "k = 3 in all of them"
    assert axes[3].get_xlabel() == "ARI"
    assert len(axes[3].lines) == len(same)


@pytest.mark.parametrize("n_classes", [1, 10, 40])
def test_any_number_of_classes_has_colours(summary, n_classes):
    sizes = [60 // n_classes] * n_classes
    changed = {**summary, "classes": n_classes, "class_sizes": sizes}
    classes = [i % n_classes for i in range(60)]
    changed["projection"] = {**summary["projection"], "classes": classes}
    bars = plot_dataset(changed).axes[0].patches
    assert len({bar.get_facecolor() for bar in bars}) == n_classes
