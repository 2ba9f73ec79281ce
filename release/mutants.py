"""Mutants of the code that decides numbers, and which of them no test notices: ``make mutants``.

    python mutants.py                  all modules
    python mutants.py metrics seeds    some of them
    python mutants.py --every 10       each tenth mutant
    python mutants.py --sample 30      thirty of each module, at equal steps

A mutant has one comparison, sum or number changed. In a fork of one process, which has loaded and
collected everything, the functions of the module get the mutant's code, and the tests that run the
changed statement are made, quick ones first, until one fails. Where none does, the mutant is
printed: a test is missing, or the change has no effect on results. One that takes too long is
noticed. Numbers that other modules import are changed in their own module only.
"""

import argparse
import ast
import copy
import importlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
#: Modules below ``src/coassoc`` or ``src``, and the tests that should notice their mutants.
TESTS = {
    "ensemble": [
        "test_ensemble.py",
        "test_invariant.py",
        "test_confidence.py",
        "test_counts.py",
        "partition/test_nearest.py",
        "pages/test_pages.py",
        "methods/test_golden_labels.py",
    ],
    "invariant": [
        "test_invariant.py",
        "partition/test_linkage.py",
        "partition/test_spectral.py",
        "methods/test_hclce.py",
    ],
    "similarity": [
        "test_similarity.py",
        "test_confidence.py",
        "numerics/test_kernels.py",
        "partition/test_rows.py",
        "partition/test_linkage.py",
        "methods/test_golden_similarities.py",
        "methods/test_eccms.py",
        "methods/test_ecpcs.py",
        "methods/test_rsec.py",
        "methods/test_golden_labels.py",
    ],
    "graphs/adjacency": ["graphs/test_graphs.py"],
    "graphs/consensus": ["graphs/test_graphs.py"],
    "graphs/stability": ["graphs/test_graphs.py"],
    "hierarchies": ["test_hierarchies.py"],
    "soft": ["test_soft.py"],
    "io/memberships": ["command/test_memberships.py"],
    "selection/null": ["selection/test_null.py"],
    "selection/numbers": ["selection/test_numbers.py"],
    "selection/resolutions": ["selection/test_resolutions.py"],
    "selection/tree": ["selection/test_tree.py"],
    "posterior/draws": ["posterior/test_partitions.py", "posterior/test_search.py"],
    "posterior/losses": ["posterior/test_partitions.py"],
    "posterior/partial": ["posterior/test_partitions.py"],
    "posterior/representatives": ["posterior/test_partitions.py"],
    "posterior/uncertainty": ["posterior/test_partitions.py"],
    "posterior/convergence": ["posterior/test_convergence.py"],
    "posterior/search": ["posterior/test_search.py"],
    "posterior/similarities": ["posterior/test_partitions.py"],
    "subtyping/algorithms": ["subtyping/test_subtypes.py"],
    "subtyping/clouds": ["subtyping/test_subtypes.py"],
    "subtyping/gaps": ["subtyping/test_subtypes.py"],
    "subtyping/item_consensus": ["subtyping/test_subtypes.py"],
    "subtyping/measurements": ["subtyping/test_subtypes.py"],
    "subtyping/structure": ["subtyping/test_subtypes.py"],
    "subtyping/annotations": ["subtyping/test_annotations.py"],
    **{
        f"reproduction/findings/{name}": [f"reproduction/findings/test_{name}.py"]
        for name in ("agreement", "margins", "readings", "standing")
    },
    "metrics": ["test_metrics.py", "test_confidence.py", "reproduction/scores/test_scores.py"],
    "numerics/seeds": ["numerics/test_seeds.py", "bench/pools/test_making.py"],
    "bench/scores": ["reproduction/scores/test_scores.py", "bench/test_runs.py"],
    "bench/summaries": [
        "bench/test_statistics.py",
        "reproduction/findings/test_claims.py",
        "reproduction/findings/test_tables.py",
    ],
    "bench/pools/draws": [
        "reproduction/pools/test_label_import.py",
        "bench/pools/test_making.py",
    ],
}
#: Processor seconds that tests may take on a mutant, beyond three times what they take without.
SECONDS = 20
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


def functions(namespace: dict[str, Any], module: str) -> Iterator[tuple[str, FunctionType]]:
    """The functions and methods that a module defines, without what wraps them, by their names."""
    for name, value in namespace.items():
        if isinstance(value, type) and value.__module__ == module:
            for key, member in vars(value).items():
                parts = ("fget", "func", "__func__")
                held = (getattr(member, part) for part in parts if hasattr(member, part))
                found = _unwrapped(next(held, member))
                if isinstance(found, FunctionType):
                    yield f"{name}.{key}", found
        elif isinstance(found := _unwrapped(value), FunctionType) and found.__module__ == module:
            yield name, found


