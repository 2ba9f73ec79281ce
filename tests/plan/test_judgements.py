"""The claims and differences of the catalogue, and mistakes in them."""

import ast
import re

import pytest

from coassoc import ConfigError
from coassoc.plan.judgements import CHECKS, load_claims
from coassoc.plan.kinds import located
from plans import CONFIG
from snakemake_runs import ROOT


def test_claims_of_the_five_papers_name_what_exists(catalogues):
    claims = load_claims(CONFIG, catalogues.studies)
    assert len(claims) >= 40
    printed = {number["paper"] for number in catalogues.published}
    five = {name for name in printed if catalogues.studies[name].scorecard == "scorecard"}
    assert {claim["paper"] for claim in claims.values()} == five


def test_the_readme_counts_the_claims(catalogues):
    (number,) = re.findall(r"(\d+)\s+claims", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert int(number) == len(load_claims(CONFIG, catalogues.studies))


def test_every_kind_of_check_is_known_everywhere():
    assert all(callable(located(check.decide)) for check in CHECKS.values())


def test_tests_that_stand_for_claims_exist(catalogues):
    named = [
        claim["tested_by"].split("::")
        for claim in load_claims(CONFIG, catalogues.studies).values()
        if "tested_by" in claim
    ]
    assert named
    for path, function in named:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_rows_that_repeat_printed_numbers_repeat_some(catalogues):
    numbers = {
        (number["paper"], number["method"], number["dataset"], number["metric"], number["mean"])
        for number in catalogues.published
    }
    same = [
        (name, *pair)
        for name, paper in catalogues.studies.items()
        for pair in paper.same_numbers.items()
    ]
    assert len(same) == 4
    for paper, label, other in same:
        again = {number[2:] for number in numbers if number[:2] == (paper, label)}
        first = {number[2:] for number in numbers if number[:2] == (paper, other)}
        assert len(again & first) >= 8


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("above: {in: [p], rows: [EC-CMS], over: others}", "above.in names 'p'"),
        ("above: {in: [eccms_table4], rows: [EC-CM], over: others}", "did you mean 'EC-CMS'"),
        ("above: {in: [eccms_table4], rows: [EC-CMS], over: others, metrics: [AIR]}", "'AIR'"),
        ("above: {in: [eccms_table4], rows: [EC-CMS], over: others, datasets: [X]}", "'X'"),
        ("above: {in: [eccms_table4], rows: [EC-CMS], over: others, datasets: [Wine]}", "'Wine'"),
        ("peak: {in: [eccms_table4], rows: [EC-CMS], at: [0.8]}", "peak.in names 'eccms_table4'"),
        (
            "gain: {in: [eccms_table6], row: EC-CMS-CA, over: EAC, mean: ratios, by: {AIR: 0.3}}",
            "gain.metrics names 'AIR'",
        ),
        (
            "cannot: why\n  tested_by: x",
            "a must have exactly one of the keys above, significant, gain, small, peak, "
            "curve_above, rising, stable, cannot, tested_by, and has cannot and tested_by",
        ),
        ("needs: all", "cannot, tested_by, and has none"),
        (
            "above: {in: [eccms_table4], rows: [EC-CMS], over: others}\n"
            "  also: {what: x, above: {in: [eccms_table4], rows: [EC-CMS], over: [EAC]}}",
            "a.also.above on eccms_table4 names 'EAC'",
        ),
        ("rising: {in: [eccms_figure5], rows: [EC-CMS]}", "lacks the key 'needs'"),
    ],
)
def test_a_mistake_in_a_claim_gets_one_sentence(catalogues, tmp_path, line, message):
    needs = "" if "needs" in line or "rising" in line else "  needs: all\n"
    text = f"a:\n  paper: eccms\n  place: here\n  claim: x\n{needs}  {line}\n"
    (tmp_path / "claims.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"claims\.yaml") as error:
        load_claims(tmp_path, catalogues.studies)
    assert message in str(error.value)
