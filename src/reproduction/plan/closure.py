"""The code behind a result: a script or module, and all that it imports.

A result is out of date when the code that made it has another meaning. So the fingerprint is one of
the parsed code: comments, docstrings and formatting do not count, nor does the place of the files.

Imports are read and not carried out. An import by a call (:func:`import_module`) is not seen: its
module has to be named as a start of its own, as rules name the module of a method.
"""

import ast
import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

#: The folder of the library that is imported.
LIBRARY = Path(__file__).parents[2]
#: Conditions of what only type checkers read.
_ONLY_TYPES = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
#: Not as a union, which would be made anew for each of thousands of nodes.
_IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class _Module:
    """What counts of one file: a hash of its code, and dotted names that may be its imports."""

    digest: str
    imports: tuple[str, ...]


class SourceCode:
    """Python modules below some folders, looked for in their order and read once.

    A workflow asks for the same few fingerprints in each of its thousands of jobs. What is found in
    none of the folders, as installed libraries, is left out.
    """

    def __init__(self, *folders: str | Path) -> None:
        self._folders = tuple(map(Path, folders))
        self._modules: dict[Path, _Module] = {}
        self._files: dict[str, Path | None] = {}
        self._fingerprints: dict[tuple[tuple[str | Path, ...], frozenset[str]], str] = {}

    def fingerprint(self, *starts: str | Path, without: Collection[str] = ()) -> str:
        """Hash of the code of some modules and of all that they import, directly or not.

        Starts are dotted names of modules, or paths of scripts. "module:name" is a function or a
        constant of a module, with what it uses of that module and imports. The
        modules of `without` do not count.
        """
        key = (starts, frozenset(without))
        if key not in self._fingerprints:
            parts: list[str] = []
            whole: list[str | Path] = []
            for start in starts:
                if isinstance(start, str) and ":" in start:
                    own, imports = self._definition(*start.split(":"))
                    parts.append(f"{start} {own}\n")
                    whole += imports
                else:
                    whole.append(start)
            modules = self.closure(*whole, without=without).items()
            parts += [f"{name} {self._module(name, path).digest}\n" for name, path in modules]
            digest = hashlib.sha256("".join(parts).encode()).hexdigest()
            self._fingerprints[key] = digest[:16]
        return self._fingerprints[key]

    def _definition(self, module: str, name: str) -> tuple[str, list[str]]:
        """Hash of a definition with those that it uses in its module, and the imports of these."""
        path = self._file(module)
        if path is None:
            return "", []
        statements = ast.parse(path.read_bytes()).body
        defined = {identifier: node for node in statements for identifier in _names_defined(node)}
        used, waiting = set(), [name]
        while waiting:
            one = waiting.pop()
            if one in defined and one not in used:
                used.add(one)
                inside = ast.walk(defined[one])
                waiting += [node.id for node in inside if isinstance(node, ast.Name)]
        reading = _Reading(module.split(".")[:-1])
        text = reading.written([node for node in statements if used & set(_names_defined(node))])
        imports = [imported for imported in reading.imports if imported != module]
        return hashlib.sha256(text.encode()).hexdigest(), imports

    def closure(self, *starts: str | Path, without: Collection[str] = ()) -> dict[str, Path]:
        """Names of the modules behind a result with their files, sorted by name.

        A package counts where something is imported from it, and not where something is imported
        from one of its modules. A script has the name of its file. The modules of
        `without` are left out, with what they alone import.
        """
        modules = {start.name: start for start in starts if isinstance(start, Path)}
        waiting = [start for start in starts if isinstance(start, str)]
        for name, path in modules.items():
            waiting += self._module(name, path).imports
        while waiting:
            name = waiting.pop()
            file = None if name in modules or name in without else self._file(name)
            if file is not None:
                modules[name] = file
                waiting += self._module(name, file).imports
        return dict(sorted(modules.items()))

    def _file(self, name: str) -> Path | None:
        if name not in self._files:
            self._files[name] = next(filter(Path.is_file, self._places(name)), None)
        return self._files[name]

    def _places(self, name: str) -> Iterator[Path]:
        for folder in self._folders:
            # Beside an installed library lies all that it imports, which is no code of its own.
            if folder == LIBRARY and name.split(".")[0] != "coassoc":
                continue
            place = folder.joinpath(*name.split("."))
            yield place / "__init__.py"
            yield place.with_name(f"{place.name}.py")

    def _module(self, name: str, path: Path) -> _Module:
        if path not in self._modules:
            parts = name.split(".")
            package = parts if path.name == "__init__.py" else parts[:-1]
            self._modules[path] = _with_templates(_read(path.read_bytes(), tuple(package)), path)
        return self._modules[path]


@cache
def _read(source: bytes, package: tuple[str, ...]) -> _Module:
    """What counts of the source of a module in a package."""
    reading = _Reading(package)
    try:
        text = reading.written(ast.parse(source))
    except (SyntaxError, ValueError):  # its user is told
        return _Module(hashlib.sha256(source).hexdigest(), ())
    return _Module(hashlib.sha256(text.encode()).hexdigest(), tuple(reading.imports))


def _with_templates(module: _Module, path: Path) -> _Module:
    """A module that renders templates counts with all that are beside it."""
    if not any(name.split(".")[0] == "jinja2" for name in module.imports):
        return module
    texts = [template.read_bytes() for template in sorted(path.with_name("templates").glob("*"))]
    digest = hashlib.sha256(b"".join([module.digest.encode(), *texts])).hexdigest()
    return _Module(digest, module.imports)


class _Reading:
    """One pass over a syntax tree: it as text, and what it imports."""

    def __init__(self, package: Sequence[str]) -> None:
        self._package = package
        self.imports: dict[str, None] = {}

    def written(self, value: Any) -> str:
        """A part of the tree as text.

        Fields that are empty are left out, as some Pythons do not have them: ``ast.dump`` writes
        them or not, depending on the version.
        """
        if isinstance(value, list):
            return f"[{','.join(map(self.written, value))}]"
        if not isinstance(value, ast.AST):
            return repr(value)
        if isinstance(value, _IMPORTS):
            self.imports.update(dict.fromkeys(_imports(value, self._package)))
        inside = []
        for name in value._fields:
            field = getattr(value, name, None)
            if isinstance(field, list):
                field = list(_with_effect(field))
            if field is not None and field != []:
                inside.append(f"{name}={self.written(field)}")
        return f"{type(value).__name__}({','.join(inside)})"


def _names_defined(node: ast.stmt) -> Iterator[str]:
    """Names that a statement of a module gives a meaning."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
    else:
        yield from (
            part.id
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        )


def _with_effect(parts: list[Any]) -> Iterator[Any]:
    """The same without docstrings, and without what only type checkers read."""
    for part in parts:
        if isinstance(part, ast.If) and ast.unparse(part.test) in _ONLY_TYPES:
            yield from _with_effect(part.orelse)
        elif not (isinstance(part, ast.Expr) and isinstance(getattr(part.value, "value", 0), str)):
            yield part


def _imports(node: ast.Import | ast.ImportFrom, package: Sequence[str]) -> Iterator[str]:
    """Dotted names of modules that are imported, or would be if they were modules."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            parts = alias.name.split(".")
            yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    else:
        above = package[: len(package) - node.level + 1] if node.level else []
        base = ".".join([*above, *filter(None, [node.module])])
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)
