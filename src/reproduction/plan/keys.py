"""Keys of runs, to and from their paths, and the patterns of all paths.

A run's path says what it is, so that tables and figures that need it share it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from coassoc.errors import ConfigError
from coassoc.methods.parameters import Parameter

#: Patterns of the files that many rules share.
DATASET = "data/datasets/{dataset}.h5"
POOL = "data/pools/{pool}/{dataset}.h5"
_BLOCK = "{pool}/{dataset}/m{m}/{method}/{parameters}"
RUN = f"results/runs/{_BLOCK}.h5"
TIMED = f"results/{{measured}}/{_BLOCK}.csv"
SELECTION = f"results/selection/{_BLOCK}.csv"
NULLS = "results/null/{pool}/m{m}/{dataset}.csv"
#: Of clouds of points, which are no data set.
NULLS_OF_CLOUDS = "results/null/{pool}/clouds.csv"
#: The record of what was fetched for a data set, and for a published pool.
FETCHED = "data/sources/{dataset}.json"
FETCHED_POOL = "data/sources/{pool}/{dataset}.json"
#: Of a table, figure or audit.
SCORES = "results/scores/{target}.parquet"
PAGES = tuple(f"results/tables/{{target}}.{suffix}" for suffix in ("csv", "md", "html"))
PICTURES = tuple(f"figures/{{target}}.{suffix}" for suffix in ("pdf", "png"))
_MEASURED = {"timing": TIMED, "scaling": TIMED, "selection": SELECTION}

#: Between the parameters in a block's name. Snakemake separates wildcards by commas when it hands
#: a job to a cluster, so that no wildcard's value may contain one.
_SEPARATOR = "~"
#: Name of a block in which all parameters are at their defaults.
_NOTHING = "default"
#: End of the name of a pool whose samples were shuffled, all or so many percent.
_SHUFFLED = re.compile("-shuffled(?:-([0-9]+))?$")


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


@dataclass(frozen=True)
class RunKey:
    """One run: a method on all draws of m base clusterings, at one or more points."""

    #: Name of the pool; of a shuffled one too.
    pool: str
    dataset: str
    #: Ensemble size.
    m: int
    method: str
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

    # -- to and from its path --------------------------------------------------------------------

    @property
    def stem(self) -> str:
        """Path below ``results/runs``, without ending."""
        return self.path(_BLOCK)

    @property
    def parameters(self) -> str:
        """Name of the block of parameters, such as ``alpha=0.8~lam=0.1+1``."""
        varied = {**self.values}
        if self.n_clusters is not None:
            varied["n_clusters"] = (str(self.n_clusters),)
        parts = [f"{name}={'+'.join(texts)}" for name, texts in sorted(varied.items())]
        points = "{}of{}".format(*self.points) if self.points else None
        shortened = {"race": self.race, "repeats": self.repeats, "points": points}
        parts += [f"{name}={value}" for name, value in shortened.items() if value]
        return _SEPARATOR.join(parts) or _NOTHING

    @classmethod
    def from_stem(cls, stem: str) -> RunKey | None:
        """The run of a path below ``results/runs``; None for base clusterings and references."""
        if stem.count("/") != 4:
            return None
        pool, dataset, m, method, parameters = stem.split("/")
        parts = [] if parameters == _NOTHING else parameters.split(_SEPARATOR)
        texts = dict(part.partition("=")[::2] for part in parts)
        n_clusters, race, repeats, points = (
            texts.pop(name, None) for name in ("n_clusters", "race", "repeats", "points")
        )
        fitted, _, whole = (points or "").partition("of")
        return cls(
            pool,
            dataset,
            int(m.removeprefix("m")),
            method,
            {name: tuple(filter(None, text.split("+"))) for name, text in texts.items()},
            int(n_clusters) if n_clusters else None,
            race,
            int(repeats) if repeats else None,
            (int(fitted), int(whole)) if points else None,
        )

    def path(self, pattern: str = RUN, **others: str) -> str:
        """A file of the run by one of the patterns of this module."""
        return pattern.format(**{**vars(self), "parameters": self.parameters, **others})

    def measured_path(self, needs: str) -> str:
        """Its file of times or criteria, by what is needed; empty where that is neither."""
        return self.path(_MEASURED.get(needs, ""), measured=needs)

    # -- its points ------------------------------------------------------------------------------

    def at(self, values: Mapping[str, Iterable[Any]]) -> RunKey:
        """The same run at other values of the parameters, which are written as texts."""
        texts = {name: tuple(map(_text, several)) for name, several in values.items()}
        return replace(self, values=texts)

    def parameter_points(self, declared: Mapping[str, Parameter]) -> list[dict[str, Any]]:
        """The points of the run: every combination of its values; a ConfigError for a bad one."""
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
                f"Run {self.parameters!r}: {name!r} is not a parameter of the method; allowed are "
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
                f"Run {self.parameters!r}: {name} is {text!r}; it must be {known.allowed}."
            ) from error


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, (int, float)) else str(value)
