"""The claims of the five papers and what is known of their numbers, and mistakes in them."""

import ast
import re

from plans import CLAIMS, CONFIG
from reproduction.findings.claims.catalogue import judged_targets
from reproduction.findings.claims.judging import kind_of_verdict
from reproduction.findings.inputs import Findings
from reproduction.study.paths import name_of
from snakemake_runs import ROOT


def test_claims_of_the_five_papers_name_tables_and_rows_that_exist(as_published, monkeypatch):
    claims = {"claims": [*map(str, CONFIG.glob("claims/*.yaml"))]}
    monkeypatch.setattr(as_published, "config", as_published.config.model_copy(update=claims))
    Findings(as_published).check_claims()


def test_the_readme_counts_the_claims():
    (number,) = re.findall(r"(\d+)\s+claims", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert int(number) == len(CLAIMS) >= 40


def test_verdicts_without_a_check_are_of_a_kind_and_tests_that_stand_for_claims_exist():
    stated = [claim.decided_by for claim in CLAIMS.values() if isinstance(claim.decided_by, str)]
    kinds = {*map(kind_of_verdict, stated)}
    assert kinds == {"cannot be tested", "does not hold", "not compared", "tested"}
    tests = [verdict.removeprefix("tested: ") for verdict in stated if "::" in verdict]
    assert tests
    for path, function in (test.split("::") for test in tests):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_claims_on_times_are_not_compared(as_published):
    of_times = {name_of(x) for x, target in as_published.targets.items() if target.kind == "times"}
    assert "eccms_table9" in of_times and not of_times & {*judged_targets(CLAIMS.values())}
    verdicts = [claim.decided_by for claim in CLAIMS.values() if "Table IX" in claim.place]
    assert verdicts and {*map(kind_of_verdict, verdicts)} == {"not compared"}
    assert all(verdict.startswith("not compared: times depend on") for verdict in verdicts)
