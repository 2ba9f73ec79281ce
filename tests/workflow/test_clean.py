"""`make clean` removes what the pipeline generated, and nothing else."""

import subprocess
from pathlib import Path

from snakemake_runs import copy_project, environment

GENERATED = [
    "results/tables/eccms/table4.csv",
    "results/runs/p/d/m10/M/a=1.h5.partial/identity",
    "logs/runs/x.log",
    "benchmarks-out/runs/x.tsv",
    "figures/eccms/figure2.png",
    "figures/eccms/figure2.csv",
    "data/sources/example.org/x.zip",
    "data/datasets/Glass.h5",
    "data/pools/kmeans-small/Glass.h5",
    ".snakemake/metadata/x",
    "report.html",
]
KEPT = ["data/own.csv", "config/own.yaml", "notes.txt", ".venv/installed"]
KEPT += ["figures/published/eccms/figure2.png", "results-published/scorecard.md"]


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_clean(tmp_path):
    project = copy_project(tmp_path / "project")
    whole = files(project)
    for name in [*GENERATED, *KEPT]:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("")
    subprocess.run(["make", "--silent", "clean"], cwd=project, env=environment(), check=True)
    assert files(project) == whole | set(KEPT)
    assert (project / "figures/README.md").exists()
