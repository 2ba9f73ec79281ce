"""What is imported for what a user does: what that needs, and nothing of the study."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import h5py
import pytest

from snakemake_runs import environment

LABELS = Path(__file__).parents[1] / "examples/own-labels/labels.csv"

#: The program as its console script calls it; afterwards all modules, one a line.
PROGRAM = """
import sys
from coassoc.__main__ import main
sys.argv = ["coassoc", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code
"""
SHOW = "\nimport sys\nprint('\\0', *sorted(sys.modules), sep='\\n', end='')"


@cache
def loaded(code: str, *words: object) -> set[str]:
    """All modules that are loaded after some code in a process of its own."""
    command = [sys.executable, "-c", code + SHOW, *map(str, words)]
    variables = environment()
    variables.pop("OMP_NUM_THREADS", None)  # Where it is given, cores need not be counted.
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.partition("\0\n")[2].split("\n"))


def of(package: str, modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] == package}


@pytest.fixture(scope="module")
def combining(tmp_path_factory) -> set[str]:
    output = tmp_path_factory.mktemp("output")
    return loaded(PROGRAM, "consensus", LABELS, "--id", "first", "-k", 3, "-o", output)


def test_the_library_itself_loads_nothing():
    assert of("coassoc", loaded("import coassoc")) == {"coassoc"}


def test_help_loads_the_commands_alone():
    modules = of("coassoc", loaded(PROGRAM, "--help"))
    assert {name for name in modules if not name.startswith("coassoc.command")} == {
        *("coassoc", "coassoc.__main__", "coassoc.errors")
    }


def test_a_consensus_of_text_loads_what_it_needs(combining):
    assert "coassoc.methods.auto" in combining and len(of("coassoc", combining)) <= 56
    assert not {"h5py", "pydantic", "duckdb", "snakemake", "coassoc.bench.storage"} & combining


#: Packages and parts of them that take a tenth of a second or more to load.
HEAVY = {
    *("asyncio", "h5py", "joblib", "matplotlib", "numba", "numpy", "pandas", "pyarrow"),
    *("pyarrow.compute", "scipy.sparse", "scipy.stats", "sklearn"),
}
#: What a fit by linkage needs: arrays, compiled loops, and the number of cores.
FIT = {"asyncio", "joblib", "numba", "numpy", "scipy.sparse"}
#: What k-means needs, and with it "auto": scikit-learn with the table libraries that it finds.
KMEANS = {*FIT, "pandas", "pyarrow", "pyarrow.compute", "scipy.stats", "sklearn"} - {"numba"}
FIND = "from coassoc import find_consensus as f; f([[0, 1], [0, 1], [1, 0]], 2{})"


DECLARED = """
from coassoc.methods import METHODS
for name in METHODS:
    METHODS[name].parameters
"""
#: Code, the words after it, and what it loads.
LOADS = {
    "import": ("import coassoc", (), set()),
    "help": (PROGRAM, ("--help",), set()),
    "help of a command": (PROGRAM, ("consensus", "--help"), set()),
    "parameters": (DECLARED, (), {"numpy", "scipy.sparse"}),
    "find_consensus": (FIND.format(", 'LWEA'"), (), FIT),
    "auto": (FIND.format(""), (), KMEANS),
}


@pytest.mark.parametrize("name", LOADS)
def test_what_takes_long_to_load_is_loaded_where_it_is_needed(name):
    code, words, heavy = LOADS[name]
    assert loaded(code, *words) & HEAVY == heavy


def test_a_page_loads_what_draws_and_tables(combining):
    assert combining & HEAVY == {*KMEANS, "matplotlib"}


def test_hdf5_of_anybody_is_read_by_a_child(tmp_path):
    with h5py.File(tmp_path / "labels.h5", "w") as file:
        file["labels"] = [[0, 1], [0, 1], [1, 0]]
    assert "h5py" not in loaded(PROGRAM, "consensus", tmp_path / "labels.h5", "-k", 2, "-o", "-")
