"""The margin study on numbers of which it is known what becomes of them."""

import numpy as np
import pandas as pd
import pytest

import make_margins
from make_margins import draw_margins, page, study, study_each_paper
from reproduction.agreement import margins
from reproduction.agreement.cells import cells_of
from reproduction.agreement.margins import (
    MARGIN_MEASURES,
    NOT_PUBLIC,
    Effect,
    columns_of,
    effects,
    multiverse,
    random_effects,
    read_protocols,
    shared_settings,
    simulate_chance,
    track_margins,
)

ROWS = {"Ours": (0.7, 0.6), "A": (0.6, 0.5), "B": (0.5, 0.65)}


def cells(pool="kmeans-c", rows=ROWS, datasets=("d0", "d1", "d2")) -> pd.DataFrame:
    """A paper's column on each data set: row → number in print and here."""
    lines = [
        {"dataset": dataset, "method": name, "mean": printed, "reproduced_mean": here}
        | {"run": f"{pool}/{dataset}/m10/{name}/default"}
        for dataset in datasets
        for name, (printed, here) in rows.items()
    ]
    card = pd.DataFrame(lines).assign(paper="p", table="t", metric="ACC", std=0.02, repeats=10)
    card = card.assign(reproduced_std=0.02, distance=False, verdict="within 2 sd", reference=None)
    known = {"p": {"repeats": 10, "stated": True, "tables": ["t"], "single": []}}
    return cells_of(card.assign(repeats_cell="", parameters="{}"), {"p": ["Ours"]}, known)


def test_own_rows_and_rivals_are_followed_from_print():
    made = cells()
    columns = columns_of(made)
    found = track_margins(columns, *(made[key].to_numpy() for key in ("printed", "here")))
    assert dict(zip(MARGIN_MEASURES, found[0], strict=True)) == pytest.approx(
        {
            "in print": 0.1,
            "here": -0.05,  # B is the best rival here, and A was it in print
            "change": -0.15,
            "own": -0.1,
            "best rival in print": -0.1,
            "own less rival": 0.0,
            "all rivals": 0.025,
        }
    )
    assert not columns[0].public and columns_of(cells("published"))[0].public


def test_what_was_selected_by_noise_falls_by_chance_alone():
    made = cells(rows={"Ours": (0.9, 0.9)} | dict.fromkeys("ABCDEF", (0.5, 0.5)))
    found = simulate_chance(made, columns_of(made), seed=0).mean(numeric_only=True)
    # The largest of six normal numbers is 1.267 of their deviations above the mean.
    assert found["best rival in print"] == pytest.approx(-1.267 * 0.02 / 10**0.5, abs=4e-4)
    assert found["own"] == pytest.approx(0, abs=4e-4)


def test_effects_of_units_without_errors_are_those_of_student():
    values = np.array([0.1, 0.2, 0.4])
    found = random_effects(values, np.zeros(3))
    half = 4.302653 * values.std(ddof=1) / 3**0.5
    expected = Effect(values.mean(), values.mean() - half, values.mean() + half, 0, 3)
    assert found._replace(spread=0) == pytest.approx(expected, abs=1e-6)
    assert found.spread == pytest.approx(values.std(ddof=1), rel=1e-6)
    # Units that differ by less than their errors have no spread.
    near = random_effects(values, np.full(3, 0.5))
    assert near.spread == 0
    # Their interval is that of these errors, not of how near they happen to lie.
    assert near.high - near.value == pytest.approx(4.302653 * (0.5 / 3) ** 0.5)


def test_papers_without_public_base_clusterings_are_a_group():
    lines = [
        {"paper": paper, "dataset": f"d{k}", "public": public, "x": x + 0.01 * k}
        for paper, public, x in (("a", True, 0.1), ("b", False, 0.2), ("c", False, 0.3))
        for k in range(3)
    ]
    found = effects(pd.DataFrame(lines), pd.Series(dtype=float), "x")
    values = {name: effect.value for name, effect in found.items()}
    assert values == pytest.approx({"a": 0.11, "b": 0.21, "c": 0.31, NOT_PUBLIC: 0.26})
    assert [found[name].units for name in ("a", NOT_PUBLIC)] == [3, 2]


