"""What lines of scores are of, and runs above all: to and from their names, which are paths.

A run's path says what it is, so that tables and figures that need it share it. A cell of a table or
figure names what it rests on by such sources.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from coassoc.errors import ConfigError
from coassoc.methods.parameters import Parameter
from coassoc.storage.records import Cell

#: Name of the ranking: of the key, the study and the target.
RANKING = "ranking"
#: Between the parameters in a block's name. Snakemake separates wildcards by commas when it hands
#: a job to a cluster, so that no wildcard's value may contain one.
_SEPARATOR = "~"
#: Name of a block in which all parameters are at their defaults.
_DEFAULTS = "default"
#: End of the name of a pool whose samples were shuffled, all or so many percent.
_SHUFFLED = re.compile("-shuffled(?:-([0-9]+))?$")


def below_prefix(path: str | Path) -> Path:
    """A path of this workflow as seen from the working directory.

    A workflow around it may give all its files a prefix; rules need not know, as Snakemake adds it.
    """
    return Path(os.environ.get("COASSOC_PREFIX", ""), path)


def shuffled_pool(pool: str, percent: int) -> str:
    """Name of a pool with so many percent of its samples shuffled."""
    if percent == 0:
        return pool
    return f"{pool}-shuffled" if percent == 100 else f"{pool}-shuffled-{percent}"


def stored_pool(pool: str) -> str:
    """Name of the pool whose samples were shuffled, or the name itself."""
    return _SHUFFLED.sub("", pool)


def percent_shuffled(pool: str) -> int:
    """Per cent of a pool's samples that were shuffled."""
    match = _SHUFFLED.search(pool)
    return int(match[1] or 100) if match else 0


def dataset_file(dataset: str) -> str:
    """The prepared data set."""
    return f"data/datasets/{dataset}.h5"


class Source(NamedTuple):
    """What lines of scores are of: a run, base clusterings of a pool, or references.

    Its text is its path below ``results/runs``, without ending.
    """

    #: Name of the pool; of a shuffled one too.
    pool: str
    dataset: str
    #: Ensemble size; None for all base clusterings of a pool.
    m: int | None = None
    #: "base" for base clusterings, "reference" for what methods are compared with.
    method: str = "base"
    #: Text of a run's :class:`Block`; empty for what is no run.
    block: str = ""

    def __str__(self) -> str:
        size = "" if self.m is None else f"m{self.m}"
        return "/".join(filter(None, (self.pool, self.dataset, size, self.method, self.block)))

    @classmethod
    def parse(cls, text: str) -> Source:
        """The source with a text."""
        pool, dataset, *rest = text.split("/")
        if len(rest) == 1:
            return cls(pool, dataset, None, *rest)
        return cls(pool, dataset, int(rest[0].removeprefix("m")), *rest[1:])

    @property
    def pool_file(self) -> str:
        """The pool behind it."""
        return f"data/pools/{self.pool}/{self.dataset}.h5"

    def run_file(self, methods: str) -> str:
        """Partitions of a run, with those of the methods that end one refinement, "A+B"."""
        return f"results/runs/{self._replace(method=methods)}.h5"

    def measured_file(self, measured: str) -> str:
        """What is measured of a run ("timing", "scaling", "selection") or ("null") a data set."""
        name = str(self) if self.block else f"{self.pool}/m{self.m}/{self.dataset}"
        return f"results/{measured}/{name}.csv"


