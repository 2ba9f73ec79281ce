"""Install a wheel in an empty environment, and run there what the README promises.

    python release/trial.py FILE.whl

In a folder with the examples alone: the commands of the README's first two parts, its three lines
of Python, and the audit.
"""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]


def trial(wheel: Path) -> None:
    """Run everything; the first command that fails ends it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = re.findall(r"^    (coassoc .+)$", readme, re.M)
    (python,) = re.findall(r"^```python\n(import coassoc\n.*?)^```", readme, re.M | re.S)
    with TemporaryDirectory() as folder:
        copytree(ROOT / "examples", f"{folder}/examples")
        venv.create(f"{folder}/env", with_pip=True)
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        variables["PATH"] = f"{folder}/env/bin{os.pathsep}{variables['PATH']}"
        labels = "import numpy\nlabels = numpy.random.default_rng(0).integers(0, 5, (90, 9))\n"
        constraints = ROOT / "envs/constraints.txt"
        for words in (
            ["pip", "install", "--quiet", "-c", str(constraints), f"{wheel.resolve()}[compare]"],
            *(command.split() for command in commands),
            ["coassoc", "audit", "examples/own-paper/majority_vote.py:MajorityVote"],
            ["python", "-c", labels + python],
        ):
            print("$", *words, flush=True)
            subprocess.run(words, cwd=folder, env=variables, check=True)


if __name__ == "__main__":
    try:
        trial(Path(sys.argv[1]))
    except subprocess.CalledProcessError as error:
        sys.exit(str(error))
