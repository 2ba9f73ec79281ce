"""Studies (a paper, the survey, the analyses): their tables and figures, and the cells of these.

A file of config/studies is a study. It has targets, which are tables, figures and analyses; under a
configuration a target has cells (:mod:`reproduction.plan.expansion`), and a cell rests on runs:

    study ─► target, such as eccms/table4 ─► cells ─► runs
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, model_validator

from coassoc.errors import ConfigError
from coassoc.storage.configuration import (
    Model,
    NonEmptyDict,
    Parameters,
    Size,
    Text,
    exactly_one,
    expected,
    known,
    load_yaml,
    mistake,
    shown,
    validate,
)
from coassoc.storage.records import Cell
from reproduction.plan.configuration import KNOWN, DatasetName, Grid, MethodName
from reproduction.plan.keys import Source
from reproduction.plan.kinds import (
    AnalysisEntry,
    AnyEntry,
    DatasetNames,
    FigureEntry,
    Group,
    PoolName,
    ProtocolAnalysis,
    RowNames,
    Samples,
    TableEntry,
    Tune,
    Variant,
)

_PAGES = tuple(f"results/tables/{{target}}.{suffix}" for suffix in ("csv", "md", "html"))
_PICTURES = tuple(f"figures/{{target}}.{suffix}" for suffix in ("pdf", "png"))
#: Sections of a study's file, and the files of a target in each.
SECTIONS = {
    "tables": _PAGES,
    "figures": _PICTURES,
    "analyses": (*_PAGES, *_PICTURES),
}
#: Names of several targets at once: sections, kinds, and what entries give as their group.
GROUPS = (*SECTIONS, "protocol", *get_args(Group))


_TargetKey = Annotated[
    str,
    Field(pattern="^[A-Za-z0-9_]+$"),
    expected(
        "it must consist of letters, digits and _, as it becomes part of a target and of paths"
    ),
]
_Card = Annotated[
    str,
    Field(pattern="^scorecard(_[a-z]+)?$"),
    expected("it must be 'scorecard', or 'scorecard_' and small letters, as it is a target"),
]


class Row(Model):
    """A row of tables: a method with parameters, base clusterings, or a control."""

    label: (
        Annotated[Text, Field(pattern=r"^[^{}]*$"), expected("a row's label has no braces")] | None
    ) = None
    method: MethodName | None = None
    parameters: Parameters = Field(default={})
    among: NonEmptyDict[str, Grid] = Field(default={})
    base: Literal["mean", "best", "ensemble-mean", "ensemble-best", "ensemble-picked"] | None = None
    control: Literal["random", "truth"] | None = None
    samples: Samples | None = None
    tune: Tune | None = None
    pool: PoolName | None = None
    same_as: Annotated[str, known("rows")] | None = None
    fitted: Literal[True] | None = None

    @model_validator(mode="after")
    def _check(self) -> Row:
        exactly_one(self, "method", "base", "control")
        for key, beside in (
            ("parameters", "method"),
            ("tune", "method"),
            ("samples", "method"),
            ("among", "method"),
            ("among", "parameters"),
        ):
            if getattr(self, key) and not getattr(self, beside):
                raise mistake(f"has the key {key!r}, which needs {beside!r} beside it")
        for one, other in (("control", "pool"), ("among", "tune")):
            if getattr(self, one) and getattr(self, other):
                raise mistake(f"may have {one!r} or {other!r}, not both")
        return self


class StudyKeys(Model):
    """Keys of a file of a study; config/README.md documents them."""

    title: Text
    citation: Text
    pool: PoolName
    m: Size
    datasets: NonEmptyDict[Text, DatasetNames]
    metrics: NonEmptyDict[Text, Annotated[str, known("columns")]]
    rows: NonEmptyDict[Text, Row] = Field(default={})
    pools: dict[DatasetName, PoolName] = Field(default={})
    own: RowNames = Field(default=[])
    scorecard: _Card = "scorecard"
    aliases: dict[str, DatasetName] = Field(default={})
    tables: dict[_TargetKey, TableEntry] = Field(default={})
    figures: dict[_TargetKey, FigureEntry] = Field(default={})
    analyses: dict[_TargetKey, AnalysisEntry] = Field(default={})


class Study(StudyKeys):
    """A file of a study; its rows have those, too, that are called after a method."""

    #: The file's name without its ending.
    name: str
    #: The file, for messages.
    source: str

    @property
    def targets(self) -> list[Target]:
        """Its tables, figures and analyses, before a configuration gives them cells."""
        return [
            Target(self, section, key, entry)
            for section in SECTIONS
            for key, entry in getattr(self, section).items()
        ]

    def label(self, row: str) -> str:
        """What tables call a row."""
        return self.rows[row].label or row

    @property
    def same_numbers(self) -> dict[str, str]:
        """Labels of rows whose printed numbers repeat those of another row → its label."""
        rows = self.rows.items()
        return {self.label(k): self.label(row.same_as) for k, row in rows if row.same_as}

    @property
    def fitted(self) -> set[str]:
        """Labels of rows that were fitted to print.

        They have a parameter that the paper does not state and a protocol compared, or say
        themselves that the reading of the text was chosen so.
        """
        rows = {
            row
            for protocol in self.analyses.values()
            if isinstance(protocol, ProtocolAnalysis)
            for row in protocol.rows
            if any(way.parameters or way.method for way in protocol.variants)
        }
        return {
            self.label(k)
            for k, row in self.rows.items()
            if k in rows or row.same_as in rows or row.fitted
        }


@dataclass(frozen=True)
class Target:
    """A table, a figure or an analysis (both at once)."""

    study: Study
    section: str
    #: Its key in the study's file; empty where the study is one table.
    key: str
    #: Its entry in the study's file.
    entry: AnyEntry
    #: What it shows under a configuration.
    cells: tuple[Cell, ...] = field(default=(), repr=False)
    #: What takes the place of keys of the entry under a configuration, or is added to them.
    shown: Mapping[str, Any] = field(default_factory=dict, repr=False)

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
    def spec(self) -> dict[str, Any]:
        """Keys of the entry and what a configuration makes of them, for what makes the target."""
        return {**self.entry.model_dump(mode="json", exclude_unset=True), **self.shown}

    @property
    def kind(self) -> str:
        """The word "table", or the kind of figure or analysis."""
        return self.entry.kind

    @property
    def made_from(self) -> str:
        """What it is made from, see :class:`~reproduction.plan.kinds.Entry`."""
        timed = isinstance(self.entry, TableEntry) and self.entry.timed
        return "timing" if timed else self.entry.made_from

    @property
    def rows(self) -> list[str]:
        """Keys of its rows, with the baselines of a figure."""
        rows = self._listed("rows")
        return [*(self.study.rows if rows == ["all"] else rows), *self._listed("baselines")]

    @property
    def swept(self) -> list[str]:
        """Keys of the rows whose curve or surface a figure shows."""
        return self._listed("swept")

    @property
    def variants(self) -> list[Variant]:
        """What an analysis changes in each row."""
        return self._listed("variants")

    @property
    def shuffled(self) -> list[int]:
        """Per cent of the samples that an analysis shuffles."""
        return self._listed("shuffled")

    @property
    def relative_to(self) -> str | None:
        """The row with which a table or analysis compares the others."""
        return getattr(self.entry, "relative_to", None)

    @property
    def over(self) -> list[str]:
        """Parameters that are varied in it."""
        return self._listed("over")

    @property
    def metrics(self) -> list[str]:
        """Names of its metrics."""
        return self._listed("metrics") or self._listed("metric")

    def _listed(self, key: str) -> list[Any]:
        """What its entry has of a key that some kinds have."""
        value = getattr(self.entry, key, [])
        return [value] if isinstance(value, str) else value

    @property
    def datasets(self) -> list[str]:
        """Data sets, before a configuration replaces them."""
        named = self.entry.datasets
        return self.study.datasets[named] if isinstance(named, str) else named

    @property
    def name_in_published(self) -> str:
        """Name of a table in published.csv."""
        return getattr(self.entry, "published", None) or self.key

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
    def sources(self) -> list[Source]:
        """What it is made from, such as runs, one after another."""
        return [source for cell in self.cells for source in self.sources_of(cell)]

    def sources_of(self, cell: Cell) -> list[Source]:
        """What a cell is made from: what it names, or its pool, or both.

        A cell that is left out names nothing.
        """
        if not cell.sources and not cell.not_run:
            return [Source(cell.pool, cell.dataset, cell.m)]
        base = [Source(cell.pool, cell.dataset)] * self.entry.reads_pools
        return [*map(Source.parse, cell.sources), *base]

    @property
    def runs(self) -> list[Source]:
        """The runs of all cells, one after another."""
        return [source for source in self.sources if source.block]


def varied(row: Row, variant: Variant) -> Row:
    """A row in a variant, which adds to its parameters and takes the place of its other keys."""
    given = {"pool", "tune", "samples", "method"} & variant.model_fields_set
    changes: dict[str, Any] = {key: getattr(variant, key) for key in given}
    if variant.parameters:
        changes["parameters"] = {**row.parameters, **variant.parameters}
    return row.model_copy(update=changes)


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
        content = load_yaml(path)
        keys = validate(content, StudyKeys, source)
        own = {
            "rows": [*keys.rows, *catalogues["methods"]],
            "groups": keys.datasets,
            "metrics": keys.metrics,
        }
        content |= {"name": name, "source": source}
        study: Study = validate(content, Study, source, {**KNOWN, **catalogues, **own})
        studies[name] = study = _with_rows_of_methods(study, catalogues["methods"])
        _check_targets(study)
    return studies


def _with_rows_of_methods(study: Study, methods: Collection[str]) -> Study:
    """With rows that have no entry, for methods at their defaults."""
    named = itertools.chain(study.own, *((*target.rows, *target.swept) for target in study.targets))
    rows = {name: Row(method=name) for name in named if name in methods}
    return study.model_copy(update={"rows": {**study.rows, **rows, **study.rows}})


def _check_targets(study: Study) -> None:
    sections: dict[str, str] = {}
    for target in study.targets:
        if sections.setdefault(target.key, target.section) != target.section:
            raise ConfigError(
                f"{study.source}: {target.section} and {sections[target.key]} both have "
                f"{target.key!r}; each needs a name of its own."
            )
