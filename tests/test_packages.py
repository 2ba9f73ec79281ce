"""What `pip install` brings is enough, alone and with an extra: no other package is imported."""

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions, requires
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from snakemake_runs import ROOT, environment

#: No module of the packages on the command line can be imported here.
START = """
import sys
absent, *given = sys.argv[1:]

class Absent:
    def find_spec(name, *_):
        if name.partition(".")[0] in absent.split():
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Absent)
"""
#: What uses the core, the extra `tables` and the extra `workflow`.
FIT = """
import coassoc, coassoc.selection
from coassoc.errors import MethodError
from coassoc.methods import METHODS

coassoc.EnsembleClusterer(2).fit([[0.0], [1.0], [9.0]])
labels = [[i // 4, i // 3, i % 3] for i in range(12)]
for name, make in METHODS.items():
    c = None if METHODS.method(name).n_clusters_is == "chosen" else 3
    try:
        make(n_clusters=c, random_state=0).fit(labels, X=[[float(i)] for i in range(12)])
    except MethodError as error:
        assert (name, "coassoc[partition]" in str(error)) == ("HGPA", True), f"{name}: {error}"
"""
COMMANDS = """
from coassoc.command import program
for words in (["-k", "3"], ["--numbers", "2", "3"]):
    program(["consensus", *given, *words, "-o", "."], standalone_mode=False)
"""
PLAN = """
from snakemake.common.configfile import load_configfile
from snakemake.utils import update_config
from reproduction.study.plan import Plan

config = {}
for file in given:
    update_config(config, load_configfile(file))
plan = Plan(config)
plan.write()
assert plan.wanted_files()
"""
LABELS = ROOT / "examples/own-labels/labels.csv"
FILES = [ROOT / f"config/{name}.yaml" for name in ("config", "full", "two-cores", "core")]


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


@pytest.mark.parametrize(
    ("extra", "lacks", "code", "given"),
    [
        ("", "pandas", FIT, []),
        ("tables", "snakemake", COMMANDS, [LABELS, "--id", "first"]),
        ("workflow", "pytest", PLAN, FILES),
    ],
)
def test_an_extra_brings_what_it_is_for(tmp_path, extra, lacks, code, given):
    absent = absent_modules(extra)
    assert lacks in absent and "numpy" not in absent
    words = [sys.executable, "-c", START + code, " ".join(absent), *map(str, given)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment())
    assert done.returncode == 0, done.stderr
