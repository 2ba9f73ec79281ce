"""Scripts of the workflow in this process, for a debugger.

python -m pdb -m reproduction.running.debugging results/tables/eccms/table4.csv config/full.yaml
"""

import runpy
import sys
from pathlib import Path
from typing import Any

from snakemake.api import SnakemakeApi
from snakemake.script import Snakemake
from snakemake.settings import types

from reproduction import PROJECT


def mock_snakemake(file: str, *configurations: str) -> tuple[Path, Any]:
    """The script that makes a file, and the object ``snakemake`` that Snakemake would give it."""
    with SnakemakeApi(types.OutputSettings(quiet={types.Quietness.ALL})) as api:
        files = types.ConfigSettings(configfiles=[Path(x) for x in configurations])
        flow = api.workflow(types.ResourceSettings(cores=1), files, snakefile=PROJECT / "Snakefile")
        flow.dag(types.DAGSettings(targets={file}, forcetargets=True))
        workflow = flow._workflow
        workflow._prepare_dag(forceall=False, ignore_incomplete=True, lock_warn_only=True)
        workflow._build_dag()
        (job,) = (job for job in workflow.dag.jobs if file in job.output)
        parts = job.input, job.output, job.params, job.wildcards, job.threads, job.resources
        more = job.log, workflow.config, job.rule.name, None, str(PROJECT / "scripts")
        given = Snakemake(*parts, *more)
    for path in map(Path, [*job.output, *job.log]):
        path.parent.mkdir(parents=True, exist_ok=True)
    script = str(job.rule.script).format(params=job.params)  # that of a figure is a parameter
    return PROJECT / "scripts" / Path(script).name, given


def run_script(file: str, *configurations: str) -> None:
    """Run the script that makes a file, whose inputs must be there."""
    script, snakemake = mock_snakemake(file, *configurations)
    sys.path.append(str(script.parent))
    runpy.run_path(str(script), {"snakemake": snakemake}, run_name="__main__")


if __name__ == "__main__":
    run_script(*sys.argv[1:])
