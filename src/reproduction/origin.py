"""Where a number of a table comes from: the files behind it, back to the source of the data.

Only the mean of the scores is computed again, and it must be the number of the table. In a folder
of kept results, which has no runs, the way ends at the scores; so it does where a run took kept
lines over. Where the code that made a number cannot be had, that is said.

    python -m reproduction.origin TABLE DATASET ROW METRIC
    python -m reproduction.origin --versions FOLDER
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coassoc.errors import CoassocError, DataError, check_known
from coassoc.seeds import seed_from_names
from coassoc.storage.hdf5 import open_file, read_attributes, read_pool
from reproduction.plan.files import FOLDER, read_plan
from reproduction.plan.keys import RANKING, Source, dataset_file, stored_pool
from reproduction.scores.files import MADE_FROM, read_collected, read_measurements, read_scores
from reproduction.versions import kept_in_doubt, versions_in_doubt


class Link(NamedTuple):
    """One file on the way to a number."""

    #: What it is: "table", "scores", "run", "draws", "pool", "data set" or "source".
    name: str
    #: The file, as found from the folder in which the workflow ran.
    path: str
    #: What it says of itself.
    facts: dict[str, Any]


#: Columns of a table's CSV file that say something of a number.
_OF_THE_TABLE = ("mean", "std", "repeats", "skipped", "reason", "note", "published_mean")


def origin(folder: str | Path, target: str, dataset: str, row: str, metric: str) -> list[Link]:
    """The files behind one number of a table, the table first.

    A step whose code cannot be had from this repository says so ("in doubt").

    Parameters
    ----------
    folder : path
        Where the workflow ran, or a folder of kept results, such as ``results-published``.
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
    return [*map(_with_doubts, _chain(Path(folder), target, dataset, row, metric))]


def _with_doubts(step: Link) -> Link:
    versions = str(step.facts.get("commit", "")).split(", ")
    why = "; ".join(
        f"{version}: {said}" for version, said in versions_in_doubt(filter(None, versions)).items()
    )
    return step._replace(facts=step.facts | {"in doubt": why}) if why else step


def _chain(folder: Path, target: str, dataset: str, row: str, metric: str) -> list[Link]:
    kept = (folder / "tables").is_dir()
    # eccms_table4 is eccms/table4 below the folders of tables and scores.
    shown = target.replace("_", "/", 1)
    cells = f"{RANKING}_cells.parquet" if target == RANKING else f"tables/{shown}.csv"
    path = cells if kept else f"results/{cells}"
    if not (folder / path).is_file():
        raise DataError(
            f"{path}: there is no such table in {folder}; make it, snakemake {target}, or name a "
            "folder of kept results by --directory."
        )
    lines = pd.read_parquet(folder / path) if target == RANKING else pd.read_csv(folder / path)
    line = _line(path, lines, dataset, row, metric)
    table = Link("table", path, {name: line[name] for name in _OF_THE_TABLE if name in line})
    if "run" not in line:
        return [table._replace(facts={**table.facts, "why there is none": line["reason"]})]
    if kept and "cpu" in line:  # measured times are kept in their table alone
        return [table]
    if kept:
        path = "kept/ranking_scores.parquet" if target == RANKING else "kept/scores.parquet"
        return [table, _scores(folder, line, path)]
    source, scored = Source.parse(line["run"]), f"results/scores/{shown}.parquet"
    if "cpu" in line:
        scored = source.measured_file("timing")
    steps = [table, _scores(folder, line, scored)]
    if "run" in steps[1].facts:  # lines that were kept
        return [*steps, Link("kept scores", _kept_file(folder, shown, line["run"]), {})]
    pool = _step(folder, "pool", source.pool_file)
    if "reference" not in line:
        run = _step(folder, "run", _run_file(folder, source), source.method)
        _check_same(pool, "the run", run.facts["pool_fingerprint"])
        steps += [run, _draws(folder, pool.path, run.facts)]
    return [*steps, pool, *_data(folder, source, pool.facts)]


def _run_file(folder: Path, run: Source) -> str:
    """The file of a run, which methods that end one refinement have together."""
    named = (path.name for path in (folder / run.run_file(run.method)).parents[1].glob("*"))
    shared = [name for name in named if run.method in name.split("+")]
    return run.run_file(next(iter(shared), run.method))


def _kept_file(folder: Path, target: str, run: str) -> str:
    """The file of kept lines that a target takes over; the table may be of an earlier plan."""
    path = FOLDER / "targets" / f"{target}.json"
    try:
        return str(read_plan(folder / path)["sources"][run]["kept"])
    except (OSError, KeyError, TypeError) as error:
        raise DataError(
            f"{path}: this plan takes over no lines of {run}, since the table was made by another "
            "one; make the table again."
        ) from error


def _line(path: str, lines: pd.DataFrame, dataset: str, row: str, metric: str) -> dict[str, Any]:
    """The non-empty fields of a number's line in its table."""
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
    matches = lines[here & (lines["dataset"] == dataset) & (lines["metric"] == metric)]
    if matches.empty:
        raise DataError(f"{path}: {row} has no {metric} on {dataset}.")
    if dataset == "mean":
        raise DataError(f"{path}: the mean is over several data sets; ask for one of them.")
    return matches.iloc[0].dropna().to_dict()


