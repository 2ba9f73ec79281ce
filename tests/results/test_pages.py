import pandas as pd

from reproduction.pages import write_sortable_page


def test_words_stand_on_the_left_and_text_is_escaped(tmp_path):
    long = "70 points of the grid take 5 h on two cores"
    columns = {
        "1": ["**0.264±0.035** (0.356)", "<u>.3</u>", "<script>"],
        "2": ["20NG", "LS", "Wap"],
        "3": ["", None, long],
        "x<y": [0.5, float("nan"), 1e-5],
    }
    table = pd.DataFrame(columns, index=pd.Index(["1", "2", "a<b"], name="k<l"))
    path = tmp_path / "page.html"
    write_sortable_page(path, table, title="<T>", caption="a & b", note="n")
    made = path.read_text()
    left = ", ".join(f"tr > :nth-child({k})" for k in (1, 3, 4))
    assert f"\n{left} {{ text-align: left; }}" in made
    assert f'<td><div class="sentence">{long}</div></td>' in made
    assert made.count('class="sentence"') == 1
    assert "<td><b>0.264±0.035</b> (0.356)</td>" in made and "<td><u>.3</u></td>" in made
    assert "<td>&lt;script&gt;</td>" in made
    assert "<title>&lt;T&gt;</title>" in made and "<p>a &amp; b</p>" in made
    assert "<th>k&lt;l</th>" in made and "<th>x&lt;y</th>" in made and "<td>a&lt;b</td>" in made
    assert "http" not in made
