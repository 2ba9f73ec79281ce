"""Tables: means, tuning, published numbers, ranks, and the three renderings."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from coassoc.tables import (
    collect_scores,
    compare,
    mark_ranks,
    read_scores_by_stem,
    summarize,
    write_table,
)


def score_frame(points):
    return pd.DataFrame(
        [
            {"parameters": json.dumps(p), "repeat": i, "status": "ok", "ARI": ari, "seconds": 1.0}
            for p, values in points
            for i, ari in enumerate(values)
        ]
    )


def cell(row, sources, dataset="A", **changes):
    plain = {"row": row, "label": row, "dataset": dataset, "pool": "p", "m": 20, "x": None}
    return {**plain, "base": None, "tune": None, "point": None, "sources": sources, **changes}


@pytest.fixture
def scores():
    return {
        "one": score_frame([({}, [0.2, 0.4])]),
        "grid": score_frame([({"alpha": 0.7}, [0.5, 0.7]), ({"alpha": 0.8}, [0.8, 0.2])]),
        "base": pd.DataFrame({"clustering": [0, 1, 2], "ARI": [0.1, 0.2, 0.6]}),
    }


@pytest.fixture
def summary(scores):
    cells = [
        cell("one", ["one"]),
        cell("tuned", ["grid"], tune="ARI"),
        cell("point", ["grid"], point={"alpha": 0.8}),
        cell("Base clusterings (average)", ["base"], base="mean"),
        cell("Base clusterings (best)", ["base"], base="best"),
    ]
    return summarize(cells, scores, {"ARI": "ARI"})


def test_means_and_tuning(summary):
    by_row = summary.set_index("row")
    assert by_row.loc["one", "mean"] == pytest.approx(0.3)
    assert by_row.loc["one", "std"] == pytest.approx(np.std([0.2, 0.4], ddof=1))
    assert by_row.loc["tuned", "mean"] == pytest.approx(0.6)
    assert json.loads(by_row.loc["tuned", "parameters"]) == {"alpha": 0.7}
    assert by_row.loc["point", "mean"] == pytest.approx(0.5)
    assert by_row.loc["Base clusterings (average)", "mean"] == pytest.approx(0.3)
    assert by_row.loc["Base clusterings (best)", "mean"] == 0.6


def test_reason_of_a_cell_that_is_left_out_is_in_the_table(scores, tmp_path):
    cells = [cell("one", ["one"]), cell("slow", [], not_run="it takes 6 h")]
    lines = compare(summarize(cells, scores, {"ARI": "ARI"}), [])
    paths = {end: tmp_path / f"t.{end}" for end in ("csv", "md", "tex")}
    layout = {"down": ["method"], "across": ["dataset"]}
    write_table(paths, lines, title="T", caption="C", note="N", **layout)
    assert "not run: it takes 6 h" in paths["md"].read_text(encoding="utf-8")
    assert lines.set_index("row").loc["slow", "repeats"] == 0


def test_label_free_measures_take_the_place_of_metrics(tmp_path):
    lines = [
        {"parameters": f'{{"a": {a}}}', "repeat": 0, "status": "ok", "ANMI": a, "stability": 1.0}
        for a in (0.2, 0.7)
    ]
    cells = [cell("tuned", ["free"], tune="ARI")]
    summary = summarize(cells, {"free": pd.DataFrame(lines)}, {"ARI": "ARI", "NMI": "NMI"})
    assert dict(zip(summary["metric"], summary["mean"], strict=True)) == {
        "ANMI": 0.7,
        "stability": 1.0,
    }
    paths = {end: tmp_path / f"t.{end}" for end in ("csv", "md", "tex")}
    layout = {"down": ["method"], "across": ["dataset"]}
    write_table(paths, compare(summary, []), title="T", caption="C", note="", **layout)
    assert "A ANMI" in paths["md"].read_text()


def test_skipped_repeats_do_not_count_and_their_reason_is_kept(scores):
    scores["one"].loc[0, ["status", "ARI"]] = ["skipped: too large", np.nan]
    line = summarize([cell("one", ["one"])], scores, {"ARI": "ARI"}).iloc[0]
    assert line["mean"] == 0.4 and line["skipped"] == 1
    assert line["reason"] == "skipped: too large"


def test_published_numbers_stand_beside(summary):
    published = [
        {"method": "one", "dataset": "A", "metric": "ARI", "mean": "0.25", "std": "0.1"},
        {"method": "absent", "dataset": "A", "metric": "ARI", "mean": "0.5", "std": ""},
        {"method": "one", "dataset": "elsewhere", "metric": "ARI", "mean": "0.9", "std": ""},
    ]
    lines = compare(summary, published)
    by_label = lines.set_index("label")
    assert by_label.loc["one", "difference"] == pytest.approx(0.05)
    assert by_label.loc["absent", "reason"] == "not run"
    assert np.isnan(by_label.loc["absent", "mean"])
    assert "elsewhere" not in set(lines["dataset"])
    assert lines["label"].iloc[0] == "one"


def test_ranks_leave_the_base_clusterings_out(summary):
    ranks = dict(zip(summary["label"], mark_ranks(summary), strict=True))
    assert ranks == {
        "one": 0,
        "tuned": 1,
        "point": 2,
        "Base clusterings (average)": 0,
        "Base clusterings (best)": 0,
    }


def test_less_time_is_better(scores):
    scores["one"]["seconds"] = 5.0
    cells = [cell("one", ["one"]), cell("grid", ["grid"], point={"alpha": 0.7})]
    lines = summarize(cells, scores, {"seconds": "seconds"})
    assert list(mark_ranks(lines)) == [2, 1]


def test_renderings(tmp_path, summary):
    published = [{"method": "one", "dataset": "A", "metric": "ARI", "mean": "0.25", "std": "0.1"}]
    paths = {end: tmp_path / f"t.{end}" for end in ("csv", "md", "tex")}
    write_table(
        paths,
        compare(summary, published),
        title="Title & more",
        caption="Look here.",
        down=["method"],
        across=["dataset"],
        note="m = 20.",
    )
    csv = pd.read_csv(paths["csv"])
    assert csv.loc[csv["label"] == "one", "published_mean"].item() == 0.25
    text = paths["md"].read_text()
    assert "0.300±0.141 (0.250±0.100)" in text and "**0.600±0.141**" in text
    assert "<u>0.500±0.424</u>" in text
    latex = paths["tex"].read_text()
    assert r"Title \& more" in latex and r"\textbf{0.600$\pm$0.141}" in latex


def test_all_scores_in_one_frame(tmp_path, scores):
    path = tmp_path / "pool" / "A" / "m20" / "LWEA" / "theta=1.csv"
    path.parent.mkdir(parents=True)
    scores["one"].to_csv(path, index=False)
    base = tmp_path / "pool" / "A" / "base.csv"
    scores["base"].to_csv(base, index=False)
    assert set(read_scores_by_stem([path], tmp_path)) == {"pool/A/m20/LWEA/theta=1"}
    frame = collect_scores([path, base], tmp_path)
    assert set(frame["method"]) == {"LWEA", "base"} and set(frame["block"]) == {"theta=1", ""}
