import pandas as pd

from coassoc.results.pages import write_sortable_page


def page(tmp_path, table):
    path = tmp_path / "page.html"
    write_sortable_page(path, table, title="<T>", caption="a & b", note="n")
    return path.read_text()


def test_words_stand_on_the_left_and_numbers_on_the_right(tmp_path):
    long = "70 points of the grid take 5 h on two cores"
    columns = {
        "1": ["<b>0.264±0.035</b> (0.356)", "not run [1] (0.439)", ""],
        "2": ["20NG", "LS", "Wap"],
        "3": ["", None, long],
        "4": [0.5, float("nan"), 1e-5],
    }
    made = page(tmp_path, pd.DataFrame(columns, index=pd.Index(["1", "2", "3"], name="k")))
    left = ", ".join(f"tr > :nth-child({k})" for k in (1, 3, 4))
    assert f"\n{left} {{ text-align: left; }}" in made
    assert f'<td><div class="sentence">{long}</div></td>' in made
    assert made.count('class="sentence"') == 1


def test_text_is_escaped_and_nothing_is_loaded(tmp_path):
    made = page(tmp_path, pd.DataFrame({"x<y": [1]}, index=pd.Index(["a<b"], name="m")))
    assert "<title>&lt;T&gt;</title>" in made and "<p>a &amp; b</p>" in made
    assert "<th>x&lt;y</th>" in made and "<td>a&lt;b</td>" in made
    assert "http" not in made
