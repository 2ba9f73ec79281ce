"""The claims and differences of the catalogue, and mistakes in them."""

import ast
import re
from collections import defaultdict

import pytest
import yaml

from coassoc import ConfigError
from plans import CONFIG, mistakes
from reproduction.claims import checks
from reproduction.study.judgements import CHECKS, load_claims, load_yardsticks
from reproduction.study.plan import scorecard_of
from snakemake_runs import ROOT


@pytest.fixture(scope="module")
def claims(as_published):
    return load_claims(CONFIG, as_published)


def test_claims_of_the_five_papers_name_what_exists(as_published, claims):
    printed = {number["paper"] for number in as_published.catalogues.published}
    five = {x for x in printed if scorecard_of(as_published.studies[x]) == "scorecard"}
    assert {claim.paper for claim in claims.values()} == five


def test_the_readme_counts_the_claims(claims):
    (number,) = re.findall(r"(\d+)\s+claims", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert int(number) == len(claims) >= 40


def test_beside_what_is_judged_one_at_a_time_stands_the_count_against_the_best(claims):
    """docs/yardsticks.md: otherwise nobody sees how much hangs on how a sentence is read."""
    one_at_a_time = {
        name: claim
        for name, claim in claims.items()
        if claim.above and claim.above.each and claim.above.over == "others"
    }
    assert one_at_a_time.keys() >= {"eccms-best-on-large", "hclce-mostly-best"}
    for name, claim in one_at_a_time.items():
        against_the_best = claim.above.model_copy(update={"each": False})
        assert against_the_best in [other.above for other in claim.also or []], name


def test_every_kind_of_check_is_known_everywhere():
    assert all(callable(getattr(checks, name)) for name in CHECKS)


def test_tests_that_stand_for_claims_exist(claims):
    named = [claim.tested_by for claim in claims.values() if claim.tested_by]
    assert named
    for path, function in (test.split("::") for test in named):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


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


IN_A_CLAIM = """
{above: {<<: *right, in: [p]}} | above.in names 'p'
{above: {<<: *right, rows: [LWEB]}} | did you mean 'LWEA'
{above: {<<: *right, metrics: [AIR]}} | 'AIR'
{above: {<<: *right, datasets: [X]}} | 'X'
{above: {<<: *right, datasets: [Wine]}} | 'Wine'
{peak: {in: [eccms_table4], rows: [LWEA], at: [0.8]}} | peak.in names 'eccms_table4'
{gain: {in: [eccms_table6], row: EC-CMS on CA, over: [EAC], mean: ratios, by: {AIR: 0.3}}}
    | gain.metrics names 'AIR'
{cannot: why, tested_by: x}
    | a must have exactly one of the keys above, .*, fails, and has cannot and tested_by
{needs: all} | significant, gain, small, .*, stable, cannot, tested_by, fails, and has none
{above: *right, also: [{what: x, above: {<<: *right, over: [EAC]}}]}
    | a.also, 1.above on eccms_table4 names 'EAC'
{rising: {in: [eccms_figure5], rows: [LWEA]}} | lacks the key 'needs'
"""
#: What its lines refer to.
RIGHT = "- &right {in: [eccms_table4], rows: [LWEA], over: others}"


@pytest.mark.parametrize(("keys", "message"), mistakes(IN_A_CLAIM))
def test_a_mistake_in_a_claim_is_one_sentence(as_published, tmp_path, keys, message):
    needs = {} if "rising" in keys else {"needs": "all"}
    claim = {"paper": "eccms", "place": "here", "claim": "x", **needs}
    claim |= yaml.safe_load(f"{RIGHT}\n- {keys}")[-1]
    (tmp_path / "claims.yaml").write_text(yaml.safe_dump({"a": claim}))
    with pytest.raises(ConfigError, match=rf"claims\.yaml: .*{message}"):
        load_claims(tmp_path, as_published)


def test_yardsticks_know_the_papers_with_a_method_and_tables_that_they_print(as_published, claims):
    known = load_yardsticks(CONFIG, as_published.studies)
    assert known.keys() == {claim.paper for claim in claims.values()} | {"gtlec"}
    numbers = as_published.catalogues.published
    printed = {(number["paper"], number["table"]) for number in numbers}
    assert {(paper, table) for paper, entry in known.items() for table in entry.tables} <= printed


REST = "stated: true, tables: [t], single: [], tuned: true"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("eccms: {repeats: 20, stated: true, tables: [t]}", "eccms lacks .*single"),
        (f"eccms: {{repeats: 1, {REST}}}", "eccms.repeats"),
        (f"other: {{repeats: 20, {REST}}}", "other"),
    ],
)
def test_a_mistake_in_a_yardstick_is_one_sentence(as_published, tmp_path, entry, message):
    (tmp_path / "yardsticks.yaml").write_text(entry)
    with pytest.raises(ConfigError, match=rf"yardsticks\.yaml: .*{message}"):
        load_yardsticks(tmp_path, as_published.studies)
