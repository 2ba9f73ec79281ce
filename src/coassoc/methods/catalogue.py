"""Catalogues of methods of the library and of a user: files with titles, papers and costs."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

import coassoc.methods
from coassoc.methods import Method
from coassoc.methods.cost import Cost
from coassoc.storage.configuration import (
    Model,
    Number,
    Positive,
    Text,
    catalogue_entries,
    expected,
    shown,
)

#: The catalogue of the library's own methods.
LIBRARY = Path(coassoc.methods.__file__).with_name("methods.yaml")


class Measured(Model):
    """Fields of a method's :class:`~coassoc.methods.cost.Cost`."""

    seconds: Positive = Cost.seconds
    power: Positive = Cost.power
    squares: Annotated[Number, Field(ge=0)] = Cost.squares
    grows_with_features: bool = Cost.grows_with_features


class MethodKeys(Model):
    """Keys of a method in a file; config/README.md documents them."""

    title: Text
    paper: Text
    measured: Measured = Field(default=Measured(), alias="cost")
    estimator: Annotated[
        str,
        Field(pattern="^[A-Za-z0-9_.]+:[A-Za-z0-9_]+$"),
        expected("It must be a module and a class, as in 'package.module:Class'"),
    ]
    fixed: dict[str, Any] = Field(default={})


def load_methods(*paths: str | Path) -> dict[str, Method]:
    """Read files of methods.

    A ConfigError reports an invalid or duplicate entry. The classes are not imported.
    """
    methods = {}
    for path, name, given in catalogue_entries(paths, MethodKeys):
        entry = given.model_dump(exclude_unset=True)
        place = f"{shown(path)}: {name}"
        methods[name] = Method(name, entry.pop("estimator"), **entry, place=place)
    return methods
