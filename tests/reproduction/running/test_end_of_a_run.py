"""What is said at the end of a run."""

from pathlib import Path

import pandas as pd
import yaml

from reproduction.running.ending import report_results
from reproduction.study.plan import Plan
from snakemake_runs import SMALL

TABLE = "results/tables/eccms/table4.html"


def planned() -> Plan:
    """The plan of the process that a run is started by."""
    plan = Plan(yaml.safe_load(SMALL))
    plan.write()
    return plan


def test_the_end_says_where_to_look_and_what_has_no_number(finished, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(finished.copy(tmp_path / "copy"))
    report_results(planned(), [TABLE, "results/tables/eccms/table5.html"])
    assert capsys.readouterr().err == f"Open {TABLE}.\n"
    for path in Path("results/scores/eccms").iterdir():
        scores = pd.read_parquet(path)
        bad = scores["source"].str.contains("/LWEA/") & (scores["repeat"] > 0)
        scores.loc[bad, "status"] = "failed: ValueError: bug"
        scores.to_parquet(path)
    report_results(planned(), [TABLE])
    run = "(results/runs/kmeans-small/Wine/m20/LWEA/default.h5)"
    fits = f"LWEA on Wine: {bad.sum()} of {bad.sum() + 1} fits failed: ValueError: bug"
    assert f"  {fits} {run}" in capsys.readouterr().err
