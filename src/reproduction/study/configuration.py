"""Model of config/config.yaml and of configurations that override it."""

from typing import Annotated, Literal

from pydantic import Field

from coassoc.bench.storage.configuration import (
    AtLeastTwo,
    Count,
    DistinctList,
    Model,
    Names,
    Number,
    Positive,
    Share,
    Text,
    once,
)
from reproduction.study.edits import Edit

_Files = Annotated[list[str], once]


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
    prefix: Text | None = None
    mirror: str | None = None
    kept: str | None = None
    methods: _Files = Field(default=[])
    datasets: _Files = Field(default=[])
    pools: _Files = Field(default=[])
    studies: _Files = Field(default=[])
    timing: Timing | None = None
    selection: SelectionSettings | None = None
    edits: list[Edit] | None = None
    longest_run: Positive | None = None
    limits: LimitKeys | None = None
