"""Studies (a paper, the survey, the audits): their tables and figures, and the cells of these.

A file of config/studies is a study. It has targets, which are tables, figures and audits; under a
configuration a target has cells (:mod:`reproduction.plan.expansion`), and a cell rests on runs:

    study ─► target, such as eccms/table4 ─► cells ─► runs
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from coassoc.errors import ConfigError
from coassoc.storage.configuration import shown, validated_yaml
from coassoc.storage.forms import validate
from reproduction.plan.configuration import KNOWN, STUDY
from reproduction.plan.keys import Source, block_of
from reproduction.plan.kinds import GROUPS_OF_ENTRIES, KINDS, Kind

_PAGES = tuple(f"results/tables/{{target}}.{suffix}" for suffix in ("csv", "md", "html"))
_PICTURES = tuple(f"figures/{{target}}.{suffix}" for suffix in ("pdf", "png"))
#: Sections of a study's file, and the files of a target in each.
SECTIONS = {
    "tables": _PAGES,
    "figures": _PICTURES,
    "audits": (*_PAGES, *_PICTURES),
}
#: Names of several targets at once: sections, kinds, and what entries give as their group.
GROUPS = (*SECTIONS, "protocol", *get_args(GROUPS_OF_ENTRIES))


@dataclass(frozen=True)
class Study:
    """A file of a study; config/README.md documents its keys."""

    #: The file's name without its ending.
    name: str
    #: The file, for messages.
    source: str
    title: str
    citation: str
    pool: str
    m: int | str
    datasets: Mapping[str, list[str]]
    metrics: Mapping[str, str]
    #: The file's rows, and those that are called after a method and need no entry.
    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    own: list[str] = field(default_factory=list)
    scorecard: str = "scorecard"
    pools: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    audits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def targets(self) -> list[Target]:
        """Its tables, figures and audits, before a configuration gives them cells."""
        return [
            Target(self, section, key, spec)
            for section in SECTIONS
            for key, spec in getattr(self, section).items()
        ]

    def label(self, row: str) -> str:
        """What tables call a row."""
        return str(self.rows[row].get("label", row))

    @property
    def same_numbers(self) -> dict[str, str]:
        """Labels of rows whose printed numbers repeat those of another row → its label."""
        rows = self.rows.items()
        return {self.label(k): self.label(row["same_as"]) for k, row in rows if "same_as" in row}

    @property
    def fitted(self) -> set[str]:
        """Labels of rows that were fitted to print.

        They have a parameter that the paper does not state and a protocol compared, or say
        themselves that the reading of the text was chosen so.
        """
        protocols = (audit for audit in self.audits.values() if audit["kind"] == "protocol")
        rows = {
            row
            for protocol in protocols
            for row in protocol["rows"]
            if any(way.keys() & {"parameters", "method"} for way in protocol["variants"])
        }
        return {
            self.label(k)
            for k, row in self.rows.items()
            if k in rows or row.get("same_as") in rows or row.get("fitted")
        }


@dataclass(frozen=True)
class Cell:
    """Numbers of one row on one data set at one ensemble size."""

    #: Key of the row in the study's file, and its name in the table.
    row: str
    label: str
    dataset: str
    pool: str
    m: int
    #: Abscissa, in figures.
    x: Any = None
    #: Of what the lines of scores are that it needs: a run, or the candidates of a tuned row;
    #: empty where a figure shows the pool alone, and for cells that are left out.
    sources: tuple[Source, ...] = ()
    #: In place of a method: "mean" or "best" of the base clusterings in the pool, "ensemble-mean",
    #: "ensemble-best" or "ensemble-picked" of those in each repeat's ensemble, or a control,
    #: "random" or "truth".
    reference: str | None = None
    #: Score by which the best candidate is chosen; None where there is a single one.
    tune: str | None = None
    #: Only this point of the runs counts.
    point: dict[str, Any] | None = None
    #: In a comparison or protocol, which of its variants this is.
    variant: str = ""
    #: Metrics whose column of the score files is not the study's: in a protocol, what the variant
    #: takes the metric to be.
    columns: dict[str, str] = field(default_factory=dict)
    #: Why the configuration leaves the cell out; empty for cells that are made.
    not_run: str = ""

    @property
    def runs(self) -> list[Source]:
        """Those sources that are runs."""
        return [source for source in self.sources if source.block]

    @property
    def part_of_grid(self) -> tuple[int, int] | None:
        """Points fitted of its grid, and all there are; None where the grid is whole."""
        return block_of(self.runs[0]).points if self.runs else None

    def record(self) -> dict[str, Any]:
        """The cell in plain form, for a file."""
        return {**vars(self), "sources": list(map(str, self.sources))}


@dataclass(frozen=True)
class Target:
    """A table, a figure or an audit (both at once)."""

    study: Study
    section: str
    #: Its key in the study's file; empty where the study is one table.
    key: str
    #: Its entry in the study's file; under a configuration with metrics → their columns.
    spec: Mapping[str, Any]
    #: What it shows under a configuration.
    cells: tuple[Cell, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """Name that one gives to Snakemake, such as ``eccms_table4``."""
        return "_".join(filter(None, [self.study.name, self.key]))

    @property
    def path(self) -> str:
        """Its place below the folders of tables, figures and scores, such as ``eccms/table4``."""
        return "/".join(filter(None, [self.study.name, self.key]))

    def place(self, key: str) -> str:
        """One of its keys in the file, for messages."""
        return f"{self.section}.{self.key}.{key}"

    # -- its entry ------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The word "table", or the kind of figure or audit."""
        return str(self.spec.get("kind", "table"))

    @property
    def needs(self) -> str:
        """What it is made from, see :class:`~reproduction.plan.kinds.Kind`."""
        return "timing" if self.spec.get("timed") else self.of_kind.needs

    @property
    def of_kind(self) -> Kind:
        """What is known of its kind."""
        return KINDS[self.kind]

    @property
    def rows(self) -> list[str]:
        """Keys of its rows, with the baselines of a figure."""
        rows = self.spec.get("rows", [])
        return [*(self.study.rows if rows == "all" else rows), *self.spec.get("baselines", [])]

    @property
    def swept(self) -> list[str]:
        """Keys of the rows whose curve or surface a figure shows."""
        return list(self.spec.get("swept", []))

    @property
    def variants(self) -> Sequence[Mapping[str, Any]]:
        """What changes each row: the variants of an audit, or percentages of shuffled samples."""
        shuffled = [{"shuffled": percent} for percent in self.spec.get("shuffled", [])]
        return shuffled or self.spec.get("variants", [{}])

    @property
    def over(self) -> list[str]:
        """Parameters that are varied in it."""
        over = self.spec.get("over", [])
        return [over] if isinstance(over, str) else list(over)

    @property
    def datasets(self) -> list[str]:
        """Data sets, before a configuration replaces them."""
        named = self.spec["datasets"]
        return list(self.study.datasets[named] if isinstance(named, str) else named)

    @property
    def metrics(self) -> list[str]:
        """Names of its metrics."""
        return list(self.spec.get("metrics") or filter(None, [self.spec.get("metric")]))

    @property
    def name_in_published(self) -> str:
        """Name of a table in published.csv."""
        return str(self.spec.get("published", self.key))

    # -- what is made ---------------------------------------------------------------------------

    @property
    def files(self) -> list[str]:
        """What it produces."""
        return [pattern.format(target=self.path) for pattern in SECTIONS[self.section]]

    @property
    def numbers(self) -> str:
        """The CSV file of its numbers; of figures only kinds with `numbers` have one."""
        return str(Path(self.files[0]).with_suffix(".csv"))

    @property
    def runs(self) -> list[Source]:
        """The runs of all cells, one after another."""
        return [run for cell in self.cells for run in cell.runs]


