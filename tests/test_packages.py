"""What `pip install` brings is enough, alone and with an extra, on systems without POSIX too."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions, requires
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from refusals import cases
from snakemake_runs import ROOT, environment

#: No module of the packages on the command line can be imported here.
START = """
import os, sys
absent, *given = sys.argv[1:]

class Absent:
    def find_spec(name, *_):
        if name.partition(".")[0] in absent.split():
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Absent)
"""
#: What Python has on POSIX systems only, hidden before the library is imported, as on Windows.
HIDDEN = """
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("fork", "getuid", "register_at_fork", "sched_getaffinity", "sysconf"):
    delattr(os, name)
"""
#: A loop that nobody has compiled yet.
LOOP = """
from coassoc.numerics.compiled import compiled

@compiled("f(f1)")
def first(x):
    return x[0]
"""
#: What uses the core, and the extra `compare`, which has the extra `tables` in it.
FIT = """
import coassoc, coassoc.selection, loop, numpy
from coassoc.errors import MethodError
from coassoc.methods import METHODS

coassoc.EnsembleClusterer(2).fit([[0.0], [1.0], [9.0]])
labels = [[i // 4, i // 3, i % 3] for i in range(12)]
for name, make in METHODS.items():
    c = None if METHODS[name].n_clusters_is == "chosen" else 3
    try:
        make(n_clusters=c, random_state=0).fit(labels, X=[[float(i)] for i in range(12)])
    except MethodError as error:
        assert (name, "coassoc[partition]" in str(error)) == ("HGPA", True), f"{name}: {error}"
assert loop.first(numpy.ones(2)) == 1
"""
COMMANDS = """
import coassoc, coassoc.bench.audit, coassoc.bench.compare, coassoc.bench.exchange
from coassoc.bench.audit_questions import Finding, Questions
from coassoc.bench.limits import NO_LIMITS
from coassoc.command import program

for words in (["-k", "3"], ["--numbers", "2", "3"]):
    program(["consensus", *given, *words, "-o", "."], standalone_mode=False)
sys.modules["coassoc.bench.audit"].DATASETS = ("Glass",)
Questions.new_pools = lambda self: Finding("", "", "", False)  # as it takes longest
audit = coassoc.audit(lambda labels: labels[:, 0], sizes=(), limits=NO_LIMITS)
assert audit.findings[0].answer == "no"
"""
LABELS = ROOT / "examples/own-labels/labels.csv"


def installed_by(extras: Iterable[str], project: dict[str, Any]) -> set[str]:
    """Names of the packages that extras of the project install, with what these need."""
    waiting = [*project["dependencies"]]
    waiting += [one for extra in extras for one in project["optional-dependencies"][extra]]
    found: set[str] = set()
    while waiting:
        one = Requirement(waiting.pop())
        name = canonicalize_name(one.name)
        if name == "coassoc":
            found |= installed_by(one.extras, project)
        elif name not in found and (one.marker is None or one.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += requires(name) or []
    return found


def absent_modules(extra: str) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    present = installed_by(filter(None, [extra]), project) | {"coassoc"}
    modules = packages_distributions().items()
    return sorted(x for x, names in modules if not present & {*map(canonicalize_name, names)})


@cases("extra, lacks, code", ("", "pandas", FIT), ("compare", "snakemake", COMMANDS))
def test_an_extra_brings_what_it_is_for_on_any_system(tmp_path, extra, lacks, code):
    (tmp_path / "loop.py").write_text(LOOP)
    absent = absent_modules(extra)
    assert lacks in absent and "numpy" not in absent
    words = [sys.executable, "-c", START + HIDDEN + code, " ".join(absent), LABELS, "--id", "first"]
    paths = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    variables = environment() | {"PYTHONPATH": paths}
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=variables)
    assert done.returncode == 0, done.stderr
    assert code != FIT or [*tmp_path.glob("__pycache__/*.nbi")]
