"""YAML files, in which no key may stand twice in one place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from coassoc.errors import ConfigError

__all__ = ["load_yaml"]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(path: str | Path) -> Any:
    """Read one YAML file.

    Raises
    ------
    ConfigError
        If it cannot be read, is not YAML, or has a key twice in one place.
    """
    try:
        loader = _LOADER(Path(path).read_text(encoding="utf-8"))
        root = loader.get_single_node()
        if root is None:
            return None
        _check_keys(root, str(path), set())
        return loader.construct_document(root)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot read this file: {reason}.") from error
    except (yaml.YAMLError, ValueError) as error:
        where = " ".join(str(error).split())
        raise ConfigError(f"{path}: not valid YAML: {where}.") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: not valid YAML: it is nested too deeply.") from error


def _check_keys(node: yaml.Node, path: str, seen: set[int]) -> None:
    """Refuse a key that stands twice; `seen` are the nodes that aliases lead to again."""
    if id(node) in seen or isinstance(node, yaml.ScalarNode):
        return
    seen.add(id(node))
    lines: dict[str, int] = {}
    for each in node.value:
        key, value = each if isinstance(node, yaml.MappingNode) else (None, each)
        _check_keys(value, path, seen)
        if not isinstance(key, yaml.ScalarNode) or key.tag.endswith(":merge"):
            continue
        line = int(key.start_mark.line) + 1
        if key.value in lines:
            raise ConfigError(
                f"{path}: the key {key.value!r} stands in line {lines[key.value]} and again in "
                f"line {line}; it may be given once."
            )
        lines[key.value] = line
