"""Tables: summaries of scores, published numbers, renderings, and the scorecard."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.provenance import commit
from coassoc.bench.storage.records import Outcome
from coassoc.bench.summaries import lines_of, summarize
from coassoc.errors import DataError
from make_scorecard import summary_page
from make_table import add_published, reproduction_note, write_table_files
from reproduction.findings.scorecard import _printed_first, read_tables, scorecard
from reproduction.pages import write_sortable_page
from reproduction.scores.files import read_measured, write_scores
from scored_cells import cell, run_scores, score_frame

# -- TABLES ----------------------------------------------------------------------------------------

# Tables: published numbers, ranks, means over data sets, and the renderings.


@pytest.fixture
def pages(tmp_path):
    """Renders lines, and gives the text of each file."""

    def render(lines, note="N", across="dataset", **about):
        paths = {end: tmp_path / f"t.{end}" for end in ("csv", "md", "html")}
        spec = {"title": "T", "caption": "C", "across": [across], **about}
        write_table_files(paths, lines, spec, note)
        return {end: path.read_text(encoding="utf-8") for end, path in paths.items()}

    return render


def test_reason_of_a_cell_that_is_left_out_is_in_the_table(scores, pages):
    cells = [cell("one", ["one"]), cell("slow", [], not_run="it takes 6 h")]
    lines = add_published(summarize(cells, scores, {"ARI": "ARI"}), [])
    made = pages(lines)
    for end in ("md", "html"):
        assert "not run [1]" in made[end] and "[1] it takes 6 h. N" in made[end]
    assert "not run: it takes 6 h" in made["csv"]
    slow = lines.set_index("row").loc["slow"]
    assert slow[["repeats", "skipped"]].tolist() == [0, 0] and slow[["mean", "std"]].isna().all()


def test_only_points_that_stay_in_a_race_can_win(pages):
    frame = score_frame([({"a": 1}, [0.9, 0.5]), ({"a": 2}, [0.8, 0.8]), ({"a": 3}, [0.7, 1])])
    frame.loc[[1], ["status", "ARI"]] = Outcome.LEFT_THE_RACE.value, np.nan
    cells = [cell("tuned", ["grid"], tune="ARI"), cell("one", ["one"])]
    scores = {"grid": frame, "one": run_scores(0.3)}
    lines = add_published(summarize(cells, scores, {"ARI": "ARI"}), [])
    shown = ["mean", "repeats", "skipped", "parameters", "raced"]
    line = lines.set_index("row").loc["tuned", shown].tolist()
    assert line == [pytest.approx(0.85), 2, 0, '{"a": 3}', "5 of 6 fits"]
    assert "<u>0.300</u>, r = 1" in pages(lines)["md"]


def test_a_users_characters_are_shown_and_not_obeyed(pages, summary):
    odd = r"A|B *c* _d_ e_f <i> `g` 5 % & $x$ {y} \\h ~"
    lines = add_published(summary.replace({"label": {"one": odd}}), [])
    made = pages(lines, odd, title=odd, caption=odd)
    markdown = r"A\|B \*c\* \_d\_ e_f \<i> \`g\` 5 % & $x$ {y} \\\\h ~"
    page = made["md"]
    assert page.startswith(f"# {markdown}\n\n{markdown}\n\n|") and f"| {markdown} " in page
    # Every line of the table has as many columns as its head.
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
    assert html.escape(odd) in made["html"] and odd not in made["html"]
    assert "http" not in made["html"]  # opens without a network


def test_marks_truth_values_and_gaps_of_a_page_are_shown(tmp_path):
    marks = ["**0.5**, r = 3", "<u>0.719±0.010</u>, r = 5 (0.737±0.057)"]
    given = {"within": [True, None], "n": [1, 0], "mark": marks}
    table = pd.DataFrame({**given, "why": ["long, " * 7 + "x", "x < y"]}, index=["a", "b"])
    write_sortable_page(tmp_path / "p.html", table, title="T", caption="C", note="N")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert ">yes<" in page and "None" not in page and ">1<" in page and ">0<" in page
    assert "<td><b>0.5</b>, r = 3</td>" in page and "<td><u>0.719±0.010</u>, r = 5" in page
    assert f'<td class="sentence">{"long, " * 7}x</td>' in page and "<td>x &lt; y</td>" in page


# -- SUMMARIES -------------------------------------------------------------------------------------

# Summaries of scores: which lines count for a cell, means, spreads, tuning.


@pytest.fixture
def free():
    """Scores of one repeat at two points of a grid, on samples of unknown classes."""
    about = {"parameters": ['{"a": 0.2}', '{"a": 0.7}'], "repeat": 0, "status": "ok"}
    return pd.DataFrame({**about, "ANMI": [0.2, 0.7], "stability": 1.0})


def test_means_of_methods_and_references(summary):
    base = {"Base clusterings (average)": 0.3, "Base clusterings (best)": 0.6}
    expected = {"one": 0.3, "tuned": 0.6, "point": 0.5, "Best of the ensemble": 0.4} | base
    assert dict(zip(summary["row"], summary["mean"], strict=True)) == pytest.approx(
        expected | {"True classes": 1.0}
    )


def test_distances_are_differences_of_scores_and_changes_of_other_quantities():
    slow, fast = run_scores(0.5, 0.7, seconds=[2.0, 4.0]), run_scores(0.4, 0.8, seconds=[1.0, 3.0])
    scores = {"slow": slow, "fast": fast}
    cells = [cell(name, [name]) for name in scores]
    metrics = {"ARI": "ARI", "time": "seconds"}
    lines = summarize(cells, scores, metrics, relative_to="slow").set_index(["row", "metric"])
    assert lines.loc[("fast", "ARI"), "mean"] == pytest.approx((-0.1 + 0.1) / 2)
    assert lines.loc[("fast", "ARI"), "std"] == pytest.approx(np.std([-0.1, 0.1], ddof=1))
    assert lines.loc[("fast", "time"), "mean"] == pytest.approx((0.5 + 0.25) / 2)
    scores["fast"] = run_scores(0.4, 0.5)
    lines = summarize(cells, scores, {"ARI": "ARI"}, relative_to="slow").set_index("row")
    assert lines.loc["fast", "mean"] == pytest.approx(-0.15)
    cells[1] = cell("fast", ["fast"], dataset="B")  # where nothing is known of the slow one
    lines = summarize(cells, scores, {"ARI": "ARI"}, relative_to="slow").set_index("row")
    assert np.isnan(lines.loc["fast", "mean"])


def test_numbers_name_the_version_of_their_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = "results/timing/pool/A/m20/LWEA/default.parquet"
    write_scores(path, run_scores(0.5, commit="12e4567", code="0042"))
    frame = read_measured({path: ""})[path]
    lines = summarize([cell("one", ["x"])], {"x": frame}, {"ARI": "ARI"})
    assert lines[["commit", "code"]].to_numpy().tolist() == [["12e4567", "0042"]]
    assert "The runs come from version 12e4567." in reproduction_note(lines)
    without = lines.drop(columns=["commit", "code"])
    written = f"Version {commit()} of the software wrote this table."
    assert reproduction_note(without).endswith(written)


@pytest.mark.parametrize("score", ["ARI", "stability"])
def test_nothing_is_tuned_by_a_score_that_is_unknown(free, score):
    """Neither by another score, nor by the first point where all have none."""
    frame = free.assign(stability=np.nan)
    summary = summarize([cell("tuned", ["free"], tune=score)], {"free": frame}, {"ARI": "ARI"})
    assert summary["mean"].isna().all()
    assert set(summary["reason"]) == {f"skipped: it is tuned by {score}, which is unknown"}


def test_several_points_for_a_row_that_is_not_tuned_are_an_error(free):
    with pytest.raises(DataError, match=r"2 grid points in free\. Keep exactly one"):
        summarize([cell("plain", ["free"])], {"free": free}, {"ARI": "ARI"})


def test_a_quantity_that_a_row_does_not_have_is_said():
    frame = pd.DataFrame([{"clustering": 0, "ARI": 0.5}])
    base = cell("base", ["b"], reference="mean")
    line = summarize([base], {"b": frame}, {"seconds": "seconds"}).iloc[0]
    assert line["reason"].startswith("no score: ") and "has no seconds" in line["reason"]
    assert summarize([base], {"b": frame}, {"ARI": "ARI"}).iloc[0]["reason"] == ""


def test_of_equal_points_the_first_one_counts():
    grid = score_frame([({"alpha": 0.8}, [0.5, 0.7]), ({"alpha": 0.7}, [0.6, 0.6])])
    tuned = [cell("tuned", ["grid"], tune=score) for score in ("ARI", "unknown")]
    lines = summarize(tuned, {"grid": grid}, {"ARI": "ARI"})
    assert set(lines["parameters"]) == {'{"alpha": 0.8}'}


def test_lines_of_cells_say_where_they_belong(scores):
    cells = [cell("late", ["one"], not_run="it takes days"), cell("one", ["one"])]
    cells.insert(1, cell("tuned", ["grid"], tune="ARI", dataset="B"))
    lines = lines_of(cells, scores)
    assert lines.index.tolist() == [0, 1, 2, 3] and "index" not in lines
    rows, columns = ["tuned", "tuned", "one", "one"], ["row", "dataset", "run", "ARI"]
    expected = zip(rows, "BBAA", ["grid", "grid", "one", "one"], [0.5, 0.7, 0.2, 0.4], strict=True)
    assert [*lines[columns].itertuples(index=False, name=None)] == [*expected]
    assert lines_of(cells[:1], scores).empty


def test_skipped_repeats_do_not_count_and_their_reason_is_kept(scores):
    scores["one"].loc[0, ["status", "ARI"]] = ["skipped: too large", np.nan]
    line = summarize([cell("one", ["one"])], scores, {"ARI": "ARI"}).iloc[0]
    assert line[["mean", "skipped", "reason"]].tolist() == [0.4, 1, "skipped: too large"]


# -- SCORECARD -------------------------------------------------------------------------------------

# Verdicts, ranks and the summary of the scorecard.


SHARED = {"paper": "p", "table": "t", "dataset": "x", "metric": "ARI"}


@pytest.fixture
def published() -> pd.DataFrame:
    numbers = {"mean": [0.5, 0.6, 0.7, 0.8, 0.9], "std": [0.1, np.nan, 0.01, 0.01, 0.01]}
    other = {"same_as": list("ABCDE"), "fitted": False, "why": ""}
    return pd.DataFrame({**SHARED, "method": list("ABCDE"), **numbers, **other})


@pytest.fixture
def reproduced() -> pd.DataFrame:
    numbers = {"mean": [0.6, 0.65, 0.60, 0.99], "std": [0.0, 0.05, 0.01, 0.01], "repeats": 20}
    made = {"reason": "", "pool": "q", "m": 20, "parameters": "{}", "run": "q/x/m20/A/default"}
    return pd.DataFrame({**SHARED, "label": list("ABCD"), **numbers, **made})


def test_a_number_that_the_configuration_makes_otherwise_is_not_compared(published, reproduced):
    published.loc[0, "why"] = "other data sets"
    again = scorecard(published, reproduced)[["verdict", "reason"]]
    assert again[:2].to_numpy().tolist() == [["not run", "other data sets"], ["within 2 sd", ""]]


def test_differences_set_cells_aside_or_explain_them(published, reproduced):
    entries = [
        {"methods": ["A"], "not_comparable": True, "because": "a misprint", "shown_by": "x"},
        {"methods": ["C", "B"], "because": "other data", "shown_by": "y"},
        {"because": "unknown", "shown_by": "open"},
    ]
    card = scorecard(published, reproduced, [{"paper": "p", **entry} for entry in entries])
    assert card.loc[:3, ["verdict", "reason"]].to_numpy().tolist() == [
        ["not comparable", "a misprint (shown by: x)"],
        ["within 2 sd", ""],
        ["beyond 2 sd", "other data (shown by: y)"],
        ["beyond 2 sd", "unknown (shown by: open)"],
    ]
    assert card["verdict"].iloc[4] == "not run" and card["within 0.05"].iloc[0] is None


def test_it_says_why_a_cell_was_not_run(published, reproduced, tmp_path):
    published.loc[0, "why"] = "the method is not available"
    path = tmp_path / "p" / "t.csv"
    path.parent.mkdir()
    skipped = {"row": "B", "mean": np.nan, "std": np.nan, "repeats": 0}
    lines = reproduced[reproduced["label"] == "B"].assign(**skipped, reason="skipped: too large")
    lines.drop(columns=["paper", "table"]).to_csv(path, index=False)
    card = scorecard(published, read_tables([path]))
    assert set(card["verdict"]) == {"not run"}
    first, second, third = card["reason"][:3]
    assert (first, second) == ("the method is not available", "skipped: too large")
    assert third == "the table was built without this cell"
    nothing = scorecard(published, read_tables([]))
    assert list(nothing["reason"][:2]) == ["the method is not available", "the table was not built"]
    assert "- the table was not built: 4" in summary_page(nothing, {})


def test_a_number_that_is_printed_twice_has_the_verdict_of_the_first_cell_that_was_run():
    card = pd.DataFrame({"paper": "p", "dataset": "A", "same_as": "x", "metric": "ARI"}, range(4))
    card = card.assign(mean=[0.5, 0.5, 0.7, 0.5], reproduced_mean=[np.nan, 0.6, np.nan, 0.4])
    assert _printed_first(card).tolist() == [1, 1, 2, 1]
