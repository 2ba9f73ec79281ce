"""The workflow on a SLURM cluster of one machine: same numbers as without it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from snakemake_runs import (
    ROOT,
    SMALL,
    assert_same_scores,
    command,
    environment,
    said,
    scores_below,
    write_configuration,
)

pytestmark = pytest.mark.slurm

#: Starting a step on a cluster takes seconds, so that one method fewer than locally is run.
TWO_METHODS = SMALL.replace("[LWGP, LWEA, EC-CMS]", "[LWEA, EC-CMS]")

ONE_MACHINE = Path(__file__).with_name("one-machine")

#: What this cluster lacks, accounts and accounting, and shorter waits than on one that is shared.
ON_ONE_MACHINE = [
    "--slurm-no-account",
    "--slurm-status-command=squeue",
    "--slurm-init-seconds-before-status-checks=2",
    "--seconds-between-status-checks=2",
    "--latency-wait=10",
    "--group-components=consensus=10",
]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    started = subprocess.run([ONE_MACHINE, "start"], stderr=subprocess.PIPE, text=True)
    assert started.returncode == 0, started.stderr
    yield
    subprocess.run([ONE_MACHINE, "stop"], check=True)


def on_slurm(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    profile = ["--profile", str(ROOT / "profiles/slurm"), *ON_ONE_MACHINE]
    return subprocess.run(
        command(folder, *profile, *arguments, cores=1),
        capture_output=True,
        text=True,
        env=environment(),
        timeout=900,
    )


def test_scores_are_those_of_a_local_run(finished, tmp_path):
    configuration = write_configuration(tmp_path, TWO_METHODS)
    done = on_slurm(tmp_path, "eccms_table4", *configuration)
    assert done.returncode == 0, said(done)[-3000:]
    remote, local = (
        scores_below(folder / "results/scores") for folder in (tmp_path, finished.folder)
    )
    assert_same_scores(remote, local)
    # Names with several parameters reach the jobs whole.
    assert any("~" in name for name in remote)
    assert (tmp_path / "results/tables/eccms/table4.csv").exists()
    submitted = re.findall(r"submitted with SLURM jobid .*/slurm_logs/(\w+)/", said(done))
    # Runs and their scores share jobs: a job holds as many runs as were ready when it was
    # submitted. Cheap steps run where Snakemake does.
    assert 1 <= submitted.count("group_consensus_run_method_score_run") < len(remote)
    assert not {"rule_run_method", "rule_score_run", "rule_collect_scores"} & set(submitted)
