"""Catalogues of methods of the library and of a user: files with titles, papers and costs."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

import coassoc.methods
from coassoc.methods import Method
from coassoc.storage.configuration import (
    Model,
    Positive,
    Text,
    catalogue_entries,
    expected,
    shown,
)

#: The catalogue of the library's own methods.
LIBRARY = Path(coassoc.methods.__file__).with_name("methods.yaml")


class Cost(Model):
    """Cost of a fit, see :mod:`reproduction.running.costs`; None if it was not measured."""

    seconds: Positive | None = None
    power: Positive | None = None
    arrays: Positive | None = None
    grows_with: Literal["microclusters", "samples", "features"] | None = None


class MethodKeys(Model):
    """Keys of a method in a file; config/README.md documents them."""

    title: Text
    paper: Text
    cost: Cost = Cost()
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
