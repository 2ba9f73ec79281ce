"""What lines of scores are of, and runs above all: to and from their names, which are paths.

A run's path says what it is, so that tables and figures that need it share it. A cell of a table or
figure names what it rests on by such sources.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coassoc.errors import ConfigError
from coassoc.methods.parameters import Parameter

#: Name of the ranking: of the key, the study and the target.
RANKING = "ranking"
#: Separator of the parameters in the name of a block. Snakemake separates wildcards by commas when
#: it hands a job to a cluster, so that no wildcard's value may contain one.
_SEPARATOR = "~"
#: Name of a block in which all parameters are at their defaults.
_DEFAULTS = "default"
#: In the place of a data set's name, clouds of points without groups.
CLOUDS = "clouds"
#: In the place of a method's name, the beginning of a batch's. No method's name begins with it.
BATCH = "+"
#: Endings of the name of a block that state how the run is shortened.
_SHORTENED = ("race", "repeats", "points")
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
        """The source with a text."""
        pool, dataset, *rest = text.split("/")
        if len(rest) == 1:
            return cls(pool, dataset, None, *rest)
        return cls(pool, dataset, int(rest[0].removeprefix("m")), *rest[1:])

    # -- its files ------------------------------------------------------------------------------

    @property
    def pool_file(self) -> str:
        """The pool behind it."""
        return f"data/pools/{self.pool}/{self.dataset}.h5"

    def run_file(self, methods: str) -> str:
        """Partitions of a run, with those of the methods that share its file, such as "A+B"."""
        return f"results/runs/{self._replace(method=methods)}.h5"

    # -- a run's parameters, and which part of repeats and grid is made ---------------------------

    @property
    def race(self) -> str | None:
        """The score by which the points race; None where all of them get all repeats."""
        return self._stated_values.get("race")

    @property
    def repeats(self) -> int | None:
        """Number of repeats where they are fewer than the pool's."""
        return int(self._stated_values["repeats"]) if "repeats" in self._stated_values else None

    @property
    def points(self) -> tuple[int, int] | None:
        """Points fitted of a grid and all there are; None where the grid is whole."""
        fitted, _, whole = self._stated_values.get("points", "").partition("of")
        return (int(fitted), int(whole)) if whole else None

    @property
    def is_default(self) -> bool:
        """Whether all parameters are at their defaults, in however many repeats."""
        return not self._values

    @property
    def size(self) -> int:
        """How many points there are: every combination of the values."""
        return math.prod(len(texts) for texts in self._values.values())

    def parameter_points(self, declared: Mapping[str, Parameter]) -> list[dict[str, Any]]:
        """The points: every combination of the values; a ConfigError for a bad one."""
        typed = {
            name: [self._typed(name, text, declared) for text in texts]
            for name, texts in self._values.items()
        }
        return [
            dict(zip(typed, point, strict=True)) for point in itertools.product(*typed.values())
        ]

    @property
    def _stated_values(self) -> dict[str, str]:
        """What the block says, by the names."""
        parts = [] if self.block in ("", _DEFAULTS) else self.block.split(_SEPARATOR)
        return dict(part.partition("=")[::2] for part in parts)

    @property
    def _values(self) -> dict[str, list[str]]:
        """Parameters that are not at their defaults, and their values as texts."""
        pairs = self._stated_values.items()
        return {name: text.split("+") for name, text in pairs if name not in _SHORTENED}

    def _typed(self, name: str, text: str, declared: Mapping[str, Parameter]) -> Any:
        if name not in declared:
            raise ConfigError(
                f"Run {self.block!r}: the method has no parameter {name!r}. Choose from "
                f"{', '.join(declared)}."
            )
        parameter = declared[name]
        read: dict[str, Any] = {
            "number": float,
            "integer": int,
            "boolean": {"yes": True, "no": False}.__getitem__,
            "choice": {str(choice): choice for choice in parameter.choices}.__getitem__,
        }
        try:
            return read[parameter.kind](text)
        except (ValueError, KeyError) as error:
            raise ConfigError(
                f"Run {self.block!r}: {name} is {text!r}. It must be {parameter.allowed}."
            ) from error

    def code(self, method: str, races: Mapping[str, str]) -> str:
        """Identity of the code behind a run, such as "LWEA 1, race by ARI 1".

        `method` is that of its method's code, and `races` has that of a race by each score.
        """
        return f"{method}, {races[self.race]}" if self.race else method


def block_of(
    values: Mapping[str, Sequence[Any]], declared: Mapping[str, Parameter], **shortened: Any
) -> str:
    """Name of a run's parameters, such as ``alpha=0.8~lam=0.1+1``.

    Parameters at their defaults are not in it. `shortened` are the ``race``, ``repeats`` and
    ``points`` of a :class:`Source`; a parameter with the name of one is a ConfigError.
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
