"""Sources of lines of scores, above all runs: conversion to and from their names, which are paths.

The path of a run describes the run completely, so tables and figures can share runs. A cell of a
table or figure lists its sources.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coassoc.errors import ConfigError

if TYPE_CHECKING:
    from coassoc.methods.parameters import Parameter

#: Name of the ranking's study and target.
RANKING = "ranking"
#: Separator of the parameters in the name of a block. A comma is not possible, because Snakemake
#: separates wildcards by commas when it submits a job to a cluster.
_SEPARATOR = "~"
#: Name of a block in which all parameters are at their defaults.
_DEFAULTS = "default"
#: First character of the name of a batch, which replaces a method's name. No method's name begins
#: with it.
BATCH = "+"
#: Keys at the end of the name of a block that say how the run is shortened.
_SHORTENED = ("race", "repeats", "points")
#: End of the name of a pool of which all samples, or a percentage, were shuffled.
_SHUFFLED = re.compile("-shuffled(?:-([0-9]+))?$")


def below_prefix(path: str | Path) -> Path:
    """A path of this workflow, relative to the working directory.

    An enclosing workflow may give all files a prefix. Rules need not know the prefix, because
    Snakemake adds it.
    """
    return Path(os.environ.get("COASSOC_PREFIX", ""), path)


def shuffled_pool(pool: str, percent: int) -> str:
    """Name of the pool with the given percentage of its samples shuffled."""
    if percent == 0:
        return pool
    return f"{pool}-shuffled" if percent == 100 else f"{pool}-shuffled-{percent}"


def name_of(path: str) -> str:
    """Name of a target for Snakemake, such as ``eccms_table4``."""
    return path.replace("/", "_")


def stored_pool(pool: str) -> str:
    """Name of the pool before shuffling, which is the name itself for other pools."""
    return _SHUFFLED.sub("", pool)


def percent_shuffled(pool: str) -> int:
    """Percentage of a pool's samples that were shuffled."""
    match = _SHUFFLED.search(pool)
    return int(match[1] or 100) if match else 0


def measured_file(kind: str, place: str) -> str:
    """File of measurements of a kind, such as "timing" or "choice", of a run or of a pool."""
    return f"results/{kind}/{place}.parquet"


def place_measured(file: str) -> str:
    """The run or the pool behind a file of measurements."""
    return file.split("/", 2)[2].removesuffix(".parquet")


def place_of_pool(pool: str, m: int, dataset: str) -> str:
    """Name of a pool without a method, for files of measurements."""
    return f"{pool}/m{m}/{dataset}"


def dataset_file(dataset: str) -> str:
    """The file of the prepared data set."""
    return f"data/datasets/{dataset}.h5"


