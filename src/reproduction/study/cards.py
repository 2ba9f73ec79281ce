"""Inputs of scorecards and claims: tables, published numbers, and reasons for missing numbers."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any

from coassoc.storage.records import hash_of
from reproduction.study.differences import load_differences
from reproduction.study.paths import below_prefix
from reproduction.study.plan import Plan, name_of, scorecard_of, title_of


class Cards:
    """Scorecards and claims of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @cached_property
    def titles(self) -> dict[str, str]:
        """Titles of the studies."""
        return {name: title_of(study) for name, study in self.plan.studies.items()}

    @cached_property
    def differences(self) -> list[dict[str, Any]]:
        """Reasons why cells differ from the published numbers, or cannot be compared."""
        plan = self.plan
        return load_differences(plan.project / "config", plan.studies, plan.catalogues.published)

    @cached_property
    def _yardsticks(self) -> dict[str, Any]:
        """Settings of the agreement measures for each paper that has an own method."""
        studies = self.plan.studies.items()
        return {name: x.YARDSTICK for name, x in studies if hasattr(x, "YARDSTICK")}

    def scorecard(self, card: str) -> dict[str, Any]:
        """Inputs of a scorecard, for :mod:`reproduction.findings.scorecard`.

        Each published number has ``why`` (the reason why it is not computed, otherwise empty),
        ``same_as`` (the method with which the paper prints the number first) and ``fitted``
        (whether a protocol chose the setting by comparison with published numbers).
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
        """The requested tables of scores on a scorecard, by their studies and names.

        Tables of times are left out, because the papers measured their times on other machines.
        """
        paths = self.plan.paths(wanted=True, section="tables", made_from="scores")
        named = {path.partition("/")[::2]: path for path in paths}
        return {key: path for key, path in named.items() if self._is_on(card, key[0])}

    def _shown(self, path: str) -> tuple[set[str], set[str]]:
        """Labels and data sets of a table, with "mean" if the data sets are those of the paper."""
        lines = self.plan.of(path)
        means = set() if lines["instead"].any() else {"mean"}
        return {*lines["label"]}, {*lines["dataset"]} | means

    def _why_missing(
        self,
        number: Mapping[str, str],
        table: str | None,
        shown: Mapping[str, tuple[set[str], set[str]]],
    ) -> str:
        """Reason why a published number is not computed; `table` is its table, if there is one."""
        if table is None:
            if self.plan.config.targets:
                return "the configuration omits the table"
            return "the study has no such table"
        labels, datasets = shown[table]
        if number["method"] not in labels:
            if any(cell["label"] == number["method"] for cell in self.plan.unedited[table]):
                return "the configuration omits the method"
            return "the method is not available"
        if number["dataset"] not in datasets:
            return "the configuration uses other data sets"
        return ""

    def digest(self, *names: str) -> str:
        """Hash of the inputs of scorecards or of the claims, without their tables."""
        return hash_of([self._claims() if x == "claims" else self.scorecard(x) for x in names])

    def _claims(self) -> list[Any]:
        """The claims, after a check of the names that they use, and their other inputs."""
        # Few jobs need the claims.
        from reproduction.findings.claims.papers import CLAIMS, check_claim

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
        """CSV files of the tables of a scorecard: all, or only the existing files."""
        return _existing_files(
            [self.plan.numbers_of(x) for x in self._tables(card).values()], so_far
        )

    def others_with_own_methods(self) -> list[str]:
        """Scorecards of later papers that have methods of their own."""
        others = [card for card in self.plan.cards if card != "scorecard"]
        return [
            card for card in others if any(self._is_on(card, name) for name in self._yardsticks)
        ]

    def tables_of_other_methods(self) -> list[str]:
        """CSV files of these scorecards' tables that compare own methods with others."""
        yardsticks = self._yardsticks
        return [
            self.plan.numbers_of(path)
            for card in self.others_with_own_methods()
            for (paper, table), path in self._tables(card).items()
            if paper in yardsticks and table in yardsticks[paper]["tables"]
        ]

    def scored_tables(self) -> list[str]:
        """Tables of the scorecard."""
        return [*self._tables("scorecard").values()]

    def judged_protocols(self) -> list[str]:
        """The requested protocols of the papers on the scorecard."""
        paths = self.plan.paths(wanted=True, kind="protocol")
        papers = [name for name in self._yardsticks if self._is_on("scorecard", name)]
        return [path for path in paths if path.split("/")[0] in papers]

    def judged(self, so_far: str) -> list[str]:
        """CSV files that judge claims: all, or only the existing files."""
        from reproduction.findings.claims.papers import judged_targets

        plan = self.plan
        paths = {name_of(path): path for path in plan.paths(wanted=True)}
        judged = [paths[name] for name in judged_targets() if name in paths]
        return _existing_files([plan.numbers_of(path) for path in judged], so_far)

    def spot_check(self) -> list[str]:
        """The table of the spot check, if there is one."""
        kept = self.plan.config.kept
        file = self.plan.project / kept / "spot_check.csv" if kept else None
        return [str(file)] if file and file.exists() else []


def _existing_files(paths: list[str], so_far: str) -> list[str]:
    """All files, or only the existing files if `so_far` is set."""
    return [path for path in paths if below_prefix(path).exists()] if so_far else paths
