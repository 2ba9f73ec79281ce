"""What is known of papers, and mistakes in it."""

from collections import defaultdict

import pytest

from coassoc import ConfigError
from plans import CONFIG
from reproduction.claims.papers import CLAIMS
from reproduction.study.judgements import load_yardsticks


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
    known = load_yardsticks(CONFIG, as_published.studies)
    assert known.keys() == {claim.paper for claim in CLAIMS.values()} | {"gtlec"}
    numbers = as_published.catalogues.published
    printed = {(number["paper"], number["table"]) for number in numbers}
    assert {(paper, table) for paper, entry in known.items() for table in entry.tables} <= printed


REST = "stated: true, tables: [t], single: []"


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
