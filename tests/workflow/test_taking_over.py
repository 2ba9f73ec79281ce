"""Kept lines of scores are taken over: what they stand for is neither made nor asked for."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from coassoc.storage.configuration import load_yaml
from reproduction.scores.files import collect_scores
from reproduction.study.plan import Plan
from snakemake_runs import SMALL, snakemake, write_configuration


@pytest.fixture
def kept(finished, tmp_path) -> tuple[Path, tuple[str, str]]:
    """Kept results of the finished run, and a configuration that takes them over."""
    folder = tmp_path / "kept"
    folder.mkdir()
    files = sorted((finished.folder / "results/scores/eccms").glob("*.parquet"))
    configuration = write_configuration(tmp_path, f"{SMALL}kept: {folder}\n")
    made_by = Plan(load_yaml(tmp_path / "small.yaml")).present.made_by
    collect_scores(files, made_by).to_parquet(folder / "scores.parquet", index=False)
    return folder, configuration


def test_kept_lines_give_the_same_tables_and_nothing_is_fitted(finished, kept, tmp_path):
    place = tmp_path / "new"
    snakemake(place, *finished.targets, *kept[1])
    assert not (place / "data").exists() and not (place / "results/runs").exists()
    for file in ("results/tables/eccms/table4.csv", "figures/eccms/figure2.csv"):
        assert (place / file).read_bytes() == (finished.folder / file).read_bytes()
    log = (place / "logs/scores/eccms/table4.log").read_text()
    assert f"copied from {kept[0] / 'scores.parquet'}" in log
    lines = pd.read_parquet(place / "results/cells.parquet")
    assert {*lines["kept"][lines["target"].eq("eccms/table4")]} == {f"{kept[0]}/scores.parquet"}
    assert {*lines["kept"][lines["target"].eq("eccms/table9")]} == {""}
    (kept[0] / "scores.parquet").touch()  # copied anew, with the same lines
    assert "Nothing to be done" in snakemake(place, *finished.targets, "--dry-run", *kept[1])


def test_lines_of_another_revision_are_made_again(finished, kept, tmp_path):
    scores = pd.read_parquet(kept[0] / "scores.parquet")
    own = scores["method"] == "LWEA"
    scores.loc[own, "made_by"] = scores.loc[own, "made_by"].str.replace("LWEA 1", "LWEA 0")
    scores.to_parquet(kept[0] / "scores.parquet")
    words = tmp_path / "new", "eccms_table4", "--dry-run", *kept[1]
    told = snakemake(*words)
    assert "LWEA/default.h5" in told and "EC-CMS/" not in told
    shutil.rmtree(kept[0])
    assert "has no scores.parquet." in snakemake(*words, fails=True)
