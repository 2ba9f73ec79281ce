"""Configuration files, read and checked; messages name file, key, value and what is allowed."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from coassoc.errors import ConfigError
from coassoc.storage.models import ItemName, validate

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(path: str | Path) -> Any:
    """Read one YAML file; one that is none, or has a key twice in one place, is a ConfigError."""
    try:
        loader = _LOADER(Path(path).read_text(encoding="utf-8"))
        root = loader.get_single_node()
        if root is None:
            return None
        _check_keys(root, path)
        return loader.construct_document(root)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot read this file: {reason}.") from error
    except ConfigError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        where = " ".join(str(error).split())
        raise ConfigError(f"{path}: not valid YAML: {where}.") from error


def _check_keys(node: yaml.Node, path: str | Path) -> None:
    """Refuse a key that stands twice in one place."""
    lines: dict[str, int] = {}
    for item in () if isinstance(node, yaml.ScalarNode) else node.value:
        key, value = item if isinstance(node, yaml.MappingNode) else (None, item)
        _check_keys(value, path)
        if not isinstance(key, yaml.ScalarNode) or key.tag.endswith(":merge"):
            continue
        line = int(key.start_mark.line) + 1
        if key.value in lines:
            raise ConfigError(
                f"{path}: the key {key.value!r} stands in line {lines[key.value]} and again in "
                f"line {line}; it may be given once."
            )
        lines[key.value] = line


def read_model(path: str | Path, model: Any) -> Any:
    """The content of a YAML file, read into a model or another type."""
    return validate(load_yaml(path), model, shown(path))


def catalogue_entries(paths: Iterable[str | Path], model: Any) -> Iterator[tuple[Path, str, Any]]:
    """File, name and model of each entry in several files whose entries have one form.

    An entry that breaks it, or has the name of an earlier one, is a ConfigError.
    """
    files: dict[str, Path] = {}
    for path in map(Path, paths):
        for name, entry in read_model(path, dict[ItemName, model]).items():
            if name in files:
                raise ConfigError(
                    f"{shown(path)}: {name} is in {shown(files[name])} already; an own entry needs "
                    "a name of its own."
                )
            files[name] = path
            yield path, name, entry


def shown(path: str | Path) -> str:
    """The path from the config folder on, as users know it."""
    parts = Path(path).parts
    above = len(parts) - 1 - parts[::-1].index("config") if "config" in parts else 0
    return str(Path(*parts[above:]))
