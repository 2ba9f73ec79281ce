"""The cells of all studies and their runs, against what they were before studies were Python."""

import hashlib
from types import SimpleNamespace

import pandas as pd
import pytest

from plans import settings
from reproduction.running.costs import run_minutes
from reproduction.study.cells import with_runs
from reproduction.study.plan import Plan
from snakemake_runs import ROOT

#: Columns that decide what a number is and what is made for it.
COLUMNS = [
    "label", "dataset", "pool", "m", "x", "variant", "reference", "tune", "source", "run_file",
    "measured_file", "pool_file", "features_file", "not_run",
]  # fmt: skip
GOLDEN = ROOT / "tests/golden/cells.csv"


def digests(names: tuple[str, ...]) -> pd.DataFrame:
    """Number of lines of each target, and a hash of all that they have, in their order."""
    plan = Plan(settings(*names))
    lines = with_runs(plan.planned_cells(plan.targets), plan.catalogues.methods)
    rows = []
    for target, own in lines.groupby("target", sort=False):
        text = own[COLUMNS].to_csv(index=False, lineterminator="\n")
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        rows.append(("+".join(names), target, len(own), digest))
    return pd.DataFrame(rows, columns=["configuration", "target", "lines", "hash"])


@pytest.mark.parametrize(
    "names", [pytest.param(("full",), marks=pytest.mark.slow), ("full", "two-cores")]
)
def test_cells_and_runs_are_as_they_were(names):
    golden = pd.read_csv(GOLDEN)
    golden = golden[golden["configuration"] == "+".join(names)].reset_index(drop=True)
    made = digests(names)
    differs = made["target"][~made["hash"].isin(golden["hash"])].tolist()
    assert len(golden) > 100 and differs == [] and made["lines"].equals(golden["lines"])


def test_all_methods_on_published_results_are_one_job_for_each_data_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = {"dataset": ["fcps-hepta", "wut-x1"], "method": ["", "LWEA", "LWGP", "LTA-EA", "LTA-SC"]}
    edits = [
        {"of": {"target": "arena/main"}, "keep": kept},
        {"of": {"target": "arena/main", "method": "LWGP"}, "repeats": 1},
    ]
    plan = Plan({**settings("full"), "targets": ["arena_main"], "kept": None, "edits": edits})
    plan.write()
    files = plan.inputs("arena/main", "run")
    assert files == [
        f"results/runs/suite-main/{name}/m0/+all/{block}.h5"
        for name in kept["dataset"]
        for block in ("default", "repeats=1")
    ]
    place = {"pool": "suite-main", "dataset": "wut-x1", "m": "0", "parameters": "default"}
    batch = SimpleNamespace(method="+all", **place)
    assert [x["method"] for x in plan.tasks(batch)] == ["LTA-EA", "LTA-SC", "LWEA"]
    endings = SimpleNamespace(method="LTA-EA+LTA-SC", **place)
    lwea = SimpleNamespace(method="LWEA", **place)
    minutes = [run_minutes(plan, plan.runs(w)) - 5 for w in (batch, endings, lwea)]
    assert minutes[0] >= minutes[1] > 0 and minutes[0] <= minutes[1] + minutes[2]


if __name__ == "__main__":  # after a change of the studies that is meant
    frames = [digests(names) for names in (("full",), ("full", "two-cores"))]
    pd.concat(frames).to_csv(GOLDEN, index=False)
