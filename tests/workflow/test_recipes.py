"""The example of a method of one's own and docs/howto/extend.md, followed to the letter."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.catalogue import load_methods
from coassoc.methods import METHODS
from coassoc.methods.registry import Method, endings_of_one_refinement
from ensembles import noisy_ensemble
from snakemake_runs import ROOT, copy_project, follow_command, snakemake

EXAMPLE, KINDS = ROOT / "examples" / "own-paper", ROOT / "examples" / "own-kinds"
#: The shell blocks of its page.
RUN, *_ = re.findall(r"^```bash\n(.*?)^```", (EXAMPLE / "README.md").read_text(), re.S | re.M)
PAGES = [ROOT / "docs/howto/extend.md", ROOT / "docs/tutorials/own-method.md"]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)

#: First line, which says where the block belongs → the block without it.
BLOCKS = dict(re.findall(r"^```(?:python|yaml)\n# (.*?)\n(.*?)^```", TEXT, re.S | re.M))


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    """The example, run as its page says in a copy of the project."""
    project = copy_project(tmp_path_factory.mktemp("own") / "project")
    folder = Path(shutil.copytree(EXAMPLE, project / "examples" / "own-paper"))
    told = follow_command(RUN, folder)
    # The project's papers appear nowhere.
    assert "Open results/scorecard_own-paper.html, figures/scorecard_own-paper.png, " in told
    assert "  Majority vote: " in told and " of 12 (perfect reproduction: " in told
    assert not (folder / "results/scorecard.csv").exists()
    return folder


def test_the_page_of_the_example_can_be_followed(example):
    lines = pd.read_csv(example / "results/tables/own-paper/table1.csv")
    assert set(lines["dataset"]) == {"Three", "Wine"}
    assert (lines["repeats"] == 3).all() and lines["mean"].notna().all()
    tuned = lines[(lines["label"] == "MajorityVote (tuned)") & (lines["dataset"] == "Wine")]
    assert tuned["parameters"].str.contains("share").all()
    card = pd.read_csv(example / "results/scorecard_own-paper.csv")
    assert len(card) == 12 and card["difference"].notna().all()
    assert "# Scorecard of own-paper" in (example / "results/scorecard_own-paper.md").read_text()
    agreement = pd.read_csv(example / "results/agreement_own-paper.csv").set_index("measure")
    assert agreement.loc["within 2 se", ["wrong", "perfect"]].notna().all(axis=None)
    claims = pd.read_csv(example / "results/claims_own-paper.csv")
    assert claims["claim"].tolist() == ["own-paper-beats-both"]
    assert claims["published"].tolist() == ["4 of 4"] and claims["here"].str.endswith("of 4").all()
    page = (example / "results/tables/own-paper/table1.md").read_text()
    assert "MajorityVote on Wine: " in page and "in place of 3" in page


def test_a_method_of_the_library(tmp_path, monkeypatch):
    (tmp_path / "power_linkage.py").write_text(BLOCKS["A method of the library"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    method = Method("Power", "power_linkage:PowerLinkage")
    assert method.parameters["power"].grid == (0.5, 1, 2)
    labels = noisy_ensemble(40, 6, 3, seed=0)
    partition = method.factory(n_clusters=3).fit_predict(labels)
    np.testing.assert_array_equal(partition, METHODS["EAC-AL"](n_clusters=3).fit_predict(labels))


def test_a_method_with_several_endings(tmp_path, monkeypatch):
    shutil.copytree(KINDS, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    known = load_methods(tmp_path / "methods.yaml")
    methods = {name: method for name, method in known.items() if name not in METHODS}
    assert endings_of_one_refinement(methods) == [("Squared-AL", "Squared-SC")]
    labels = noisy_ensemble(40, 6, 3, seed=0)
    for method in methods.values():
        make = method.factory
        refinement = make(n_clusters=3).refine(labels)
        shared = make(n_clusters=3, random_state=0).fit_refined(refinement)
        alone = make(n_clusters=3, random_state=0).fit(labels)
        np.testing.assert_array_equal(shared.labels_, alone.labels_)


def test_a_metric(tmp_path):
    text = (ROOT / "src/coassoc/metrics.py").read_text(encoding="utf-8")
    text = text.replace("#: Every score", BLOCKS["above METRICS"] + "\n\n#: Every score")
    text = re.sub(r'(    "ACC": )', BLOCKS["in METRICS"] + r"\1", text)
    (tmp_path / "metrics.py").write_text(text)
    code = "import metrics; print(metrics.score_partition([0, 1, 2], [0, 0, 1])['Found'])"
    told = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path)
    assert float(told) == 2 / 3


def test_kinds_of_figures_and_analyses(example, tmp_path):
    project = copy_project(tmp_path / "project", with_library=True)
    for name in ("plot_cluster_sizes.py", "analyse_extremes.py"):
        shutil.copy(KINDS / name, project / "scripts")
    kinds = project / "src/reproduction/study/kinds.py"
    text = kinds.read_text()
    for after, block in (
        ('    "convergence": Kind("figures", "runs"),\n', "in KINDS, a figure"),
        ('    "protocol": Kind("analyses"),\n', "in KINDS, an analysis"),
    ):
        assert text.count(after) == 1
        text = text.replace(after, after + BLOCKS[block])
    kinds.write_text(text)
    folder = Path(shutil.copytree(example, tmp_path / "own-paper"))
    own = (folder / "study.py").read_text().replace("import cross", "import alone, cross")
    more = BLOCKS["in a study"] + "\n\n" + BLOCKS["in a study, an analysis"]
    (folder / "study.py").write_text(own + "\n\n" + more)
    # Another target joins runs in other jobs, which need not start.
    words = "own-paper_sizes", "own-paper_extremes", "--rerun-triggers", "mtime", "--configfile"
    library = str(project / "src")
    snakemake(folder, *words, folder / "config.yaml", project=project, PYTHONPATH=library)
    assert (folder / "figures/own-paper/sizes.pdf").stat().st_size > 1000
    lines = pd.read_csv(folder / "results/tables/own-paper/extremes.csv")
    assert len(lines) == 6 and (lines["fastest"] <= lines["slowest"]).all()


def test_an_audit_of_a_function(tmp_path, monkeypatch, short_audits):
    monkeypatch.chdir(tmp_path)
    exec(BLOCKS["an audit of a function"], {})
    assert (tmp_path / "audit/audit.html").stat().st_size > 1000
