"""What scorecards and claims are made from: tables, printed numbers, and reasons for gaps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coassoc.plan.experiments import Experiments
from coassoc.plan.judgements import artefacts_of, load_claims, load_differences

__all__ = ["Judged"]

#: Ending of the names of scorecards and claims that take the tables that exist already.
_SO_FAR = "_so_far"


class Judged:
    """Scorecards and claims under a configuration.

    Parameters
    ----------
    experiments : Experiments
    folder : path
        The folder of the configuration.

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
        self._experiments = experiments
        papers = experiments.catalogues.papers
        self._titles = {name: paper.title for name, paper in papers.items()}
        self._own = {
            name: [paper.label(row) for row in paper.own] for name, paper in papers.items()
        }
        self._differences = load_differences(folder, papers, experiments.all_published())
        self.claims: Mapping[str, Any] = {
            "claims": load_claims(folder, papers),
            "datasets": {
                name: sorted({each for names in paper.datasets.values() for each in names})
                for name, paper in papers.items()
            },
            "titles": self._titles,
            "differences": self._differences,
        }
        self.scorecards = [
            f"{card}{end}" for card in experiments.scorecards for end in ("", _SO_FAR)
        ]

    def tables(self, card: str) -> list[str]:
        """Tables of a scorecard, as CSV: all of the configuration, or those there are already."""
        papers = self._experiments.papers_on(card.removesuffix(_SO_FAR))
        tables = [each for each in self._experiments.wanted if each.is_table]
        return _there([each.numbers for each in tables if each.paper in papers], card)

    def scorecard(self, card: str) -> dict[str, Any]:
        """What a scorecard is made from besides its tables."""
        return {
            "published": self._experiments.published_with_reasons(card.removesuffix(_SO_FAR)),
            "names": self._experiments.published_names(),
            "titles": self._titles,
            "own": self._own,
            "differences": self._differences,
        }

    def numbers(self, claims: str) -> list[str]:
        """What claims are judged by, as CSV: all that the configuration has, or what is there."""
        artefacts = self._experiments.artefacts
        named = artefacts_of(self.claims["claims"])
        return _there([artefacts[name].numbers for name in named if name in artefacts], claims)


def _there(paths: list[str], name: str) -> list[str]:
    """The files, or those of them that exist where only these are taken."""
    return [path for path in paths if Path(path).exists()] if name.endswith(_SO_FAR) else paths
