"""Tables: published numbers, ranks, means over data sets, and the renderings."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.summaries import summarize
from coassoc.storage.records import Outcome
from make_table import add_published, write_table_files
from reproduction.pages import write_sortable_page
from scored_cells import cell, run_scores, score_frame


@pytest.fixture
def pages(tmp_path):
    """Renders lines, and gives the text of each file."""

    def render(lines, note="N", across="dataset", **about):
        paths = {end: tmp_path / f"t.{end}" for end in ("csv", "md", "html")}
        spec = {"title": "T", "caption": "C", "across": [across], **about}
        write_table_files(paths, lines, spec, note)
        return {end: path.read_text(encoding="utf-8") for end, path in paths.items()}

    return render


def printed(label, dataset, mean, std=""):
    return {"method": label, "dataset": dataset, "metric": "ARI", "mean": mean, "std": std}


def test_reason_of_a_cell_that_is_left_out_is_in_the_table(scores, pages):
    cells = [cell("one", ["one"]), cell("slow", [], not_run="it takes 6 h")]
    lines = add_published(summarize(cells, scores, {"ARI": "ARI"}), [])
    made = pages(lines)
    for end in ("md", "html"):
        assert "not run [1]" in made[end] and "[1] it takes 6 h. N" in made[end]
    assert "not run: it takes 6 h" in made["csv"]
    assert lines.set_index("row").loc["slow", "repeats"] == 0


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


def test_truth_values_and_gaps_of_a_page_are_words(tmp_path):
    table = pd.DataFrame({"within": [True, None], "n": [1, 0]}, index=pd.Index(["a", "b"]))
    write_sortable_page(tmp_path / "p.html", table, title="T", caption="C", note="N")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert ">yes<" in page and "None" not in page and ">1<" in page and ">0<" in page
