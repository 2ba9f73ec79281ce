"""Mutants of the code that decides numbers, and which of them no test notices: ``make mutants``.

    python mutants.py                      thirty of each module, at equal steps
    python mutants.py posterior soft       some packages or modules
    python mutants.py --sample 0 soft      all mutants of a module
    python mutants.py --page               write docs/results/mutants.md from what is kept

A mutant has one comparison, sum, number or name (``min`` for ``max``) changed. In a fork of one
process, which has loaded and collected everything, the functions of the module get the mutant's
code, and the tests that run the changed statement are made, quick ones first, until one fails.
Where none does, the mutant is printed: a test is missing, or the change has no effect on results,
which ``mutants.csv`` says with the reason. One that takes too long is noticed. Numbers that other
modules import are changed in their own module only. What was noticed is kept in
``build/mutants``: only survivors, and mutants of changed files, are tried again.
"""

import argparse
import ast
import copy
import hashlib
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import Any

import pandas as pd
import pytest

from coassoc.numerics.compiled import Kernel
from generated import write_into_page

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build/mutants"
PAGE = ROOT / "docs/results/mutants.md"
#: Packages and modules below ``src/coassoc`` or ``src``, and the tests that should notice mutants.
TESTS = {
    "posterior": ["posterior"],
    "subtyping": ["subtyping", "command/test_subtypes_command.py"],
    "selection": ["selection", "test_hierarchies.py"],
    "soft": ["test_soft.py", "command/test_memberships.py"],
    "alignment": ["test_alignment.py", "subtyping/test_subtypes.py", "cells"],
    "io/memberships": ["command/test_memberships.py", "test_soft.py"],
    "reproduction/findings": [
        "reproduction/findings",
        "reproduction/study/test_claims_of_papers.py",
        "reproduction/study/test_own_files.py",
    ],
    "graphs": ["graphs"],
    "hierarchies": ["test_hierarchies.py"],
    "ensemble": [
        "test_ensemble.py",
        "test_invariant.py",
        "test_confidence.py",
        "partition/test_nearest.py",
        "pages/test_pages.py",
        "methods/test_golden_labels.py",
    ],
    "invariant": [
        "test_invariant.py",
        "partition/test_linkage.py",
        "partition/test_spectral.py",
        "methods/test_oracles.py",
    ],
    "similarity": [
        "test_evidence.py",
        "test_confidence.py",
        "numerics/test_kernels.py",
        "partition/test_linkage.py",
        "methods/test_golden_similarities.py",
        "methods/test_eccms.py",
        "methods/test_oracles.py",
        "methods/test_golden_labels.py",
    ],
    "metrics": ["test_confidence.py", "reproduction/scores/test_scores.py"],
    "numerics/seeds": ["numerics/test_kernels.py", "bench/pools/test_making.py"],
    "bench/scores": ["reproduction/scores/test_scores.py", "bench/test_runs.py"],
    "bench/summaries": ["bench/test_statistics.py", "reproduction/findings"],
    "bench/pools/draws": ["reproduction/pools/test_others.py", "bench/pools/test_making.py"],
}
#: What was changed, the lines of its statement up to it, and the changed source.
Mutant = tuple[str, range, str]
#: Processor seconds that tests may take on a mutant, beyond three times what they take without.
SECONDS = 10
#: What an operator becomes.
OTHER: dict[type, Any] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.And: ast.Or, ast.Or: ast.And},
}
#: What the name of a function becomes.
NAMES = {"min": "max", "argmin": "argmax", "minimum": "maximum", "any": "all", "mean": "max"}
NAMES |= {other: name for name, other in NAMES.items() if name != "mean"} | {"median": "max"}


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
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield from _changed(vars(node), "id", NAMES[node.id], node)
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield from _changed(vars(node), "attr", NAMES[node.attr], node)


def _changed(holder: Any, key: Any, other: Any, node: Any) -> Iterator[Any]:
    """The node, as long as its holder has something else."""
    before, holder[key] = holder[key], other
    yield node
    holder[key] = before


