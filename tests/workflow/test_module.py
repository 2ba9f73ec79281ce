"""Another workflow takes this one as a module, with its own configuration and names of rules."""

import subprocess
from pathlib import Path

from snakemake_runs import ROOT, SMALL, forked, said

OUTER = """
configfile: "config/config.yaml"

module coassoc:
    snakefile: "{snakefile}"
    config: config

use rule * from coassoc{names}
"""


WANTED = "results/scores/eccms/figure2.parquet"


def around(folder: Path, names: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a workflow that takes this one's rules, under these names."""
    outer = folder / "workflow" / "Snakefile"
    outer.parent.mkdir()
    outer.write_text(OUTER.format(snakefile=ROOT / "Snakefile", names=names))
    (folder / "config").mkdir()
    (folder / "config" / "config.yaml").write_text(SMALL)
    words = ["--snakefile", str(outer), "--directory", str(folder), "--cores", "2"]
    return forked([*words, WANTED, *options])


def test_a_workflow_around_it_runs(tmp_path):
    done = around(tmp_path, " as theirs_*")
    assert done.returncode == 0, said(done)[-3000:]
    assert (tmp_path / WANTED).exists()
    assert "rule theirs_run_method:" in said(done)


def test_the_rules_may_keep_their_names(tmp_path):
    done = around(tmp_path, "", "--dry-run")
    assert done.returncode == 0, said(done)[-3000:]
    assert "rule run_method:" in said(done) and "rule score:" in said(done)
