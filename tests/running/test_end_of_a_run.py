"""What is said of a mistyped target, and at the end of a run."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from reproduction.running.ending import hint_at_names, tell_end
from reproduction.study.plan import Plan
from snakemake_runs import SMALL, snakemake, write_configuration


def test_a_mistyped_target_is_told_with_the_nearest_name(capsys):
    words = ["-n", "eccms_tabel4", "--cores", "2", "results/eccms_table4.csv", "eccms"]
    hint_at_names(words, {"eccms_table4", "eccms_table3", "eccms"})
    said = "There is no target 'eccms_tabel4'; did you mean 'eccms_table4'?\n"
    assert capsys.readouterr().err == said


def test_the_end_says_what_has_no_number(finished, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(finished.copy(tmp_path / "copy"))
    small = yaml.safe_load(SMALL)
    assert tell_end(Plan(small)) == 0
    said = capsys.readouterr().err
    assert "Tables are in results/tables/, figures in figures/." in said
    assert "None of the numbers is compared with print" in said and "have no result" not in said
    for path in Path("results/scores/eccms").iterdir():
        scores = pd.read_parquet(path)
        bad = scores["source"].str.contains("/LWEA/") & (scores["repeat"] > 0)
        scores.loc[bad, "status"] = "failed: ValueError: bug"
        scores.to_parquet(path)
    assert tell_end(Plan(small)) == 1
    run = "(results/runs/kmeans-small/Wine/m20/LWEA/default.h5)"
    fits = f"LWEA on Wine: {bad.sum()} of {bad.sum() + 1} fits failed: ValueError: bug"
    assert f"  {fits} {run}" in capsys.readouterr().err


ONE_METHOD = SMALL.replace("LWGP, LWEA, EC-CMS", "LWEA")


@pytest.mark.parametrize("fails", [False, True])
def test_a_run_with_gaps_ends_as_the_configuration_says(finished, tmp_path, fails):
    finished.copy_data(tmp_path)
    text = ONE_METHOD + "limits: {minutes: 0.0000001}\n"
    named = write_configuration(tmp_path, text + f"failures: {'error' if fails else 'told'}\n")
    told = snakemake(tmp_path, "eccms_table4", *named, fails=fails)
    assert "LWEA on Wine: " in told and "fits skipped: took longer than 1e-07 minutes" in told
    assert ("the configuration says 'failures: error'" in told) == fails
    assert (tmp_path / "results/tables/eccms/table4.csv").is_file()
    if not fails:
        raised(tmp_path)


def raised(folder):
    """Once the limit is raised the fits are tried again, and then no more."""
    named = write_configuration(folder, ONE_METHOD + "limits: {minutes: 60}\n")
    told = snakemake(folder, "eccms_table4", *named)
    assert "run_method" in told and "have no result" not in told
    assert "Nothing to be done" in snakemake(folder, "eccms_table4", *named)
    lower = write_configuration(folder, ONE_METHOD + "limits: {minutes: 30}\n")
    assert "Nothing to be done" in snakemake(folder, "eccms_table4", *lower)