def varied(row: Mapping[str, Any], variant: Mapping[str, Any]) -> dict[str, Any]:
    """A row in a variant, which adds to its parameters and takes the place of its other keys."""
    changes = {name: value for name, value in variant.items() if name != "label"}
    if "parameters" in changes:
        changes["parameters"] = {**row.get("parameters", {}), **changes["parameters"]}
    return {**row, **changes}


def load_studies(
    paths: Iterable[str | Path], catalogues: Mapping[str, Collection[str]]
) -> dict[str, Study]:
    """Read files of studies, which may name the "methods", "datasets" and "pools" of catalogues.

    A file that breaks its form or names what does not exist is a ConfigError, and so are two
    studies or two targets with one name.
    """
    studies: dict[str, Study] = {}
    for path in map(Path, paths):
        source, name = shown(path), path.stem
        if not re.fullmatch("[a-z0-9]+", name):
            raise ConfigError(
                f"{source}: a study is called after its file, and {name!r} is not a word of small "
                "letters and digits."
            )
        if name in studies:
            raise ConfigError(
                f"{source}: there is a study {name!r} already, in {studies[name].source}; give the "
                "file another name."
            )
        content = validated_yaml(path, STUDY)
        study = Study(name, source, **content)
        study = _with_rows_of_methods(study, catalogues["methods"])
        rows = [*study.rows, *catalogues["methods"]]
        own = {"rows": rows, "groups": study.datasets, "metrics": study.metrics}
        validate(content, STUDY, source, {**KNOWN, **catalogues, **own})
        studies[name] = study
        _check_targets(study)
    return studies


def _with_rows_of_methods(study: Study, methods: Collection[str]) -> Study:
    """With rows that have no entry, for methods at their defaults."""
    named = itertools.chain(study.own, *((*target.rows, *target.swept) for target in study.targets))
    rows = {name: {"method": name} for name in named if name in methods}
    return replace(study, rows={**study.rows, **rows, **study.rows})


def _check_targets(study: Study) -> None:
    sections: dict[str, str] = {}
    for target in study.targets:
        if sections.setdefault(target.key, target.section) != target.section:
            raise ConfigError(
                f"{study.source}: {target.section} and {sections[target.key]} both have "
                f"{target.key!r}; each needs a name of its own."
            )