def mutants(source: str) -> Iterator[Mutant]:
    """Each mutant of a source, with the number of the changed line and column."""
    lines, tree = source.splitlines(), ast.parse(source)
    ends = {
        min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))]): n.end_lineno
        for n in ast.walk(tree)
        if isinstance(n, ast.stmt)
    }
    for node in changes(tree):
        start = max(line for line, end in ends.items() if line <= node.lineno <= end)
        changed = ast.unparse(copy.deepcopy(node))
        what = f"{node.lineno}.{node.col_offset}: {lines[node.lineno - 1].strip()}  →  {changed}"
        yield what, range(start, node.end_lineno + 1), ast.unparse(tree)


def sampled(every: list[Mutant], sample: int) -> list[Mutant]:
    """So many mutants at equal steps, or all of them."""
    if 0 < sample < len(every):
        return [every[len(every) * i // sample] for i in range(sample)]
    return every


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
    """Give the functions and numbers of a module those of another source.

    A compiled function that differs is run by Python.
    """
    namespace = {"__name__": module.__name__, "__package__": module.__package__}
    exec(compile(source, module.__file__, "exec"), namespace)
    own = dict(functions(vars(module), module.__name__))
    for name, function in functions(namespace, module.__name__):
        if name in own:
            kernel = vars(module).get(name)
            if isinstance(kernel, Kernel) and _code(own[name]) != _code(function):
                kernel._dispatcher = own[name]
            own[name].__code__ = function.__code__
            own[name].__defaults__ = function.__defaults__
            own[name].__kwdefaults__ = function.__kwdefaults__
    for name, value in namespace.items():
        if isinstance(value, int | float | tuple):
            setattr(module, name, value)
        elif isinstance(value, dict) and name in vars(module) and not name.startswith("__"):
            vars(module)[name].update({k: v for k, v in value.items() if not callable(v)})


def _code(function: FunctionType) -> tuple[Any, ...]:
    return function.__code__.co_code, function.__code__.co_consts


def modules_of(name: str) -> dict[str, Any]:
    """The loaded modules of a package, or a module, by their names."""
    package = name if name.startswith("reproduction") else f"coassoc/{name}"
    folder = ROOT / "src" / package
    files = sorted(folder.glob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    names = [path.with_suffix("").relative_to(ROOT / "src").as_posix() for path in files]
    return {
        name.removeprefix("coassoc/"): importlib.import_module(name.replace("/", "."))
        for name in names
        if not name.endswith("__init__")
    }


class Mutation:
    """A plugin of pytest that tries the mutants of modules in place of running the tests once."""

    def __init__(self, modules: dict[str, Any], sample: int) -> None:
        self.modules, self.sample = modules, sample
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice a test that fails."""
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Print the mutants that survive, and keep which ones do."""
        items = {item.nodeid: item for item in session.items}
        with TemporaryDirectory() as folder:
            kept = Path(folder, "tests.json")
            if _forked(lambda: self._watch(items, kept), 3600):
                raise SystemExit(f"{', '.join(self.modules)}: tests fail without any change.")
            tests = json.loads(kept.read_text())
        for name, module in self.modules.items():
            for what, noticed in self._tried(name, module, items, tests):
                if not noticed:
                    print(f"{name}.py:{what}", file=sys.stderr, flush=True)
        return True

    def _tried(
        self, name: str, module: Any, items: dict[str, pytest.Item], tests: dict[str, Any]
    ) -> Iterator[tuple[str, bool]]:
        file = Path(str(module.__file__))
        source = file.read_text()
        before = json.loads(kept_file(name).read_text()) if kept_file(name).exists() else {}
        digest = hashlib.sha256(source.encode()).hexdigest()
        noticed = before["noticed"] if before.get("source") == digest else {}
        every = list(mutants(source))
        chosen = {mutant[0] for mutant in sampled(every, self.sample)}
        for what, lines, changed in every:
            if what not in chosen and noticed.get(what, True):
                continue
            if not noticed.get(what):
                running = {
                    test: seconds
                    for test, (seconds, run) in tests.items()
                    if not set(lines).isdisjoint(run.get(str(file), ()))
                }
                seconds = running or {test: seconds for test, (seconds, _) in tests.items()}
                order = [items[test] for test in sorted(seconds, key=seconds.__getitem__)]
                limit = SECONDS + 3 * sum(seconds.values())
                call = lambda: self._try(module, changed, order)  # noqa: B023
                noticed[what] = bool(_forked(call, limit))
            yield what, noticed[what]
            entry = {"source": digest, "when": commit(), "noticed": noticed}
            KEPT.mkdir(parents=True, exist_ok=True)
            kept_file(name).write_text(json.dumps({"module": name, **entry}, indent=1))

    def _run(self, item: pytest.Item) -> bool:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self.failed

    def _try(self, module: Any, source: str, items: list[pytest.Item]) -> bool:
        become(module, source)
        return all(map(self._run, items))

    def _watch(self, items: dict[str, pytest.Item], kept: Path) -> bool:
        """Keep the processor seconds of each test, and which lines of the files it runs."""
        for module in self.modules.values():
            become(module, Path(module.__file__).read_text())
        files = {module.__file__ for module in self.modules.values()}
        tests = {}
        for name, item in items.items():
            run: dict[str, set[int]] = {file: set() for file in files}

            def trace(frame: Any, *_: Any, run: dict[str, set[int]] = run) -> Any:
                if frame.f_code.co_filename not in run:
                    return None
                run[frame.f_code.co_filename].add(frame.f_lineno)
                return trace

            start = time.process_time()
            threading.settrace(trace)
            sys.settrace(trace)
            self._run(item)
            sys.settrace(None)
            lines = {file: sorted(found) for file, found in run.items() if found}
            if self.failed:
                print(f"left out, fails without any change: {name}", file=sys.stderr)
            else:
                tests[name] = time.process_time() - start, lines
            self.failed = False
        kept.write_text(json.dumps(tests))
        return True


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


def kept_file(module: str) -> Path:
    """What was tried of a module."""
    return KEPT / f"{module.replace('/', '.')}.json"


def commit() -> str:
    """The commit that is tested."""
    words = ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def write_page() -> None:
    """Count the sampled mutants of each module in a table, and list the missed ones."""
    equal = pd.read_csv(ROOT / "release/mutants.csv", keep_default_na=False)
    reasons = {tuple(row) for row in equal[["module", "mutant"]].to_numpy()}
    rows, missed = [], []
    for file in sorted(KEPT.glob("*.json")):
        kept = json.loads(file.read_text())
        name, n, seen = kept["module"], len(kept["noticed"]), sum(kept["noticed"].values())
        lived = [what.partition(": ")[2] for what, good in kept["noticed"].items() if not good]
        left = [what for what in lived if (name, what) not in reasons]
        rows.append((name, n, seen, len(lived) - len(left), len(left), kept["when"]))
        missed += [f"- `{name}`: `{what}`" for what in left]
    columns = ["module", "sampled", "noticed", "without effect", "missed", "commit"]
    table = pd.DataFrame(rows, columns=columns)
    whole = table[columns[1:5]].sum()
    score = whole["noticed"] / (whole["sampled"] - whole["without effect"])
    told = f"Tests notice {score:.3f} of the mutants that have an effect: {whole['noticed']} of "
    told += f"{whole['sampled']} sampled, of which {whole['without effect']} have none.\n\n"
    told += table.to_markdown(index=False) + "\n\nMissed:\n\n" + "\n".join(missed)
    write_into_page(PAGE, "generated by release/mutants.py", told)


def main() -> None:
    """Print which mutants survive, apart from what pytest prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", default=[*TESTS], metavar="MODULE")
    parser.add_argument("--sample", type=int, default=30, metavar="N")
    parser.add_argument("--page", action="store_true")
    chosen = parser.parse_args()
    if chosen.page:
        write_page()
        return
    os.chdir(ROOT / "tests")
    os.environ["CI"] = "1"  # Hypothesis gives the same examples each time
    words = ["-q", "-s", "--tb=no", "-p", "no:cacheprovider", "-W", "ignore", "-m", "not slow"]
    with open(os.devnull, "w") as nothing:
        sys.stdout = nothing
        for name in chosen.modules:
            package = next(key for key in TESTS if f"{name}/".startswith(f"{key}/"))
            pytest.main([*words, *TESTS[package]], [Mutation(modules_of(name), chosen.sample)])


if __name__ == "__main__":
    main()
