"""What scorecards and claims are made from: tables, printed numbers, and reasons for gaps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coassoc.plan.artefacts import Artefact
from coassoc.plan.experiments import Experiments
from coassoc.plan.judgements import artefacts_of, load_claims, load_differences
from coassoc.plan.papers import Paper

__all__ = ["Judged"]

#: Ending of the names of scorecards and claims that take the tables that exist already.
_SO_FAR = "_so_far"


class Judged:
    """Scorecards and claims under a configuration, by the files in its folder.

    Attributes
    ----------
    claims : dict
        What the claims of the papers are judged by: "claims" by their names, "datasets" of each
        paper, "titles" of the papers, and "differences" of printed numbers.
    scorecards : list of str
        Names of the scorecards, each of some of the papers, whole and so far.

    Raises
    ------
    ConfigError
        If a claim or a difference names what does not exist.
    """

    def __init__(self, experiments: Experiments, folder: Path) -> None:
        self._plan = experiments
        self._papers = papers = experiments.catalogues.papers
        self._titles = {name: paper.title for name, paper in papers.items()}
        self._differences = load_differences(folder, papers, experiments.catalogues.published)
        self.claims: Mapping[str, Any] = {
            "claims": load_claims(folder, papers),
            "datasets": {
                name: sorted({each for names in paper.datasets.values() for each in names})
                for name, paper in papers.items()
            },
            "titles": self._titles,
            "differences": self._differences,
        }
        cards = dict.fromkeys(paper.scorecard for paper in papers.values())
        self.scorecards = [f"{card}{end}" for card in cards for end in ("", _SO_FAR)]

    def tables(self, card: str) -> list[str]:
        """Tables of a scorecard, as CSV: all of the configuration, or those there are already."""
        papers = self._papers_on(card)
        tables = [each for each in self._plan.wanted if each.is_table]
        return _there([each.numbers for each in tables if each.paper.name in papers], card)

    def scorecard(self, card: str) -> dict[str, Any]:
        """What a scorecard is made from besides its tables.

        Returns
        -------
        dict
            published: its numbers with the reason ``why`` each is not made, empty if it is, and the
            method ``same_as`` that has the number where a paper prints it first; names: those of
            tables in published.csv by "paper/table", where they are other ones; titles and own
            rows of all papers; differences.
        """
        papers = self._papers_on(card)
        same = {name: paper.same_numbers for name, paper in papers.items()}
        wanted = {
            (each.paper.name, each.name_in_published): each
            for each in self._plan.wanted
            if each.is_table
        }
        return {
            "published": [
                {
                    **number,
                    "same_as": same[number["paper"]].get(number["method"], number["method"]),
                    "why": self._why_missing(
                        number, wanted.get((number["paper"], number["table"]))
                    ),
                }
                for number in self._plan.catalogues.published
                if number["paper"] in papers
            ],
            "names": {
                each.path: each.name_in_published
                for each in self._plan.artefacts.values()
                if each.name_in_published != each.name
            },
            "titles": self._titles,
            "own": {
                name: [paper.label(row) for row in paper.own]
                for name, paper in self._papers.items()
            },
            "differences": self._differences,
        }

    def numbers(self, claims: str) -> list[str]:
        """What claims are judged by, as CSV: all that the configuration has, or what is there."""
        artefacts = self._plan.artefacts
        named = artefacts_of(self.claims["claims"])
        return _there([artefacts[name].numbers for name in named if name in artefacts], claims)

    def _papers_on(self, card: str) -> dict[str, Paper]:
        whole = card.removesuffix(_SO_FAR)
        return {name: paper for name, paper in self._papers.items() if paper.scorecard == whole}

    def _why_missing(self, number: Mapping[str, str], table: Artefact | None) -> str:
        """Why a published number is not made; `table` is that to which it belongs, if there is."""
        if table is None:
            if self._plan.config.get("targets"):
                return "the configuration does not name the table"
            return "config/papers does not have the table"
        if number["method"] not in {table.paper.label(row) for row in table.rows}:
            return "method not available"
        if number["method"] not in {cell.label for cell in table.cells}:
            return "the configuration leaves the method out"
        if number["dataset"] == "mean":
            others = bool(self._plan.choices.instead(table, "datasets"))
        else:
            others = number["dataset"] not in {cell.dataset for cell in table.cells}
        return "the configuration takes other data sets" if others else ""


def _there(paths: list[str], name: str) -> list[str]:
    """The files, or those of them that exist where only these are taken."""
    return [path for path in paths if Path(path).exists()] if name.endswith(_SO_FAR) else paths
