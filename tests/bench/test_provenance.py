"""Which version of the code made a number, and whether it is the workflow's own."""

import shutil
import subprocess
import sys
from pathlib import Path

import coassoc

LIBRARY = Path(coassoc.__file__).parent


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words]
    return subprocess.check_output(command, cwd=folder, text=True).strip()


def commit_of(library: Path) -> str:
    """What a copy of the library says, in a process of its own."""
    program = "from coassoc.bench.provenance import commit; print(commit())"
    command = [sys.executable, "-c", program]
    return subprocess.check_output(command, cwd=library.parent, text=True).strip()


def test_the_commit_is_of_the_repository_that_tracks_the_library(tmp_path):
    git(tmp_path, "init")
    (tmp_path / "theirs.txt").write_text("something else")
    git(tmp_path, "add", "theirs.txt")
    git(tmp_path, "commit", "--message", "theirs")
    ignored = shutil.ignore_patterns("__pycache__")
    library = shutil.copytree(LIBRARY, tmp_path / "coassoc", ignore=ignored)
    # As an environment that lies in somebody's repository.
    assert commit_of(library) == "unknown"

    git(tmp_path, "add", "coassoc")
    git(tmp_path, "commit", "--message", "the library")
    assert git(tmp_path, "rev-parse", "HEAD").startswith(commit_of(library))
    with (library / "errors.py").open("a") as file:
        file.write("# changed\n")
    assert commit_of(library).endswith("+changes")
