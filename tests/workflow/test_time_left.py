"""What the log says about the time that is left."""

from __future__ import annotations

from snakemake_runs import ROOT, forked

WORKFLOW = f"""
class JOBS:
    @staticmethod
    def expected_seconds(rule, wildcards):
        return 3.0

CONDA = "{ROOT}/envs/coassoc.yaml"

include: "{ROOT}/rules/progress.smk"

ProgressHandler.shortest = 1

rule all:
    input:
        expand("{{i}}.txt", i=range(4))

rule step:
    output:
        "{{i}}.txt"
    shell:
        "sleep 2; touch {{output}}"
"""


def test_the_log_says_what_is_left(tmp_path):
    (tmp_path / "Snakefile").write_text(WORKFLOW)
    done = forked(["--cores", "1", "--workflow-profile", "none"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and "Logging error" not in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("About")]
    assert said and set(said) == {"About 1 minute left."}
    # At the end, when nothing is left, it says nothing.
    assert done.stderr.rindex("About") < done.stderr.index("(100%) done")
