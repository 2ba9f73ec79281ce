"""What the columns of a file of labels mean, read from its head alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from coassoc.errors import DataError
from coassoc.pools.label_files import LabelFile, open_table
from coassoc.storage.configuration import check_known

__all__ = ["Roles", "clusterings_in", "roles_in"]


class Roles(NamedTuple):
    """Places of a table's columns by what they hold."""

    id: int | None
    classes: int | None
    clusterings: list[int]


def clusterings_in(source: LabelFile) -> list[str]:
    """Names of the clusterings in a file.

    Raises
    ------
    DataError
        If the file cannot be read, or its columns are not those that are named.
    """
    names = open_table(source, Path(source.file)).names
    return [names[place] for place in roles_in(source, names).clusterings]


def roles_in(source: LabelFile, names: Sequence[str]) -> Roles:
    """Which columns of a file name the samples, hold the classes, and are clusterings.

    Raises
    ------
    DataError
        If a column is not there or twice, has no name, or none is left.
    """
    path = Path(source.file)
    identifier = None if source.id is None else _identifier(source.id, path, names)
    classes = None if source.classes is None else _place("classes", source.classes, path, names)
    if classes is not None and classes == identifier:
        raise DataError(f"{path}: {names[classes]!r} is named as id and as classes both.")
    if source.columns:
        chosen = [_place("columns", each, path, names) for each in source.columns]
    else:
        chosen = [place for place in range(len(names)) if place not in (identifier, classes)]
    if not chosen:
        raise DataError(f"{path}: there is no column of labels.")
    for place in chosen:
        if place in (identifier, classes):
            key = "id" if place == identifier else "classes"
            raise DataError(f"{path}: columns has {names[place]!r}, which is {key} already.")
        _check_named(names[place], place, path)
        _place("columns", names[place], path, names)
    return Roles(identifier, classes, chosen)


def _identifier(wanted: str, path: Path, names: Sequence[str]) -> int:
    return 0 if wanted == "first" else _place("id", wanted, path, names)


def _place(key: str, wanted: str, path: Path, names: Sequence[str]) -> int:
    check_known(str(path), key, [wanted], names)
    if names.count(wanted) > 1:
        raise DataError(f"{path}: {names.count(wanted)} columns are called {wanted!r}.")
    return names.index(wanted)


def _check_named(name: str, place: int, path: Path) -> None:
    """Ask about a column without a name: as a rule it holds the names or numbers of the rows."""
    if name == "" or name.startswith(("Unnamed: ", "__index_level_")):
        called = f"is called {name!r}" if name else "has no name"
        what = "id: first" if place == 0 else f"id: {name!r}"
        raise DataError(
            f"{path}: column {place + 1} {called}; say {what} beside the key file if it names "
            "the samples, or list the clusterings as columns."
        )
