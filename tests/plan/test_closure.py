"""The code behind a result: what a script imports, and what of its text has a meaning."""

import re
from functools import cache
from pathlib import Path

import pytest

from reproduction.plan.closure import LIBRARY, SourceCode
from snakemake_runs import ROOT

SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@cache
def source_code(*folders: Path) -> SourceCode:
    """Read once, for tests that write nothing after they asked."""
    return SourceCode(*folders)


def behind(start: str | Path, *folders: Path) -> set[str]:
    return set(source_code(*folders).closure(start))


def test_imports_are_followed_to_the_end(tmp_path):
    package = {
        "mine.py": "import numpy as np\nimport tools.deep.one\nfrom tools import two, CONSTANT",
        "tools/__init__.py": "from .three import x",
        "tools/two.py": "def f():\n    from . import four",
        "tools/three.py": "import mine",
        "tools/four.py": "",
        "tools/deep/one.py": "from ..three import y\nfrom .. import two",
        "tools/unused.py": "",
    }
    modules = SourceCode(written(tmp_path, package)).closure("mine")
    assert {str(path.relative_to(tmp_path)) for path in modules.values()} == (
        set(package) - {"tools/unused.py"}
    )
    assert list(modules) == sorted(modules)


def test_a_package_counts_for_those_who_import_from_it(tmp_path):
    files = {
        "package/__init__.py": "from package.one import x",
        "package/one.py": "",
        "package/two.py": "",
        "whole.py": "from package import x",
        "part.py": "from package.two import y",
    }
    written(tmp_path, files)
    assert behind("whole", tmp_path) == {"whole", "package", "package.one"}
    assert behind("part", tmp_path) == {"part", "package.two"}


def test_what_lies_elsewhere_or_is_no_python_is_left_out(tmp_path):
    written(tmp_path, {"mine.py": "import broken, absent", "broken.py": "def f(:"})
    assert behind("mine", tmp_path) == {"mine", "broken"}
    assert behind("numpy", tmp_path) == set()


def test_modules_behind_a_script():
    imports = {path.stem: behind(path, LIBRARY) for path in SCRIPTS}
    assert {"coassoc.metrics", "coassoc.bench.columns"} <= imports["make_table"]
    assert "coassoc.tables.matlab" in imports["import_pool"]
    assert "coassoc.methods.base" in imports["run_method"]
    # Another method in the register is nothing to the runs and results of those there are.
    of_all = {name for name, modules in imports.items() if "coassoc.methods" in modules}
    assert of_all == {"make_consensus", "select_n_clusters", "spot_check"}
    assert {name for name in imports["score"] if "methods" in name} == {
        "coassoc.methods.parameters"
    }


def test_a_user_s_method_stands_on_the_library(tmp_path):
    written(tmp_path, {"mine.py": "from coassoc.methods.base import ConsensusClusterer"})
    assert {"mine", "coassoc.methods.base"} <= behind("mine", LIBRARY, tmp_path)


def changed_by(folder: Path, files: dict[str, str], old: str, new: str, *starts: str) -> set[str]:
    """Those of some starts that have another fingerprint after an edit of the files."""
    edited = {name: text.replace(old, new) for name, text in files.items()}
    assert edited != files
    before, after = (
        SourceCode(written(folder / place, texts))
        for place, texts in (("before", files), ("after", edited))
    )
    return {start for start in starts if before.fingerprint(start) != after.fingerprint(start)}


CODE = '''"""What it is for."""

def f(a, b=(1, 2)):
    """What it returns."""
    return "x" + a  # or so
'''


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("What it is for", "Something else", True),
        ("What it returns", "Its value", True),
        ("or so", "exactly", True),
        ('"x" + a', "('x'\n        + a)", True),
        ('    """What it returns."""\n', "", True),
        ("\ndef", "\nif TYPE_CHECKING:\n    import elsewhere\n\ndef", True),
        ('"x"', '"y"', False),
        ("(1, 2)", "[1, 2]", False),
        ("+ a", "+ (a or None)", False),
        ("def f", "from os import path\ndef f", False),
    ],
)
def test_only_the_meaning_of_code_counts(tmp_path, old, new, same):
    assert (changed_by(tmp_path, {"one.py": CODE}, old, new, "one") == set()) == same


PARTS = """
from tools import helper
import numpy as np

SCALE = 2

def _shared(x):
    return SCALE * x

def first(x):
    return _shared(x)

def second(x):
    return helper(_shared(x))

ALL = {"first": first, "second": second}
"""


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("SCALE = 2", "SCALE = 3", {"parts:first", "parts:second"}),
        ("helper(_shared(x))", "helper(x)", {"parts:second"}),
        ('"second": second', '"second": second, "third": np.sum', set()),
        ("return x", "return -x", {"parts:second"}),
    ],
)
def test_a_function_rests_on_what_it_uses_of_its_module(tmp_path, old, new, changed):
    files = {"parts.py": PARTS, "tools.py": "def helper(x):\n    return x"}
    assert changed_by(tmp_path, files, old, new, "parts:first", "parts:second") == changed


def test_names_of_modules_count_and_places_do_not(tmp_path):
    files = {"a.py": "x = 1", "b.py": "y = 2"}
    here, there = (SourceCode(written(tmp_path / place, files)) for place in ("here", "there"))
    assert here.fingerprint("a", "b") == there.fingerprint("b", "a") != here.fingerprint("a")
    swapped = SourceCode(written(tmp_path / "swapped", {"a.py": "y = 2", "b.py": "x = 1"}))
    assert here.fingerprint("a", "b") != swapped.fingerprint("a", "b")


def test_code_is_read_once(tmp_path):
    written(tmp_path, {"mine.py": "x = 1"})
    code = SourceCode(tmp_path)
    first = code.fingerprint("mine")
    written(tmp_path, {"mine.py": "x = 2"})
    # All jobs of a workflow are of one version, whenever they are asked for.
    assert code.fingerprint("mine") == first
    assert SourceCode(tmp_path).fingerprint("mine") != first


def test_templates_count_for_the_pages_made_of_them_alone(copied_library):
    scripts = {path.stem: path for path in SCRIPTS}
    names = ("make_claims", "make_table", "score")
    template = copied_library / "coassoc/results/templates/claims.md"
    before = SourceCode(copied_library)
    old = {name: before.fingerprint(scripts[name]) for name in names}
    template.write_text(f"{template.read_text()} More.")
    after = SourceCode(copied_library)
    changed = {name for name in names if after.fingerprint(scripts[name]) != old[name]}
    assert changed == {"make_claims", "make_table"}


def test_imports_by_a_call_are_few():
    """They are not seen; whoever asks for the code of a run names the module of its method."""
    callers = {
        path.relative_to(LIBRARY / "coassoc").as_posix()
        for path in (LIBRARY / "coassoc").rglob("*.py")
        if re.search(r"\b(import_module|__import__)\(", path.read_text())
    }
    methods = {"methods/memory.py", "methods/names.py", "methods/registry.py"}
    others = {"__init__.py", "command/__init__.py", "plan/kinds.py", "running/quick_start.py"}
    assert callers == {*others, *methods}
    for path in [*(LIBRARY / "coassoc").rglob("*.py"), *SCRIPTS]:
        assert not re.search(r"^\s*from coassoc import", path.read_text(), re.M), path
