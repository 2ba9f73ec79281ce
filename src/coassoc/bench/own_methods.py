"""Parsing of the methods named on the command line, and the points fitted for them."""

import ast
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sklearn.model_selection import ParameterGrid

from coassoc.errors import ConfigError
from coassoc.methods import METHODS, Method

_FORM = re.compile(r"(?:(?P<label>[^=()]+)=)?(?P<what>[^()]+)(?:\((?P<values>.*)\))?")
_EXAMPLES = "mymethod.py:MyMethod, package.module:Class, LWEA, or 'LWEA(theta=0.2)'"


@dataclass(frozen=True)
class OwnMethod:
    """A user's method, or a method of the library in the same form."""

    #: Name in tables.
    row: str
    #: Its name is part of the seeds, so a method of the library keeps its own seeds.
    method: Method
    #: Parameters that differ from their defaults.
    values: Mapping[str, Any]
    #: Parameters of each point of the grid, over which the method is tuned against the classes.
    grid: Sequence[Mapping[str, Any]] = ()


def tuned(own: OwnMethod) -> OwnMethod:
    """A method with the grid of its class, for parameters without a given value.

    Raises
    ------
    ConfigError
        If the class declares no grid for these parameters.
    """
    declared = own.method.parameters.items()
    free = {name: parameter for name, parameter in declared if name not in own.values}
    grid = {name: list(parameter.grid) for name, parameter in free.items() if parameter.grid}
    if not grid:
        raise ConfigError(
            f"{own.row}: none of the parameters declares a grid. Declare a grid, or leave out "
            "--tuned."
        )
    points = [{**own.values, **point} for point in ParameterGrid(grid)]
    return replace(own, row=f"{own.row} (tuned)", grid=points)


def own_method(text: str) -> OwnMethod:
    """The method named by a string, ``[name=]where[(parameter=value, …)]``.

    `where` is a file and a class, a module and a class, or a name of
    :data:`coassoc.methods.METHODS`. The name is the name of the row, and the seeds depend on it.

    Raises
    ------
    ConfigError
        If there is no such class, it cannot be used, or a parameter or its value is not allowed.
    """
    parsed = _FORM.fullmatch(text.strip())
    where = parsed["what"].strip() if parsed else ""
    place, _, name = where.rpartition(":")
    if not parsed or not (place or where in METHODS):
        raise ConfigError(
            f"{text!r} is neither a method of coassoc (see 'coassoc methods') nor a class with its "
            f"file or module. Write it as {_EXAMPLES}."
        )
    values = _values(text, parsed["values"])
    if where in METHODS:
        method = METHODS[where]
    else:
        if place.endswith(".py"):
            if not Path(place).is_file():
                raise ConfigError(f"method {text!r}: file {place} not found.")
            sys.path.append(str(Path(place).resolve().parent))  # from now on, for new processes
        method = Method(name, where)
    method = replace(method, place=text)
    method.check_parameters(text, values)
    shown = ", ".join(f"{key}={value}" for key, value in values.items())
    label = (parsed["label"] or "").strip()
    row = label or (f"{method.name}({shown})" if shown else method.name)
    return OwnMethod(row, replace(method, name=label or method.name), values)


def _values(text: str, given: str | None) -> dict[str, Any]:
    """Parameters as Python writes them: ``theta=0.2, linkage="average"``."""
    try:
        call = ast.parse(f"f({given or ''})", mode="eval").body
        assert isinstance(call, ast.Call) and not call.args
        return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError, AssertionError) as error:
        raise ConfigError(
            f"Cannot read the parameters of the method {text!r}. Write them as (name=value, …), "
            "with strings in quotation marks."
        ) from error
