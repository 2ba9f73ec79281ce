"""Form of config/config.yaml, config/full.yaml and of what is given with --config."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from pydantic import Field
from typing_extensions import TypedDict

from coassoc.storage.forms import (
    Count,
    Counts,
    Distinct,
    Grids,
    Names,
    Text,
    Yes,
    keys,
    some_of,
    told,
)

__all__ = ["ConfigurationForm"]

_Files = Annotated[list[str], Distinct]
_Share = Annotated[float, Field(gt=0, le=1)]
_NamesOrAll = Annotated[Literal["all"] | Names, told("it must be a list of names, or all")]
_AtLeastTwo = Annotated[int, Field(ge=2)]


@keys()
class _Timing(TypedDict, total=False):
    repeats: Count
    shares: Annotated[list[_Share], Field(min_length=1), Distinct]
    stop_after: Annotated[float, Field(gt=0)]


@keys()
class _Selection(TypedDict, total=False):
    repeats: Count
    draws: _AtLeastTwo
    largest: Annotated[int, Field(ge=3)]


@keys()
class _Consensus(TypedDict, total=False):
    pool: Required[str]
    methods: Required[Names]
    datasets: Names
    n_clusters: _AtLeastTwo
    range: Annotated[list[_AtLeastTwo], Field(min_length=2, max_length=2)]
    m: Count


@keys()
class _Tuned(TypedDict):
    methods: Names
    score: str


@keys()
class _Ranking(TypedDict, total=False):
    pool: Required[str]
    m: Required[Count]
    datasets: Required[_NamesOrAll]
    metrics: Required[Names]
    pools: dict[str, str]
    methods: _NamesOrAll
    groups: dict[Text, Names]
    tuned: _Tuned


class _Cells(TypedDict, total=False):
    targets: Names
    datasets: Names


@keys(
    some_of(
        ("targets", "datasets", "rows"),
        "names no cells; it must say which cells, by 'targets', 'datasets' or 'rows'",
    )
)
class _NotRun(_Cells, total=False):
    rows: Names
    reason: Required[Text]


@keys(some_of(("race", "repeats", "grid"), "must have 'race', 'repeats' or 'grid'"))
class _Shortened(_Cells, total=False):
    rows: Required[Names]
    race: Yes
    repeats: Count
    grid: Annotated[Grids, Field(min_length=1)]


@keys()
class _Limits(TypedDict, total=False):
    minutes: Annotated[float, Field(gt=0, le=30_000)] | None
    memory_mb: Annotated[
        Literal["auto"] | Annotated[float, Field(gt=0, le=1e9)] | None,
        told("allowed are a number of megabytes, auto and null"),
    ]


@keys()
class _OfTarget(TypedDict, total=False):
    datasets: Names | None
    pool: str | None
    sizes: Counts | None
    methods: Names | None


@keys()
class _Override(_OfTarget, total=False):
    pools: dict[str, str] | None
    grid: Grids | None
    tune: Grids | None
    targets: dict[str, _OfTarget] | None


@keys()
class ConfigurationForm(TypedDict, total=False):
    """Its keys; config/README.md documents them."""

    name: Required[Text]
    seed: Required[Annotated[int, Field(ge=0)]]
    threads: Required[Count]
    targets: Names | None
    mirror: str | None
    methods: _Files
    datasets: _Files
    pools: _Files
    papers: _Files
    timing: _Timing
    selection: _Selection
    consensus: list[_Consensus]
    ranking: _Ranking | None
    not_run: list[_NotRun]
    shortened: list[_Shortened]
    limits: _Limits | None
    override: _Override | None
