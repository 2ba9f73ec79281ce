"""Names of runs: a run's path says what it is, so that tables and figures that need it share it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from coassoc.errors import ConfigError
from coassoc.methods.parameters import Parameter

__all__ = [
    "RunSpec",
    "n_clusters_in",
    "parameters_name",
    "parse_parameters",
    "percent_shuffled",
    "points_in",
    "race_in",
    "repeats_in",
    "shortened_name",
    "shuffled_pool",
    "stored_pool",
]

#: End of the name of a pool whose samples are in random order, or a percentage of them.
_SHUFFLED = re.compile("-shuffled(?:-([0-9]+))?$")
#: Between the parameters in a block's name. Snakemake separates wildcards by commas when it hands
#: a job to a cluster, so that no wildcard's value may contain one.
_SEPARATOR = "~"
#: Name of a block in which all parameters are at their defaults.
_NOTHING = "default"
#: In the name of a run whose number of clusters is not that of its data set.
_N_CLUSTERS = "n_clusters"
#: In the name of a run that spends less than a fit for each point and repeat: the score by which
#: its points race, the number of its repeats, and how many of how many points it is tuned over.
_RACE, _REPEATS, _POINTS = "race", "repeats", "points"
_NO_PARAMETERS = (_N_CLUSTERS, _RACE, _REPEATS, _POINTS)


@dataclass(frozen=True)
class RunSpec:
    """One job: a method on all draws of m base clusterings, for a block of parameters."""

    pool: str
    dataset: str
    m: int
    method: str
    parameters: str

    @property
    def stem(self) -> str:
        """Path below ``results/runs`` and ``results/scores``, without ending."""
        return f"{self.pool}/{self.dataset}/m{self.m}/{self.method}/{self.parameters}"


def shuffled_pool(pool: str, percent: int) -> str:
    """Name of a pool with so many percent of its samples shuffled."""
    if percent == 0:
        return pool
    return f"{pool}-shuffled" if percent == 100 else f"{pool}-shuffled-{percent}"


def stored_pool(pool: str) -> str:
    """Name of the pool whose samples were shuffled, or the name itself."""
    return _SHUFFLED.sub("", pool)


def percent_shuffled(pool: str) -> int:
    """Percentage of the samples that a pool's name says are shuffled."""
    found = _SHUFFLED.search(pool)
    return int(found[1] or 100) if found else 0


def parameters_name(parameters: Mapping[str, Iterable[Any]]) -> str:
    """File name of a parameter block, for example ``alpha=0.8~lam=0.1+1``; "default" if empty."""
    parts = [
        f"{name}={'+'.join(_value_name(value) for value in values)}"
        for name, values in sorted(parameters.items())
    ]
    return _SEPARATOR.join(parts) or _NOTHING


def _value_name(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, (int, float)) else str(value)


def shortened_name(
    name: str,
    race: str | None = None,
    repeats: int | None = None,
    points: tuple[int, int] | None = None,
) -> str:
    """The name of a run that spends less.

    Parameters
    ----------
    name : str
        From :func:`parameters_name`.
    race : str, optional
        The score by which its points race.
    repeats : int, optional
        The first so many repeats are made.
    points : tuple of int, optional
        Points of the grid that are fitted, and all there are.
    """
    parts = [] if name == _NOTHING else [name]
    parts += [f"{_RACE}={race}"] if race else []
    parts += [f"{_REPEATS}={repeats}"] if repeats else []
    parts += [f"{_POINTS}={points[0]}of{points[1]}"] if points else []
    return _SEPARATOR.join(parts) or _NOTHING


def n_clusters_in(run: str) -> int | None:
    """The number of clusters in a run's stem or parameters; None where it is the data set's."""
    value = _value_in(run, _N_CLUSTERS)
    return int(value) if value else None


def race_in(run: str) -> str | None:
    """The score by which the points of a run race, from its stem or parameters.

    None where all of them get all repeats.
    """
    return _value_in(run, _RACE)


def repeats_in(run: str) -> int | None:
    """The number of repeats in a run's stem or parameters; None where they are the pool's."""
    value = _value_in(run, _REPEATS)
    return int(value) if value else None


def points_in(run: str) -> tuple[int, int] | None:
    """Points fitted of a run's grid and all there are, from its stem or parameters.

    None where the grid is whole.
    """
    value = _value_in(run, _POINTS)
    if not value:
        return None
    fitted, _, whole = value.partition("of")
    return int(fitted), int(whole)


def _value_in(run: str, wanted: str) -> str | None:
    parameters = run.rpartition("/")[2]
    parts = (part.partition("=") for part in parameters.split(_SEPARATOR))
    return next((value for key, _, value in parts if key == wanted), None)


def parse_parameters(name: str, declared: Mapping[str, Parameter]) -> list[dict[str, Any]]:
    """The points of a parameter block, from its file name; inverse of :func:`parameters_name`.

    A number of clusters, a race, a number of repeats and how much of a grid is fitted are no part
    of them; see :func:`n_clusters_in`, :func:`race_in`, :func:`repeats_in` and :func:`points_in`.

    Parameters
    ----------
    name : str
        File name.
    declared : mapping
        The method's parameters, which give the types.

    Raises
    ------
    ConfigError
        If the name does not describe parameters of the method.
    """
    if name == _NOTHING:
        return [{}]
    names, values = [], []
    for part in name.split(_SEPARATOR):
        parameter, equals, texts = part.partition("=")
        if parameter in _NO_PARAMETERS:
            continue
        if not equals or parameter not in declared:
            raise ConfigError(
                f"Run {name!r}: {parameter!r} is not a parameter of the method; allowed are "
                f"{', '.join(declared)}."
            )
        names.append(parameter)
        known = declared[parameter]
        values.append([_parse_value(name, parameter, known, text) for text in texts.split("+")])
    return [dict(zip(names, point, strict=True)) for point in itertools.product(*values)]


def _parse_value(name: str, parameter: str, known: Parameter, text: str) -> Any:
    convert: dict[str, Any] = {
        "number": float,
        "integer": int,
        "boolean": {"yes": True, "no": False}.__getitem__,
        "choice": {str(choice): choice for choice in known.choices}.__getitem__,
    }
    try:
        return convert[known.kind](text)
    except (ValueError, KeyError) as error:
        raise ConfigError(
            f"Run {name!r}: {parameter} is {text!r}; it must be {known.allowed}."
        ) from error
