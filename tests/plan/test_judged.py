"""What scorecards and claims are made from."""

import pytest

from plans import CONFIG
from reproduction.plan.judged import Judged


@pytest.fixture
def judged(by_default) -> Judged:
    return Judged(by_default, CONFIG)


def test_a_scorecard_has_the_tables_of_its_papers(judged):
    five, leaders = {"eccms", "lta", "rce", "acmk", "hclce"}, {"gtlec", "survey"}
    papers = {
        card: {number["paper"] for number in judged.scorecard(card)["published"]}
        for card in judged.cards
    }
    whole = {"scorecard": five, "scorecard_leaders": leaders}
    assert papers == whole
    for card, names in papers.items():
        assert {path.split("/")[2] for path in judged.scorecard(card)["tables"]} <= names


def test_rows_are_fitted_of_which_print_chose_a_parameter_or_a_reading(judged):
    numbers = judged.scorecard("scorecard")["published"]
    fitted = {(number["paper"], number["method"]) for number in numbers if number["fitted"]}
    assert {("rce", "GWCA"), ("lta", "DREC"), ("acmk", "ACMK-SC k=1")} <= fitted
    # Also where the default was chosen, and of rows that stand for the same numbers.
    assert {("lta", "LWSC"), ("acmk", "ACMK-KM k=1"), ("acmk", "ACMK-KM k=3")} <= fitted
    # And of which the text was read by print.
    assert {("hclce", "HCLCE"), ("hclce", "M3")} <= fitted
    assert not {("lta", "SPCE"), ("acmk", "LWEA"), ("rce", "K-means")} & fitted


def test_every_published_cell_is_made_or_has_a_reason(judged, catalogues, as_published):
    whole = Judged(as_published, CONFIG)
    rows = whole.scorecard("scorecard")["published"]
    later = whole.scorecard("scorecard_leaders")["published"]
    assert len(rows) == 2054
    assert len(rows) + len(later) == len(catalogues.published)
    for row in rows + later:  # methods that this project does not have
        paper = catalogues.studies[row["paper"]]
        assert not row["why"] or row["method"] not in map(paper.label, paper.rows)
    reasons = {row["why"] for row in judged.scorecard("scorecard")["published"]}
    assert "" not in reasons  # the default has other data sets than the papers
    assert "the configuration takes other data sets" in reasons
