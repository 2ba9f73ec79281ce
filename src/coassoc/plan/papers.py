"""The papers: files that say which tables, figures and audits there are, and what they show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coassoc.errors import ConfigError
from coassoc.plan.artefacts import SECTIONS
from coassoc.storage.configuration import shown, validated_yaml

__all__ = ["Entry", "Paper", "load_papers"]


@dataclass(frozen=True)
class Paper:
    """One file of papers; its keys are documented in config/README.md.

    Attributes
    ----------
    name : str
        The file's name without its ending.
    source : str
        The file, for messages.
    own : list of str
        Rows of the paper's own method.
    scorecard : str
        The scorecard that has its numbers.
    """

    name: str
    source: str
    title: str
    citation: str
    pool: str
    m: int
    datasets: Mapping[str, list[str]]
    metrics: Mapping[str, str]
    rows: Mapping[str, Mapping[str, Any]]
    own: list[str] = field(default_factory=list)
    scorecard: str = "scorecard"
    pools: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    audits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def entries(self) -> list[Entry]:
        """Its tables, figures and audits."""
        return [
            Entry(self, section, name, spec)
            for section in SECTIONS
            for name, spec in getattr(self, section).items()
        ]

    def label(self, row: str) -> str:
        """What tables call a row."""
        return str(self.rows[row].get("label", row))


@dataclass(frozen=True)
class Entry:
    """One table, figure or audit in a paper's file.

    Attributes
    ----------
    paper : Paper
    section : "tables", "figures" or "audits"
    name : str
    spec : mapping
        What the file says of it.
    """

    paper: Paper
    section: str
    name: str
    spec: Mapping[str, Any]

    @property
    def target(self) -> str:
        """Name of its target, such as ``eccms_table4``."""
        return f"{self.paper.name}_{self.name}"

    @property
    def kind(self) -> str:
        """The word "table", or the kind of figure or audit."""
        return str(self.spec.get("kind", "table"))

    @property
    def rows(self) -> list[str]:
        """Keys of its rows, those of a figure's straight lines included; all that the file has."""
        rows = self.spec.get("rows", [])
        rows = self.paper.rows if rows == "all" else rows
        return [*rows, *self.spec.get("baselines", [])]

    @property
    def swept(self) -> list[str]:
        """Keys of the rows that a figure shows for each point of a grid."""
        return list(self.spec.get("swept", []))

    @property
    def over(self) -> list[str]:
        """Parameters that span that grid."""
        over = self.spec.get("over", [])
        return [over] if isinstance(over, str) else list(over)

    @property
    def datasets(self) -> list[str]:
        """Data sets, before a configuration puts others in their place."""
        named = self.spec["datasets"]
        return list(self.paper.datasets[named] if isinstance(named, str) else named)

    @property
    def metrics(self) -> list[str]:
        """Names of its metrics."""
        return list(
            self.spec.get("metrics", [self.spec["metric"]] if "metric" in self.spec else [])
        )

    def key(self, name: str) -> str:
        """Where the file says something of it, for messages."""
        return f"{self.section}.{self.name}.{name}"


def load_papers(paths: Iterable[str | Path], schema: Path) -> dict[str, Paper]:
    """Read files of papers; a paper's name is its file's.

    Raises
    ------
    ConfigError
        If a file breaks the schema, or two papers or two targets have one name.
    """
    papers: dict[str, Paper] = {}
    for path in map(Path, paths):
        source, name = shown(path), path.stem
        if not re.fullmatch("[a-z0-9]+", name):
            raise ConfigError(
                f"{source}: a paper is called after its file, and {name!r} is not a word of small "
                "letters and digits."
            )
        if name in papers:
            raise ConfigError(
                f"{source}: there is a paper {name!r} already, in {papers[name].source}; give the "
                "file another name."
            )
        papers[name] = Paper(name, source, **validated_yaml(path, schema))
        _check_names(papers[name])
    return papers


def _check_names(paper: Paper) -> None:
    """Refuse two entries with one target."""
    sections: dict[str, str] = {}
    for entry in paper.entries:
        if entry.name in sections:
            raise ConfigError(
                f"{paper.source}: {entry.section} and {sections[entry.name]} both have "
                f"{entry.name!r}; each needs a name of its own."
            )
        sections[entry.name] = entry.section
