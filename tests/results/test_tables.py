"""Tables: published numbers, ranks, means over data sets, and the renderings."""

from __future__ import annotations

import html
import re

import numpy as np
import pandas as pd
import pytest

from coassoc.results.summaries import summarize, with_means
from coassoc.results.tables import compare, mark_ranks, write_table
from scored_cells import cell, without_classes


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


def test_a_users_characters_are_shown_and_not_obeyed(tmp_path, summary):
    odd = r"A|B *c* _d_ e_f <i> `g` 5 % & $x$ {y} \\h ~"
    paths = {kind: tmp_path / f"t.{kind}" for kind in ("csv", "md", "tex", "html")}
    lines = compare(summary.replace({"label": {"one": odd}}), [])
    layout = {"down": ["method"], "across": ["dataset"]}
    write_table(paths, lines, title=odd, caption=odd, note=odd, **layout)
    markdown = r"A\|B \*c\* \_d\_ e_f \<i> \`g\` 5 % & $x$ {y} \\\\h ~"
    page = paths["md"].read_text()
    assert page.startswith(f"# {markdown}\n\n{markdown}\n\n|") and f"| {markdown} " in page
    # Every line of the table has as many columns as its head.
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
    tex = r"A|B *c* \_d\_ e\_f $<$i$>$ `g` 5 \% \& \$x\$ \{y\} "
    tex += r"\textbackslash{}\textbackslash{}h \textasciitilde{}"
    assert paths["tex"].read_text().count(tex) == 3
    assert html.escape(odd) in paths["html"].read_text() and odd not in paths["html"].read_text()
