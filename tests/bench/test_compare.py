"""An own method among the kept ones."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from coassoc.bench import compare as comparing
from coassoc.bench import statistics
from coassoc.bench.audit_questions import Finding
from coassoc.bench.benchmark import Benchmark
from coassoc.bench.comparison import Comparison
from coassoc.bench.own_methods import own_method
from coassoc.bench.shipped import QUICK_DATASETS, SHIPPED_FOLDER
from coassoc.bench.storage.configuration import load_yaml
from coassoc.bench.storage.hdf5 import write_pool
from coassoc.bench.storage.records import Pool
from coassoc.errors import DataError
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


def compared(folder: Path, method: str, names=("Wine", "Glass"), tuned=False) -> Comparison:
    """On two data sets, five draws, in one process."""
    benchmark = Benchmark(names, 5, tuned=tuned, folder=folder)
    with use_threads(1):
        return comparing.compare(benchmark, method)


CHEATING = ("Honest", "ByIndex", "FailsOnThird", "TooFew")


@pytest.fixture(scope="module")
def made(fast, tmp_path_factory):
    """A folder, and the comparisons of kept methods given back and of cheats."""
    folder = tmp_path_factory.mktemp("compare")
    methods = ["LWEA", SEEDED, *(f"{CHEATS}:{cheat}" for cheat in CHEATING)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "_times", lambda *_: pd.DataFrame())
        patch.setattr(Comparison, "write", lambda *_: None)
        found = [compared(folder, method) for method in methods]
    return folder, {comparison.row: comparison for comparison in found}


def in_folder(comparison: Comparison, folder: Path) -> Comparison:
    return replace(comparison, benchmark=replace(comparison.benchmark, folder=folder))


@pytest.fixture
def untimed(monkeypatch):
    """Comparisons are made without times, which take longest."""
    monkeypatch.setattr(comparing, "_times", lambda *_: pd.DataFrame())


def scores_of(comparison, row: str) -> pd.DataFrame:
    """Scores by data set and repeat."""
    cells = [cell for cell in comparison.cells if cell.label == row]
    lines = [comparison.scores[c.sources[0]].assign(dataset=c.dataset) for c in cells]
    return pd.concat(lines).set_index(["dataset", "repeat"]).sort_index()[comparison.metrics]


@pytest.mark.parametrize("own", ["LWEA (own)", f"{SEEDED} (own)", "Honest"])
def test_a_kept_method_given_back_lands_on_its_own_row(made, own):
    kept, comparison = own.removesuffix(" (own)").replace("Honest", "LWEA"), made[1][own]
    scores = (scores_of(comparison, row) for row in (own, kept))
    pd.testing.assert_frame_equal(*scores, rtol=1e-12)
    table = comparison.standings("ARI").set_index("method")
    assert table.loc[own, "mean_rank"] == table.loc[kept, "mean_rank"]
    test = comparison.tests("ARI").set_index("method").loc[kept]
    assert (test["difference"], test["p"]) == (0, 1)
    means, tests = comparison.means("ARI"), comparison.tests("ARI").set_index("method")
    other = means[own].sub(means["EAC-SL"]).mean()
    assert tests.loc["EAC-SL", "difference"] == pytest.approx(other)
    assert (tests["p"] == 1).all()  # two data sets are no evidence


def test_who_reads_the_order_is_ranked_with_those_who_do(made):
    ranked = {row: set(made[1][row].standings("ARI")["method"]) for row in ("ByIndex", "Honest")}
    assert "GTLEC" in ranked["ByIndex"] and "GTLEC" not in ranked["Honest"]


def test_a_failure_is_named_and_not_ranked(made, tmp_path):
    comparison = made[1]["FailsOnThird"]
    assert comparison.place("ARI")["missing"] == 1 and comparison.tests("ARI").empty
    assert comparison.failures().set_index("dataset").loc["Glass", "fits"] == 5
    in_folder(comparison, tmp_path).write(pd.DataFrame())
    assert "these data do not suit me" in (tmp_path / "compare.html").read_text()
    flaws = made[1]["TooFew"].failures().set_index("dataset")
    assert flaws.loc["Wine", "what"] == "2 clusters in place of 3"


def test_times_are_of_this_machine_alone(made, tmp_path):
    comparison = made[1]["Honest"]
    own, benchmark = own_method(f"{CHEATS}:Honest"), comparison.benchmark
    times = comparing._times("Honest", own, ["Wine"], benchmark)
    assert set(times["method"]) == {"LWEA", "CA-SC", "EC-CMS", "Honest"}
    in_folder(comparison, tmp_path).write(times)
    assert (tmp_path / "compare_times.csv").exists()
    shipped = benchmark.shipped.scores(["Wine"], None).values()
    assert all("seconds" not in lines for lines in shipped)


def test_what_was_fitted_is_not_fitted_again(made, untimed, monkeypatch):
    monkeypatch.setattr(Comparison, "write", lambda *_: None)
    before = {path: path.stat().st_mtime_ns for path in made[0].rglob("*.h5")}
    compared(made[0], "LWEA")
    assert before and all(path.stat().st_mtime_ns == before[path] for path in before)


def test_tuned_rows_stand_beside_tuned_rows_alone(untimed, tmp_path):
    comparison = compared(tmp_path, f"{CHEATS}:Tunable", tuned=True, names=("Wine",))
    standing = set(comparison.standings("ARI")["method"])
    assert standing == {"Tunable (tuned)", "LWEA (tuned)", "LWGP (tuned)", "EC-CMS (tuned)"}
    assert scores_of(comparison, "LWEA (tuned)").shape == (40, 1)  # eight points
    table = comparison.on_datasets("ARI").set_index("dataset")
    own, archived = (comparison.means("ARI")[row] for row in ("Tunable (tuned)", "LWEA (tuned)"))
    assert own["Wine"] == table.loc["Wine", "mean"] == pytest.approx(archived["Wine"], abs=1e-12)
    assert (tmp_path / "compare_tuned.html").exists() and not (tmp_path / "compare.html").exists()


def test_data_sets_that_cannot_be_used_are_named(untimed, tmp_path, monkeypatch):
    def fetch(name, *_):
        raise DataError(f"{name}: all sources failed.")

    monkeypatch.setattr("coassoc.bench.benchmark.fetch", fetch)
    other = Pool(np.arange(60).reshape(3, 20) % 3, np.arange(3), {20: np.arange(20)[None]})
    write_pool(tmp_path / "ensembles/Tr12.h5", other)
    compared(tmp_path, "LWEA", names=("Wine", "Tr11", "Tr12"))
    page = (tmp_path / "compare.html").read_text()
    assert "Data sets left out: Tr11 (Tr11: all sources failed), Tr12 (Tr12: k-means on" in page
    assert "gives base clusterings that differ from the archived ones" in page
    with pytest.raises(DataError, match=r"No data set is available.*Tr11: all sources failed"):
        compared(tmp_path, "LWEA", names=("Tr11", "Tr12"))


def test_ensembles_ship_only_where_the_licence_allows_it():
    shipped = [path.stem for path in (SHIPPED_FOLDER / "pools").iterdir()]
    catalogue = load_yaml(Path(__file__).parents[2] / "config/datasets.yaml")
    assert {catalogue[name]["licence"] for name in shipped} == {"CC BY 4.0"}
    assert {*QUICK_DATASETS} < {*shipped}
    assert sum(file.stat().st_size for file in SHIPPED_FOLDER.rglob("*")) < 8e6


class ByHand(Comparison):
    """With these means on three data sets, two of them of one family; D lacks a score."""

    def means(self, metric):
        rows = {"own": [0.5, 0.7, 0.6], "A": [0.4, 0.7, 0.8], "B": [0.6, 0.1, 0.2]}
        return pd.DataFrame({**rows, "D": [0.9, np.nan, 0.9]}, index=["Tr11", "Tr12", "Wine"])


def test_ranks_and_differences_are_those_of_the_definitions():
    scores = pd.DataFrame({"status": ["ok", "ok", "failed: x"], "note": [None, "1 cluster", None]})
    made = ByHand(None, "own", {"Wine": scores}, "", False)
    table = made.standings("ARI").set_index("method")
    # Ranks 2, 1.5, 2 of own; 3, 1.5, 1 of A; 1, 3, 3 of B.
    assert table["mean_rank"].to_dict() == pytest.approx(
        {"own": 5.5 / 3, "A": 5.5 / 3, "B": 7 / 3, "D": np.nan}, nan_ok=True
    )
    assert table["rank"].tolist()[:3] == [1, 1, 3] and table["missing"].tolist() == [0, 0, 0, 1]
    place = made.place("ARI")
    assert (place["rank"], place["of"], place["metric"]) == (1, 3, "ARI")
    assert place["mean"] == pytest.approx(0.6)
    by_set = made.on_datasets("ARI")
    assert by_set[["rank", "of"]].to_numpy().tolist() == [[3, 4], [1, 3], [3, 4]]
    assert by_set["best_method"].tolist() == ["D", "A", "D"]
    assert by_set["best"].tolist() == [0.9, 0.7, 0.9]
    assert by_set["median"].tolist() == pytest.approx([0.6, 0.4, 0.8])
    tests = made.tests("ARI").set_index("method")
    assert tests["difference"].to_dict() == pytest.approx({"A": -0.1 / 3, "B": 0.3})
    changes = made.means("")[["A", "B"]].rsub(made.means("")["own"], axis=0)
    assert tests["p"].to_dict() == statistics.tested_over_families(changes).to_dict()
    assert made.failures().to_dict("records") == [
        {"dataset": "Wine", "what": what, "fits": 1, "of": 3} for what in ("1 cluster", "failed: x")
    ]
