"""Catalogues of methods: titles, papers and costs, and what their classes say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

import coassoc.methods
from coassoc.errors import ConfigError
from coassoc.methods import METHODS, Method, Parameter
from coassoc.storage.configuration import catalogue_entries, shown
from coassoc.storage.models import Model, Positive, Text, expected, mistake
from coassoc.storage.names import check_known, errors_begin_with

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
            raise mistake("has the key 'fixed', which needs 'estimator' beside it")
        return self


@dataclass(frozen=True)
class MethodEntry:
    """One method of the catalogue."""

    #: Name in tables, what it does, whose it is.
    name: str
    title: str
    paper: str
    #: Its class; imported when parameters are first asked for.
    method: Method
    #: File of the entry, for messages.
    source: str
    cost: Cost = field(default_factory=lambda: Cost())

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """What may be set, as the class declares it; a ConfigError if it cannot be used."""
        return self._of_class("parameters")

    @cached_property
    def refinement(self) -> str | None:
        """What methods with one refinement have in common; None where there is none to share."""
        return self._of_class("refinement")

    def _of_class(self, name: str) -> Any:
        with errors_begin_with(f"{self.source}: {self.name}"):
            return getattr(self.method, name)

    @cached_property
    def uses_features(self) -> bool:
        """Whether the method sees the samples' features besides the base clusterings."""
        return self._of_class("uses_features")

    @cached_property
    def n_clusters_is(self) -> str:
        """Whether the number of clusters is "given", "optional", or "chosen" by the method."""
        return self._of_class("n_clusters_is")

    @property
    def needs(self) -> list[str]:
        """What a method cannot do without, besides labels."""
        complete = not getattr(self.method.estimator, "takes_missing", False)
        return ["features"] * self.uses_features + ["complete labels"] * complete


def load_methods(*paths: str | Path) -> dict[str, MethodEntry]:
    """Read files of methods; an entry without ``estimator`` is one of the library's.

    A ConfigError says what breaks the form, stands twice or does not exist, or that a method which
    sees labels only is said to grow with the features.
    """
    entries = {}
    for path, name, given in catalogue_entries(paths, MethodKeys):
        source = shown(path)
        if given.estimator:
            method = Method(given.estimator, given.fixed)
        else:
            check_known(source, "an entry without estimator", [name], METHODS)
            method = METHODS.method(name)
        entry = MethodEntry(name, given.title, given.paper, method, source, given.cost)
        if entry.cost.grows_with == "features" and not entry.uses_features:
            raise ConfigError(
                f"{source}: {name}: cost: grows_with is 'features', which the method does not "
                "see; it must be 'microclusters' or 'samples'."
            )
        entries[name] = entry
    return entries


def endings_of_one_refinement(methods: Mapping[str, MethodEntry]) -> list[tuple[str, ...]]:
    """Names of the methods that differ only in how they end a refinement, two or more together."""
    sharing = defaultdict(list)
    for name, entry in methods.items():
        if entry.refinement is not None:
            sharing[entry.refinement].append(name)
    return [tuple(names) for names in sharing.values() if len(names) > 1]


def check_parameters(source: str, method: MethodEntry, values: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a parameter that the method does not have, or a bad value.

    A method whose class cannot be used is reported here as well, even where no value is given.
    """
    declared = method.parameters
    if values and not declared:
        name = next(iter(values))
        raise ConfigError(f"{source}: {method.name} declares no parameters, and {name!r} is given.")
    check_known(source, f"parameters of {method.name}", values, declared)
    for name, value in values.items():
        if not declared[name].accepts(value):
            raise ConfigError(
                f"{source}: {name} of {method.name} is {value!r}; "
                f"it must be {declared[name].allowed}."
            )
