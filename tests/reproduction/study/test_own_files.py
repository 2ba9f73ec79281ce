"""Mistakes in data sets and studies of a user, told before anything runs."""

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from coassoc.bench.storage.configuration import load_yaml
from coassoc.errors import CoassocError
from plans import CONFIG, settings
from refusals import cases, refused, refuses
from reproduction import PROJECT
from reproduction.findings.inputs import Findings
from reproduction.study.plan import Plan

STUDY = '''"""Mine

mine
"""

from reproduction.study.words import cross, methods, row, target


@target("table", metrics=["ARI"], across=["dataset"])
def t():
    """A table

    A table.
    """
    return cross(methods("EAC-AL"), ["D"], pool="kmeans-c-unit", m=20)
'''
TABLE = "a,b,kind\n1.5,2.5,x\n2.5,3.5,y\n"


D = "D: {file: table.csv, arguments: {label: kind}}"
#: Replacements in the study, other keys of the configuration, or another entry of the data set.
EDITS = [{"of": {"target": "mine_t"}, "keep": {"dataset": "D"}}]
OF_BEST = {'methods("EAC-AL")': '[row("x", reference="best")]', '"table"': '"comparison"'}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def planned(study: dict[str, str] | None = None, entry: str = D, **more: Any) -> None:
    Path("table.csv").write_text(TABLE)
    Path("semicolons.csv").write_text(TABLE.replace(",", ";").replace(".", ","))
    text = STUDY
    for old, edited in (study or {}).items():
        text = text.replace(old, edited)
    Path("mine.py").write_text(text)
    Path("own.yaml").write_text(entry)
    own = {"datasets": ["own.yaml"], "studies": ["mine.py"], "targets": ["mine_t"], "edits": None}
    Plan({**settings(), **own, **more}).write()


def test_a_data_set_and_a_study_of_a_user_are_planned():
    planned()
    planned(targets=["mine/t"])


@refused(
    CoassocError,
    ({"entry": D.replace("kind", "Kind")}, "column 'Kind' not found. Did you mean"),
    ({"entry": D.replace("table", "Table")}, "Table.csv is neither in the working"),
    ({"entry": D.replace("table", "semicolons")}, "the first line does not name"),
    ({"entry": "no: {file: table.csv}"}, "YAML reads yes, no, on and off as Booleans"),
    ({"entry": "D: {file: table.csv, n: 1e1}"}, r"n is '1e1'. .* write 1.0e\+3"),
    ({"study": {STUDY: "import sys\nsys.exit(0)\n"}}, "mine.py: .* imported: SystemExit"),
    ({"study": {'["dataset"]': '["method"]'}}, "'method' is both down .* and across"),
    ({"study": {'"table"': '"order", relative_to="LWEA"'}}, "'LWEA', with which .* on D"),
    ({"study": OF_BEST}, "x has no rep.*'ensemble-best'"),
    ({"study": {"return cross": "cross"}}, "mine/t: the function returns NoneType .* cells. End"),
    ({"study": {'["D"]': "[1 / 0]"}}, "mine/t: the function raises ZeroDivisionError"),
    # Which the edits would remove.
    ({"study": {'["D"]': '["D", "Vine"]'}, "edits": EDITS}, r"unknown dataset 'Vine'\. Did you"),
    ({"mirror": "no/such"}, "config: mirror: folder no/such not found. Check"),
    ({"prefix": "../up"}, "config: prefix is '../up'. Choose a folder below the working"),
    ({"targets": ["mine/tt"]}, "config: targets: unknown target 'mine/tt'. Did you mean"),
    ({"targets": ["zzzz"]}, "Choose from acmk, arena, .* and [0-9]+ more"),
)
def test_a_mistake_is_told_before_anything_runs(given):
    planned(**given)


CLAIMS = {
    ("table1", "tabel1"): r"unknown table 'mine_tabel1'\. Did you mean 'mine_table1'",
    ("over: [EAC-AL", "over: [EAC-LA"): r"unknown row 'EAC-LA'\. Did you mean 'EAC-AL'",
    ("over:", "ovr:"): "beats-both: above: missing a required argument: 'over'",
    ("above:", "abov:"): "beats-both: unknown check",
    ("[table1]", "table1"): "beats-both: above is 'table1'. Write a list",
    ("[MajorityVote (tuned)]", "LWEA"): "beats-both: rows is 'LWEA'. Write a list",
    ("check:", "chek:"): "beats-both has the unknown key 'chek'",
    ("check:", "verdict: it holds\n  check:"): "beats-both has a check and a verdict",
}


def test_a_mistake_in_a_claim_is_told(monkeypatch):
    monkeypatch.delitem(sys.modules, "majority_vote", raising=False)  # of another folder
    shutil.copytree(PROJECT / "examples/own-paper", "mine")
    file, plan = Path("mine/claims.yaml"), Plan({"papers": ["mine"]})
    plan.write()
    text = file.read_text()
    for change, said in CLAIMS.items():
        file.write_text(text.replace(*change))
        refuses(CoassocError, f"^mine/claims.yaml: .*{said}", Findings(plan).check_claims)


def test_claims_of_a_user_are_judged_by_tables(monkeypatch):
    monkeypatch.delitem(sys.modules, "majority_vote", raising=False)  # of another folder
    plan = Plan({"papers": [str(PROJECT / "examples/own-paper")]})
    plan.write()
    findings = Findings(plan)
    findings.check_claims()
    claims = [path for path in findings.wanted_files() if "claims" in path]
    assert claims == ["results/claims_own-paper.csv"] and findings.judged_protocols() == []
    assert findings.judged("scorecard_own-paper") == ["results/tables/own-paper/table1.csv"]


NUMBERS = "table,dataset,method,metric,mean,std\nt,D,EAC-AL,ARI,0.5,0.1\n"


@cases(
    "change, said",
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
)
def test_the_folder_of_a_paper(change, said):
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
        assert not [path for path in findings.wanted_files() if "claims" in path]
        return [*findings.wanted_files(), *map(str, findings.differences[:0])]

    if said:
        refuses(CoassocError, said, files_of)
    else:
        pages = [f"results/tables/mypaper/t.{end}" for end in ("csv", "md", "html")]
        assert files_of() == [*pages, "results/scorecard_mypaper.csv"]
