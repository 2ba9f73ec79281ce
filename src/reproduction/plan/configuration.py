"""Models of config/config.yaml and of what is given in its place."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

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
    Positive,
    Share,
    Size,
    Text,
    expected,
    known,
    mistake,
    once,
)
from coassoc.storage.records import TIMES
from reproduction.plan.kinds import (
    DatasetNames,
    PoolName,
    RowNames,
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

DatasetName = Annotated[str, known("datasets")]
MethodName = Annotated[str, known("methods")]
_MethodNames = Annotated[Names, known("methods")]
_TargetNames = Annotated[Names, known("targets")]
_RankedOrTargets = Annotated[Names, known("targets and ranking")]
_NamesOrAll = expected("it must be a list of names, or all")
Grid = DistinctList[Any]
_Files = Annotated[list[str], once]


class Timing(Model):
    """How fits are timed: alone, on shares of the samples."""

    repeats: Count
    shares: DistinctList[Share]
    stop_after: Positive


class SelectionSettings(Model):
    """How criteria for the number of clusters are computed."""

    repeats: Count
    draws: AtLeastTwo
    largest: Annotated[int, Field(ge=3)]


class RankedBatteries(Model):
    """What of batteries is ranked."""

    names: Annotated[Names, known("batteries")]
    repeats: Count | None = None
    up_to: Count | None = None
    methods_up_to: dict[MethodName, Count] = Field(default={})


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
    pools: dict[DatasetName, PoolName] = Field(default={})
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
    grid: NonEmptyDict[str, Grid] | None = None

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
    grid: dict[Annotated[str, known("grids")], Grid] | None = None
    tune: dict[Annotated[str, known("tuned")], Grid] | None = None
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
    selection: SelectionSettings | None = None
    ranking: Ranking | None = None
    not_run: list[NotRun] | None = None
    shortened: list[Shortened] | None = None
    limits: LimitKeys | None = None
    override: Override | None = None
