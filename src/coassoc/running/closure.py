"""The code behind a result: a script or module, and all that it imports.

A result is out of date when the code that made it has another meaning. So the fingerprint is one of
the parsed code: comments, docstrings and formatting do not count, nor does the place of the files.

Imports are read and not carried out. What a module imports by a call (:func:`import_module`) is not
seen; whoever makes such a call has to name the module as a start of its own, as the rules do for
the module of a method.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["SourceCode"]


@dataclass(frozen=True)
class _Module:
    """What counts of one file: a hash of its code, and dotted names that may be its imports."""

    digest: str
    imports: tuple[str, ...]


class SourceCode:
    """Python modules below some folders, looked for and read once.

    A workflow asks for the same few fingerprints in each of its thousands of jobs.

    Parameters
    ----------
    *folders : path
        Where modules are looked for, in this order. What is found in none of them, as installed
        libraries, is left out.
    """

    def __init__(self, *folders: str | Path) -> None:
        self._folders = tuple(map(Path, folders))
        self._modules: dict[Path, _Module] = {}
        self._files: dict[str, Path | None] = {}
        self._fingerprints: dict[tuple[str | Path, ...], str] = {}

    def fingerprint(self, *starts: str | Path) -> str:
        """Hash of the code of some modules and of all that they import, directly or not.

        Parameters
        ----------
        *starts : str or Path
            Dotted names of modules, or paths of scripts.
        """
        if starts not in self._fingerprints:
            found = self.closure(*starts).items()
            parts = (f"{name} {self._module(name, path).digest}\n" for name, path in found)
            digest = hashlib.sha256("".join(parts).encode()).hexdigest()
            self._fingerprints[starts] = digest[:16]
        return self._fingerprints[starts]

    def closure(self, *starts: str | Path) -> dict[str, Path]:
        """Names of the modules behind a result with their files, sorted by name.

        A package counts where something is imported from it, and not where something is imported
        from one of its modules. A script has the name of its file.
        """
        found: dict[str, Path] = {}
        waiting: list[str] = []
        for start in starts:
            if isinstance(start, Path):
                found[start.name] = start
                waiting += self._module(start.name, start).imports
            else:
                waiting.append(start)
        while waiting:
            name = waiting.pop()
            path = None if name in found else self._file(name)
            if path is not None:
                found[name] = path
                waiting += self._module(name, path).imports
        return dict(sorted(found.items()))

    def _file(self, name: str) -> Path | None:
        if name not in self._files:
            self._files[name] = self._found(name)
        return self._files[name]

    def _found(self, name: str) -> Path | None:
        for folder in self._folders:
            place = folder.joinpath(*name.split("."))
            for path in (place / "__init__.py", place.with_name(f"{place.name}.py")):
                if path.is_file():
                    return path
        return None

    def _module(self, name: str, path: Path) -> _Module:
        if path not in self._modules:
            package = name.split(".")
            if path.name != "__init__.py":
                package.pop()
            self._modules[path] = _read(path.read_bytes(), package)
        return self._modules[path]


def _read(source: bytes, package: list[str]) -> _Module:
    """What counts of the source of a module in a package."""
    try:
        tree = _WithoutRemarks().visit(ast.parse(source))
    except (SyntaxError, ValueError):  # whoever runs it is told
        return _Module(hashlib.sha256(source).hexdigest(), ())
    digest = hashlib.sha256(_written(tree).encode()).hexdigest()
    return _Module(digest, tuple(dict.fromkeys(_imports(tree, package))))


class _WithoutRemarks(ast.NodeTransformer):
    """Removes what has no effect: docstrings, and what only type checkers read."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if text else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        name = getattr(node.test, "id", getattr(node.test, "attr", None))
        return node.orelse if name == "TYPE_CHECKING" else node


def _written(value: Any) -> str:
    """A syntax tree as text; fields that are empty are left out, as some Pythons do not have them.

    ``ast.dump`` writes them or not, depending on the version.
    """
    if isinstance(value, ast.AST):
        fields = ((name, each) for name, each in ast.iter_fields(value) if each not in (None, []))
        inside = ",".join(f"{name}={_written(each)}" for name, each in fields)
        return f"{type(value).__name__}({inside})"
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    return repr(value)


def _imports(tree: ast.AST, package: list[str]) -> Iterator[str]:
    """Dotted names of modules that are imported, or would be if they were modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
