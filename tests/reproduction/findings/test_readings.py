"""Readings of what a paper leaves open, on numbers of which it is known which is nearest."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from make_readings import page
from reproduction.findings import readings
from reproduction.findings.cells import cells_of, read_protocols
from scored_cells import card_of, known_of

ROOT = Path(__file__).parents[3]
SETS = ["da", "db", "dc"]
PRINTED = {"Ours": 0.7, "A": 0.5, "B": 0.3}
KNOWN = known_of(10)


def paper(here: dict[str, float]) -> pd.DataFrame:
    lines = [
        {"dataset": dataset, "method": name, "mean": printed, "reproduced_mean": here[name]}
        for dataset in SETS
        for name, printed in PRINTED.items()
    ]
    cells = cells_of(card_of(lines, 10, 0.02), {"p": ["Ours"]}, KNOWN)
    repeats = [np.full(10, line.here) + 0.02 * np.tile([1, -1], 5) for line in cells.itertuples()]
    return cells.assign(by_repeat=pd.Series(repeats, dtype=object))


def protocol(folder, name: str, label: str, ways: dict[str, list[float]], pools=None):
    """File of a protocol: variant → numbers of a row on the data sets, from its pool."""
    pool_of = dict(zip(ways, pools or ["other"] * len(ways), strict=True))
    lines = [
        {"label": label, "dataset": dataset, "metric": "ACC", "variant": variant, "mean": mean}
        | {
            "run": f"{pool_of[variant]}/{dataset}/m10/{label}/default",
            "by_repeat": f"{mean} {mean}",
        }
        for variant, means in ways.items()
        for dataset, mean in zip(SETS, means, strict=False)
    ]
    path = folder / f"p/{name}.csv"
    path.parent.mkdir(exist_ok=True)
    lines = pd.DataFrame(lines).assign(std=0.02, repeats=10, parameters="{}")
    lines.to_csv(path, index=False)
    return path


def test_readings_are_chosen_by_other_data_sets_than_they_are_judged_on(tmp_path):
    # Ours is as printed, A is not; "near" is on two data sets, and "far" on one.
    made = paper({"Ours": 0.7, "A": 0.4, "B": 0.3})
    ways = {"x": [0.4] * 3, "near": [0.5, 0.5, 0.9], "far": [0.9, 0.9, 0.5]}
    ways_of_b = {"x": [0.3] * 2, "near": [0.3, 0.9]}
    files = [protocol(tmp_path, "one", "A", ways), protocol(tmp_path, "two", "B", ways_of_b)]
    found = readings.readings(made, list(read_protocols(made, files)), seed=0)
    shares = found.set_index(["protocol", "reading"])["within 2 se"]
    # On dc the others choose "near", which is wrong there; on da and db both have one of two.
    names = [readings.TABLES, readings.OTHERS, readings.HINDSIGHT, readings.NEAREST]
    assert shares[""][names].tolist() == pytest.approx([6 / 9, 8 / 9, 8 / 9, 1])
    assert shares[["one", "two"]].to_numpy() == pytest.approx([0, 2 / 3, 1 / 3, 1, 0.5])
    assert list(found["cells"]) == [9] * 4 + [3] * 3 + [2] * 2
    one = found[found["reading"] == "near"].iloc[0]
    # A wrong number is Ours or B in place of A, and never passes.
    assert one["within 2 se, wrong"] == 0 and 0.9 < one["within 2 se, perfect"] < 1
    assert one["chance-corrected 2 se"] == pytest.approx(2 / 3 / one["within 2 se, perfect"])
    assert one["low"] <= one["chance-corrected 2 se"] <= one["high"]
    # With the rest of the paper there are eight cells of nine.
    assert one["whole paper"] == pytest.approx(8 / 9 / found["within 2 se, perfect"].iloc[0])
    assert "No number" in page(found.assign(paper="p").iloc[:0])


def test_ways_are_compared_on_the_cells_that_all_have(tmp_path):
    made = paper({"Ours": 0.7, "A": 0.4, "B": 0.3})
    ways = {"x": [0.4] * 3, "near": [0.5]}
    (found,) = read_protocols(made, [protocol(tmp_path, "one", "A", ways)])
    assert [list(way.place) for way in found] == [[1], [1]]
    # A single data set chooses nothing, and has no interval.
    lines = readings.readings(made, [found], seed=0).set_index("reading")
    assert lines.loc[readings.OTHERS, "within 2 se"] == pytest.approx(6 / 9)
    assert lines.loc["near", ["low", "high"]].isna().all()


PROTOCOLS = re.findall(
    r"^\| `(\w+?)_(protocol_\w+)` \|.*?\| (?:\d+) \| (.*?) \| \[?([\d.]+)",
    (ROOT / "docs/reference/open-settings.md").read_text(),
    re.MULTILINE,
)


@pytest.mark.parametrize(("paper", "name", "way", "difference"), PROTOCOLS)
def test_the_page_on_open_settings_has_the_differences_of_the_archived_tables(
    paper, name, way, difference
):
    page = (ROOT / f"results-published/tables/{paper}/{name}.md").read_text()
    line = re.search(r"^\| mean absolute difference +\|(.*)$", page, re.MULTILINE)[1]
    assert f"{float(difference):.3f}" in re.findall(r"\d\.\d+", line)


def test_the_page_on_open_settings_lists_every_archived_protocol():
    files = ROOT.glob("results-published/tables/*/protocol_*.md")
    kept = {f"{path.parent.name}_{path.stem}" for path in files}
    listed = {f"{paper}_{name}" for paper, name, *_ in PROTOCOLS}
    assert len(PROTOCOLS) > 35 and listed <= kept
