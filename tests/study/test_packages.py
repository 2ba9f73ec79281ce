"""Configurations are planned with the packages of the extra `workflow` alone."""

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions, requires
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from snakemake_runs import ROOT

FILES = ["config", "full", "two-cores", "core"]

#: Plans a configuration where no module of the packages on the command line can be imported.
PLAN = """
import sys
from pathlib import Path

root, absent, *files = sys.argv[1:]
sys.modules.update(dict.fromkeys({*absent.split()} - {*sys.modules}))

from snakemake.common.configfile import load_configfile
from snakemake.utils import update_config
from reproduction.study.plan import Plan

config = {}
for file in files:
    update_config(config, load_configfile(file))
plan = Plan(config, Path(root))
plan.write()
print(len(plan.wanted_files()))
"""


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


def absent_modules() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    present = installed_by(["workflow"], project) | {"coassoc"}
    modules = packages_distributions().items()
    return sorted(x for x, names in modules if not present & {*map(canonicalize_name, names)})


def test_a_configuration_is_planned_with_the_packages_of_the_workflow(tmp_path):
    absent = absent_modules()
    assert "pytest" in absent and "igraph" not in absent and "numpy" not in absent
    given = [str(ROOT / f"config/{name}.yaml") for name in FILES]
    words = [sys.executable, "-c", PLAN, str(ROOT), " ".join(absent), *given]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
