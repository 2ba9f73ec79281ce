"""Tables: means, tuning, published numbers, ranks, and the three renderings."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from coassoc.errors import DataError
from coassoc.results.tables import (
    collect_scores,
    compare,
    mark_ranks,
    read_scores_by_stem,
    summarize,
    with_means,
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
    return {**plain, "reference": None, "tune": None, "point": None, "sources": sources, **changes}


@pytest.fixture
def scores():
    return {
        "one": score_frame([({}, [0.2, 0.4])]),
        "grid": score_frame([({"alpha": 0.7}, [0.5, 0.7]), ({"alpha": 0.8}, [0.8, 0.2])]),
        "base": pd.DataFrame({"clustering": [0, 1, 2], "ARI": [0.1, 0.2, 0.6]}),
        "reference": pd.DataFrame(
            [
                {"reference": name, "repeat": i, "status": "ok", "ARI": ari}
                for name, values in {"ensemble-best": [0.2, 0.6], "truth": [1.0, 1.0]}.items()
                for i, ari in enumerate(values)
            ]
        ),
    }


@pytest.fixture
def summary(scores):
    cells = [
        cell("one", ["one"]),
        cell("tuned", ["grid"], tune="ARI"),
        cell("point", ["grid"], point={"alpha": 0.8}),
        cell("Base clusterings (average)", ["base"], reference="mean"),
        cell("Base clusterings (best)", ["base"], reference="best"),
        cell("Best of the ensemble", ["reference"], reference="ensemble-best"),
        cell("True classes", ["reference"], reference="truth"),
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
    assert by_row.loc["Best of the ensemble", "mean"] == pytest.approx(0.4)
    assert by_row.loc["Best of the ensemble", "repeats"] == 2
    assert by_row.loc["True classes", "mean"] == 1.0


def test_reason_of_a_cell_that_is_left_out_is_in_the_table(scores, tmp_path):
    cells = [cell("one", ["one"]), cell("slow", [], not_run="it takes 6 h")]
    lines = compare(summarize(cells, scores, {"ARI": "ARI"}), [])
    paths = {end: tmp_path / f"t.{end}" for end in ("csv", "md", "tex", "html")}
    layout = {"down": ["method"], "across": ["dataset"]}
    write_table(paths, lines, title="T", caption="C", note="N", **layout)
    for end in ("md", "tex", "html"):
        page = paths[end].read_text(encoding="utf-8")
        assert "not run [1]" in page and "[1] it takes 6 h. N" in page
    assert "not run: it takes 6 h" in paths["csv"].read_text(encoding="utf-8")
    assert lines.set_index("row").loc["slow", "repeats"] == 0


def without_classes():
    """Scores of one repeat at two points of a grid, on samples of unknown classes."""
    lines = [
        {"parameters": f'{{"a": {a}}}', "repeat": 0, "status": "ok", "ANMI": a, "stability": 1.0}
        for a in (0.2, 0.7)
    ]
    return pd.DataFrame(lines)


def test_nothing_is_tuned_by_a_score_that_is_unknown():
    """Neither by another score, nor by the first point where all have none."""
    frame = without_classes()
    for score in ("ARI", "stability"):
        frame["stability"] = np.nan
        summary = summarize([cell("tuned", ["free"], tune=score)], {"free": frame}, {"ARI": "ARI"})
        assert summary["mean"].isna().all()
        reason = f"skipped: it is tuned by {score}, which is unknown here"
        assert set(summary["reason"]) == {reason}


def test_several_points_for_a_row_that_is_not_tuned_are_an_error():
    with pytest.raises(DataError, match="2 points in free, where there must be one"):
        summarize([cell("plain", ["free"])], {"free": without_classes()}, {"ARI": "ARI"})


def test_a_quantity_that_a_row_does_not_have_is_said():
    frame = pd.DataFrame([{"clustering": 0, "ARI": 0.5}])
    base = cell("base", ["b"], reference="mean")
    line = summarize([base], {"b": frame}, {"seconds": "seconds"}).iloc[0]
    assert line["reason"].startswith("no score: ") and "has no seconds" in line["reason"]


def test_label_free_measures_take_the_place_of_metrics(tmp_path):
    cells = [cell("tuned", ["free"], tune="ANMI")]
    summary = summarize(cells, {"free": without_classes()}, {"ARI": "ARI", "NMI": "NMI"})
    assert dict(zip(summary["metric"], summary["mean"], strict=True)) == {
        "ANMI": 0.7,
        "stability": 1.0,
    }
    paths = {end: tmp_path / f"t.{end}" for end in ("csv", "md", "tex", "html")}
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


def test_only_methods_compete(summary):
    ranks = dict(zip(summary["label"], mark_ranks(summary), strict=True))
    assert ranks == {
        "one": 0,
        "tuned": 1,
        "point": 2,
        "Base clusterings (average)": 0,
        "Base clusterings (best)": 0,
        "Best of the ensemble": 0,
        "True classes": 0,
    }


def test_less_time_is_better(scores):
    scores["one"]["seconds"] = 5.0
    cells = [cell("one", ["one"]), cell("grid", ["grid"], point={"alpha": 0.7})]
    lines = summarize(cells, scores, {"seconds": "seconds"})
    assert list(mark_ranks(lines)) == [2, 1]


def test_renderings(tmp_path, summary):
    published = [{"method": "one", "dataset": "A", "metric": "ARI", "mean": "0.25", "std": "0.1"}]
    paths = {end: tmp_path / f"t.{end}" for end in ("csv", "md", "tex", "html")}
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
    page = paths["html"].read_text()
    assert "<b>0.600±0.141</b>" in page and "Title &amp; more" in page
    assert "http" not in page  # opens without a network
    latex = paths["tex"].read_text()
    assert r"Title \& more" in latex and r"\textbf{0.600$\pm$0.141}" in latex


def test_all_scores_in_one_frame(tmp_path, scores):
    path = tmp_path / "pool" / "A" / "m20" / "LWEA" / "theta=1.csv"
    path.parent.mkdir(parents=True)
    scores["one"].to_csv(path, index=False)
    base = tmp_path / "pool" / "A" / "base.csv"
    scores["base"].to_csv(base, index=False)
    assert set(read_scores_by_stem([path], tmp_path)) == {"pool/A/m20/LWEA/theta=1"}
    reference = tmp_path / "pool" / "A" / "m20" / "reference.csv"
    scores["reference"].to_csv(reference, index=False)
    frame = collect_scores([path, base, reference], tmp_path)
    assert set(frame["method"]) == {"LWEA", "base", "reference"}
    assert set(frame["block"]) == {"theta=1", ""}
    assert set(frame.loc[frame["method"] == "base", "m"]) == {""}
    assert set(frame.loc[frame["method"] != "base", "m"]) == {"20"}


def test_distances_from_a_row_are_paired_by_repeat(scores, tmp_path):
    scores["one"]["similarity_norm"] = [10.0, 20.0]
    scores["grid"]["similarity_norm"] = [11.0, 18.0, 10.0, 20.0]
    cells = [cell("grid", ["grid"], point={"alpha": 0.7}), cell("one", ["one"])]
    metrics = {"ARI": "ARI", "norm": "similarity_norm"}
    summary = summarize(cells, scores, metrics, relative_to="one")
    found = summary.set_index(["row", "metric"])["mean"]
    assert summary["row"].iloc[0] == "one"
    assert found["one", "ARI"] == pytest.approx(0.3)
    assert found["grid", "ARI"] == pytest.approx(((0.5 - 0.2) + (0.7 - 0.4)) / 2)
    assert found["grid", "norm"] == pytest.approx((1 / 10 + 2 / 20) / 2)
    assert not mark_ranks(summary).any()
    paths = {end: tmp_path / f"t.{end}" for end in ("csv", "md", "tex", "html")}
    layout = {"down": ["method"], "across": ["metric"]}
    write_table(paths, compare(summary, []), title="T", caption="C", note="", **layout)
    assert "+0.300±0.000" in paths["md"].read_text()


def test_means_over_the_data_sets(scores):
    cells = [cell("one", ["one"], dataset="A"), cell("one", ["grid"], "B", point={"alpha": 0.8})]
    summary = with_means(summarize(cells, scores, {"ARI": "ARI"}), ["A", "B"])
    line = summary[summary["dataset"] == "mean"].iloc[0]
    assert line["mean"] == pytest.approx((0.3 + 0.5) / 2)
    spreads = [np.std([0.2, 0.4], ddof=1), np.std([0.8, 0.2], ddof=1)]
    assert line["std"] == pytest.approx(np.sqrt(np.mean(np.square(spreads))))
    paper = {"method": "one", "metric": "ARI", "std": ""}
    same = [{**paper, "dataset": d, "mean": "0.5"} for d in ("A", "B", "mean")]
    here = compare(summary, same).set_index("dataset")
    assert here.loc["mean", "difference"] == pytest.approx(-0.1)
    other = compare(summary, [*same, {**paper, "dataset": "C", "mean": "0.5"}])
    assert np.isnan(other.set_index("dataset").loc["mean", "published_mean"])
