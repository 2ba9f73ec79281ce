"""Kept lines of scores: which of them still hold."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from coassoc.bench.storage.records import Outcome
from coassoc.errors import DataError
from coassoc.methods.lwe import LWEA
from plans import settings
from refusals import cases, refuses
from reproduction.scores import files
from reproduction.study import archive, revisions
from reproduction.study.paths import Source
from reproduction.study.plan import Plan

RUN = "kmeans-c/Glass/m10/LWEA/theta=0.4"
TUNED = "kmeans-c/Glass/m10/LWEA/theta=0.2+0.4~race=ARI"
BASE, REFERENCE = "kmeans-c/Glass/base", "kmeans-c/Glass/m10/reference"
SOURCES = [RUN, TUNED, BASE, REFERENCE]
OLD, RACED = "0123456789abcdef", ", race by ARI 1"


@pytest.fixture
def present(catalogues, monkeypatch) -> archive.Present:
    """LWEA's present code is of revision 2."""
    monkeypatch.setattr(LWEA, "revision", 2)
    return archive.Present(catalogues, seed=0, methods={"choice": ["LWEA"]})


def lines(source: str) -> pd.DataFrame:
    code = f"LWEA 2{RACED}" if "race" in source else "LWEA 2"
    of_run = {"parameters": "{}", "status": "ok", "code": code, "seconds": 1.0, "point": 0}
    shown = of_run if source.count("/") == 4 else {}
    return pd.DataFrame({"source": source, "repeat": [0, 1], "ARI": [0.5, 0.25], **shown})


@pytest.fixture
def folder(tmp_path, present) -> Path:
    """The scores of a target, and the same archive."""
    files.write_scores(tmp_path / "of_target", pd.concat(map(lines, SOURCES)))
    collected = files.collect_scores([tmp_path / "of_target"], origins(present))
    collected.to_parquet(tmp_path / "scores.parquet", index=False)
    return tmp_path


def origins(present: archive.Present, sources=SOURCES) -> dict[str, str]:
    return {source: present.made_by(source) for source in sources}


def held(folder: Path, present: archive.Present, ranking: bool = False) -> set[str]:
    return {*archive.kept_runs(folder, origins(present), ranking)}


OTHERS = [OLD, "LWEA 1", "LWEA 3", "WEAC 2", "", "LWEA 2, race by ARI 0", None]


@cases(
    "runs, codes, status, lost",
    ([RUN], "LWEA 2", "ok", []),
    *(([RUN, TUNED], code, "ok", [RUN, TUNED]) for code in OTHERS),
    # A raced run names its race, and no other run does.
    ([TUNED], "LWEA 2", "ok", [TUNED]),
    ([RUN, TUNED], f"LWEA 2{RACED}", "ok", [RUN]),
    # One line is enough.
    ([RUN], ["LWEA 2", OLD], "ok", [RUN]),
    ([RUN], "LWEA 2", ["ok", "skipped: Internal Error."], [RUN]),
)
def test_only_whole_runs_of_the_present_revision_hold(folder, present, runs, codes, status, lost):
    scores = pd.read_parquet(folder / "scores.parquet")
    own = scores["source"].isin(runs)
    rest = scores.loc[own, "made_by"].str.partition(" | ")[2]
    scores.loc[own, "made_by"] = pd.Series(codes, rest.index).astype(str) + " | " + rest
    scores.loc[own, "status"] = status
    scores.to_parquet(folder / "scores.parquet")
    assert held(folder, present) == {*SOURCES} - {*lost}


@cases(
    "pool, glass, seed, holds",
    ({"repeats": 5}, {}, 0, False),
    ({"preprocessing": "unit"}, {}, 0, False),
    ({}, {"fingerprint": "0" * 16}, 0, False),
    ({}, {}, 1, False),
    # Prose changes nothing.
    ({"title": "Another title", "papers": ()}, {"title": "Glass"}, 0, True),
)
def test_lines_hold_unless_what_they_are_made_of_changed(
    folder, catalogues, present, pool, glass, seed, holds
):
    old, entry = catalogues.pools["kmeans-c"], catalogues.datasets["Glass"]
    changed = SimpleNamespace(
        methods=catalogues.methods,
        pools={**catalogues.pools, "kmeans-c": old.model_copy(update=pool)},
        datasets={**catalogues.datasets, "Glass": entry.model_copy(update=glass)},
    )
    assert held(folder, archive.Present(changed, seed)) == ({*SOURCES} if holds else set())


def test_the_lines_behind_the_ranking_are_taken_by_the_ranking_alone(folder, present):
    scores = files.read_scores(folder / "of_target")
    few = pd.concat([own.assign(source=source) for source, own in scores.items()])
    few["made_by"] = few["source"].map(present.made_by)
    few.to_parquet(folder / "ranking_scores.parquet")
    empty = pd.read_parquet(folder / "scores.parquet").iloc[:0]
    empty.to_parquet(folder / "scores.parquet")
    assert held(folder, present) == set() and held(folder, present, ranking=True) == {*SOURCES}


