from __future__ import annotations

import pandas as pd

from coassoc.results.pages import write_sortable_page


def page(tmp_path, table):
    path = tmp_path / "page.html"
    write_sortable_page(path, table, title="<T>", caption="a & b", note="n")
    return path.read_text()


def test_words_stand_on_the_left_and_numbers_on_the_right(tmp_path):
    table = pd.DataFrame(
        {
            "1": ["<b>0.264±0.035</b> (0.356)", "not run [1] (0.439)", ""],
            "2": ["20NG", "LS", "Wap"],
            "3": ["", None, "70 points of the grid take 5 h on two cores"],
            "4": [0.5, float("nan"), 1e-5],
        },
        index=pd.Index(["1", "2", "3"], name="k"),
    )
    made = page(tmp_path, table)
    assert (
        "\ntr > :nth-child(1), tr > :nth-child(3), tr > :nth-child(4) { text-align: left; }" in made
    )
    assert (
        '<td><div class="sentence">70 points of the grid take 5 h on two cores</div></td>' in made
    )
    assert made.count('class="sentence"') == 1


def test_text_is_escaped_and_nothing_is_loaded(tmp_path):
    made = page(tmp_path, pd.DataFrame({"x<y": [1]}, index=pd.Index(["a<b"], name="m")))
    assert "<title>&lt;T&gt;</title>" in made and "<p>a &amp; b</p>" in made
    assert "<th>x&lt;y</th>" in made and "<td>a&lt;b</td>" in made
    assert "http" not in made