class Source(NamedTuple):
    """Source of lines of scores: a run, the base clusterings of a pool, or references.

    As a string, the source is its path below ``results/runs``, without extension.
    """

    #: Name of the pool, which may be a shuffled pool.
    pool: str
    dataset: str
    #: Ensemble size, or None for all base clusterings of a pool.
    m: int | None = None
    #: "base" for base clusterings, "reference" for the references of methods.
    method: str = "base"
    #: The parameters of a run, as :func:`block_of` names them. Empty if the source is not a run.
    block: str = ""

    def __str__(self) -> str:
        size = "" if self.m is None else f"m{self.m}"
        return "/".join(filter(None, (self.pool, self.dataset, size, self.method, self.block)))

    @classmethod
    def parse(cls, text: str) -> Source:
        """The source with this string."""
        pool, dataset, *rest = text.split("/")
        if len(rest) == 1:
            return cls(pool, dataset, None, *rest)
        return cls(pool, dataset, int(rest[0].removeprefix("m")), *rest[1:])

    # -- its files ------------------------------------------------------------------------------

    @classmethod
    def of_run_file(cls, file: str) -> list[Source]:
        """The runs in a file; see :meth:`run_file`."""
        joined = cls.parse(file.removeprefix("results/runs/").removesuffix(".h5"))
        return [joined._replace(method=method) for method in joined.method.split("+")]

    @property
    def pool_file(self) -> str:
        """The file of the pool behind the source."""
        return f"data/pools/{self.pool}/{self.dataset}.h5"

    def run_file(self, methods: str) -> str:
        """File of the partitions of a run; methods that share the file are joined as in "A+B".

        The name of a batch in place of methods gives the file that lists the runs of the batch.
        """
        end = "txt" if methods.startswith(BATCH) else "h5"
        return f"results/runs/{self._replace(method=methods)}.{end}"

    # -- a run's parameters, and the computed part of its repeats and grid ------------------------

    @property
    def race(self) -> str | None:
        """Score for successive halving; None if all points get all repeats."""
        return self._stated_values.get("race")

    @property
    def repeats(self) -> int | None:
        """Number of repeats, if there are fewer than in the pool."""
        return int(self._stated_values["repeats"]) if "repeats" in self._stated_values else None

    @property
    def points(self) -> tuple[int, int] | None:
        """Numbers of fitted points and of all points of a grid; None if all points are fitted."""
        fitted, _, whole = self._stated_values.get("points", "").partition("of")
        return (int(fitted), int(whole)) if whole else None

    @property
    def size(self) -> int:
        """Number of points, that is, of combinations of the values."""
        return math.prod(len(texts) for texts in self._values.values())

    def parameter_points(self, declared: Mapping[str, Parameter]) -> list[dict[str, Any]]:
        """The points (all combinations of the values). An invalid value raises a ConfigError."""
        try:
            typed = {
                name: [_typed(text, declared[name]) for text in texts]
                for name, texts in self._values.items()
            }
        except (KeyError, ValueError) as error:
            raise ConfigError(
                f"{self}: these are not parameters of {self.method}. Request a target instead."
            ) from error
        return [
            dict(zip(typed, point, strict=True)) for point in itertools.product(*typed.values())
        ]

    @property
    def _stated_values(self) -> dict[str, str]:
        """The values that the block states, by their names."""
        parts = [] if self.block in ("", _DEFAULTS) else self.block.split(_SEPARATOR)
        return dict(part.partition("=")[::2] for part in parts)

    @property
    def _values(self) -> dict[str, list[str]]:
        """Parameters that are not at their defaults, with their values as strings."""
        pairs = self._stated_values.items()
        return {name: text.split("+") for name, text in pairs if name not in _SHORTENED}


def _typed(text: str, parameter: Parameter) -> Any:
    read: dict[str, Any] = {
        "number": float,
        "integer": int,
        "boolean": {"yes": True, "no": False}.__getitem__,
        "choice": {str(choice): choice for choice in parameter.choices}.__getitem__,
    }
    return read[parameter.kind](text)


def block_of(
    values: Mapping[str, Sequence[Any]], declared: Mapping[str, Parameter], **shortened: Any
) -> str:
    """Name of a run's parameters, such as ``alpha=0.8~lam=0.1+1``.

    Parameters at their defaults are left out. `shortened` contains the ``race``, ``repeats`` and
    ``points`` of a :class:`Source`. A parameter with one of these names raises a ConfigError.
    """
    for name in values:
        if name in _SHORTENED:
            raise ConfigError(
                f"methods: the parameter {name!r} cannot be set or varied, because names of runs "
                f"reserve {', '.join(_SHORTENED)}. Give the parameter another name."
            )
    parts = [
        f"{name}={'+'.join(map(_text, several))}"
        for name, several in sorted(values.items())
        if [*several] != [declared[name].default]
    ]
    if points := shortened.get("points"):
        shortened["points"] = "{}of{}".format(*points)
    parts += [f"{name}={shortened[name]}" for name in _SHORTENED if shortened.get(name)]
    return _SEPARATOR.join(parts) or _DEFAULTS


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, (int, float)) else str(value)