def test_collected_lines_are_read_as_those_of_a_target(folder):
    of_target = files.read_scores(folder / "of_target")
    collected = files.read_collected(dict.fromkeys(SOURCES, str(folder / "scores.parquet")))
    assert {*collected} == {*SOURCES}
    for source, own in collected.items():
        pd.testing.assert_frame_equal(own, of_target[source], check_like=True)


def test_a_folder_without_scores_is_told(tmp_path, present):
    with pytest.raises(DataError, match=r"^config: kept: the folder '.*' has no"):
        archive.kept_runs(tmp_path, origins(present))


def test_what_runs_took_tells_what_others_take(folder):
    scores = pd.read_parquet(folder / "scores.parquet")
    scores["cpu_seconds"] = scores["repeat"].map({0: 30.0, 1: 90.0})
    change_all = scores["source"].eq(TUNED) & scores["repeat"].eq(1)
    scores.loc[change_all, "status"] = "skipped: its point left the race"
    scores.to_parquet(folder / "scores.parquet")
    minutes_of = archive.minutes_of_runs(folder)
    minutes = {text: minutes_of(Source.parse(text)) for text in (RUN, TUNED)}
    assert minutes == {RUN: 2.0, TUNED: 0.5}
    prefix = RUN.rpartition("/")[0]
    # Three fits took 50 seconds on average; there are two points, and five repeats or twenty.
    for block, minutes in (("theta=0.1+0.3~repeats=5", 500 / 60), ("theta=0.1", 1000 / 60)):
        assert minutes_of(Source.parse(f"{prefix}/{block}")) == pytest.approx(minutes)
    assert minutes_of(Source.parse(RUN.replace("LWEA", "LWGP"))) == 0
    refuses(DataError, r"scores\.parquet", archive.minutes_of_runs, folder / "nothing")


def test_cells_with_long_runs_are_not_run():
    shortened = settings("full", "two-cores", "core")
    core = Plan(shortened).cells(["rce/table2", "hclce/table3"])
    whole = Plan({**shortened, "longest_run": None}).cells(["rce/table2", "hclce/table3"])
    left_out = core["not_run"].eq("a run takes more than 5 processor minutes")
    assert {"RCE"} <= {*core["label"][left_out]} and 0 < left_out.sum() < 20
    assert core[~left_out].equals(whole[~left_out]) and not left_out[core["reference"].ne("")].any()


#: Measurements and the statuses of their fits. That of a choice is no status of a repeat.
MEASURED = {
    "results/selection/kmeans-c/Glass/m10/LWEA/default.parquet": "ok",
    "results/scaling/kmeans-c/Glass/m10/LWEA/default.parquet": "ok",
    "results/choice/kmeans-c/m10/Glass.parquet": "base clustering 3 has only noise",
}


@pytest.fixture
def measured(tmp_path, present, monkeypatch) -> Path:
    """Measurements that hold, archived; the fit of one more was too slow."""
    monkeypatch.chdir(tmp_path)
    slow = "results/timing/kmeans-c/Glass/m10/LWEA/default.parquet"
    for file, status in [*MEASURED.items(), (slow, Outcome.TOO_SLOW.value)]:
        files.write_scores(file, pd.DataFrame({"status": [status], "seconds": 1.5}))
    made_by = {file: present.measured_by(file) for file in (*MEASURED, slow)}
    archived = files.collect_measurements(dict.fromkeys(made_by, ""), made_by)
    files.write_scores(tmp_path / archive.MEASUREMENTS, archived)
    return tmp_path


def test_measurements_hold_and_are_read_from_the_archive(measured, present):
    asked = [*MEASURED, "results/choice/kmeans-c/m10/Ecoli.parquet"]
    lasting = archive.kept_measurements(measured, present, asked)
    assert lasting == dict.fromkeys(MEASURED, str(measured / archive.MEASUREMENTS))
    for file in MEASURED:
        Path(file).unlink()
    frames = files.read_measured(lasting)
    assert [*frames] == [*MEASURED]
    assert all([*frame] == ["status", "seconds"] for frame in frames.values())
    assert all(frame["seconds"].tolist() == [1.5] for frame in frames.values())
    again = files.collect_measurements(lasting, {x: present.measured_by(x) for x in lasting})
    assert again.to_dict() == pd.read_parquet(measured / archive.MEASUREMENTS).to_dict()


def test_measurements_of_other_code_data_or_settings_do_not_hold(measured, catalogues, monkeypatch):
    def valid(seed: int = 0, **options) -> list[str]:
        present = archive.Present(catalogues, seed, options, {"choice": ["LWEA"]})
        return [*archive.kept_measurements(measured, present, MEASURED)]

    assert valid(selection={"draws": 5}) == [*MEASURED][1:] and not valid(seed=1)
    monkeypatch.setitem(revisions.STEPS, "choice", -1)
    others = [file for file in MEASURED if "choice" not in file]
    assert valid() == others
    monkeypatch.setattr(LWEA, "revision", 3)
    assert not valid()
