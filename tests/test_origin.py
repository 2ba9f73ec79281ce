"""Where a number comes from, asked of a finished run of the workflow."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from coassoc.errors import CoassocError
from coassoc.methods import METHODS
from coassoc.metrics import score_partition
from coassoc.storage.hdf5 import read_pool, read_run
from reproduction.origin import _kept_file, _run_file, as_text, main, origin
from reproduction.plan.keys import Source
from snakemake_runs import ROOT, snakemake

CELL = ("eccms_table4", "Wine", "EC-CMS", "ARI")


def chain_of(folder, *cell):
    """The steps by their names."""
    return {step.name: step for step in origin(folder, *cell)}


def test_the_chain_leads_from_the_table_to_the_data(finished):
    chain = chain_of(finished.folder, *CELL)
    assert [*chain][:6] == ["table", "scores", "run", "draws", "pool", "data set"]
    assert all((finished.folder / step.path).is_file() for step in chain.values())
    run = chain["run"].facts
    assert {"seed", "code", "commit", "numpy", "scipy", "points"} <= set(run)
    assert chain["pool"].facts["fingerprint"] == run["pool_fingerprint"]
    assert chain["pool"].facts["dataset_fingerprint"] == chain["data set"].facts["fingerprint"]
    assert np.mean(chain["scores"].facts["values"]) == pytest.approx(
        chain["table"].facts["mean"], abs=1e-5
    )


def test_what_the_chain_says_of_a_repeat_makes_its_number_again(finished):
    chain = chain_of(finished.folder, "eccms_table4", "Wine", "LWGP", "ARI")
    run, pool = chain["run"], read_pool(finished.folder / chain["pool"].path)
    seed, _, drawn = chain["draws"].facts["repeat 1"].removeprefix("seed ").partition(", ")
    columns = [int(word) for word in drawn.removeprefix("base clusterings ").split()]
    make, n_clusters = METHODS[run.facts["method"]], run.facts["n_clusters"]
    estimator = make(n_clusters=n_clusters, random_state=int(seed))
    labels = estimator.fit_predict(pool.labels[:, columns])
    score = score_partition(pool.y, labels)["ARI"]
    assert chain["scores"].facts["values"][1] == pytest.approx(score, rel=1e-5)
    np.testing.assert_array_equal(labels, read_run(finished.folder / run.path).results[0][1].labels)


def test_every_number_of_a_table_has_an_origin(finished):
    lines = pd.read_csv(finished.folder / "results/tables/eccms/table4.csv")
    asked = lines[lines["row"].notna() & (lines["dataset"] != "mean")]
    assert len(asked) == 8
    for line in asked.itertuples():
        chain = chain_of(finished.folder, CELL[0], line.dataset, line.row, line.metric)
        assert chain["table"].facts.get("mean") == line.mean
        assert isinstance(line.reference, str) or chain["run"].path


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (("eccms_table5", *CELL[1:]), "eccms/table5.csv: there is no such table in .* snakemake"),
        ((CELL[0], "Wein", *CELL[2:]), "data set names 'Wein'; allowed are .*did you mean 'Wine'"),
        ((*CELL[:2], "EC-CMT", "ARI"), "row names 'EC-CMT'; allowed are .*'EC-CMS'"),
        ((*CELL[:3], "AIR"), "metric names 'AIR'; allowed are .*'ARI'"),
    ],
)
def test_a_number_that_is_not_there_is_told_in_one_sentence(finished, cell, message):
    with pytest.raises(CoassocError, match=message):
        origin(finished.folder, *cell)


def test_a_broken_chain_is_told(finished, tmp_path):
    copy = finished.copy(tmp_path / "copy")
    path = copy / chain_of(copy, *CELL)["scores"].path
    whole = path.read_bytes()
    middle = slice(len(whole) // 4, len(whole) // 4 + 64)
    others = pd.read_parquet(path).assign(ARI=0.5)
    swapped = whole[: middle.start] + whole[middle][::-1] + whole[middle.stop :]
    for damage, message in (
        (lambda: path.write_bytes(swapped), "not a whole file of scores"),
        (lambda: others.to_parquet(path, index=False), r"mean ARI is 0.5, .* has .*make the"),
        (path.unlink, "this file is gone"),
    ):
        damage()
        with pytest.raises(CoassocError, match=message):
            origin(copy, *CELL)


def test_the_origin_of_a_number_does_not_hang_on_the_last_plan(finished, tmp_path):
    copy = finished.copy(tmp_path / "copy")
    (copy / "results/plan/targets/eccms/table4.json").unlink()
    assert origin(copy, *CELL) == origin(finished.folder, *CELL)


def test_kept_lines_that_an_earlier_plan_took_over_are_told(tmp_path):
    with pytest.raises(
        CoassocError, match=r"takes over no lines of p/A/m20/LWEA/default, .* again"
    ):
        _kept_file(tmp_path, "eccms/table4", "p/A/m20/LWEA/default")


def test_a_run_is_in_the_file_of_all_that_end_its_refinement(tmp_path):
    run = Source("p", "A", 20, "LTA-SC", "lam=0.02")
    for name in ("LTA-EA+LTA-SC", "LTA-EA", "LWEA"):
        (tmp_path / "results/runs/p/A/m20" / name).mkdir(parents=True)
    assert _run_file(tmp_path, run) == "results/runs/p/A/m20/LTA-EA+LTA-SC/lam=0.02.h5"


@pytest.mark.parametrize(
    "cell", [("eccms_table4", "Ecoli", "EC-CMS", "ARI"), ("ranking", "Glass", "LWEA", "ARI")]
)
def test_kept_results_lead_to_the_scores(cell):
    table, scores = origin(ROOT / "results-published", *cell)
    assert np.mean(scores.facts["values"]) == pytest.approx(table.facts["mean"], abs=1e-5)
    assert f"/{cell[1]}/m20/{cell[2]}/" in scores.facts["run"] and scores.facts["code"]
    pool = "/".join(scores.facts["run"].split("/")[:2])
    assert scores.facts["pool"].startswith(f"data/pools/{pool}.h5, repeat r combines draw r of m20")
    assert re.fullmatch("[0-9a-f]{7,}(, [0-9a-f]{7,})*", scores.facts["commit"])


def test_a_table_of_kept_lines_leads_to_their_file(tmp_path):
    """There is no pool then, and none is asked for."""
    two_cores = [str(ROOT / "config" / name) for name in ("full.yaml", "two-cores.yaml")]
    snakemake(tmp_path, "acmk_table2", "--configfile", *two_cores)
    table, scores, kept = origin(tmp_path, "acmk_table2", "Lung", "CSPA", "ACC")
    assert scores.facts["code"] == "CSPA 1" and scores.facts["pool"].startswith("data/pools/")
    assert Path(kept.path).is_file() and "kept/" in kept.path
    assert not (tmp_path / "data/pools").exists() and table.facts["mean"] > 0


def test_kept_times_are_in_their_table_alone():
    (table,) = origin(ROOT / "results-published", "eccms_table9", "Ecoli", "EC-CMS", "seconds")
    assert table.facts["mean"] > 0


def test_the_command_prints_the_chain(finished, monkeypatch, capsys):
    monkeypatch.chdir(finished.folder)
    main([*CELL])
    assert capsys.readouterr().out.strip() == as_text(origin(finished.folder, *CELL))
    with pytest.raises(SystemExit, match=r"^Error: results/tables/[^\n]*$"):
        main([*CELL[:3], "AIR"])
