"""Parsing of the methods named on the command line, and the points fitted for them."""

import ast
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
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
    #: Folder of the file of the method, or empty for an installed module.
    folder: str = ""
    #: Whether the parameters are tuned against the classes, over the grid that the method declares.
    tuned: bool = False

    @property
    def points(self) -> Sequence[Mapping[str, Any]]:
        """The parameters of each fitted point."""
        grid = self.grid if self.tuned else {}
        return [{**self.values, **point} for point in ParameterGrid(grid)]

    @property
    def grid(self) -> dict[str, list[Any]]:
        """The grid of the class, for parameters without a given value."""
        declared = self.method.parameters.items()
        free = {
            name: list(parameter.grid) for name, parameter in declared if name not in self.values
        }
        return {name: grid for name, grid in free.items() if grid}


def own_methods(texts: Sequence[str], tuned: bool = False) -> list[OwnMethod]:
    """The methods named by some strings, each with its own row.

    Raises
    ------
    ConfigError
        As for :func:`own_method`. Also if two methods have the same name, or a method to be tuned
        has no grid.
    """
    contenders = [own_method(text) for text in texts]
    rows = [method.row for method in contenders]
    for row in rows:
        if rows.count(row) > 1:
            raise ConfigError(
                f"Two methods are called {row!r}. Give one of the two a different name, as "
                f"in 'first={row}'."
            )
    if not tuned:
        return contenders
    for method in contenders:
        if not method.grid:
            raise ConfigError(
                f"{method.row} cannot be tuned, because none of its parameters declares a grid. "
                "Declare a grid, or leave out --tuned."
            )
    return [replace(method, row=f"{method.row} (tuned)", tuned=True) for method in contenders]


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
    if parsed is None:
        raise ConfigError(f"Cannot read the method {text!r}. Write it as {_EXAMPLES}.")
    where = parsed["what"].strip()
    values = _values(text, parsed["values"])
    folder = ""
    if where in METHODS:
        method = METHODS.method(where)
    else:
        place, colon, name = where.rpartition(":")
        if not colon:
            raise ConfigError(
                f"{text!r} is neither a method of coassoc (see 'coassoc methods') nor a class "
                f"with its file or module. Write it as {_EXAMPLES}."
            )
        if place.endswith(".py"):
            folder, place = _importable(Path(place), text)
        method = Method(name, f"{place}:{name}")
    method = replace(method, place=text)
    method.check_parameters(text, values)
    shown = ", ".join(f"{key}={value}" for key, value in values.items())
    label = (parsed["label"] or "").strip()
    row = label or (f"{method.name}({shown})" if shown else method.name)
    return OwnMethod(row, replace(method, name=label or method.name), values, folder)


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


def _importable(file: Path, text: str) -> tuple[str, str]:
    """Folder and name of a module in a file, which can be imported from now on."""
    if not file.is_file():
        raise ConfigError(f"method {text!r}: file {file} not found.")
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    spec = find_spec(file.stem)
    if spec is None or Path(spec.origin or "").resolve() != file.resolve():
        raise ConfigError(
            f"method {text!r}: another module is called {file.stem!r}. Rename the file."
        )
    return folder, file.stem
