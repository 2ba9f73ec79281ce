"""The claims of the five papers and what is known of their numbers, and mistakes in them."""

import ast
import re
from collections import defaultdict
from dataclasses import replace

from plans import CLAIMS
from reproduction.findings.claims.catalogue import judged_targets
from reproduction.findings.claims.judging import kind_of_verdict
from reproduction.findings.inputs import Findings
from reproduction.study.paths import name_of
from reproduction.study.studies import scorecard_of
from snakemake_runs import ROOT

#: Rows and metrics of these figures that the cells lack.
DRAWN = {
    "reliability": {"share", "precision", "recall"},
    "matrices": {"coherent-link", "strong", "recall of strong", "precision of strong", "between"},
}


def test_claims_of_the_five_papers_name_what_exists(as_published):
    plan, paths = as_published, {name_of(path): path for path in as_published.targets}
    for claim in CLAIMS.values():
        for check in claim.checks.values():
            targets = [paths[name] for name in check.targets]
            assert all(path.split("/")[0] == claim.paper for path in targets)
            known = {"AUC"} | {name for path in targets for name in plan.columns(path)}
            known |= {x for path in targets for x in DRAWN.get(plan.targets[path].kind, ())}
            for cell in (cell for path in targets for cell in plan.unedited[path]):
                known |= {cell[column] for column in ("label", "dataset", "variant")}
            options = [check.options.get(key, ()) for key in ("rows", "over", "but", "by")]
            lists = [x for x in options if isinstance(x, (list, tuple, dict))]
            named = {name for names in [*lists, *check.only.values()] for name in names}
            assert named <= known, claim.name
    printed = {number["paper"] for number in as_published.catalogues.published}
    five = {x for x in printed if scorecard_of(as_published.studies[x]) == "scorecard"}
    assert {claim.paper for claim in CLAIMS.values()} == five


def test_the_readme_counts_the_claims():
    (number,) = re.findall(r"(\d+)\s+claims", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert int(number) == len(CLAIMS) >= 40


def test_beside_what_is_judged_one_at_a_time_stands_the_count_against_the_best():
    """Otherwise nobody sees how much hangs on how a sentence is read."""
    one_at_a_time = {
        name: claim
        for name, claim in CLAIMS.items()
        if (check := claim.checks.get(""))
        and check.kind == "above"
        and check.options.get("each")
        and check.options["over"] == "others"
    }
    assert one_at_a_time.keys() >= {"eccms-best-on-large", "hclce-mostly-best"}
    for name, claim in one_at_a_time.items():
        check = claim.checks[""]
        further = [replace(x, options={"each": False, **x.options}) for x in claim.also.values()]
        assert replace(check, options=check.options | {"each": False}) in further, name


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


def test_rows_that_repeat_printed_numbers_repeat_some(as_published):
    printed = defaultdict(set)
    for number in as_published.catalogues.published:
        cell = number["dataset"], number["metric"], number["mean"]
        printed[number["paper"], number["method"]].add(cell)
    same = [
        (printed[name, label], printed[name, other])
        for name, paper in as_published.studies.items()
        for label, other in getattr(paper, "SAME_AS", {}).items()
    ]
    assert len(same) == 4 and all(len(again & first) >= 8 for again, first in same)


def test_yardsticks_know_the_papers_with_a_method_and_tables_that_they_print(as_published):
    studies = as_published.studies.items()
    known = {name: study.YARDSTICK for name, study in studies if hasattr(study, "YARDSTICK")}
    assert known.keys() == {claim.paper for claim in CLAIMS.values()}
    numbers = as_published.catalogues.published
    printed = {(number["paper"], number["table"]) for number in numbers}
    tables = {(paper, table) for paper, entry in known.items() for table in entry["tables"]}
    assert tables <= printed


def test_differences_name_what_the_papers_print(as_published):
    printed = defaultdict(set)
    for number in as_published.catalogues.published:
        for key in ("table", "dataset", "method", "metric"):
            printed[number["paper"], f"{key}s"].add(number[key])
    for entry in Findings(as_published).differences:
        for key in ("tables", "datasets", "methods", "metrics"):
            assert {*entry.get(key, [])} <= printed[entry["paper"], key], entry
