from __future__ import annotations

from pathlib import Path

import coassoc
from coassoc.methods import METHODS
from coassoc.running.provenance import code_fingerprint, source_files

SOURCE = Path(coassoc.__file__).parents[1]


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def names(files: list[Path], folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in files}


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
    found = source_files("mine", [written(tmp_path, package)])
    assert names(found, tmp_path) == set(package) - {"tools/unused.py"}
    assert found == sorted(found)


def test_what_lies_elsewhere_or_is_no_python_is_left_out(tmp_path):
    written(tmp_path, {"mine.py": "import broken, absent", "broken.py": "def f(:"})
    assert names(source_files("mine", [tmp_path]), tmp_path) == {"mine.py", "broken.py"}
    assert source_files("numpy", [tmp_path]) == []


def test_files_behind_a_method():
    behind = {
        name: names(source_files(METHODS.method(name).module, [SOURCE]), SOURCE) for name in METHODS
    }
    for name, files in behind.items():
        assert {
            METHODS.method(name).module.replace(".", "/") + ".py",
            "coassoc/ensemble.py",
        } <= files, name
    assert "coassoc/numerics/dissection.py" in behind["EC-CMS"]
    assert {
        "coassoc/numerics/rank_constraint.py",
        "coassoc/numerics/doubly_stochastic.py",
    } <= behind["HCLCE"]
    assert "coassoc/methods/lta.py" not in behind["EC-CMS"]


def test_a_user_s_method_stands_on_the_library(tmp_path):
    written(tmp_path, {"mine.py": "from coassoc.methods.base import ConsensusClusterer"})
    found = source_files("mine", [SOURCE, tmp_path])
    assert tmp_path / "mine.py" in found and SOURCE / "coassoc/methods/base.py" in found


def test_the_fingerprint_is_of_contents_and_not_of_places(tmp_path):
    files = {"a.py": "x = 1", "b.py": "y = 2"}
    here, there = (written(tmp_path / place, files) for place in ("here", "there"))
    fingerprint = code_fingerprint([here / "a.py", here / "b.py"])
    assert fingerprint == code_fingerprint([there / "b.py", there / "a.py"])
    (there / "b.py").write_text("y = 3")
    assert fingerprint != code_fingerprint([there / "a.py", there / "b.py"])
    assert fingerprint != code_fingerprint([here / "a.py"])
