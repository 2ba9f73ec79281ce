"""What scorecards and claims are made from."""

import pytest

from reproduction.plan.judged import Judged
from plans import CONFIG


@pytest.fixture
def judged(tmp_path, monkeypatch, by_default) -> Judged:
    """In a folder in which nothing is made yet."""
    monkeypatch.chdir(tmp_path)
    return Judged(by_default, CONFIG)


@pytest.mark.parametrize(("of", "name"), [("tables", "scorecard"), ("numbers", "claims")])
def test_what_is_judged_so_far_takes_what_exists(judged, tmp_path, of, name):
    files = getattr(judged, of)
    whole = files(name)
    assert len(whole) > 5 and files(f"{name}_so_far") == []
    (tmp_path / whole[2]).parent.mkdir(parents=True)
    (tmp_path / whole[2]).write_text("")
    assert files(f"{name}_so_far") == [whole[2]]


def test_a_scorecard_has_the_tables_of_its_papers(judged):
    five, leaders = {"eccms", "lta", "rce", "acmk", "hclce"}, {"gtlec", "survey"}
    papers = {
        card: {number["paper"] for number in judged.scorecard(card)["published"]}
        for card in judged.scorecards
    }
    whole = {"scorecard": five, "scorecard_leaders": leaders}
    assert papers == whole | {f"{card}_so_far": names for card, names in whole.items()}
    for card, names in papers.items():
        assert {path.split("/")[2] for path in judged.tables(card)} <= names


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
