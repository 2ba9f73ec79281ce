"""Catalogues of methods, the library's and a user's: files with titles, papers and costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

import coassoc.methods
from coassoc.errors import ConfigError
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
    """What a fit takes, see :mod:`reproduction.running.costs`; None where it was not measured."""

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

    A ConfigError says what breaks the form or stands twice, or that a method which sees labels only
    is said to grow with the features.
    """
    methods = {}
    for path, name, given in catalogue_entries(paths, MethodKeys):
        entry = given.model_dump(exclude_unset=True)
        place = f"{shown(path)}: {name}"
        methods[name] = method = Method(name, entry.pop("estimator"), **entry, place=place)
        if given.cost.grows_with == "features" and not method.uses_features:
            raise ConfigError(
                f"{method.place}: cost: grows_with is 'features', which the method does not use. "
                "It must be 'microclusters' or 'samples'."
            )
    return methods
