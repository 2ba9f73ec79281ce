"""Methods of the library and of a user, whose files name the classes or commands."""

import hashlib
import shlex
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from coassoc.bench.storage.configuration import (
    Model,
    Text,
    catalogue_entries,
    catalogue_folder,
    mistake,
    shown,
)
from coassoc.errors import ConfigError
from coassoc.methods import METHODS, Method

_PROGRAM = "coassoc.bench.programs:Program"


class MethodKeys(Model):
    """Keys of a method in a file; config/README.md documents them."""

    title: Text = ""
    paper: Text = ""
    estimator: Annotated[str, Field(pattern="^[A-Za-z0-9_.]+:[A-Za-z0-9_]+$")] = ""
    fixed: dict[str, Any] = Field(default={})
    command: Text = ""
    format: Literal["csv", "mat"] = "csv"
    container: Text = ""
    conda: Text = ""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        given = self.model_fields_set
        if len(given & {"estimator", "command"}) != 1:
            raise mistake("needs either the key 'estimator' or the key 'command'")
        foreign = {"fixed"} if self.command else {"format", "container", "conda"}
        for key in sorted(given & foreign):
            raise mistake(f"has the key {key!r}, which does not belong to its kind. Remove it")
        for part in ("{ensemble}", "{labels}") if self.command else ():
            if part not in self.command:
                raise mistake(f"has a command without {part}. Add the place of this file")
        try:
            shlex.split(self.command)
        except ValueError as error:
            raise mistake(f"has a command that cannot be read ({error})") from error
        if self.container and self.conda:
            raise mistake("has a container and a conda environment. Keep one of the two")
        return self


def load_methods(*paths: str | Path) -> dict[str, Method]:
    """The methods of the library and those in a user's files.

    A ConfigError reports an invalid or duplicate entry. The classes are not imported.
    """
    methods = dict(METHODS)
    for path, name, given in catalogue_entries(paths, MethodKeys):
        if name in METHODS:
            raise ConfigError(f"{shown(path)}: {name} is a method of coassoc. Choose another name.")
        entry, folder = given.model_dump(exclude_unset=True), catalogue_folder(path)
        about = {key: entry.pop(key) for key in ("title", "paper") if key in entry}
        location, fixed = entry.pop("estimator", _PROGRAM), entry.pop("fixed", {})
        module, _, estimator = location.partition(":")
        if (beside := folder / f"{module.replace('.', '/')}.py").is_file():
            location = f"{beside}:{estimator}"
        if given.command:
            fixed = {**entry, "folder": str(folder), "files": _hashes(given.command, folder)}
        methods[name] = Method(name, location, fixed, about, place=f"{shown(path)}: {name}")
    return methods


def _hashes(command: str, folder: Path) -> dict[str, str]:
    """Hashes of the files in a folder that a command names."""
    files = [word for word in shlex.split(command) if (folder / word).is_file()]
    return {x: hashlib.sha256((folder / x).read_bytes()).hexdigest()[:16] for x in files}
