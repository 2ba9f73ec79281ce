"""Kept lines of scores are taken over: what they stand for is neither made nor asked for."""

import pandas as pd

from reproduction.scores.files import collect_scores
from snakemake_runs import SMALL, snakemake, write_configuration


def test_kept_lines_give_the_same_tables_and_nothing_is_fitted(finished, tmp_path):
    kept, place = tmp_path / "kept", tmp_path / "new"
    kept.mkdir()
    files = sorted((finished.folder / "results/scores/eccms").glob("*.parquet"))
    named = write_configuration(tmp_path, f"{SMALL}kept: {kept}\n")
    lines = pd.read_parquet(finished.folder / "results/cells.parquet")
    made_by = lines[lines["made_by"].ne("")].set_index("source")["made_by"].to_dict()
    collect_scores(files, made_by).to_parquet(kept / "scores.parquet", index=False)
    snakemake(place, *finished.targets, *named)
    assert not (place / "data").exists() and not (place / "results/runs").exists()
    for file in ("results/tables/eccms/table4.csv", "figures/eccms/figure2.csv"):
        assert (place / file).read_bytes() == (finished.folder / file).read_bytes()
    log = (place / "logs/scores/eccms/table4.log").read_text()
    assert f"copied from {kept / 'scores.parquet'}" in log
    lines = pd.read_parquet(place / "results/cells.parquet")
    assert {*lines["archive"][lines["target"].eq("eccms/table4")]} == {f"{kept}/scores.parquet"}
    assert {*lines["archive"][lines["target"].eq("eccms/table9")]} == {""}
    (kept / "scores.parquet").touch()  # copied anew, with the same lines
    assert "Nothing to be done" in snakemake(place, *finished.targets, "--dry-run", *named)
