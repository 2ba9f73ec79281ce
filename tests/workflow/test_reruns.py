"""What is made anew after a change: what depends on it, and nothing else.

The files of one job or more of every rule are invented and marked as finished; dry runs then say
what is wanted.
"""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from refusals import cases
from snakemake_runs import copy_project, snakemake, write_configuration

#: A little of everything.
CONFIGURATION = """
name: everything
targets:
  [eccms_table9, eccms_figure1, eccms_figure2, lta_figure2, rce_table2, acmk_figure1, acmk_figure2,
   acmk_figure3, hclce_figure5, audit_order, audit_n_clusters, audit_scaling]
pools: [own.yaml]
edits:
  - {of: {target: ranking}, keep: {dataset: [Glass, Ecoli], label: [EAC-AL, LWEA]}}
  - {of: {target: ranking}, pool: kmeans-small}
  - of: {target: [eccms/*, lta/figure2, rce/table2, acmk/figure*, hclce/figure5, audit/*]}
    keep: {method: ["", CA-SC, EAC-AL, LWEA, EC-CMS, ACMK-KM, ACMK-SC, HCLCE, LTA-SC, RCE]}
  - of: {target: [eccms/*, lta/figure2, rce/table2, acmk/figure*, hclce/figure5, audit/*]}
    datasets: [Glass]
    pool: kmeans-small
  - {of: {target: eccms/figure*}, grid: {alpha: [0.7, 0.8]}}
  - {of: {target: rce/table2}, grid: {lam1: [1], lam2: [1]}}
mirror: null
seed: 0
threads: 1
"""

TARGETS = [
    "all",
    "results/scores.parquet",
    "data/datasets/Ecoli.h5",
    "data/pools/published/Ecoli.h5",
    "data/pools/suite-main/wut-x1.h5",
    "data/pools/own/own.h5",
    "claims",
    "ranking",
]
#: A pool of labels beside the configuration.
OWN = """
own: {kind: labels, file: own.csv}
"""

#: Rules that come after the scores.
SUMMARIES = {
    *("collect_scores", "make_claims", "make_scorecard"),
    *("analysis", "figure", "ranking", "table"),
}


@dataclass
class Finished:
    """A project in which everything looks finished."""

    project: Path
    configuration: tuple[str, str]

    def snakemake(self, *arguments: str) -> str:
        words = [*TARGETS, *arguments, *self.configuration]
        library = str(self.project / "src")
        return snakemake(self.project, *words, project=self.project, PYTHONPATH=library)

    def wanted(self) -> set[str]:
        """Rules with jobs to do."""
        rules = re.findall(r"^(?:local)?rule (\S+):", self.snakemake("--dry-run"), re.M)
        shown = {"run_method" if "+" in name else name.partition("_of_kmeans")[0] for name in rules}
        return shown - {"all", "claims"}

    def edit(self, name: str, text: str) -> None:
        path = self.project / name
        path.write_text(path.read_text() + text)


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Finished:
    """Read only: tests that change something work on a copy."""
    outside = tmp_path_factory.mktemp("reruns")
    project = copy_project(outside / "project", with_library=True)
    (project / "own.yaml").write_text(OWN)
    (project / "own.csv").write_text("a,b\n" + "1,2\n2,1\n" * 10)
    finished = Finished(project, write_configuration(outside, CONFIGURATION))
    for line in finished.snakemake("--summary").splitlines():
        name, *_ = line.split("\t")
        if name.startswith(("data/", "results/", "figures/")):
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text("made")
    # A batch is a file that lists its runs.
    runs = pd.read_parquet(project / "results/cells.parquet")["run_file"]
    for name in runs[runs.ne("")]:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("made")
    (project / "results/agreement.csv").write_text("HGPA,paper,cells,measure,value\n")
    finished.snakemake("--touch", "--forceall", "--quiet")
    return finished


@pytest.fixture
def copy(finished, tmp_path) -> Finished:
    """The finished project at another place."""
    place = shutil.copytree(finished.project, tmp_path / "another place")
    return Finished(place, finished.configuration)


def test_edits_dates_and_another_place_make_nothing_anew(copy):
    for folder in ("src", "scripts"):
        for path in (copy.project / folder).rglob("*.py"):
            copy.edit(str(path), "\n# a remark\n")
    for name in ("src/coassoc/errors.py", "src/coassoc/methods/eccms/algorithm.py"):
        copy.edit(name, "\nANOTHER = 1\n")
    assert copy.wanted() == set()


def test_an_edited_entry_makes_anew_what_rests_on_it(copy):
    """Here nothing but a pool rests on the pool of published clusterings."""
    for name, before, edited in (
        ("datasets", "Ecoli:\n", "Ecoli:\n  note: A remark.\n"),
        ("pools", 'citation: "Huang, Wang & Lai', 'citation: "Huang, Lai'),
    ):
        path = copy.project / f"config/{name}.yaml"
        text = path.read_text()
        assert text.count(before) == 1
        path.write_text(text.replace(before, edited))
    assert copy.wanted() == {"unpack_pool"}


@cases(
    "module, line, revised, wanted",
    ("src/reproduction/study/revisions.py", *('"scores": 1', '"scores": 2'), {"score", *SUMMARIES}),
    (
        # A method: its runs, and what shows them. It stands in curves and in a table of times
        # here, and the scorecard reads neither.
        "src/coassoc/methods/eccms/__init__.py",
        *("    reads_matrix", "    revision = 2\n    reads_matrix"),
        {
            *("run_method", "run_methods", "time_method", "score", "table", "analysis"),
            *("figure", "collect_scores", "make_claims"),
        },
    ),
)
def test_a_new_revision_makes_anew_what_rests_on_it(copy, module, line, revised, wanted):
    path = copy.project / module
    before = path.read_text()
    assert line in before
    path.write_text(before.replace(line, revised))
    assert copy.wanted() == wanted
