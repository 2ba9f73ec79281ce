"""Imports of the library go one way: a module knows only what stands before it.

All imports count, those inside functions and under ``TYPE_CHECKING`` too: a type that is named is
known, and a late import hides an arrow and does not turn it round.
"""

import ast
import runpy
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

LIBRARY = Path(__file__).parents[1] / "src/coassoc"
SCRIPTS = LIBRARY.parents[1] / "scripts"
PROJECT = tomllib.loads((LIBRARY.parents[1] / "pyproject.toml").read_text())["project"]

#: What a module or package of the library may import of the rest: "__init__" stands for what a user
#: of the library imports from its front page.
KNOWS: dict[str, str] = {
    "errors": "",
    "numerics": "errors",
    "io": "errors numerics",
    "ensemble": "errors numerics io",
    "alignment": "errors io metrics",
    "metrics": "errors numerics",
    "invariant": "errors ensemble numerics",
    "evidence": "errors numerics io ensemble",
    "soft": "errors numerics io evidence metrics",
    "hierarchies": "numerics io errors",
    "similarity": "errors ensemble evidence numerics invariant",
    "confidence": "errors ensemble evidence numerics metrics",
    "partition": "errors ensemble evidence numerics invariant similarity",
    "posterior": "errors io evidence metrics numerics partition",
    "graphs": "errors io numerics ensemble partition metrics selection",
    "methods": "errors io ensemble evidence numerics invariant metrics similarity partition ",
    "selection": "errors io ensemble metrics numerics invariant similarity confidence "
    "partition methods",
    "pools": "errors numerics io",
    "subtyping": "errors numerics io metrics ensemble alignment confidence partition "
    "selection methods pools",
    "answer": "errors numerics io metrics ensemble confidence partition methods pools",
    "pages": "errors numerics io metrics alignment ensemble evidence confidence methods "
    "selection posterior subtyping graphs soft hierarchies answer",
    # It draws its own picture.
    "consensus": "errors io alignment ensemble evidence similarity confidence methods pages",
    "cells": "errors numerics alignment graphs ensemble confidence methods pools selection pages "
    "consensus",
}
# Methods are compared and examined, and the program calls what it is asked for.
KNOWS["bench"] = " ".join({*KNOWS} - {"answer", "consensus", "cells"})
KNOWS["__init__"] = (
    "errors alignment graphs soft subtyping numerics ensemble invariant posterior methods "
    "answer consensus bench"
)
KNOWS["command"] = (
    "errors answer hierarchies soft subtyping graphs io ensemble evidence similarity methods "
    "selection "
    "posterior pages consensus bench"
)
KNOWS["__main__"] = "command"

#: Packages that only one part of the library may import.
ONLY_IN = {"h5py": ("bench", "io"), "click": ("command",), "snakemake": (), "reproduction": ()}

#: Third-party packages of `pip install coassoc`, and where more may be imported: what the extras
#: for io, comparisons and files beyond memory bring.
CORE = {"joblib", "numba", "numpy", "pymetis", "scipy", "sklearn", "threadpoolctl", "yaml"}
BEYOND_CORE = {
    "methods": {"mtkahypar"},
    "answer": {"deadwood", "genieclust", "lumbermark"},
    "graphs": {"igraph"},
    "subtyping": {"kmedoids", "pandas"},
    "selection": {"pandas"},
    "cells": {"matplotlib", "pandas"},
    **{part: {"pandas"} for part in ("alignment", "consensus")},
}
#: Parts that need an extra as a whole.
OF_EXTRAS = ("io", "pools", "pages", "bench", "command")