def _unwrapped(value: Any) -> Any:
    while hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    return value


def become(module: Any, source: str) -> None:
    """Give the functions and numbers of a module those of another source."""
    namespace = {"__name__": module.__name__, "__package__": module.__package__}
    exec(compile(source, module.__file__, "exec"), namespace)
    own = dict(functions(vars(module), module.__name__))
    for name, function in functions(namespace, module.__name__):
        if name in own:
            own[name].__code__ = function.__code__
            own[name].__defaults__ = function.__defaults__
            own[name].__kwdefaults__ = function.__kwdefaults__
    for name, value in namespace.items():
        if isinstance(value, int | float | tuple):
            setattr(module, name, value)
        elif isinstance(value, dict) and name in vars(module) and not name.startswith("__"):
            vars(module)[name].update(value)


class Mutation:
    """A plugin of pytest that tries the mutants of a module in place of running the tests once."""

    def __init__(self, module: str, every: int, sample: int | None = None) -> None:
        self.name, self.every, self.sample = module, every, sample
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice a test that fails."""
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Print the mutants that survive, and how many there were."""
        package = "" if self.name.startswith("reproduction") else "coassoc."
        module = importlib.import_module(package + self.name.replace("/", "."))
        items = {item.nodeid: item for item in session.items}
        with TemporaryDirectory() as folder:
            kept = Path(folder, "tests.json")
            if _forked(lambda: self._watch(items, str(module.__file__), kept), 3600):
                raise SystemExit(f"{self.name}: its tests fail without any change.")
            tests = json.loads(kept.read_text())
        made = list(mutants(Path(str(module.__file__)).read_text()))[:: self.every]
        made = made[:: -(-len(made) // self.sample)] if self.sample else made
        lived = 0
        for what, lines, source in made:
            running = {
                name: s for name, (s, run) in tests.items() if not set(lines).isdisjoint(run)
            }
            seconds = running or {name: s for name, (s, _) in tests.items()}
            chosen = [items[name] for name in sorted(seconds, key=seconds.__getitem__)]
            limit = SECONDS + 3 * sum(seconds.values())
            if not _forked(lambda: self._try(module, source, chosen), limit):  # noqa: B023
                lived += 1
                print(f"{self.name}.py:{what}", file=sys.stderr, flush=True)
        score = 1 - lived / max(len(made), 1)
        told = f"{self.name}: {lived} of {len(made)} mutants survive, score {score:.2f}"
        print(told, file=sys.stderr, flush=True)
        return True

    def _run(self, item: pytest.Item) -> bool:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self.failed

    def _try(self, module: Any, source: str, items: list[pytest.Item]) -> bool:
        become(module, source)
        return all(map(self._run, items))

    def _watch(self, items: dict[str, pytest.Item], file: str, kept: Path) -> bool:
        """Keep the processor seconds of each test, and which lines of a file it runs."""
        tests = {}
        for name, item in items.items():
            lines: set[int] = set()

            def trace(frame: Any, *_: Any, lines: set[int] = lines) -> Any:
                if frame.f_code.co_filename != file:
                    return None
                lines.add(frame.f_lineno)
                return trace

            start = time.process_time()
            threading.settrace(trace)
            sys.settrace(trace)
            self._run(item)
            sys.settrace(None)
            tests[name] = time.process_time() - start, sorted(lines)
        kept.write_text(json.dumps(tests))
        return not self.failed


def _forked(call: Callable[[], bool], seconds: float) -> int:
    """The exit status of a child that makes a call in so many processor seconds; 0 if true."""
    child = os.fork()
    if not child:
        ended = 1
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            ended = int(not call())
        finally:
            os._exit(ended)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    """Print which mutants survive, apart from what pytest prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", default=[*TESTS], metavar="MODULE")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--sample", type=int, metavar="N")
    chosen = parser.parse_args()
    os.chdir(ROOT / "tests")
    words = ["-q", "-s", "--tb=no", "-p", "no:cacheprovider", "-W", "ignore", "-m", "not slow"]
    with open(os.devnull, "w") as nothing:
        sys.stdout = nothing
        for module in chosen.modules:
            pytest.main([*words, *TESTS[module]], [Mutation(module, chosen.every, chosen.sample)])


if __name__ == "__main__":
    main()
