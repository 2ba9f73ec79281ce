"""Mutants of the code that decides numbers, and which of them no test notices: ``make mutants``.

    python mutants.py                  all modules
    python mutants.py metrics seeds    some of them
    python mutants.py --every 10       each tenth mutant

A mutant has one comparison, sum or number changed. The tests of its module run on a copy of the
sources, in a process that has the libraries from the start; where none of them fails, the mutant is
printed: a test is missing, or the change has no effect on results. One that takes too long is
noticed.
"""

import argparse
import ast
import copy
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

# What most tests load, once for all of them; Hypothesis would load the sources that are installed.
import numba  # noqa: F401
import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pytest
import scipy.stats  # noqa: F401
import sklearn.metrics  # noqa: F401

ROOT = Path(__file__).parents[1]
#: Modules below ``src/coassoc``, and the tests that should notice their mutants, quick ones first.
TESTS = {
    "ensemble": [
        "test_ensemble.py",
        "test_invariant.py",
        "test_confidence.py",
        "methods/test_golden_labels.py",
        "test_counts.py",
    ],
    "invariant": ["test_invariant.py", "partition/test_linkage.py", "partition/test_spectral.py"],
    "similarity": [
        "test_similarity.py",
        "methods/test_eccms.py",
        "methods/test_ecpcs.py",
        "methods/test_golden_labels.py",
    ],
    "metrics": ["test_metrics.py", "test_confidence.py", "results/test_scores.py"],
    "seeds": ["test_seeds.py", "pools/test_draws.py", "pools/test_generation.py"],
    "bench/scores": [
        "results/test_scores.py",
        "bench/test_runs.py::test_scores_of_a_run_with_and_without_classes",
        "bench/test_runs.py::test_references",
        "bench/test_runs.py::test_references_without_classes",
    ],
    "bench/summaries": [
        "results/test_summaries.py",
        "bench/test_statistics.py",
        "results/test_claims.py",
        "results/test_tables.py",
    ],
    "pools/draws": [
        "pools/test_draws.py",
        "pools/test_label_import.py",
        "pools/test_generation.py",
    ],
}
#: Seconds that tests may take on a mutant.
SECONDS = 300
#: Exit status where the sources that are installed were tested and no mutant.
_OTHER_SOURCES = 77
#: What an operator becomes.
OTHER: dict[type, Any] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.And: ast.Or, ast.Or: ast.And},
}


def changes(tree: ast.AST) -> Iterator[Any]:
    """Change one place after another of a tree, which is as before when the next one comes."""
    node: Any
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
            yield from _changed(node.ops, 0, OTHER[type(node.ops[0])](), node)
        elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OTHER:
            yield from _changed(vars(node), "op", OTHER[type(node.op)](), node)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            value: Any = node.value
            other = not value if isinstance(value, bool) else value + 1
            yield from _changed(vars(node), "value", other, node)


def _changed(holder: Any, key: Any, other: Any, node: Any) -> Iterator[Any]:
    """The node, as long as its holder has something else."""
    before, holder[key] = holder[key], other
    yield node
    holder[key] = before


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """What was changed, and the changed source."""
    lines, tree = source.splitlines(), ast.parse(source)
    for node in changes(tree):
        changed = ast.unparse(copy.deepcopy(node))
        yield f"{node.lineno}: {lines[node.lineno - 1].strip()}  →  {changed}", ast.unparse(tree)


def survives(folder: Path, tests: list[str]) -> bool:
    """Whether all tests pass on the sources in a folder."""
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        words = ["-q", "-x", "-p", "no:cacheprovider", "-W", "ignore", "-m", "not slow", *tests]
        words += ["-o", f"pythonpath={folder} {ROOT / 'tests'} {ROOT / 'scripts'}"]
        ended = pytest.main(words)
        tested = sys.modules.get("coassoc")
        used = tested is None or str(tested.__file__).startswith(str(folder))
        os._exit(ended if used else _OTHER_SOURCES)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended == _OTHER_SOURCES:
        raise SystemExit(f"The tests ran on other sources than {folder}.")
    return ended == pytest.ExitCode.OK


def main() -> None:
    """Print the mutants that survive, and how many there were."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", default=[*TESTS], metavar="MODULE")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    chosen = parser.parse_args()
    os.chdir(ROOT / "tests")
    with TemporaryDirectory() as copied:
        shutil.copytree(ROOT / "src", copied, dirs_exist_ok=True)
        for module in chosen.modules:
            path = Path(copied, "coassoc", f"{module}.py")
            source = path.read_text()
            if not survives(Path(copied), TESTS[module]):
                raise SystemExit(f"{module}: its tests fail without any change.")
            made = list(mutants(source))[:: chosen.every]
            lived = 0
            for what, text in made:
                path.write_text(text)
                if survives(Path(copied), TESTS[module]):
                    lived += 1
                    print(f"{module}.py:{what}", flush=True)
            path.write_text(source)
            print(f"{module}: {lived} of {len(made)} mutants survive", flush=True)


if __name__ == "__main__":
    main()
