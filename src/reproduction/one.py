"""The way of one number, from files and seeds to a table: ``make one CELL=…``."""

import json
import subprocess
import sys
from typing import Any

import pandas as pd
from snakemake.utils import update_config

from coassoc.bench.storage.configuration import load_yaml
from coassoc.errors import CoassocError, check_known
from coassoc.metrics import METRICS
from reproduction import PROJECT
from reproduction.pages import render
from reproduction.scores.files import AS_TEXT, read_scores
from reproduction.study.cells_file import read_lines
from reproduction.study.paths import Source, below_prefix, dataset_file, name_of
from reproduction.study.plan import Plan
from reproduction.study.tasks import task_of


def describe_cell(plan: Plan, cell: str) -> str:
    """Describe a cell, named study/table/row/data set, of a table that was built."""
    target, label, dataset = parse_cell(plan, cell)
    planned = read_lines(target).query("label == @label")
    check_known(f"{target}: {label}", "data set", [dataset], planned["dataset"].unique())
    planned = planned.query("dataset == @dataset")
    paper, _, table = target.partition("/")
    numbers = pd.read_csv(below_prefix(plan.numbers_of(target)), dtype=AS_TEXT)
    scores = read_scores(below_prefix(f"results/scores/{target}.parquet"))
    shown = []
    for x in numbers.query("label == @label and dataset == @dataset").to_dict("records"):
        lines = scores.get(x["run"], pd.DataFrame())
        for key in ("parameters", "reference"):
            if key in lines and isinstance(x[key], str):
                lines = lines[lines[key].eq(x[key])]
        about = {"lines": lines.to_dict("records"), "source": None, "is_score": False}
        run = Source.parse(x["run"]) if x["mean"] == x["mean"] else Source("", "")
        if run.block:
            task = task_of(plan, run)
            seeds = {r: task.repeat_seed(r) for r in lines["repeat"].tolist()}
            about |= {"source": run, "task": task, "seeds": seeds}
            about |= {"method": plan.catalogues.methods[run.method]}
            about |= {"is_score": x["column"] in METRICS and x["distance"] is not True}
        shown.append(x | about)
    files = ("pool_file", "features_file", "run_file", "archive")
    return render(
        "one.txt",
        study=f"{plan.studies[paper].__file__}, {table}",
        files=[(key.replace("_", " "), x) for key in files for x in planned[key].unique() if x],
        target=target,
        label=label,
        dataset=dataset,
        numbers=shown,
        path=below_prefix,
        dataset_file=dataset_file,
        parameters=json.loads,
    )


def parse_cell(plan: Plan, cell: str) -> tuple[str, str, str]:
    """The path of the target, the row and the data set. A misspelt name raises a ConfigError."""
    path, _, dataset = cell.rpartition("/")
    target = next((x for x in plan.targets if path.startswith(f"{x}/")), "")
    check_known(cell, "table", [target or "/".join(cell.split("/")[:2])], plan.targets)
    label, cells = path.removeprefix(f"{target}/"), plan.unedited[target]
    check_known(target, "row", [label], dict.fromkeys(x["label"] for x in cells))
    return target, label, dataset


def main(cell: str, *configurations: str) -> None:
    """Build the table of a cell, such as eccms/table4/LWEA/Ecoli, and print how it came about."""
    settings: dict[str, Any] = {}
    for file in configurations:
        update_config(settings, load_yaml(file))
    plan = Plan(settings)
    target, label, dataset = parse_cell(plan, cell)
    words = ["--snakefile", str(PROJECT / "Snakefile"), "--cores", "all", "--quiet", "all"]
    words += ["--configfile", *configurations] * bool(configurations)
    wanted = [name_of(target)]
    for _ in range(2):  # the table, and the inputs of the cell, which archived scores do not need
        if subprocess.run([sys.executable, "-m", "snakemake", *wanted, *words]).returncode:
            sys.exit(1)
        lines = read_lines(target).query(f"label == {label!r} and dataset == {dataset!r}")
        inputs = sorted({*lines["pool_file"], *lines["features_file"]} - {""})
        wanted = [name_of(target), *inputs]
    print(describe_cell(plan, cell))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except CoassocError as error:
        sys.exit(f"coassoc: {error}")