def protocols(folder, ways: dict[str, dict[str, list[float]]]) -> dict:
    """Protocol → row → ACC on each data set in its ways x and y."""
    (folder / "p").mkdir()
    files = []
    for name, rows in ways.items():
        lines = [
            {"label": label, "dataset": f"d{k}", "metric": "ACC", "variant": v, "mean": value}
            for label, values in rows.items()
            for k in range(3)
            for v, value in zip("xy", values, strict=True)
        ]
        files.append(folder / f"p/{name}.csv")
        pd.DataFrame(lines).to_csv(files[-1], index=False)
    return read_protocols(files)


def test_a_margin_under_all_readings(tmp_path):
    tried = protocols(tmp_path, {"one": {"A": [0.5, 0.3]}, "two": {"B": [0.65, 0.4]}})
    made = cells()
    (found,) = multiverse(made, columns_of(made), tried, 0).to_dict("records")
    # Ours has .6: B as chosen beats it, in two readings of four, and A or nothing does not.
    expected = {"settings": 4, "readings": 4, "cells": 6, "positive": 0.5}
    expected |= {"chosen": -0.05, "lowest": -0.05, "median": 0.025, "highest": 0.2}
    assert found["protocols"] == "one two"
    assert {key: found[key] for key in expected} == pytest.approx(expected)


def test_what_own_rows_and_rivals_share_is_read_alone_and_among_the_rows_that_have_it(tmp_path):
    # With other base clusterings B, which is not in the protocol, stays out of the margin.
    ways = {"one": {"A": [0.5, 0.3]}, "base": {"Ours": [0.6, 0.2], "A": [0.5, 0.3]}}
    tried = protocols(tmp_path, ways)
    made = cells()
    found = shared_settings(made, columns_of(made), tried)
    assert list(found["protocol"]) == ["base", "base"] and list(found["reading"]) == ["x", "y"]
    np.testing.assert_allclose(found["margin"], [0.1, -0.1])
    np.testing.assert_allclose(found["all rows"], [-0.05, -0.05])
    assert (found[["datasets", "columns", "rows"]] == [3, 3, 2]).all(axis=None)
    (rest,) = multiverse(made, columns_of(made), tried, 0).to_dict("records")
    assert (rest["protocols"], rest["settings"]) == ("one", 2)


def test_later_papers_stand_by_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr(make_margins, "_DRAWS", 10)
    monkeypatch.setattr(margins, "DRAWS", 10)
    numbers = [
        {"paper": "p", "table": "t", "dataset": dataset, "method": name, "metric": "ACC"}
        | {"mean": str(printed), "std": "0.02", "why": "", "same_as": name, "fitted": False}
        for dataset in ("d0", "d1", "d2")
        for name, (printed, _) in ROWS.items()
    ]
    known = {"p": {"repeats": 10, "tables": ["t"], "single": []}}
    given = {"published": numbers, "differences": [], "own": {"p": ["Ours"]}, "yardsticks": known}
    made = [
        {"row": name, "label": name, "dataset": dataset, "metric": "ACC", "mean": here}
        | {"std": 0.02, "repeats": 10, "run": f"published/{dataset}/m10/{name}/default"}
        for dataset in ("d0", "d1", "d2")
        for name, (_, here) in ROWS.items()
    ]
    (tmp_path / "p").mkdir()
    pd.DataFrame(made).to_csv(tmp_path / "p/t.csv", index=False)
    found = study_each_paper(given, [tmp_path / "p/t.csv"], seed=0)
    assert set(found["unit"]) == {"p"}
    values = found.set_index("measure")["value"]
    assert values[["in print", "here", "own"]].tolist() == pytest.approx([0.1, -0.05, -0.1])


def test_the_page_says_what_moved_and_what_chance_does(monkeypatch):
    monkeypatch.setattr(make_margins, "_DRAWS", 10)
    monkeypatch.setattr(margins, "DRAWS", 10)
    made = cells()
    lines = study(made, [np.empty(0)] * len(made), seed=0)
    readings = multiverse(made, columns_of(made), {}, 0)
    shared = shared_settings(made, columns_of(made), {})
    text = page(lines, readings, shared)
    assert "| p " in text and "-0.050 [" in text and "winner's curse" in text
    assert len(draw_margins(lines).axes) == 1
    none = made.iloc[:0]
    lines, readings = study(none, [], seed=0), multiverse(none, [], {}, 0)
    assert "No number" in page(lines, readings, shared) and draw_margins(lines)
