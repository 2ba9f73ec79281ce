"""Another workflow takes this one as a module, with its own configuration and names of rules."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from snakemake_runs import ROOT, SMALL, command, environment, said

OUTER = """
configfile: "config/config.yaml"

module coassoc:
    snakefile: "{snakefile}"
    config: config

use rule * from coassoc{names}
"""


@pytest.mark.parametrize("names, rule", [("", "run_method"), (" as theirs_*", "theirs_run_method")])
def test_a_workflow_around_it_runs(tmp_path, names, rule):
    outer = tmp_path / "workflow" / "Snakefile"
    outer.parent.mkdir()
    outer.write_text(OUTER.format(snakefile=ROOT / "Snakefile", names=names))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(SMALL)
    wanted = "results/scores/kmeans-small/Wine/m20/LWEA/default.csv"
    done = run(outer, tmp_path, wanted)
    assert done.returncode == 0, said(done)[-3000:]
    assert (tmp_path / wanted).exists()
    assert f"rule {rule}:" in said(done)


def run(snakefile: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = command(folder, *arguments)
    words[words.index("--snakefile") + 1] = str(snakefile)
    return subprocess.run(
        words, capture_output=True, text=True, env=environment(), check=False, timeout=300
    )
