"""Inputs of scorecards and claims: tables, printed numbers, and reasons for gaps."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coassoc.storage.configuration import Model
from reproduction.plan.judgements import (
    judged_targets,
    load_claims,
    load_differences,
    load_yardsticks,
)
from reproduction.plan.planning import Plan
from reproduction.plan.studies import Target


class Judged:
    """Scorecards and claims under a configuration, by the files in its folder."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._studies = studies = plan.catalogues.studies
        claims = load_claims(folder, studies)
        #: What the claims are judged by.
        self.claims: Mapping[str, Any] = {
            "claims": {name: _plain(claim) for name, claim in claims.items()},
            "numbers": [
                plan.targets[name].numbers
                for name in judged_targets(claims)
                if name in plan.targets
            ],
            "datasets": {
                name: sorted({dataset for names in study.datasets.values() for dataset in names})
                for name, study in studies.items()
            },
            "titles": {name: study.title for name, study in studies.items()},
            "differences": [
                _plain(entry)
                for entry in load_differences(folder, studies, plan.catalogues.published)
            ],
        }
        self._yardsticks = {
            name: _plain(known) for name, known in load_yardsticks(folder, studies).items()
        }
        #: Names of the scorecards, each of some of the studies.
        self.cards = list(dict.fromkeys(study.scorecard for study in studies.values()))

    def scorecard(self, card: str) -> dict[str, Any]:
        """What a scorecard is made from besides its tables, for :mod:`reproduction.scorecard`.

        Published numbers have the reason ``why`` each is not made, empty if it is, the method
        ``same_as`` that has the number where a paper prints it first, and whether its setting was
        ``fitted`` to print by a protocol. Names are those of tables in published.csv by
        "study/table", where they are other ones.
        """
        studies, tables = self._studies, self._tables(card)
        return {
            "tables": [table.numbers for table in tables.values()],
            "published": [
                {
                    **number,
                    "same_as": studies[paper].same_numbers.get(number["method"], number["method"]),
                    "fitted": number["method"] in studies[paper].fitted,
                    "why": self._why_missing(number, tables.get((paper, number["table"]))),
                }
                for number in self._plan.catalogues.published
                if (paper := number["paper"]) in studies and self._is_on(card, paper)
            ],
            "names": {
                target.path: target.name_in_published
                for target in self._plan.targets.values()
                if target.name_in_published != target.key
            },
            "titles": self.claims["titles"],
            "own": {name: list(map(study.label, study.own)) for name, study in studies.items()},
            "differences": self.claims["differences"],
            "yardsticks": {
                name: known for name, known in self._yardsticks.items() if self._is_on(card, name)
            },
        }

    def _is_on(self, card: str, study: str) -> bool:
        return self._studies[study].scorecard == card

    def _tables(self, card: str) -> dict[tuple[str, str], Target]:
        """The tables on a scorecard that are made, by their studies and names in published.csv."""
        return {
            (target.study.name, target.name_in_published): target
            for target in self._plan.wanted
            if target.section == "tables" and self._is_on(card, target.study.name)
        }

    def _why_missing(self, number: Mapping[str, str], table: Target | None) -> str:
        """Why a published number is not made; `table` is that to which it belongs, if there is."""
        if table is None:
            if self._plan.config.targets:
                return "the configuration does not name the table"
            return "config/studies does not have the table"
        if number["method"] not in map(table.study.label, table.rows):
            return "method not available"
        if number["method"] not in {cell.label for cell in table.cells}:
            return "the configuration leaves the method out"
        if number["dataset"] == "mean":
            others = bool(self._plan.choices.instead(table, "datasets"))
        else:
            others = number["dataset"] not in {cell.dataset for cell in table.cells}
        return "the configuration takes other data sets" if others else ""


def _plain(entry: Model) -> dict[str, Any]:
    """The keys of an entry as its file has them."""
    return entry.model_dump(mode="json", by_alias=True, exclude_unset=True)
