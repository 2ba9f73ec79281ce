"""Mutants of the code that decides numbers, and which of them no test notices: ``make mutants``.

    python mutants.py                  all modules
    python mutants.py metrics seeds    some of them
    python mutants.py --every 10       each tenth mutant

A mutant has one comparison, sum or number changed. The tests that run the changed statement, quick
ones first until one fails, run on a copy of the sources, in a process that has the libraries from
the start; where none of them fails, the mutant is printed: a test is missing, or the change has no
effect on results. One that takes too long is noticed.
"""

import argparse
import ast
import copy
import json
import os
import shutil
import signal
import sys
import threading
import time
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
#: Modules below ``src/coassoc``, and the tests that should notice their mutants.
TESTS = {
    "ensemble": [
        "test_ensemble.py",
        "test_invariant.py",
        "test_confidence.py",
        "test_counts.py",
        "partition/test_nearest.py",
        "figures/test_consensus.py",
        "methods/test_golden_labels.py",
    ],
    "invariant": [
        "test_invariant.py",
        "partition/test_linkage.py",
        "partition/test_spectral.py",
        "numerics/test_doubly_stochastic.py",
    ],
    "similarity": [
        "test_similarity.py",
        "test_confidence.py",
        "numerics/test_agreements.py",
        "partition/test_rows.py",
        "partition/test_linkage.py",
        "methods/test_awec.py",
        "methods/test_eccms.py",
        "methods/test_ecpcs.py",
        "methods/test_rsec.py",
        "methods/test_golden_labels.py",
    ],
    "metrics": ["test_metrics.py", "test_confidence.py", "results/test_scores.py"],
    "seeds": ["test_seeds.py", "pools/test_draws.py", "pools/test_generation.py"],
    "bench/scores": ["results/test_scores.py", "bench/test_runs.py"],
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
#: Processor seconds that tests may take on a mutant, beyond three times what they take without.
SECONDS = 20
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


def mutants(source: str) -> Iterator[tuple[str, range, str]]:
    """What was changed, the lines of its statement up to it, and the changed source."""
    lines, tree = source.splitlines(), ast.parse(source)
    ends = {
        min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))]): n.end_lineno
        for n in ast.walk(tree)
        if isinstance(n, ast.stmt)
    }
    for node in changes(tree):
        start = max(line for line, end in ends.items() if line <= node.lineno <= end)
        changed = ast.unparse(copy.deepcopy(node))
        what = f"{node.lineno}: {lines[node.lineno - 1].strip()}  →  {changed}"
        yield what, range(start, node.end_lineno + 1), ast.unparse(tree)


class Watch:
    """A plugin that finds out which lines of a file each test runs, and its processor seconds."""

    def __init__(self, watched: Path, kept: Path) -> None:
        self.watched, self.kept = str(watched), kept
        self.tests: dict[str, tuple[float, list[int]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        lines = set()

        def trace(frame: Any, event: str, argument: Any) -> Any:
            if frame.f_code.co_filename != self.watched:
                return None
            lines.add(frame.f_lineno)
            return trace

        start = time.process_time()
        threading.settrace(trace)
        sys.settrace(trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            self.tests[item.nodeid] = time.process_time() - start, sorted(lines)

    def pytest_unconfigure(self) -> None:
        self.kept.write_text(json.dumps(self.tests))


class Choice:
    """A plugin that runs chosen tests in order of their seconds."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.seconds]
        items.sort(key=lambda item: self.seconds[item.nodeid])


def passes(folder: Path, files: list[str], plugin: Watch | Choice, seconds: float) -> bool:
    """Whether the tests pass on the sources in a folder, in so many processor seconds."""
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        words = ["-q", "-x", "-p", "no:cacheprovider", "-W", "ignore", "-m", "not slow", *files]
        words += ["-o", f"pythonpath={folder} {ROOT / 'tests'} {ROOT / 'scripts'}"]
        ended = pytest.main(words, plugins=[plugin])
        tested = sys.modules.get("coassoc")
        used = tested is None or str(tested.__file__).startswith(str(folder))
        os._exit(ended if used else _OTHER_SOURCES)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended == _OTHER_SOURCES:
        raise SystemExit(f"The tests ran on other sources than {folder}.")
    return ended == pytest.ExitCode.OK


def survives(folder: Path, lines: range, tests: dict[str, tuple[float, list[int]]]) -> bool:
    """Whether all tests that run any of the lines (all, if none does) pass on the sources."""
    running = {name: s for name, (s, run) in tests.items() if not set(lines).isdisjoint(run)}
    seconds = running or {name: s for name, (s, _) in tests.items()}
    files = sorted({str(ROOT / name.split("::")[0]) for name in seconds})
    return passes(folder, files, Choice(seconds), SECONDS + 3 * sum(seconds.values()))


def watched(folder: Path, module: str) -> dict[str, tuple[float, list[int]]]:
    """The processor seconds, and the lines of a module, of each of its tests, which pass."""
    kept = folder / "tests.json"
    if not passes(folder, TESTS[module], Watch(folder / "coassoc" / f"{module}.py", kept), 3600):
        raise SystemExit(f"{module}: its tests fail without any change.")
    tests: dict[str, tuple[float, list[int]]] = json.loads(kept.read_text())
    if not survives(folder, range(0), tests):
        raise SystemExit(f"{module}: its tests fail in another order.")
    return tests


def main() -> None:
    """Print the mutants that survive, and how many there were."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", default=[*TESTS], metavar="MODULE")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    chosen = parser.parse_args()
    os.chdir(ROOT / "tests")
    with TemporaryDirectory() as copied:
        folder = Path(copied)
        shutil.copytree(ROOT / "src", folder, dirs_exist_ok=True)
        for module in chosen.modules:
            path = folder / "coassoc" / f"{module}.py"
            source = path.read_text()
            tests = watched(folder, module)
            made = list(mutants(source))[:: chosen.every]
            lived = 0
            for what, lines, text in made:
                path.write_text(text)
                if survives(folder, lines, tests):
                    lived += 1
                    print(f"{module}.py:{what}", flush=True)
            path.write_text(source)
            print(f"{module}: {lived} of {len(made)} mutants survive", flush=True)


if __name__ == "__main__":
    main()
