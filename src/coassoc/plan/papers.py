"""The papers: files that say which tables, figures and audits there are, and what they show."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coassoc.errors import ConfigError
from coassoc.plan.configuration import PAPER
from coassoc.pools.draws import ALL
from coassoc.storage.configuration import shown, validated_yaml

__all__ = ["SECTIONS", "Entry", "Paper", "load_papers", "varied"]

_PAGES = ("results/tables/{}.csv", "results/tables/{}.md", "results/tables/{}.html")
_PICTURES = ("figures/{}.pdf", "figures/{}.png")
#: Sections of a paper's file, and what their artefacts write.
SECTIONS = {
    "tables": (*_PAGES, "results/tables/{}.tex"),
    "figures": _PICTURES,
    "audits": (*_PAGES, *_PICTURES),
}


@dataclass(frozen=True)
class Paper:
    """A study: tables, figures and audits of a paper, of the survey or of this project.

    Its keys are documented in config/README.md.

    Attributes
    ----------
    name : str
        The file's name without its ending.
    source : str
        The file, for messages.
    rows : mapping
        The file's rows, and those that are called after a method and need no entry.
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

    @property
    def same_numbers(self) -> dict[str, str]:
        """Labels of rows whose printed numbers repeat those of another row → its label."""
        return {
            self.label(name): self.label(row["same_as"])
            for name, row in self.rows.items()
            if "same_as" in row
        }


@dataclass(frozen=True)
class Entry:
    """One table, figure or audit in a paper's file, and what that says of it."""

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
        """Keys of its rows, with the baselines of a figure."""
        rows = self.spec.get("rows", [])
        rows = self.paper.rows if rows == "all" else rows
        return [*rows, *self.spec.get("baselines", [])]

    @property
    def swept(self) -> list[str]:
        """Keys of the rows whose curve or surface a figure shows."""
        return list(self.spec.get("swept", []))

    @property
    def over(self) -> list[str]:
        """Parameters that are varied in it."""
        over = self.spec.get("over", [])
        return [over] if isinstance(over, str) else list(over)

    @property
    def datasets(self) -> list[str]:
        """Data sets, before a configuration replaces them."""
        named = self.spec["datasets"]
        return list(self.paper.datasets[named] if isinstance(named, str) else named)

    @property
    def metrics(self) -> list[str]:
        """Names of its metrics."""
        return list(
            self.spec.get("metrics", [self.spec["metric"]] if "metric" in self.spec else [])
        )

    def key(self, name: str) -> str:
        """Place of one of its keys in the file, for messages."""
        return f"{self.section}.{self.name}.{name}"


def varied(row: Mapping[str, Any], variant: Mapping[str, Any]) -> dict[str, Any]:
    """A row in a variant, which adds to its parameters and takes the place of its other keys."""
    changes = {name: value for name, value in variant.items() if name != "label"}
    if "parameters" in changes:
        changes["parameters"] = {**row.get("parameters", {}), **changes["parameters"]}
    return {**row, **changes}


def load_papers(paths: Iterable[str | Path], methods: Collection[str]) -> dict[str, Paper]:
    """Read files of papers; a paper's name is its file's, and methods' names are rows of it.

    Raises
    ------
    ConfigError
        If a file breaks its form, or two papers or two targets have one name.
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
        content = validated_yaml(path, PAPER)
        for entry in (content, *(e for key in SECTIONS for e in content.get(key, {}).values())):
            if entry.get("m") == "all":
                entry["m"] = ALL
        paper = Paper(name, source, **{"rows": {}, **content})
        _check_targets(paper)
        papers[name] = replace(paper, rows={**paper.rows, **_rows_of_methods(paper, methods)})
    return papers


def _rows_of_methods(paper: Paper, methods: Collection[str]) -> dict[str, dict[str, str]]:
    """Rows without an entry, for methods at their defaults."""
    named = itertools.chain(paper.own, *((*each.rows, *each.swept) for each in paper.entries))
    return {name: {"method": name} for name in named if name in methods and name not in paper.rows}


def _check_targets(paper: Paper) -> None:
    """Refuse two entries with one target."""
    sections: dict[str, str] = {}
    for entry in paper.entries:
        if entry.name in sections:
            raise ConfigError(
                f"{paper.source}: {entry.section} and {sections[entry.name]} both have "
                f"{entry.name!r}; each needs a name of its own."
            )
        sections[entry.name] = entry.section
