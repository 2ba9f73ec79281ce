"""Own methods among the kept ones."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from coassoc.bench import compare as comparing
from coassoc.bench.audit_questions import Finding
from coassoc.bench.benchmark import Benchmark
from coassoc.bench.comparison import Comparison
from coassoc.numerics.threads import use_threads

CHEATS = Path(__file__).with_name("cheats.py")
#: A random method, whose seeds are those of its name.
SEEDED = "KCC-UH"


@pytest.fixture(autouse=True, scope="module")
def fast():
    """One score, and nobody asks at length whether a method reads the order of the samples."""

    def finding(own, limits):
        reads = own.row == "ByIndex"
        return Finding("", "yes" if reads else "no", "", reads)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "order_finding", finding)
        patch.setattr(Comparison, "metrics", ["ARI"])
        yield


def compared(folder: Path, *methods: str, names=("Wine", "Glass"), tuned=False) -> Comparison:
    """On two data sets, five draws, in one process."""
    benchmark = Benchmark(names, 5, tuned=tuned, folder=folder)
    with use_threads(1):
        return comparing.compare(benchmark, methods)


@pytest.fixture(scope="module")
def made(fast, tmp_path_factory):
    """A folder, and the comparison of kept methods given back and of cheats."""
    folder = tmp_path_factory.mktemp("compare")
    named = [f"{CHEATS}:{cheat}" for cheat in ("Honest", "ByIndex", "FailsOnThird", "TooFew")]
    times = comparing._times

    def times_on_wine(contenders, datasets, benchmark):
        return times(contenders, ["Wine"], benchmark)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "_times", times_on_wine)
        return folder, compared(folder, "LWEA", SEEDED, *named)


@pytest.fixture
def untimed(monkeypatch):
    """Comparisons are made without times, which take longest."""
    monkeypatch.setattr(comparing, "_times", lambda *_: pd.DataFrame())


@pytest.fixture
def unwritten(monkeypatch, untimed):
    """And without their pages."""
    monkeypatch.setattr(comparing, "write_comparison", lambda *_: None)


def scores_of(comparison, row: str) -> pd.DataFrame:
    """Scores by data set and repeat."""
    cells = [cell for cell in comparison.cells if cell.label == row]
    lines = [comparison.scores[c.sources[0]].assign(dataset=c.dataset) for c in cells]
    return pd.concat(lines).set_index(["dataset", "repeat"]).sort_index()[comparison.metrics]


@pytest.mark.parametrize("own", ["LWEA (own)", f"{SEEDED} (own)", "Honest"])
def test_a_kept_method_given_back_lands_on_its_own_row(made, own):
    kept, (_, comparison) = own.removesuffix(" (own)").replace("Honest", "LWEA"), made
    scores = (scores_of(comparison, row) for row in (own, kept))
    pd.testing.assert_frame_equal(*scores, rtol=1e-12)
    table = comparison.standings(own, "ARI").set_index("method")
    assert table.loc[own, "mean_rank"] == table.loc[kept, "mean_rank"]
    test = comparison.tests(own, "ARI").set_index("method").loc[kept]
    assert (test["difference"], test["alike"]) == (0, 1)


def test_who_reads_the_order_is_ranked_with_those_who_do(made):
    _, comparison = made
    assert {row: facts["reads_order"] for row, facts in comparison.own.items()}["ByIndex"]
    assert "GTLEC" in set(comparison.standings("ByIndex", "ARI")["method"])
    assert "GTLEC" not in set(comparison.standings("Honest", "ARI")["method"])


def test_a_failure_is_named_and_not_ranked(made):
    folder, comparison = made
    assert comparison.place("FailsOnThird", "ARI")["missing"] == 1
    assert comparison.tests("FailsOnThird", "ARI").empty
    failures = comparison.failures().set_index(["row", "dataset"]).sort_index()
    assert failures.loc[("FailsOnThird", "Glass"), "fits"] == 5
    assert failures.loc[("TooFew", "Wine"), "what"] == "2 clusters in place of 3"
    page = (folder / "compare.html").read_text()
    assert "these data do not suit me" in page


def test_times_are_of_this_machine_alone(made):
    folder, comparison = made
    times = pd.read_csv(folder / "compare_times.csv")
    assert set(times["row"]) == {"LWEA", "CA-SC", "EC-CMS", *comparison.own}
    shipped = comparison.benchmark.shipped.scores(["Wine"], None).values()
    assert all("seconds" not in lines for lines in shipped)


def test_what_was_fitted_is_not_fitted_again(made, unwritten, tmp_path):
    folder, _ = made
    runs = shutil.copytree(folder / "runs", tmp_path / "runs")
    before = {path: path.stat().st_mtime_ns for path in runs.rglob("*.h5")}
    compared(tmp_path, "LWEA")
    assert len(before) == 12
    assert {path: path.stat().st_mtime_ns for path in runs.rglob("*.h5")} == before


def test_tuned_rows_stand_beside_tuned_rows_alone(untimed, tmp_path):
    comparison = compared(tmp_path, f"{CHEATS}:Tunable", tuned=True, names=("Wine",))
    standing = set(comparison.standings("Tunable (tuned)", "ARI")["method"])
    assert standing == {"Tunable (tuned)", "LWEA (tuned)", "LWGP (tuned)", "EC-CMS (tuned)"}
    assert scores_of(comparison, "LWEA (tuned)").shape == (40, 1)  # eight points
    table = comparison.on_datasets("Tunable (tuned)", "ARI").set_index("dataset")
    own, archived = (comparison._means("ARI")[row] for row in ("Tunable (tuned)", "LWEA (tuned)"))
    assert own["Wine"] == table.loc["Wine", "mean"] == pytest.approx(archived["Wine"], abs=1e-12)
    assert (tmp_path / "compare_tuned.html").exists()
    assert not (tmp_path / "compare.html").exists()


def test_another_seed_gives_other_labels(made, unwritten, tmp_path):
    other = compared(tmp_path, f"mine={SEEDED}", names=("Wine",))
    assert not scores_of(other, "mine").equals(scores_of(made[1], SEEDED).loc[["Wine"]])
