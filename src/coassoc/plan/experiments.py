"""From configuration to runs, tables and figures: what has to be computed, and under which names.

Pure: nothing is read or written here. The expansion is

    paper ─► artefact (a table, figure or audit) ─► cells ─► runs

A *cell* is one method (a row of a table) on one data set at one ensemble size; its numbers come
from one or more *runs*. A run is (pool, data set, m, method, parameters); where one parameter has
several values the run covers them all, so a grid is a few jobs and not hundreds. A run's path says
what it is, so that tables and figures that need the same run share it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from coassoc.errors import ConfigError
from coassoc.plan.artefacts import GROUPS, RANKING, Artefact
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.checks import check_artefact, check_configuration
from coassoc.plan.choices import Choices
from coassoc.plan.expansion import expand
from coassoc.plan.keys import RunKey
from coassoc.plan.paper_checks import check_paper
from coassoc.plan.unused import check_used
from coassoc.plan.wanted_consensus import wanted_consensus
from coassoc.plan.wanted_ranking import wanted_ranking

__all__ = ["Experiments"]


class Experiments:
    """Everything that a configuration asks for, which is of the form that it must have.

    Raises
    ------
    ConfigError
        If the configuration names something unknown, or a parameter out of range.
    """

    def __init__(self, config: Mapping[str, Any], catalogues: Catalogues) -> None:
        for paper in catalogues.papers.values():
            check_paper(paper, catalogues)
        check_configuration(config, catalogues)
        check_used(config, catalogues)
        #: What is wanted of pools without classes.
        self.consensus = wanted_consensus(config, catalogues)
        #: Methods and data sets that are ranked; None where the configuration wants no ranking.
        self.ranking = wanted_ranking(config, catalogues)
        self.config = config
        self.catalogues = catalogues
        self.choices = Choices(config)
        self._entries = [each for paper in catalogues.papers.values() for each in paper.entries]
        expanded = (expand(each, catalogues, self.choices) for each in self._entries)
        #: Everything of the papers, by the name of its target.
        self.artefacts: dict[str, Artefact] = {
            each.target: each for each in expanded if each is not None
        }
        if not self.wanted:
            raise ConfigError("config: override.methods and not_run leave nothing of the targets.")
        # What is wanted, and all of the user's own; the rest is checked when it is asked for.
        own = {Path(path).stem for path in config.get("papers") or []}
        ranked = [self.ranking.artefact] if self.ranking else []
        for artefact in [*self.wanted, *self._of_papers(own), *ranked]:
            check_artefact(artefact, catalogues)

    @property
    def wanted(self) -> list[Artefact]:
        """What is made unless a target is named: those of the key ``targets``, or everything."""
        named = set(self.config.get("targets") or self.catalogues.papers)
        return [each for each in self.artefacts.values() if named & {each.paper.name, each.target}]

    @cached_property
    def by_path(self) -> dict[str, Artefact]:
        """Everything that can be shown, by its path such as "eccms/table4"; the ranking too."""
        ranked = [self.ranking.artefact] if self.ranking else []
        return {each.path: each for each in [*self.artefacts.values(), *ranked]}

    def artefact(self, path: str) -> Artefact:
        """The table, figure or audit, such as "eccms/table4".

        Raises
        ------
        ConfigError
            If it cannot be made under the configuration.
        """
        if path == RANKING and not self.ranking:
            raise ConfigError("config: the key ranking is missing; it says what is to be ranked.")
        artefact = self.by_path[path]
        check_artefact(artefact, self.catalogues)
        return artefact

    def parameters(self, path: str) -> dict[str, Any]:
        """What a table, figure or audit is made from besides its files, for a job's parameters."""
        artefact = self.artefact(path)
        return {
            "kind": artefact.kind,
            "spec": artefact.spec,
            "cells": [cell.as_parameters() for cell in artefact.cells],
            "published": self.published(artefact),
        }

    @property
    def consensus_files(self) -> list[str]:
        """Labels of everything in the key ``consensus``, and comparisons of numbers of clusters."""
        if not self.consensus:
            raise ConfigError("config: the key consensus is missing; it says what is to be made.")
        return [file for each in self.consensus for file in each.files]

    def files(self, group: str | None = None) -> list[str]:
        """Files of what is wanted: all, or a group such as "tables"."""
        return _files(each for each in self.wanted if group is None or each.belongs_to(group))

    def targets(self, rules: Collection[str] = ()) -> dict[str, list[str]]:
        """Files of each target: of every table, figure and audit, of each paper and each group.

        Raises
        ------
        ConfigError
            If a paper, or one of its entries, would have the name of a group or of a rule.
        """
        papers = self.catalogues.papers
        for name, paper in papers.items():
            if name in GROUPS or name in rules:
                raise ConfigError(
                    f"{paper.source}: a paper is called after its file, and the target {name!r} "
                    "exists already; give the file another name."
                )
        for entry in self._entries:
            if entry.target in rules:
                raise ConfigError(
                    f"{entry.paper.source}: {entry.section}.{entry.name} has the target "
                    f"{entry.target!r}, which is the name of a rule; give it another name."
                )
        single = {target: each.files for target, each in self.artefacts.items()}
        return {
            **single,
            **{name: _files(self._of_papers([name])) for name in papers},
            **{group: self.files(group) for group in GROUPS},
        }

    def _of_papers(self, papers: Iterable[str]) -> list[Artefact]:
        return [each for each in self.artefacts.values() if each.paper.name in papers]

    def points(self, run: RunKey) -> list[dict[str, Any]]:
        """Parameter points of a run."""
        return run.parameter_points(self.catalogues.methods[run.method].parameters)

    def pools_used(self) -> list[tuple[str, str]]:
        """(pool, data set) pairs that what is wanted needs."""
        pairs = ((cell.pool, cell.dataset) for each in self.wanted for cell in each.cells)
        return list(dict.fromkeys(pairs))

    def published(self, artefact: Artefact) -> list[dict[str, str]]:
        """Published numbers of a table, or of those that a protocol is compared with."""
        tables = artefact.spec.get("compared_with", [artefact.name_in_published])
        own = (each for each in self.catalogues.published if each["paper"] == artefact.paper.name)
        return [each for each in own if each["table"] in tables]


def _files(artefacts: Iterable[Artefact]) -> list[str]:
    return [path for each in artefacts for path in each.files]
