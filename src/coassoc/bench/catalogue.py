"""Methods of the library and of a user, whose files name the classes."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from coassoc.bench.storage.configuration import (
    Model,
    Text,
    catalogue_entries,
    catalogue_folder,
    shown,
)
from coassoc.errors import ConfigError
from coassoc.methods import METHODS, Method


class MethodKeys(Model):
    """Keys of a method in a file; config/README.md documents them."""

    title: Text = ""
    paper: Text = ""
    estimator: Annotated[str, Field(pattern="^[A-Za-z0-9_.]+:[A-Za-z0-9_]+$")]
    fixed: dict[str, Any] = Field(default={})


def load_methods(*paths: str | Path) -> dict[str, Method]:
    """The methods of the library and those in a user's files.

    A ConfigError reports an invalid or duplicate entry. The classes are not imported.
    """
    methods = {name: METHODS.method(name) for name in METHODS}
    for path, name, given in catalogue_entries(paths, MethodKeys):
        if name in METHODS:
            raise ConfigError(f"{shown(path)}: {name} is a method of coassoc. Choose another name.")
        entry = given.model_dump(exclude_unset=True)
        location, fixed = entry.pop("estimator"), entry.pop("fixed", {})
        beside = catalogue_folder(path) / f"{location.partition(':')[0].replace('.', '/')}.py"
        if beside.is_file():
            location = f"{beside}:{location.partition(':')[2]}"
        methods[name] = Method(name, location, fixed, entry, place=f"{shown(path)}: {name}")
    return methods