def imported(code: str) -> Iterator[str]:
    """Dotted names of all modules that a file imports, and of what it takes from them."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


@cache
def files() -> dict[str, set[str]]:
    """The files of library and study by their dotted names, and all that each imports.

    What is in a file of the project has the name of the file.
    """
    source = LIBRARY.parent
    paths = {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in source.rglob("*.py")
    }

    def file_of(name: str) -> str:
        if name in paths or name.partition(".")[0] not in ("coassoc", "reproduction"):
            return name
        return file_of(name.rpartition(".")[0])

    return {x: {*map(file_of, imported(path.read_text()))} - {x} for x, path in paths.items()}


def part(name: str) -> str:
    """A module or package of the library or of the study; its front page is "__init__"."""
    return f"{name}.__init__".split(".")[1]


def test_every_part_of_the_library_has_its_place():
    assert {part(name) for name in files() if name.startswith("coassoc")} == set(KNOWS)


def not_allowed(name: str) -> set[str]:
    """What a file imports and may not: of the library what stands behind it, and packages."""
    own, packages = part(name), {x.split(".")[0] for x in files()[name]}
    known = {part(x) for x in files()[name] if x.split(".")[0] == "coassoc"}
    wrong = known - {own, *KNOWS[own].split()}
    wrong |= {x for x in packages & ONLY_IN.keys() if own not in ONLY_IN[x]}
    if own not in OF_EXTRAS:
        others = packages - {*sys.stdlib_module_names, "coassoc"}
        wrong |= others - CORE - BEYOND_CORE.get(own, set())
    return wrong


def test_modules_import_only_what_they_may():
    wrong = {name: not_allowed(name) for name in files() if name.startswith("coassoc")}
    assert not {name: names for name, names in wrong.items() if names}


def test_the_core_is_what_is_installed():
    modules = {"scikit-learn": "sklearn", "pyyaml": "yaml"}
    assert {modules.get(name, name) for name in PROJECT["dependencies"]} == CORE


def test_every_package_that_is_imported_is_declared():
    extras = {**PROJECT["optional-dependencies"], "docs": [], "dev": []}
    named = [*PROJECT["dependencies"], *(name for extra in extras.values() for name in extra)]
    declared = {name.partition("<")[0] for name in named}
    names = {"sklearn": "scikit-learn", "yaml": "pyyaml", "PIL": "pillow"}
    names["pydantic_core"] = "pydantic"
    of_library = (modules for name, modules in files().items() if name.startswith("coassoc"))
    imported = {x.split(".")[0] for modules in of_library for x in modules}
    imported -= {*sys.stdlib_module_names, "coassoc"}
    assert {names.get(name, name.replace("_", "-")) for name in imported} <= declared


def has(module: str, name: str) -> bool:
    """Whether a module of the project defines a name, or is a package with a module of it."""
    return hasattr(import_module(module), name) or bool(find_spec(f"{module}.{name}"))


def test_sentences_have_a_measured_line_or_conclude_nothing():
    module = runpy.run_path(str(SCRIPTS.parent / "release/verdicts/templates.py"))
    assert not module["unknown"](), "Add them to release/verdicts/templates.csv."


def test_what_a_release_imports_is_there():
    """These are run by hand, a few times a year."""
    for script in (SCRIPTS.parent / "release").rglob("*.py"):
        for node in ast.walk(ast.parse(script.read_text())):
            own = ("coassoc", "reproduction")
            if isinstance(node, ast.ImportFrom) and node.module.startswith(own):
                absent = [name.name for name in node.names if not has(node.module, name.name)]
                assert not absent, f"{script.name}: {node.module}"


#: What a part of the study may import of the others.
STUDY_KNOWS = {
    "pools": "",
    "study": "",
    "scores": "study",
    "pages": "",
    "figures": "pages scores study",
    "findings": "pages scores study",
    "survey": "pages scores study",
    "running": "findings pages scores study",
    "analyses": "pages running scores",
    "one": "findings pages scores study",
    "summary": "findings pages survey",
}


def test_parts_of_the_study_import_one_way():
    """The papers run without the survey, and the survey without the papers."""
    for name, modules in files().items():
        if name.startswith("reproduction."):
            parts = {part(x) for x in modules if x.startswith("reproduction.")} - {part(name)}
            assert parts <= {*STUDY_KNOWS[part(name)].split()}, name


def test_oracles_do_not_know_the_library():
    oracles = sorted((Path(__file__).parent / "oracles").glob("*.py"))
    assert len(oracles) > 10
    for path in oracles:
        assert not any(name.startswith("coassoc") for name in imported(path.read_text())), path.name


def test_the_order_has_no_cycle():
    order = TopologicalSorter({name: known.split() for name, known in KNOWS.items()})
    assert set(order.static_order()) == set(KNOWS)


def test_no_files_import_one_another_in_a_circle():
    TopologicalSorter(files()).prepare()
