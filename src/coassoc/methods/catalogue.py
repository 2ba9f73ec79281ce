"""Catalogues of methods, the library's and a user's: files with titles, papers and costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

import coassoc.methods
from coassoc.errors import ConfigError, check_known
from coassoc.methods import METHODS, Method
from coassoc.storage.configuration import (
    Model,
    Positive,
    Text,
    catalogue_entries,
    expected,
    mistake,
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
        str | None,
        Field(pattern="^[A-Za-z0-9_.]+:[A-Za-z0-9_]+$"),
        expected("it must be the module and the class, as in 'package.module:Class'"),
    ] = None
    fixed: dict[str, Any] = Field(default={})

    @model_validator(mode="after")
    def _check(self) -> MethodKeys:
        if self.fixed and not self.estimator:
            raise mistake("has the key 'fixed', which also needs 'estimator'")
        return self


def load_methods(*paths: str | Path) -> dict[str, Method]:
    """Read files of methods; an entry without ``estimator`` is one of the library's.

    A ConfigError says what breaks the form, stands twice or does not exist, or that a method which
    sees labels only is said to grow with the features.
    """
    methods = {}
    for path, name, given in catalogue_entries(paths, MethodKeys):
        source = shown(path)
        if given.estimator:
            method = Method(name, given.estimator, given.fixed)
        else:
            check_known(source, "an entry without estimator", [name], METHODS)
            method = METHODS.method(name)
        cost = given.cost.model_dump(exclude_unset=True)
        description = {"title": given.title, "paper": given.paper, "cost": cost}
        methods[name] = method = replace(method, place=f"{source}: {name}", **description)
        if given.cost.grows_with == "features" and not method.uses_features:
            raise ConfigError(
                f"{method.place}: cost: grows_with is 'features', which the method does not "
                "see. It must be 'microclusters' or 'samples'."
            )
    return methods
