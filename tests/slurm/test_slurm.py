"""The workflow on a SLURM cluster of one machine: same numbers as without it."""

import re
import shutil
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
    scores_below,
    write_configuration,
)

pytestmark = pytest.mark.slurm

#: Starting a step on a cluster takes seconds, so that one method fewer than locally is run.
TWO_METHODS = SMALL.replace("LWGP, LWEA, EC-CMS", "LWEA, EC-CMS")

ONE_MACHINE = Path(__file__).with_name("one-machine")

#: A run that gets 60 MB in the test, less than the interpreter takes.
RUN = "results/runs/kmeans-small/Wine/m20/LWEA/default.h5"

#: What this cluster lacks, accounts and accounting, and shorter waits than on one that is shared.
ON_ONE_MACHINE = [
    "--slurm-no-account",
    "--slurm-status-command=squeue",
    "--slurm-init-seconds-before-status-checks=2",
    "--seconds-between-status-checks=2",
    "--latency-wait=10",
]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    started = subprocess.run([ONE_MACHINE, "start"], stderr=subprocess.PIPE, text=True)
    assert started.returncode == 0, started.stderr
    yield
    subprocess.run([ONE_MACHINE, "stop"], check=True)


def start_on_slurm(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    profile = ["--profile", str(ROOT / "profiles/slurm"), *ON_ONE_MACHINE]
    return subprocess.Popen(
        command(folder, *profile, *arguments, cores=1),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(),
    )


def test_scores_are_those_of_a_local_run_and_a_job_over_its_memory_is_told(finished, tmp_path):
    configuration = write_configuration(tmp_path, TWO_METHODS)
    # Both at once, since most of the time is waited for SLURM.
    there, too_small = tmp_path / "there", tmp_path / "too small"
    shutil.copytree(finished.folder / "data", too_small / "data")
    running = start_on_slurm(there, "eccms_table4", *configuration)
    less = "--set-resources", "run_method:mem_mb=60"
    killed = start_on_slurm(too_small, *configuration, *less, "--", RUN)
    output = running.communicate(timeout=900)[0]
    assert running.returncode == 0, output[-3000:]
    remote, local = map(scores_below, (there, finished.folder))
    assert_same_scores(remote, local)
    # Names with several parameters reach the jobs whole.
    assert any("~" in name for name in remote)
    assert (there / "results/tables/eccms/table4.csv").exists()
    submitted = re.findall(r"submitted with SLURM jobid .*/slurm_logs/(\w+)/", output)
    # All scores of the table are one job. Cheap steps run where Snakemake does.
    assert submitted.count("rule_run_method") == len(remote) and submitted.count("rule_score") == 1
    output = killed.communicate(timeout=900)[0]
    assert killed.returncode != 0
    # The message about the failed step names the log of SLURM, which says why.
    (log, *_) = re.findall(r"log: .*?, (/.*/slurm_logs/rule_run_method/.*\.log) \(check", output)
    killed_by = r"exceeded memory limit \(\d+ > 62914560\), being killed"
    assert re.search(killed_by, Path(log).read_text()) and f"output: {RUN}" in output
