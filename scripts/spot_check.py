"""Refit one repeat of each sampled archived run, and compare its scores.

Labels are not archived, so all scores of a partition against the classes are compared instead. If
the contingency tables are equal, the scores are equal up to rounding, because the last digit of a
logarithm depends on the processor.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.fits import Task, fit, partition
from coassoc.bench.provenance import commit
from coassoc.bench.storage.hdf5 import read_inputs
from coassoc.bench.storage.records import Pool
from coassoc.metrics import METRICS, score_against
from reproduction.running.scripting import job
from reproduction.scores.files import read_collected
from reproduction.scores.sampling import spot_check_generator
from reproduction.study.paths import below_prefix

#: Archived time in seconds above which a fit is left out.
TOO_LONG = 60.0
#: Largest difference between scores that count as equal.
_ROUNDING = 1e-12
#: Columns of the table: the repeat, the archived time of the fit, the outcome, the largest
#: difference of a score, the number of compared scores, and the commit that refitted.
_COLUMNS = ["run", "parameters", "repeat", "code", "seconds"]
_COLUMNS += ["outcome", "difference", "scores", "commit"]


def draw_line(run: str, lines: pd.DataFrame, seed: int) -> pd.Series:
    """A random archived line of a run, that is, a fitted point and repeat."""
    fitted = lines[lines["status"] == "ok"]
    return fitted.iloc[spot_check_generator(seed, "line", run).integers(len(fitted))]


def check_runs(
    path: str | Path,
    tasks: Mapping[str, Task],
    kept: Mapping[str, pd.DataFrame],
    inputs: Callable[[str], tuple[Pool, Any]],
) -> None:
    """Refit the lines of all runs that are not yet in a CSV file, and append the results.

    Parameters
    ----------
    path : path
        The table. An interrupted check continues from its last line.
    tasks : mapping of str to Task
        Tasks by the stem of the run.
    kept : mapping of str to DataFrame
        Archived lines of the runs.
    inputs : callable
        Function that returns the pool of a run, and the features that its method uses, or None.
    """
    path = Path(path)
    if not path.exists():
        pd.DataFrame(columns=_COLUMNS).to_csv(path, index=False)
    done = set(pd.read_csv(path)["run"])
    for run in [stem for stem in tasks if stem not in done]:
        line = draw_line(run, kept[run], tasks[run].seed)
        outcome: dict[str, Any] = {"outcome": "too long"}
        if line["seconds"] < TOO_LONG:
            outcome = _refitted(tasks[run], line, *inputs(run))
        row = {**line, **outcome, "run": run, "commit": commit()}
        table = pd.DataFrame([row]).reindex(columns=_COLUMNS)
        table.to_csv(path, mode="a", header=False, index=False, lineterminator="\n")


def _refitted(task: Task, line: pd.Series, pool: Pool, features: Any) -> dict[str, Any]:
    """Refit an archived line, and compare the result with the line."""
    point, repeat = int(line["point"]), int(line["repeat"])
    if json.dumps(task.points[point], sort_keys=True) != line["parameters"]:
        return {"outcome": "other parameters"}
    estimator = task.factory()(**task.arguments(point, repeat, task.clusters(pool)))
    fit(estimator, task.ensemble(pool, repeat), features)
    scores = score_against(pool.references, partition(estimator.labels_))
    names = [name for name in METRICS if pd.notna(line.get(name))]
    difference = max(abs(scores[name] - line[name]) for name in names)
    outcome = "equal" if difference <= _ROUNDING else "differs"
    return {"outcome": outcome, "difference": difference, "scores": len(names)}


if __name__ == "__main__":
    with job(snakemake.log[0]):
        fits = snakemake.params.fits
        tasks = {run: Task(**record) for run, (record, _) in fits.items()}
        files = {run: [*map(below_prefix, names)] for run, (_, names) in fits.items()}
        # An interrupted check does not repeat finished fits.
        unfinished = below_prefix("results/spot_check.part.csv")
        kept = read_collected(snakemake.params.archives)
        check_runs(unfinished, tasks, kept, lambda run: read_inputs(*files[run]))
        unfinished.replace(snakemake.output[0])