@dataclass(frozen=True)
class Block:
    """Parameters of a run at one or more points, and which part of repeats and grid is made."""

    #: Parameters that are not at their defaults, and their values as texts.
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    #: Where it is not that of the data set.
    n_clusters: int | None = None
    #: The score by which the points race; None where all of them get all repeats.
    race: str | None = None
    #: Where they are fewer than the pool's.
    repeats: int | None = None
    #: Points fitted of a grid and all there are; None where the grid is whole.
    points: tuple[int, int] | None = None

    def __str__(self) -> str:
        """Such as ``alpha=0.8~lam=0.1+1``."""
        varied = {**self.values}
        if self.n_clusters is not None:
            varied["n_clusters"] = (str(self.n_clusters),)
        parts = [f"{name}={'+'.join(texts)}" for name, texts in sorted(varied.items())]
        points = "{}of{}".format(*self.points) if self.points else None
        shortened = {"race": self.race, "repeats": self.repeats, "points": points}
        parts += [f"{name}={value}" for name, value in shortened.items() if value]
        return _SEPARATOR.join(parts) or _DEFAULTS

    @classmethod
    def parse(cls, text: str) -> Block:
        """The block with a text."""
        parts = [] if text == _DEFAULTS else text.split(_SEPARATOR)
        texts = dict(part.partition("=")[::2] for part in parts)
        n_clusters, race, repeats, points = (
            texts.pop(name, None) for name in ("n_clusters", "race", "repeats", "points")
        )
        fitted, _, whole = (points or "").partition("of")
        return cls(
            {name: tuple(filter(None, text.split("+"))) for name, text in texts.items()},
            int(n_clusters) if n_clusters else None,
            race,
            int(repeats) if repeats else None,
            (int(fitted), int(whole)) if points else None,
        )

    @property
    def size(self) -> int:
        """How many points there are: every combination of the values."""
        return math.prod(len(texts) for texts in self.values.values())

    def at(self, values: Mapping[str, Iterable[Any]]) -> Block:
        """The same at other values of the parameters, which are written as texts."""
        texts = {name: tuple(map(_text, several)) for name, several in values.items()}
        return replace(self, values=texts)

    def parameter_points(self, declared: Mapping[str, Parameter]) -> list[dict[str, Any]]:
        """The points: every combination of the values; a ConfigError for a bad one."""
        typed = {
            name: [self._typed(name, text, declared) for text in texts or ("",)]
            for name, texts in self.values.items()
        }
        return [
            dict(zip(typed, point, strict=True)) for point in itertools.product(*typed.values())
        ]

    def _typed(self, name: str, text: str, declared: Mapping[str, Parameter]) -> Any:
        if name not in declared or not self.values[name]:
            raise ConfigError(
                f"Run {str(self)!r}: {name!r} is not a parameter of the method; allowed are "
                f"{', '.join(declared)}."
            )
        known = declared[name]
        read: dict[str, Any] = {
            "number": float,
            "integer": int,
            "boolean": {"yes": True, "no": False}.__getitem__,
            "choice": {str(choice): choice for choice in known.choices}.__getitem__,
        }
        try:
            return read[known.kind](text)
        except (ValueError, KeyError) as error:
            raise ConfigError(
                f"Run {str(self)!r}: {name} is {text!r}; it must be {known.allowed}."
            ) from error


def block_of(source: object) -> Block:
    """The block of a source, or of its text; of what is no run, the defaults."""
    if isinstance(source, str) and source:
        source = Source.parse(source)
    return Block.parse(source.block or _DEFAULTS if isinstance(source, Source) else _DEFAULTS)


def code_of(run: Source, method: str, races: Mapping[str, str]) -> str:
    """Identity of the code behind a run, such as "LWEA 1, race by ARI 1".

    `method` is that of its method's code, and `races` has that of a race by each score.
    """
    race = Block.parse(run.block).race
    return f"{method}, {races[race]}" if race else method


def runs_of(cell: Cell) -> list[Source]:
    """Those sources of a cell that are runs: one, or the candidates of a tuned row."""
    return [source for source in cell.sources if source.block]


def base_of(cell: Cell) -> Source:
    """The base clusterings of a cell's pool."""
    return Source(cell.pool, cell.dataset)


def part_of_grid(cell: Cell) -> tuple[int, int] | None:
    """Points fitted of a cell's grid, and all there are; None where the grid is whole."""
    runs = runs_of(cell)
    return block_of(runs[0]).points if runs else None


def cell_as_record(cell: Cell) -> dict[str, Any]:
    """A cell in plain form, for a file."""
    return {**vars(cell), "sources": list(map(str, cell.sources))}


def cell_of_record(record: Mapping[str, Any]) -> Cell:
    """The cell that :func:`cell_as_record` wrote."""
    return Cell(**{**record, "sources": tuple(map(Source.parse, record["sources"]))})


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, (int, float)) else str(value)