def _scores(folder: Path, line: Mapping[str, Any], path: str) -> Link:
    """The scores of all repeats, whose mean must be the number in the table."""
    if not (folder / path).is_file():
        raise DataError(f"{path}: this file is gone from {folder}.")
    if path.endswith(".csv"):
        lines = read_measurements(folder / path)
    elif path.startswith("results/"):
        lines = read_scores(folder / path).get(line["run"], pd.DataFrame())
    else:
        lines = read_collected({line["run"]: folder / path}).get(line["run"], pd.DataFrame())
    if lines.empty:
        raise DataError(f"{path}: there are no scores of {line['run']}.")
    for name in ("reference", "parameters"):
        if name in line and name in lines:
            lines = lines[lines[name] == line[name]]
    good = lines[lines["status"] == "ok"] if "status" in lines else lines
    values = good[line["column"]]
    mean = values.max() if line.get("reference") == "best" else values.mean()
    if not line["distance"] and not np.isclose(mean, line["mean"], rtol=1e-4, atol=1e-6):
        raise DataError(
            f"{path}: its mean {line['column']} is {mean:.6g}, and the table has "
            f"{line['mean']:.6g}; make the table again."
        )
    facts = {"column": line["column"], "parameters": line["parameters"]}
    if not path.endswith(".csv") and set(lines.get(MADE_FROM, ["kept"])) == {"kept"}:
        facts = _of_kept_run(line["run"], good) | facts
    return Link("scores", path, facts | {"values": [float(f"{value:.6g}") for value in values]})


def _of_kept_run(run: str, lines: pd.DataFrame) -> dict[str, Any]:
    """What kept lines say of their run; there is no file of it."""
    source = Source.parse(run)
    made_by = {
        name: ", ".join(sorted(lines[name].dropna().unique()))
        for name in ("commit", "code")
        if name in lines and lines[name].notna().any()
    }
    drawn = "" if source.m is None else f", repeat r combines draw r of m{source.m} in it"
    pool = f"{source.pool_file}{drawn}; snakemake {source.pool_file} makes it"
    return {"run": run, **made_by, "pool": pool}


def _draws(folder: Path, path: str, run: Mapping[str, Any]) -> Link:
    """For each repeat its seed and its base clusterings."""
    names = run["pool"], run["dataset"], f"m{run['m']}"
    facts = {}
    for r, draw in enumerate(read_pool(folder / path).draws_of(run["m"])):
        seed = seed_from_names(run["seed"], *names, r, run["method"])
        facts[f"repeat {r}"] = f"seed {seed}, base clusterings {' '.join(map(str, draw))}"
    return Link("draws", path, facts)


def _data(folder: Path, source: Source, pool: Mapping[str, Any]) -> list[Link]:
    """The data set behind a generated pool, and what was fetched for it or for a published one."""
    steps = []
    fetched = f"data/sources/{stored_pool(source.pool)}/{source.dataset}.json"
    if pool.get("kind") == "generated":
        steps.append(_step(folder, "data set", dataset_file(source.dataset)))
        _check_same(steps[0], "the pool", pool["dataset_fingerprint"])
        fetched = f"data/sources/{source.dataset}.json"
    if (folder / fetched).is_file():
        steps.append(Link("source", fetched, json.loads((folder / fetched).read_text())))
    return steps


def _step(folder: Path, name: str, path: str, group: str = "/") -> Link:
    """A file of the workflow, with its attributes or those of a group."""
    with open_file(folder / path, name.replace(" ", "")) as file:
        attributes = {k: value for k, value in read_attributes(file[group]).items() if value != ""}
    return Link(name, path, attributes)


def _check_same(step: Link, what: str, wanted: str) -> None:
    if step.facts["fingerprint"] != wanted:
        raise DataError(
            f"{step.path}: its fingerprint is {step.facts['fingerprint']}, and {what} was made "
            f"from {wanted}; make what follows it again."
        )


def as_text(steps: Iterable[Link]) -> str:
    """The steps for reading, one paragraph each."""
    paragraphs = [
        "\n".join([f"{name}: {path}", *(f"    {key}: {value}" for key, value in facts.items())])
        for name, path, facts in steps
    ]
    return "\n\n".join(paragraphs)


def as_versions(folder: str) -> str:
    """The versions of kept lines whose code cannot be had, for reading."""
    table = kept_in_doubt(folder)
    paragraphs = [
        f"{version}: {line['lines']:,} lines; {line['why']}\n    {line['methods']}"
        for version, line in table.iterrows()
    ]
    return "\n\n".join(paragraphs) or "Every line names a commit of this repository."


def main(words: list[str] | None = None) -> None:
    """Print the files behind a number; a mistake ends it with one sentence."""
    parser = argparse.ArgumentParser(
        prog="python -m reproduction.origin",
        description="Say where a number of a table comes from.",
    )
    parser.add_argument("table", nargs="?", help="name of its target, such as eccms_table4")
    for name in ("dataset", "row", "metric"):
        parser.add_argument(name, nargs="?", help="as in the table")
    parser.add_argument(
        "--directory", default=".", help="where the workflow ran, or kept results (%(default)s)"
    )
    parser.add_argument(
        "--versions",
        metavar="FOLDER",
        help="instead: the versions in a folder of kept lines of scores whose code cannot be had",
    )
    cell = parser.parse_args(words)
    if cell.versions:
        print(as_versions(cell.versions))
        return
    if cell.metric is None:
        parser.error("it takes a table, a data set, a row and a metric, or --versions.")
    try:
        steps = origin(cell.directory, cell.table, cell.dataset, cell.row, cell.metric)
    except CoassocError as error:
        sys.exit(f"Error: {error}")
    print(as_text(steps))


if __name__ == "__main__":
    main()
