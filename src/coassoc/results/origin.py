"""Where a number of a table comes from: the files behind it, back to the source of the data.

    source → data set → pool → draws → run → scores → table

Only the mean of the scores is computed again, and it must be the table's number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.errors import DataError
from coassoc.plan.keys import stored_pool
from coassoc.plan.ranked import RANKING
from coassoc.results.score_files import read_sources
from coassoc.seeds import seed_from_names
from coassoc.storage.configuration import check_known
from coassoc.storage.hdf5 import open_file, read_attributes, read_draws, read_pool

__all__ = ["Step", "as_text", "origin"]


@dataclass(frozen=True)
class Step:
    """One file on the way to a number.

    Attributes
    ----------
    name : str
        What it is: "table", "scores", "run", "draws", "pool", "data set" or "source".
    path : str
        The file, as found from the folder in which the workflow ran.
    facts : dict
        What it says of itself.
    """

    name: str
    path: str
    facts: dict[str, Any] = field(default_factory=dict)


def origin(folder: str | Path, target: str, dataset: str, row: str, metric: str) -> list[Step]:
    """The files behind one number of a table, the table first.

    Parameters
    ----------
    folder : path
        Where the workflow ran.
    target : str
        Name of the table's target, such as ``eccms_table4``.
    dataset, row, metric : str
        Which of its numbers; the row by its key or its label.

    Raises
    ------
    ConfigError
        If the table has no such number.
    DataError
        If a file is missing or damaged, or does not belong to the next one.
    """
    folder = Path(folder)
    # eccms_table4 is eccms/table4 below the folders of tables and scores.
    shown = target.replace("_", "/", 1)
    table, line = _line(folder, target, dataset, row, metric)
    steps = [Step("table", table, _facts(line, _OF_THE_TABLE))]
    stem = line["run"]
    if not isinstance(stem, str):
        steps[0].facts["why there is none"] = line["reason"]
        return steps
    steps.append(_scores(folder, line, shown))
    pool_name, dataset_name = stem.split("/")[:2]
    pool_path = f"data/pools/{pool_name}/{dataset_name}.h5"
    pool = _attributes(folder, pool_path, "pool")
    if not isinstance(line["reference"], str):
        run_path = f"results/runs/{stem}.h5"
        run = _attributes(folder, run_path, "run")
        _check_same(pool_path, pool["fingerprint"], "the run", run["pool_fingerprint"])
        steps += [Step("run", run_path, run), _draws(folder, pool_path, run)]
    steps.append(Step("pool", pool_path, pool))
    return steps + _data(folder, pool_name, dataset_name, pool)


#: Columns of a table's CSV file that say something of a number.
_OF_THE_TABLE = ("mean", "std", "repeats", "skipped", "reason", "note", "published_mean")


def _line(
    folder: Path, target: str, dataset: str, row: str, metric: str
) -> tuple[str, dict[str, Any]]:
    """Path of the table, and the line of its CSV file that has the number."""
    paper, _, name = target.partition("_")
    path = f"results/tables/{paper}/{name}.csv"
    if target == RANKING:
        path = f"results/{RANKING}_cells.csv"
    if not (folder / path).is_file():
        raise DataError(f"{path}: there is no such table in {folder}; make it: snakemake {target}.")
    lines = pd.read_csv(folder / path)
    missing = [name for name in ("row", "metric", "column", "run") if name not in lines]
    if missing:
        raise DataError(
            f"{path}: there is no column {missing[0]!r}; it is an audit, whose numbers come from "
            "several cells, or was made by another version of coassoc."
        )
    check_known(path, "data set", [dataset], lines["dataset"].unique())
    check_known(path, "metric", [metric], lines["metric"].unique())
    if row not in set(lines["label"]):
        check_known(path, "row", [row], lines["row"].dropna().unique())
    here = (lines["row"] == row) | (lines["label"] == row)
    found = lines[here & (lines["dataset"] == dataset) & (lines["metric"] == metric)]
    if found.empty:
        raise DataError(f"{path}: {row} has no {metric} on {dataset}.")
    if dataset == "mean":
        raise DataError(f"{path}: the mean is over several data sets; ask for one of them.")
    return path, found.iloc[0].to_dict()


def _scores(folder: Path, line: Mapping[str, Any], shown: str) -> Step:
    """The scores of all repeats, and whether their mean is the number in the table."""
    path = f"results/scores/{shown}.parquet"
    if isinstance(line.get("cpu"), str):
        path = f"results/timing/{line['run']}.csv"
    if not (folder / path).is_file():
        raise DataError(f"{path}: this file is gone from {folder}.")
    timed = path.endswith(".csv")
    files = {"measured": [folder / path]} if timed else {"scores": folder / path}
    lines = read_sources(files)[line["run"]]
    if "reference" in lines:
        lines = lines[lines["reference"] == line["reference"]]
    elif "parameters" in lines:
        lines = lines[lines["parameters"] == line["parameters"]]
    good = lines[lines["status"] == "ok"] if "status" in lines else lines
    values = good[line["column"]]
    mean = values.max() if line["reference"] == "best" else values.mean()
    agrees = bool(line["distance"]) or np.isclose(mean, line["mean"], rtol=1e-4, atol=1e-6)
    if not agrees:
        raise DataError(
            f"{path}: its mean {line['column']} is {mean:.6g}, and the table has "
            f"{line['mean']:.6g}; make the table again."
        )
    facts = {"column": line["column"], "parameters": line["parameters"]}
    return Step("scores", path, facts | {"values": [float(f"{value:.6g}") for value in values]})


def _draws(folder: Path, path: str, run: Mapping[str, Any]) -> Step:
    """For each repeat its seed and its base clusterings."""
    draws = read_draws(read_pool(folder / path), run["m"])
    names = run["pool"], run["dataset"]
    facts = {}
    for r, draw in enumerate(draws):
        seed = seed_from_names(run["seed"], *names, f"m{run['m']}", r, run["method"])
        facts[f"repeat {r}"] = f"seed {seed}, base clusterings {' '.join(map(str, draw))}"
    return Step("draws", path, facts)


def _data(folder: Path, pool: str, dataset: str, made: Mapping[str, Any]) -> list[Step]:
    """The data set behind a generated pool, and what was fetched for it or for a published one."""
    steps = []
    fetched = f"data/sources/{stored_pool(pool)}/{dataset}.json"
    if made.get("kind") == "generated":
        path = f"data/datasets/{dataset}.h5"
        attributes = _attributes(folder, path, "dataset")
        _check_same(path, attributes["fingerprint"], "the pool", made["dataset_fingerprint"])
        steps.append(Step("data set", path, attributes))
        fetched = f"data/sources/{dataset}.json"
    if (folder / fetched).is_file():
        steps.append(Step("source", fetched, json.loads((folder / fetched).read_text())))
    return steps


def _check_same(path: str, fingerprint: str, what: str, wanted: str) -> None:
    if fingerprint != wanted:
        raise DataError(
            f"{path}: its fingerprint is {fingerprint}, and {what} was made from {wanted}; "
            "make what follows it again."
        )


def _attributes(folder: Path, path: str, kind: str) -> dict[str, Any]:
    with open_file(folder / path, kind) as file:
        return {key: value for key, value in read_attributes(file).items() if value != ""}


def _facts(line: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: line[name] for name in names if name in line and not pd.isna(line[name])}


def as_text(steps: Iterable[Step]) -> str:
    """The steps for reading, one paragraph each."""
    paragraphs = []
    for step in steps:
        lines = [f"{step.name}: {step.path}"]
        lines += [f"    {name}: {value}" for name, value in step.facts.items()]
        paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)
