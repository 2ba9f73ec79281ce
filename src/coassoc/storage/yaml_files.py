"""YAML files, read with suspicion: no key twice in one place, no file that expands without end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from coassoc.errors import ConfigError

__all__ = ["load_yaml"]

#: Values and keys of a file with its aliases written out; the largest file of the project has
#: some thousands. Aliases of aliases can make billions of them from a few lines.
_MOST_NODES = 200_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(path: str | Path) -> Any:
    """Read one YAML file.

    Raises
    ------
    ConfigError
        If it cannot be read, is not YAML, has a key twice in one place, or aliases that contain
        themselves or expand to a huge file.
    """
    try:
        loader = _LOADER(Path(path).read_text(encoding="utf-8"))
        root = loader.get_single_node()
        if root is None:
            return None
        _Inspection(str(path)).size(root)
        return loader.construct_document(root)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot read this file: {reason}.") from error
    except (yaml.YAMLError, ValueError) as error:
        where = " ".join(str(error).split())
        raise ConfigError(f"{path}: not valid YAML: {where}.") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: not valid YAML: it is nested too deeply.") from error


class _Inspection:
    """A look at a file's nodes before values are made of them."""

    def __init__(self, path: str) -> None:
        self._path = path
        #: Sizes of the nodes seen so far; None for those that are not finished.
        self._sizes: dict[int, int | None] = {}

    def size(self, node: yaml.Node) -> int:
        """Number of nodes below one, an alias counting like what it stands for."""
        if id(node) in self._sizes:
            known = self._sizes[id(node)]
            if known is None:
                raise self._refusal(node, "contains itself by an alias")
            return known
        self._sizes[id(node)] = None
        size = 1 + sum(map(self.size, self._children(node)))
        if size > _MOST_NODES:
            raise self._refusal(node, f"has more than {_MOST_NODES} values by its aliases")
        self._sizes[id(node)] = size
        return size

    def _children(self, node: yaml.Node) -> list[yaml.Node]:
        if isinstance(node, yaml.MappingNode):
            self._check_keys(node)
            return [each for pair in node.value for each in pair]
        return list(node.value) if isinstance(node, yaml.SequenceNode) else []

    def _check_keys(self, node: yaml.MappingNode) -> None:
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag.endswith(":merge"):
                continue
            if key.value in lines:
                raise ConfigError(
                    f"{self._path}: the key {key.value!r} stands in line {lines[key.value]} and "
                    f"again in line {_line(key)}; it may be given once."
                )
            lines[key.value] = _line(key)

    def _refusal(self, node: yaml.Node, reason: str) -> ConfigError:
        return ConfigError(f"{self._path}: what begins in line {_line(node)} {reason}.")


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
