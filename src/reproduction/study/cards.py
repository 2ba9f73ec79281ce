"""Inputs of scorecards and claims: tables, printed numbers, and reasons for gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any

from coassoc.storage.configuration import Model
from coassoc.storage.records import hash_of
from reproduction.claims.papers import CLAIMS, check_claim, judged_targets
from reproduction.study.differences import load_differences
from reproduction.study.paths import below_prefix
from reproduction.study.plan import Plan, name_of, scorecard_of, title_of


class Cards:
    """Scorecards and claims of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._folder = plan.project / "config"

    @cached_property
    def titles(self) -> dict[str, str]:
        """Titles of the studies."""
        return {name: title_of(study) for name, study in self.plan.studies.items()}

    @cached_property
    def differences(self) -> list[dict[str, Any]]:
        """Why cells differ from print, or cannot be compared."""
        published = self.plan.catalogues.published
        differences = load_differences(self._folder, self.plan.studies, published)
        return [_plain(entry) for entry in differences]

    @cached_property
    def _yardsticks(self) -> dict[str, Any]:
        """What the yardsticks know of each paper with a method of its own."""
        studies = self.plan.studies.items()
        return {name: x.YARDSTICK for name, x in studies if hasattr(x, "YARDSTICK")}

    def scorecard(self, card: str) -> dict[str, Any]:
        """What a scorecard is made from besides its tables, for :mod:`reproduction.scorecard`.

        Published numbers have the reason ``why`` each is not made, empty if it is, the method
        ``same_as`` that has the number where a paper prints it first, and whether its setting was
        ``fitted`` to print by a protocol.
        """
        plan, tables = self.plan, self._tables(card)
        shown = {path: self._shown(path) for path in tables.values()}
        fitted = {name: plan.fitted(name) for name in plan.studies}
        same = {name: getattr(x, "SAME_AS", {}) for name, x in plan.studies.items()}
        return {
            "tables": [plan.numbers_of(path) for path in tables.values()],
            "published": [
                {
                    **number,
                    "same_as": same[paper].get(number["method"], number["method"]),
                    "fitted": number["method"] in fitted[paper],
                    "why": self._why_missing(number, tables.get((paper, number["table"])), shown),
                }
                for number in plan.catalogues.published
                if (paper := number["paper"]) in plan.studies and self._is_on(card, paper)
            ],
            "titles": self.titles,
            "own": {
                name: [x.label for x in getattr(study, "OWN", [])]
                for name, study in plan.studies.items()
            },
            "differences": self.differences,
            "yardsticks": {
                name: settings
                for name, settings in self._yardsticks.items()
                if self._is_on(card, name)
            },
        }

    def _is_on(self, card: str, study: str) -> bool:
        return scorecard_of(self.plan.studies[study]) == card

    def _tables(self, card: str) -> dict[tuple[str, str], str]:
        """The tables of scores on a scorecard that are made, by their studies and names.

        A paper's times are those of another machine, and nobody has to measure any for a scorecard.
        """
        paths = self.plan.paths(wanted=True, section="tables", made_from="scores")
        named = {path.partition("/")[::2]: path for path in paths}
        return {key: path for key, path in named.items() if self._is_on(card, key[0])}

    def _shown(self, path: str) -> tuple[set[str], set[str]]:
        """Labels and data sets of a table; "mean" is one if its data sets are the paper's."""
        lines = self.plan.of(path)
        means = set() if lines["instead"].any() else {"mean"}
        return {*lines["label"]}, {*lines["dataset"]} | means

    def _why_missing(
        self,
        number: Mapping[str, str],
        table: str | None,
        shown: Mapping[str, tuple[set[str], set[str]]],
    ) -> str:
        """Why a published number is not made; `table` is that to which it belongs, if there is."""
        if table is None:
            if self.plan.config.targets:
                return "the configuration omits the table"
            return "the study has no such table"
        labels, datasets = shown[table]
        if number["method"] not in labels:
            available = number["method"] in self.plan.labels_of(table)
            return (
                "the configuration omits the method" if available else "the method is not available"
            )
        if number["dataset"] not in datasets:
            return "the configuration uses other data sets"
        return ""

    def digest(self, *names: str) -> str:
        """Hash of what scorecards or the claims are made from, besides their tables."""
        return hash_of([self._claims() if x == "claims" else self.scorecard(x) for x in names])

    def _claims(self) -> list[Any]:
        """The claims, which name what the studies have, and what else decides them."""
        for claim in CLAIMS.values():
            check_claim(claim, self.plan)
        claims = list(map(asdict, CLAIMS.values()))
        return [claims, self.plan.datasets_of_studies(), self.titles, self.differences]

    def metrics(self) -> dict[str, dict[str, str]]:
        """Columns of the metrics of each paper's tables."""
        metrics: dict[str, dict[str, str]] = {}
        for path in self.scored_tables():
            metrics.setdefault(path.split("/")[0], {}).update(self.plan.columns(path))
        return metrics

    # -- files that rules read --------------------------------------------------------------------

    def tables(self, card: str, so_far: str = "") -> list[str]:
        """Tables of a scorecard, as CSV: all of them, or those that are there."""
        return _existing_files(
            [self.plan.numbers_of(x) for x in self._tables(card).values()], so_far
        )

    def others_with_own_methods(self) -> list[str]:
        """Scorecards of papers that came after the five, with methods of their own."""
        others = [card for card in self.plan.cards if card != "scorecard"]
        return [
            card for card in others if any(self._is_on(card, name) for name in self._yardsticks)
        ]

    def tables_of_methods(self, card: str) -> list[str]:
        """Tables of a scorecard, as CSV, that compare its papers' own methods with others."""
        requested = {
            (x, table) for x, settings in self._yardsticks.items() for table in settings["tables"]
        }
        tables = self._tables(card).items()
        return [self.plan.numbers_of(path) for key, path in tables if key in requested]

    def scored_tables(self) -> list[str]:
        """Tables of the scorecard."""
        return [*self._tables("scorecard").values()]

    def judged_protocols(self) -> list[str]:
        """Protocols of the scorecard's papers that are made."""
        paths = self.plan.paths(wanted=True, kind="protocol")
        papers = [name for name in self._yardsticks if self._is_on("scorecard", name)]
        return [path for path in paths if path.split("/")[0] in papers]

    def judged(self, so_far: str) -> list[str]:
        """What claims are judged by, as CSV: all of it, or what is there; of times the latter."""
        plan = self.plan
        paths = {name_of(path): path for path in plan.paths(wanted=True)}
        judged = [paths[name] for name in judged_targets() if name in paths]
        times = {*plan.paths(made_from="timing")}
        return [
            file
            for path in judged
            for file in _existing_files([plan.numbers_of(path)], so_far or path in times)
        ]

    def arenas(self) -> list[str]:
        """The arenas that are wanted; the first gives the answer of the findings."""
        return self.plan.paths(wanted=True, kind="arena")

    def spot_check(self) -> list[str]:
        """The table of kept runs that were fitted again, if there is one."""
        kept = self.plan.config.kept
        file = self.plan.project / kept / "spot_check.csv" if kept else None
        return [str(file)] if file and file.exists() else []


def _existing_files(paths: list[str], so_far: str | bool) -> list[str]:
    """The files, or those of them that exist where only these are taken."""
    return [path for path in paths if below_prefix(path).exists()] if so_far else paths


def _plain(entry: Model) -> dict[str, Any]:
    """The keys of an entry as its file has them."""
    return entry.model_dump(mode="json", by_alias=True, exclude_unset=True)
