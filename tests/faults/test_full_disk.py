"""A disk that is full: one clear sentence, and nothing half-written that counts later.

A limit on the size of files fails at the same place as a full disk, and needs no privileges.
"""

import resource
import subprocess

import numpy as np

from snakemake_runs import command, environment, said, snakemake

#: Random numbers cannot be packed: X takes 640 kB.
N, D = 2000, 40


def _small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path):
    np.savez(tmp_path / "large.npz", X=np.random.default_rng(0).normal(size=(N, D)))
    (tmp_path / "mine.yaml").write_text("Large: {file: large.npz, classes: 2}")
    work, target = tmp_path / "work", "data/datasets/Large.h5"
    arguments = [target, "--config", f'datasets=["{tmp_path}/mine.yaml"]']
    snakemake(work, *arguments, "--dry-run")  # The plan is larger, and is there already.
    words, limited = command(work, *arguments, cores=1), {"preexec_fn": _small_files}
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, **limited)
    assert done.returncode != 0
    assert f"{target}: cannot write this file (File too large)." in said(done)
    assert [path for path in (work / "data").rglob("*") if path.is_file()] == []
