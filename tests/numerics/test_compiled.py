"""Compiled loops: when they compile, where the result is kept, and who waits for whom."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = '''
import sys
import numpy as np
from coassoc.numerics.compiled import compiled


@compiled("float64(float64[::1])", "float64(float64[:, ::1])")
def total(x):
    """Sum of all entries."""
    found = 0.0
    for value in x.ravel():
        found += value
    return found


if __name__ == "__main__":
    assert "numba" not in sys.modules
    assert total(np.ones(3)) == 3 and total(np.ones((2, 2))) == 4
    print(sum(total._dispatcher.stats.cache_misses.values()), total._dispatcher.stats.cache_path)
'''


@pytest.fixture
def module(tmp_path) -> Path:
    file = tmp_path / "package" / "kernels.py"
    file.parent.mkdir()
    file.write_text(SOURCE)
    return file


def run(module: Path, cache: Path, **options) -> subprocess.Popen:
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(cache)}
    options |= {"env": environment, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, str(module)], **options)


def compiled_and_kept(process: subprocess.Popen) -> tuple[int, str]:
    """How many versions a process compiled, and where compiled code is kept."""
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    number, _, directory = output.strip().partition(" ")
    return int(number), directory


def test_processes_that_start_at_once_compile_once_in_the_users_cache(module, tmp_path):
    """As where the installation is read-only."""
    (module.parent / "__pycache__").write_text("")  # refuses even the administrator
    processes = [run(module, tmp_path / "cache") for _ in range(2)]
    reports = [compiled_and_kept(process) for process in processes]
    assert sorted(number for number, _ in reports) == [0, 2]
    (directory,) = {directory for _, directory in reports}
    assert Path(directory).is_relative_to(tmp_path / "cache")


def test_with_no_place_to_write_it_compiles_all_the_same(module, tmp_path):
    (module.parent / "__pycache__").write_text("")
    (tmp_path / "cache").write_text("")
    with (tmp_path / "said").open("w") as said:
        process = run(module, tmp_path / "cache", stderr=said)
        assert compiled_and_kept(process) == (2, "None")
    assert (tmp_path / "said").read_text().count("compiled code cannot be cached") == 1


def test_numba_may_be_told_to_compile_nothing():
    code = "import numpy; from coassoc import find_consensus; find_consensus([[0, 1], [1, 1]], 2)"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
