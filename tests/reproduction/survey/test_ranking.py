"""The ranking: what takes part in each view, and that none averages over different data sets."""

import base64
import gzip
import json
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.statistics import signed_rank_p
from reproduction.survey.ranking import compared_with_the_first, page_data, write_ranking
from reproduction.survey.ranks import ALL_DATASETS, View, rank_cells
from scored_cells import cell as plain_cell
from scored_cells import run_scores

METRICS = {"ARI": "ARI", "seconds": "seconds"}
NAMES = ("good", "fair", "poor", "reader", "fails")
ROWS = {x: {"title": x, "tuned": False, "reads_order": x == "reader"} for x in NAMES}
ROWS |= {f"{name} (tuned)": {**ROWS[name], "tuned": True} for name in ("good", "fair")}
LEVELS = {"good": 0.6, "fair": 0.5, "poor": 0.4, "reader": 0.9, "fails": 0.7, "good (tuned)": 0.8}
DATASETS = {
    "small": {"n": 100, "d": 2, "classes": 3, "groups": ["text"]},
    "middle": {"n": 400, "classes": 8, "groups": ["text"]},
    "large": {"n": 5000, "classes": 30, "groups": []},
}
SMALL = {"small": DATASETS["small"]}


def cell(row, dataset, **changes):
    return plain_cell(row, [f"p/{dataset}/m20/{row}/default"], dataset, **changes)


@pytest.fixture(scope="module")
def ranked():
    """The method "fails" lacks two of three repeats on the large data set; one cell is not run."""
    cells = [cell(*place) for place in product(LEVELS, DATASETS) if place != ("poor", "small")]
    scores = {
        f"p/{dataset}/m20/{row}/default": run_scores(
            *[level + 0.1 * d] * 3,
            # The first one includes what the process imports.
            seconds=[level * 100, level * 10, level * 10],
        )
        for row, level in LEVELS.items()
        for d, dataset in enumerate(DATASETS)
    }
    broken = scores["p/large/m20/fails/default"]
    broken.loc[:1, ["status", "ARI"]] = ["skipped: took longer than 1 minute", np.nan]
    rows = {name: ROWS[name] for name in LEVELS}
    cells.append(cell("poor", "small", not_run="no </script> here"))
    return rank_cells(cells, scores, METRICS, rows, DATASETS)


def view(ranked, group=ALL_DATASETS, tuned=False, readers=False, all_methods=False):
    asked = View("ARI", group, tuned, readers, all_methods)._asdict()
    chosen = (ranked.lines[list(asked)] == pd.Series(asked)).all(axis="columns")
    return ranked.lines[chosen].set_index("label")


def test_methods_without_a_score_on_each_data_set_are_not_ranked(ranked):
    lines = view(ranked)
    assert lines["rank"].dropna().to_dict() == {"good": 1, "fair": 2}
    assert set(lines["n_datasets"]) == {3} and lines.loc["good", "mean"] == pytest.approx(0.7)
    assert lines.loc["good", "seconds"] == pytest.approx(6)
    assert lines["missing"].to_dict() == {"good": 0, "fair": 0, "poor": 1, "fails": 1}
    assert lines["mean"].isna()["fails"] and np.isnan(lines.loc["poor", "seconds"])


def test_or_the_data_sets_are_left_out_on_which_a_score_is_missing(ranked):
    lines = view(ranked, all_methods=True)
    assert lines["rank"].to_dict() == {"fails": 1, "good": 2, "fair": 3, "poor": 4}
    assert set(lines["n_datasets"]) == {1}  # "middle" alone
    assert lines.loc["poor", "mean"] == pytest.approx(0.5)


def test_readers_of_the_order_and_tuned_rows_are_apart(ranked):
    assert "reader" not in view(ranked).index
    together = view(ranked, readers=True)["rank"].dropna()
    assert together.to_dict() == {"reader": 1, "good": 2, "fair": 3}
    assert not any("tuned" in name for name in view(ranked, readers=True).index)
    assert view(ranked, tuned=True).empty  # a single row cannot be ranked


