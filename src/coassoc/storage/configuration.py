"""Configuration files, read and checked; messages name file, key, value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from coassoc.errors import ConfigError
from coassoc.storage.forms import ItemName, mapping, validate
from coassoc.storage.names import check_known, placed
from coassoc.storage.yaml_files import load_yaml

__all__ = [
    "catalogue_entries",
    "check_known",
    "load_yaml",
    "placed",
    "shown",
    "validate",
    "validated_yaml",
]


def validated_yaml(path: str | Path, form: Any) -> Any:
    """Read a YAML file and hold it against a form."""
    content = load_yaml(path)
    validate(content, form, shown(path))
    return content


def catalogue_entries(paths: Iterable[str | Path], form: Any) -> Iterator[tuple[Path, str, Any]]:
    """File, name and content of each entry in several files whose entries have one form.

    Raises
    ------
    ConfigError
        If an entry breaks the form, or an earlier file has one of its name.
    """
    files: dict[str, Path] = {}
    for path in map(Path, paths):
        for name, content in validated_yaml(path, mapping(form, key=ItemName)).items():
            if name in files:
                raise ConfigError(
                    f"{shown(path)}: {name} is in {shown(files[name])} already; an own entry needs "
                    "a name of its own."
                )
            files[name] = path
            yield path, name, content


def shown(path: str | Path) -> str:
    """The path from the config folder on, as users know it."""
    parts = Path(path).parts
    above = len(parts) - 1 - parts[::-1].index("config") if "config" in parts else 0
    return str(Path(*parts[above:]))
