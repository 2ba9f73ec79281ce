"""Mistakes in data sets and studies of a user, told before anything runs."""

import shutil
from functools import partial
from pathlib import Path

import pytest

from coassoc.bench.storage.configuration import load_yaml
from coassoc.errors import CoassocError
from plans import CONFIG, settings
from reproduction import PROJECT
from reproduction.findings.inputs import Findings
from reproduction.study.plan import Plan

STUDY = '''"""Mine

mine
"""

from reproduction.study.words import cross, methods, target


@target("table", metrics=["ARI"], across=["dataset"])
def t():
    """A table

    A table.
    """
    return cross(methods("EAC-AL"), ["D"], pool="kmeans-c-unit", m=20)
'''
TABLE = "a,b,kind\n1.5,2.5,x\n2.5,3.5,y\n"


def planned(entry: str, study: str = STUDY, **more: list[str]) -> None:
    Path("table.csv").write_text(TABLE)
    Path("semicolons.csv").write_text(TABLE.replace(",", ";").replace(".", ","))
    Path("mine.py").write_text(study)
    Path("own.yaml").write_text(entry)
    own = {"datasets": ["own.yaml"], "studies": ["mine.py"], "targets": ["mine_t"], "edits": None}
    Plan({**settings(), **own, **more}).write()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("D: {file: table.csv, arguments: {label: Kind}}", "column 'Kind' not found. Did you mean"),
        ("D: {file: Table.csv, arguments: {label: kind}}", "Table.csv is neither in the working"),
        (
            "D: {file: semicolons.csv, arguments: {label: kind}}",
            "the first line does not name",
        ),
        (
            "D: {file: table.csv, arguments: {lable: kind}}",
            "D: arguments has the unknown key 'lable'",
        ),
        ("E: {url: 'https://a.org/t.csv', arguments: {join: 1}}", "E: arguments.join is 1. Choose"),
        ("no: {file: table.csv}", "YAML reads yes, no, on and off as Booleans"),
        ("D: {file: table.csv, n: 1e1}", r"n is '1e1'. .* write 1.0e\+3"),
    ],
)
def test_a_mistake_in_a_data_set_is_told_at_the_start(entry, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    planned("D: {file: table.csv, arguments: {label: kind}}")
    with pytest.raises(CoassocError, match=said):
        planned(entry)


def test_a_study_that_ends_the_program_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CoassocError, match=r"mine.py: this study cannot be imported: SystemExit"):
        planned("D: {file: table.csv, arguments: {label: kind}}", "import sys\nsys.exit(0)\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('across=["dataset"]', 'across=["method"]'), "'method' is both down .* and across"),
        (
            ('"table"', '"order", relative_to="LWEA"'),
            "'LWEA', with which .* on D",
        ),
        (('methods("EAC-AL")', '[row("x", reference="best")]'), "x has no rep.*'ensemble-best'"),
        (("return cross", "cross"), "mine/t: the function returns NoneType instead of cells. End"),
        (('["D"]', "[1 / 0]"), "mine/t: the function raises ZeroDivisionError"),
    ],
)
def test_a_mistake_in_the_rows_of_a_study_is_told_at_the_start(change, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = STUDY.replace("methods, target", "methods, row, target")
    if "row(" in change[1]:
        study = study.replace('"table"', '"comparison"')
    with pytest.raises(CoassocError, match=said):
        planned("D: {file: table.csv, arguments: {label: kind}}", study.replace(*change))


def test_a_data_set_that_edits_would_remove_is_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    edits = [{"of": {"target": "mine_t"}, "keep": {"dataset": "D"}}]
    study = STUDY.replace('["D"]', '["D", "Vine"]')
    with pytest.raises(CoassocError, match=r"mine/t: unknown dataset 'Vine'\. Did you"):
        planned("D: {file: table.csv, arguments: {label: kind}}", study, edits=edits)


def test_a_claim_about_an_unknown_table_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(PROJECT / "examples/own-paper", "renamed")
    plan = Plan({"papers": ["renamed"]})
    plan.write()
    said = "claims_renamed: unknown table 'own-paper_table1'. Did you mean"
    with pytest.raises(CoassocError, match=said):
        Findings(plan).check_claims()


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("mirror", "no/such", "config: mirror: folder no/such not found. Check"),
        ("prefix", "../up", "config: prefix is '../up'. Choose a folder below the working"),
        ("prefix", "/tmp/up", "config: prefix is '/tmp/up'. Choose a folder below"),
        ("targets", ["mine/tt"], "config: targets: unknown target 'mine/tt'. Did you mean"),
        ("targets", ["zzzz"], "Choose from acmk, arena, .* and [0-9]+ more"),
        ("targets", ["mine/t"], ""),
    ],
)
def test_mistakes_in_keys_are_told_at_the_start(key, value, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = partial(planned, "D: {file: table.csv, arguments: {label: kind}}", **{key: value})
    if not said:
        return plan()
    with pytest.raises(CoassocError, match=said):
        plan()


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("clusterer: KMedoids", "clusterer is 'KMedoids'. Choose from"),
        ("parameters: {inti: random}", "clusterer 'KMeans': unknown parameter 'inti'. Did you"),
    ],
)
def test_a_mistake_in_a_clusterer_is_told_at_the_start(keys, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = f"{{kind: generated, {keys}, size: 9, draws: {{sizes: [9], repeats: 1}}}}"
    Path("pools.yaml").write_text(f"Own: {entry}")
    with pytest.raises(CoassocError, match=rf"^pools: Own\.{said}"):
        planned("D: {file: table.csv, arguments: {label: kind}}", pools=["pools.yaml"])


NUMBERS = "table,dataset,method,metric,mean,std\nt,D,EAC-AL,ARI,0.5,0.1\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"published.csv": NUMBERS.replace("0.5", "0,5")}, "published.csv: 0 has the unknown key"),
        ({"published.csv": NUMBERS.replace("0.5", "half")}, "published.csv: 0.mean is 'half'"),
        ({"published.csv": NUMBERS.replace("metric", "score")}, "unknown key 'score'"),
        ({"study.py": None}, "the numbers are those of 'mypaper', but none of your studies"),
        (
            dict.fromkeys(["study.py", "published.csv", "datasets.yaml"]),
            "does not exist or has none of the files",
        ),
        ({"differences.yaml": "- {paper: mypaper}"}, "differences.yaml: 0 lacks the key"),
    ],
)
def test_the_folder_of_a_paper(change, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"study.py": STUDY, "published.csv": NUMBERS, "table.csv": TABLE}
    files["datasets.yaml"] = "D: {file: table.csv, arguments: {label: kind}}"
    Path("papers/mypaper").mkdir(parents=True)
    for name, text in (files | change).items():
        if text is not None:
            Path("papers/mypaper", name).write_text(text)
    config = load_yaml(CONFIG / "config.yaml") | {"papers": ["papers/mypaper"]}

    def files_of() -> list[str]:
        plan = Plan(config)
        plan.write()
        findings = Findings(plan)
        return [*findings.wanted_files(), *map(str, findings.differences[:0])]

    if said:
        with pytest.raises(CoassocError, match=said):
            files_of()
    else:
        pages = [f"results/tables/mypaper/t.{end}" for end in ("csv", "md", "html")]
        assert files_of() == [*pages, "results/scorecard_mypaper.csv"]
