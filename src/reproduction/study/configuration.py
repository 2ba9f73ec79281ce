"""Model of config/config.yaml and of configurations that override it."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from coassoc.bench.storage.configuration import (
    AtLeastTwo,
    Count,
    DistinctList,
    Model,
    Names,
    NonEmptyDict,
    NonEmptyList,
    Number,
    Positive,
    Share,
    Text,
    mistake,
    once,
)

_Files = Annotated[list[str], once]
_Patterns = str | int | NonEmptyList[str | int]


def _below(path: str) -> str:
    if Path(path).is_absolute() or ".." in Path(path).parts:
        raise mistake(f"is {path!r}. Choose a folder below the working directory, such as 'mine/'")
    return path


class Edit(Model):
    """One entry of the key ``edits``: it selects cells by their columns, and changes them.

    ========  ======================================================================================
    of        {column: pattern, list of patterns, or for n and m a bound such as ">1000"}
    keep      {column: patterns}; the other selected cells are removed
    datasets  data sets that replace those of the target, at most as many as the target has
    pool      pool that replaces the pool of the cells
    repeats   number of repeats, starting from the first repeat of the pool
    race      true to search grids by successive halving
    grid      {parameter: values of the grid to keep}
    skip      reason why the cells are not run
    ========  ======================================================================================

    If several entries set repeats, a grid or skip for one cell, the first of them applies. Entries
    do not shorten measurements that are separate from runs.
    """

    of: NonEmptyDict[str, _Patterns]
    keep: NonEmptyDict[str, _Patterns] | None = None
    datasets: NonEmptyList[Text] | None = None
    pool: Text | None = None
    repeats: Count | None = None
    race: bool | None = None
    grid: NonEmptyDict[str, NonEmptyList[Any]] | None = None
    skip: Text | None = None


_NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)"


class PublishedNumber(Model):
    """A line of a paper's published.csv."""

    paper: str
    table: Text
    dataset: Text
    method: Text
    metric: Text
    mean: Annotated[str, Field(pattern=f"^{_NUMBER}$")]
    std: Annotated[str, Field(pattern=f"^({_NUMBER})?$")] = ""


class Timing(Model):
    """Settings for measured times."""

    repeats: Count
    shares: DistinctList[Share]
    stop_after: Positive


class SelectionSettings(Model):
    """Settings for criteria for the number of clusters."""

    repeats: Count
    draws: AtLeastTwo
    largest: Annotated[int, Field(ge=3)]


class LimitKeys(Model):
    """Limits for one repeat."""

    minutes: Annotated[Number, Field(gt=0, le=30_000)] | None = None
    memory_mb: Literal["auto"] | Annotated[Number, Field(ge=64, le=1e9)] | None = None


class Configuration(Model):
    """Keys of the configuration; config/README.md documents them."""

    name: Text
    seed: Annotated[int, Field(ge=0)]
    threads: Count
    targets: Names | None = None
    prefix: Annotated[Text, AfterValidator(_below)] | None = None
    mirror: str | None = None
    kept: str | None = None
    methods: _Files = Field(default=[])
    datasets: _Files = Field(default=[])
    pools: _Files = Field(default=[])
    studies: _Files = Field(default=[])
    published: _Files = Field(default=[])
    differences: _Files = Field(default=[])
    claims: _Files = Field(default=[])
    papers: _Files = Field(default=[])
    timing: Timing | None = None
    selection: SelectionSettings | None = None
    edits: list[Edit] | None = None
    longest_run: Positive | None = None
    limits: LimitKeys | None = None
