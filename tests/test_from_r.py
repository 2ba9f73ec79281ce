"""R calls the library by reticulate; RETICULATE_PYTHON may name a Python for it."""

import os
import re
import shutil
import subprocess
import sys
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

import coassoc
from coassoc import posterior, selection
from ensembles import noisy_ensemble

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/howto/use-from-r.md").read_text(encoding="utf-8")
LABELS = noisy_ensemble(40, 6, 3, seed=0)
X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([0, 6], 20)[:, None]


def run_r(code: str) -> subprocess.CompletedProcess:
    python = os.environ.get("RETICULATE_PYTHON", sys.executable)
    variables = {**os.environ, "RETICULATE_PYTHON": python, "PYTHONPATH": str(ROOT / "src")}
    command = ["Rscript", "--vanilla", "-e", code]
    return subprocess.run(command, capture_output=True, text=True, env=variables)


@cache
def reason_against_r() -> str:
    if shutil.which("Rscript") is None:
        return "R is not installed"
    # An old reticulate leaves arrays of NumPy 2 as they are, and makes none of matrices.
    numbers = 'stopifnot(is.numeric(reticulate::import("numpy")$zeros(2L)))'
    done = run_r(f"{numbers}; reticulate::r_to_py(matrix(1:4, 2))")
    return "" if done.returncode == 0 else f"reticulate cannot be used: {done.stderr[-200:]}"


@pytest.mark.parametrize("form", ["labels", "as.data.frame(labels)"])
def test_three_lines_of_r_find_the_consensus(form):
    if reason := reason_against_r():
        pytest.skip(reason)
    lines = re.search(r"```r\n(.*?)```", PAGE, re.DOTALL)[1]
    cells = ", ".join(map(str, LABELS.T.ravel()))
    done = run_r(
        f"labels <- matrix(c({cells}), ncol = 6); rownames(labels) <- paste0('s', 1:40)\n"
        f"labels <- {form}\n{lines}cat(result$labels, '\\n'); cat(rownames(result$table))"
    )
    assert done.returncode == 0, done.stderr
    labels, names = done.stdout.splitlines()
    assert [*map(int, labels.split())] == coassoc.find_consensus(LABELS, 3).labels.tolist()
    if form != "labels":
        assert names.split() == [f"s{i}" for i in range(1, 41)]


#: A function, its data, arguments that are whole numbers, and what is looked at of its result.
CALLS = {
    "consensus": (coassoc.find_consensus, LABELS, {"n_clusters": 3}, "labels"),
    "subtypes": (coassoc.subtypes, X, {"n_clusters": [2, 3], "n_draws": 4, "n_clouds": 0}, "draws"),
    "posterior": (posterior.point_estimate, LABELS, {"n_starts": 2, "max_clusters": 3}, "labels"),
    "tree": (selection.consensus_tree, LABELS, {"n_draws": 19, "n_halves": 2}, "labels"),
    "test": (selection.agreement_test, LABELS, {"n_draws": 19}, "null"),
    "numbers": (
        partial(selection.select_n_clusters, method="EAC-AL"),
        *(LABELS, {"n_clusters": [2, 3], "n_draws": 2}, "chosen"),
    ),
    "clusterer": (
        lambda X, **whole: coassoc.EnsembleClusterer(**whole).fit(X),
        *(X, {"n_clusters": 3}, "labels_"),
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_doubles_that_are_whole_are_integers(name):
    find, data, whole, part = CALLS[name]
    whole = whole | {"random_state": 1}
    doubles = {key: np.multiply(value, 1.0).tolist() for key, value in whole.items()}
    found = (getattr(find(data, **given), part) for given in (doubles, whole))
    np.testing.assert_equal(*found)
