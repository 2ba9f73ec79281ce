"""Kept lines of scores: which of them still hold."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from coassoc.errors import DataError
from coassoc.plan.closure import LIBRARY, SourceCode
from coassoc.plan.revisions import Line, Revisions, run_starts
from coassoc.results.kept_scores import KeptScores, Present
from coassoc.results.score_files import (
    collect_scores,
    read_collected,
    read_scores,
    write_hashes,
    write_scores,
)

RUN = "kmeans-c/Glass/m10/LWEA/theta=0.4"
TUNED = "kmeans-c/Glass/m10/LWEA/theta=0.2+0.4~race=ARI"
BASE, REFERENCE = "kmeans-c/Glass/base", "kmeans-c/Glass/m10/reference"
SOURCES = [RUN, TUNED, BASE, REFERENCE]
OLD, MODULE = "0123456789abcdef", "coassoc.methods.lwe"


@pytest.fixture(scope="module")
def revisions() -> Revisions:
    """LWEA's present code is of revision 2, as earlier code was; OLD is of revision 1."""
    source = SourceCode(LIBRARY)
    present = Revisions(source).fingerprint(*run_starts(MODULE))
    lines = [Line("LWEA", 1, OLD), Line("LWEA", 2, present), Line("LWEA", 2, "earlier")]
    return Revisions(source, lines)


@pytest.fixture
def present(catalogues, revisions) -> Present:
    return Present(catalogues, revisions, seed=0)


def lines(source: str, code: str) -> pd.DataFrame:
    of_run = {"parameters": "{}", "status": "ok", "code": code, "seconds": 1.0, "point": 0}
    shown = of_run if source.count("/") == 4 else {}
    scores = {"source": source, "repeat": [0, 1], "ARI": [0.5, 0.25], **shown}
    return pd.DataFrame({**scores, "made_from": "files"})


@pytest.fixture
def folder(tmp_path, present) -> Path:
    keep(tmp_path)
    write_hashes(tmp_path / "inputs.csv", present.all_inputs(SOURCES))
    return tmp_path


def keep(folder: Path, code: str = "LWEA 2") -> None:
    """Write the scores of a target, and collect them."""
    write_scores(folder / "of_target", pd.concat(lines(source, code) for source in SOURCES))
    collect_scores([folder / "of_target"]).to_parquet(folder / "scores.parquet", index=False)


def held(folder: Path, present: Present, target: str = "eccms/table4") -> set[str]:
    return {*KeptScores(folder, present).among(SOURCES, target)}


@pytest.mark.parametrize("code", ["LWEA 2", "earlier", "present"])
def test_lines_of_the_present_revision_hold(folder, present, revisions, code):
    present_race = revisions.code("LWEA", MODULE, "ARI")
    keep(folder, code.replace("present", present_race))
    assert held(folder, present) == {*SOURCES}


@pytest.mark.parametrize("code", [OLD, "LWEA 1", "LWEA 3", "WEAC 2", "", "LWEA 2, race by ARI 0"])
def test_lines_of_another_revision_do_not(folder, present, code):
    keep(folder, code)
    assert held(folder, present) == {BASE, REFERENCE}


@pytest.mark.parametrize(
    ("column", "values"),
    [("code", ["LWEA 2", OLD]), ("status", ["ok", "skipped: Internal Error."])],
)
def test_one_line_that_is_of_another_revision_or_failed_is_enough(folder, present, column, values):
    scores = pd.read_parquet(folder / "scores.parquet")
    scores.loc[scores["block"] == "theta=0.4", column] = values
    scores.to_parquet(folder / "scores.parquet")
    assert held(folder, present) == {*SOURCES} - {RUN}


def test_no_lines_of_other_parameters_pools_or_sizes(folder, present):
    others = [
        "kmeans-c/Glass/m10/LWEA/default",
        "kmeans-c/Glass/m10/LWEA/theta=0.4~repeats=5",
        "kmeans-c/Glass/m20/LWEA/theta=0.4",
        "kmeans-c/Wine/m10/LWEA/theta=0.4",
        "kmeans-c-shuffled/Glass/m10/LWEA/theta=0.4",
        "kmeans-c/Glass/m10/LWGP/theta=0.4",
    ]
    assert not KeptScores(folder, present).among(others, "eccms/table4")


def changed(catalogues, pool=None, glass=None) -> SimpleNamespace:
    """Catalogues with other settings of the pool or the data set."""
    old, entry = catalogues.pools["kmeans-c"], catalogues.datasets["Glass"]
    return SimpleNamespace(
        methods=catalogues.methods,
        pools={**catalogues.pools, "kmeans-c": replace(old, **pool or {})},
        datasets={**catalogues.datasets, "Glass": entry.model_copy(update=glass)},
    )


@pytest.mark.parametrize(
    "settings", [{"size": 50}, {"k": "sqrt"}, {"repeats": 5}, {"preprocessing": "unit"}]
)
def test_of_a_pool_that_is_made_in_another_way_nothing_holds(
    folder, catalogues, revisions, settings
):
    other = Present(changed(catalogues, pool=settings), revisions, 0)
    assert held(folder, other) == set()


def test_of_another_data_set_or_seed_nothing_holds(folder, catalogues, revisions):
    other = changed(catalogues, glass={"fingerprint": "0" * 16})
    assert held(folder, Present(other, revisions, 0)) == set()
    assert held(folder, Present(catalogues, revisions, 1)) == set()


def test_prose_changes_nothing(folder, catalogues, revisions):
    other = changed(catalogues, {"title": "Another title", "papers": ()}, {"title": "Glass"})
    assert held(folder, Present(other, revisions, 0)) == {*SOURCES}


def test_the_lines_behind_the_ranking_are_taken_by_the_ranking_alone(folder, present):
    scores = read_scores(folder / "of_target")
    few = [own.assign(source=source) for source, own in scores.items()]
    pd.concat(few).to_parquet(folder / "ranking_scores.parquet")
    empty = pd.read_parquet(folder / "scores.parquet").iloc[:0]
    empty.to_parquet(folder / "scores.parquet")
    assert held(folder, present) == set()
    assert held(folder, present, "ranking") == {*SOURCES}


def test_collected_lines_are_read_as_those_of_a_target(folder):
    of_target = read_scores(folder / "of_target")
    collected = read_collected(dict.fromkeys(SOURCES, str(folder / "scores.parquet")))
    assert {*collected} == {*SOURCES}
    for source, own in collected.items():
        expected = of_target[source].drop(columns="made_from")
        pd.testing.assert_frame_equal(own, expected[list(own)])
        assert {*own} == {*expected}


def test_without_a_folder_nothing_is_taken_over(present):
    assert KeptScores(None, present).among(SOURCES, "ranking") == {}


def test_a_folder_without_scores_is_told(tmp_path, present):
    with pytest.raises(DataError, match=r"^config: kept is '.*'; it has no scores\.parquet\.$"):
        KeptScores(tmp_path, present).among(SOURCES, "ranking")


def test_a_damaged_file_is_told(folder, present):
    (folder / "inputs.csv").write_bytes(b"name")
    with pytest.raises(DataError, match=r"inputs\.csv: not a whole file"):
        held(folder, present)


def test_scores_of_unknown_code_are_of_none(folder, present):
    """A run whose lines name no code would hold by having no other one."""
    scores = pd.read_parquet(folder / "scores.parquet")
    scores.assign(code=np.nan).to_parquet(folder / "scores.parquet")
    assert held(folder, present) == {BASE, REFERENCE}
