"""Summaries of scores: which lines count for a cell, means, spreads, tuning."""

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.summaries import lines_of, summarize
from coassoc.errors import DataError
from coassoc.provenance import commit
from coassoc.storage.records import Outcome
from make_table import reproduction_note
from reproduction.scores.files import (
    collect_scores,
    read_measured,
    write_measurements,
    write_scores,
)
from scored_cells import cell, run_scores, score_frame


@pytest.fixture
def free():
    """Scores of one repeat at two points of a grid, on samples of unknown classes."""
    about = {"parameters": ['{"a": 0.2}', '{"a": 0.7}'], "repeat": 0, "status": "ok"}
    return pd.DataFrame({**about, "ANMI": [0.2, 0.7], "stability": 1.0})


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


def test_numbers_name_the_version_of_their_runs(tmp_path):
    path = tmp_path / "pool" / "A" / "m20" / "LWEA" / "default.csv"
    write_measurements(path, run_scores(0.5, commit="12e4567", code="0042").to_dict("records"))
    ((stem, frame),) = read_measured({str(path): ""}).items()
    assert stem == "pool/A/m20/LWEA/default"
    lines = summarize([cell("one", ["x"])], {"x": frame}, {"ARI": "ARI"})
    assert lines[["commit", "code"]].to_numpy().tolist() == [["12e4567", "0042"]]
    assert f"runs from version 12e4567, table from {commit()}." in reproduction_note(lines)
    without = lines.drop(columns=["commit", "code"])
    assert f"; version {commit()}." in reproduction_note(without)


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
    grid.loc[3, ["status", "ARI"]] = Outcome.LEFT_THE_RACE.value, np.nan
    lines = summarize(tuned[:1], {"grid": grid}, {"ARI": "ARI"})
    assert lines["raced"].tolist() == ["3 of 4 fits"]


def test_lines_of_cells_say_where_they_belong(scores):
    cells = [cell("late", ["one"], not_run="it takes days"), cell("one", ["one"])]
    cells.insert(1, cell("tuned", ["grid"], tune="ARI", dataset="B"))
    lines = lines_of(cells, scores)
    assert lines.index.tolist() == [0, 1, 2, 3] and "index" not in lines
    rows, columns = ["tuned", "tuned", "one", "one"], ["row", "dataset", "run", "ARI"]
    expected = zip(rows, "BBAA", ["grid", "grid", "one", "one"], [0.5, 0.7, 0.2, 0.4], strict=True)
    assert [*lines[columns].itertuples(index=False, name=None)] == [*expected]
    assert lines_of(cells[:1], scores).empty
    late = summarize(cells[:1], scores, {"ARI": "ARI"}).iloc[0]
    assert late[["repeats", "skipped", "reason"]].tolist() == [0, 0, "not run: it takes days"]
    assert np.isnan([late["mean"], late["std"]]).all()


def test_skipped_repeats_do_not_count_and_their_reason_is_kept(scores):
    scores["one"].loc[0, ["status", "ARI"]] = ["skipped: too large", np.nan]
    line = summarize([cell("one", ["one"])], scores, {"ARI": "ARI"}).iloc[0]
    assert line[["mean", "skipped", "reason"]].tolist() == [0.4, 1, "skipped: too large"]


def test_all_scores_in_one_frame(tmp_path, scores):
    """What two targets show is in it once."""
    run, other = "pool/A/m20/LWEA/theta=1", "pool/A/m20/LWGP/default"
    shown = {run: "one", "pool/A/base": "base", "pool/A/m20/reference": "reference"}
    paths = [tmp_path / "table.parquet", tmp_path / "figure.parquet"]
    for path, sources in zip(paths, (shown, {run: "one", other: "grid"}), strict=True):
        lines = [scores[name].assign(source=stem, made_from="x") for stem, name in sources.items()]
        write_scores(path, pd.concat(lines))
    frame = collect_scores(paths)
    sizes = {"LWEA": 2, "LWGP": 4, "base": 3, "reference": 4}
    assert frame.groupby("method").size().to_dict() == sizes
    assert set(frame["block"]) == {"theta=1", "default", ""}
    assert frame.loc[frame["method"] == "base", "m"].isna().all()
    assert set(frame.loc[frame["method"] != "base", "m"]) == {20}


def test_a_file_of_measurements_that_was_cut_or_damaged_is_refused(tmp_path, scores):
    path = tmp_path / "one.csv"
    write_measurements(path, scores["grid"].to_dict("records"))
    whole = path.read_bytes()
    # The end of the last line may be missing.
    damaged = [whole[:length] for length in range(len(whole) - 1)]
    damaged += [whole.replace(b"1.0", cell, 1) for cell in (b"\x00\xff\xfe", b"0.5,0.5", b"x")]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"one.csv: .*Delete it and rerun Snakemake\.$"):
            read_measured({str(path): ""})
    path.write_bytes(whole)
    (frame,) = read_measured({str(path): ""}).values()
    pd.testing.assert_frame_equal(frame, scores["grid"], check_like=True)
