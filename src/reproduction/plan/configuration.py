"""Models of config/config.yaml, of what is given in its place, and of files in config/studies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from coassoc.bench.columns import TIMES
from coassoc.metrics import METRICS
from coassoc.storage.configuration import (
    AtLeastTwo,
    Count,
    Counts,
    DistinctList,
    Model,
    Names,
    NonEmptyDict,
    Number,
    Parameters,
    Positive,
    Share,
    Size,
    Text,
    exactly_one,
    expected,
    known,
    mistake,
    once,
)
from reproduction.plan.kinds import (
    AnalysisEntry,
    DatasetNames,
    FigureEntry,
    PoolName,
    RowNames,
    Samples,
    TableEntry,
    Tune,
)
from reproduction.scores.columns import SCORES, TUNING_SCORES

#: Names that files of configuration may give besides those of catalogues, see
#: :func:`coassoc.storage.configuration.known`.
KNOWN = {
    "columns": (*SCORES, *TIMES),
    "scores": SCORES,
    "tuning scores": TUNING_SCORES,
    "metrics of classes": METRICS,
}

_DatasetName = Annotated[str, known("datasets")]
_MethodName = Annotated[str, known("methods")]
_MethodNames = Annotated[Names, known("methods")]
_TargetNames = Annotated[Names, known("targets")]
_RankedOrTargets = Annotated[Names, known("targets and ranking")]
_NamesOrAll = expected("it must be a list of names, or all")
_Grid = DistinctList[Any]
_Files = Annotated[list[str], once]

# -- the configuration ----------------------------------------------------------------------------


class Timing(Model):
    """How fits are timed: alone, on shares of the samples."""

    repeats: Count
    shares: DistinctList[Share]
    stop_after: Positive


class Selection(Model):
    """How criteria for the number of clusters are computed."""

    repeats: Count
    draws: AtLeastTwo
    largest: Annotated[int, Field(ge=3)]


class RankedBatteries(Model):
    """What of batteries is ranked."""

    names: Annotated[Names, known("batteries")]
    repeats: Count | None = None
    up_to: Count | None = None
    methods_up_to: dict[_MethodName, Count] = Field(default={})


class Tuned(Model):
    """Methods that are ranked tuned too."""

    methods: _MethodNames
    score: Annotated[str, known("tuning scores")]


class Ranking(Model):
    """What the target ``ranking`` compares."""

    pool: PoolName
    m: Size
    batteries: RankedBatteries | None = None
    datasets: Annotated[Literal["all"] | DatasetNames, _NamesOrAll]
    metrics: Annotated[Names, known("metrics of classes")]
    pools: dict[_DatasetName, PoolName] = Field(default={})
    methods: Annotated[Literal["all"] | _MethodNames, _NamesOrAll] = "all"
    groups: dict[Text, DatasetNames] | None = None
    tuned: Tuned | None = None


class _Cells(Model):
    """Some cells: those in all lists that are given."""

    targets: _RankedOrTargets | None = None
    datasets: DatasetNames | None = None
    rows: RowNames | None = None


class NotRun(_Cells):
    """Cells that are left out."""

    reason: Text

    @model_validator(mode="after")
    def _check(self) -> NotRun:
        if not (self.targets or self.datasets or self.rows):
            raise mistake(
                "names no cells; it must say which cells, by 'targets', 'datasets' or 'rows'"
            )
        return self


class Shortened(_Cells):
    """Cells that are made of fewer fits."""

    rows: RowNames
    race: Literal[True] | None = None
    repeats: Count | None = None
    grid: NonEmptyDict[str, _Grid] | None = None

    @model_validator(mode="after")
    def _check(self) -> Shortened:
        if not (self.race or self.repeats or self.grid):
            raise mistake("must have 'race', 'repeats' or 'grid'")
        return self


class LimitKeys(Model):
    """What a repeat may take."""

    minutes: Annotated[Number, Field(gt=0, le=30_000)] | None = None
    memory_mb: Annotated[
        Literal["auto"] | Annotated[Number, Field(gt=0, le=1e9)] | None,
        expected("allowed are a number of megabytes, auto and null"),
    ] = None


class Instead(Model):
    """What takes the place of a target's own choices."""

    datasets: DatasetNames | None = None
    pool: PoolName | None = None
    sizes: Counts | None = None
    methods: _MethodNames | None = None


class Override(Instead):
    """What takes the place of all targets' choices, or of some targets'."""

    pools: dict[Annotated[str, known("pools of rows")], PoolName] | None = None
    grid: dict[Annotated[str, known("grids")], _Grid] | None = None
    tune: dict[Annotated[str, known("tuned")], _Grid] | None = None
    targets: dict[Annotated[str, known("targets")], Instead] | None = None


class Configuration(Model):
    """Keys of the configuration; config/README.md documents them."""

    name: Text
    seed: Annotated[int, Field(ge=0)]
    threads: Count
    targets: _TargetNames | None = None
    prefix: Text | None = None
    failures: Literal["told", "error"] = "told"
    mirror: str | None = None
    kept: str | None = None
    methods: _Files = Field(default=[])
    datasets: _Files = Field(default=[])
    pools: _Files = Field(default=[])
    studies: _Files = Field(default=[])
    timing: Timing | None = None
    selection: Selection | None = None
    ranking: Ranking | None = None
    not_run: list[NotRun] | None = None
    shortened: list[Shortened] | None = None
    limits: LimitKeys | None = None
    override: Override | None = None


# -- studies --------------------------------------------------------------------------------------

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
    method: _MethodName | None = None
    parameters: Parameters = Field(default={})
    among: NonEmptyDict[str, _Grid] = Field(default={})
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
    pools: dict[_DatasetName, PoolName] = Field(default={})
    own: RowNames = Field(default=[])
    scorecard: _Card = "scorecard"
    aliases: dict[str, _DatasetName] = Field(default={})
    tables: dict[_TargetKey, TableEntry] = Field(default={})
    figures: dict[_TargetKey, FigureEntry] = Field(default={})
    analyses: dict[_TargetKey, AnalysisEntry] = Field(default={})