def ranked_by(values, datasets, cells=None):
    """Ranks of rows that have the same score everywhere, or of None not a single partition."""
    cells = cells or [cell(*place) for place in product(values, datasets)]
    none = run_scores(0.0, status="skipped: no", seconds=np.nan, stability=np.nan)
    none = none.drop(columns="ARI")
    frames = {row: none if ari is None else run_scores(ari) for row, ari in values.items()}
    scores = {cell.sources[0]: frames[cell.label] for cell in cells}
    return rank_cells(cells, scores, METRICS, {name: ROWS[name] for name in values}, datasets)


def test_the_first_is_tested_and_drawn_again_by_families_of_data_sets():
    names = [f"{name}{k}" for name in "ab" for k in range(6)]
    datasets = {name: {"n": 9, "d": 2, "classes": 2, "groups": []} for name in names}
    cells = [cell(row, name) for row in ("good", "fair") for name in names]
    # "good" is better in the first family, "fair" in the second, by less.
    gains = [(0.2 if each.dataset[0] == "a" else -0.1) * (each.label == "good") for each in cells]
    made = (run_scores(0.5 + gain) for gain in gains)
    scores = dict(zip((each.sources[0] for each in cells), made, strict=True))
    ranks = rank_cells(cells, scores, METRICS, {k: ROWS[k] for k in ("good", "fair")}, datasets)
    shares = []
    for seed in range(4):
        lines = compared_with_the_first(ranks, seed)
        given = (lines["group"] == ALL_DATASETS) & lines["first_share"].notna()
        told = lines[given].set_index("label")
        shares.append(told["first_share"].max())
    # A draw of two families has one of them twice in half of the cases; ties go to one row.
    assert shares == pytest.approx([0.75] * 4, abs=0.006)
    assert told[["rank_low", "rank_high"]].to_numpy().tolist() == [[1, 2]] * 2
    (p,) = told["p_first"].dropna()
    assert p == pytest.approx(signed_rank_p(pd.Series([0.2, -0.1])))


def test_equal_scores_share_a_rank():
    lines = view(ranked_by({"good": 0.5, "fair": 0.5 + 1e-9, "poor": 0.3}, SMALL))
    assert lines["rank"].to_dict() == {"good": 1.5, "fair": 1.5, "poor": 3}


FEW = ["300 < n ≤ 1000", "5 < classes ≤ 10"]


def test_data_sets_are_grouped_by_size_and_classes(ranked):
    groups = {name: facts["groups"] for name, facts in ranked.datasets.items()}
    assert groups == {
        "small": [ALL_DATASETS, "text", "n ≤ 1000", "n ≤ 3000", "n ≤ 300", "d ≤ 3", "classes ≤ 5"],
        "middle": [ALL_DATASETS, "text", "n ≤ 1000", "n ≤ 3000", *FEW],
        "large": [ALL_DATASETS, "n > 3000", "classes > 10"],
    }
    assert set(view(ranked, group="text")["n_datasets"]) == {2}


def test_data_sets_without_tuned_rows_are_no_part_of_their_views():
    values = dict.fromkeys(("good", "good (tuned)", "fair (tuned)"), 0.5)
    asked = [cell(row, "small") for row in values] + [cell("good", "middle")]
    lines = view(ranked_by(values, DATASETS, asked), tuned=True)
    assert set(lines["n_datasets"]) == {1} and set(lines["missing"]) == {0}


def test_the_page_holds_every_view_and_every_reason(ranked, tmp_path):
    paths = {end: str(tmp_path / end) for end in ("html", "csv", "cells")}
    ranked = ranked._replace(lines=compared_with_the_first(ranked, 0))
    write_ranking(paths, ranked)
    page = (tmp_path / "html").read_text()
    assert page.count("</script>") == 2 and "http" not in page
    packed = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]
    held = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert held == json.loads(json.dumps(page_data(ranked)))
    first = held["views"][f"ARI|{ALL_DATASETS}|000"]["lines"][0]
    assert first == ["good", 1, 0.7, 6, 0, 1, 1, None]
    for row, dataset, reason in (
        ("fails", "large", "2 repeats have no score: skipped: took longer than 1 minute"),
        ("poor", "small", "not run: no </script> here"),
    ):
        assert held["cells"][row][dataset]["scores"]["ARI"] == [None, None, reason]
    assert len(pd.read_csv(tmp_path / "csv")) == len(ranked.lines)
    assert set(pd.read_parquet(tmp_path / "cells")["row"]) == set(LEVELS)
