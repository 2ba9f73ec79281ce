"""The way of one number, from files and seeds to its verdict: ``make one CELL=…``."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import click
import pandas as pd
from snakemake.utils import update_config

from coassoc.bench.storage.configuration import load_yaml
from coassoc.errors import CoassocError, ConfigError, check_known
from coassoc.metrics import METRICS
from reproduction import PROJECT
from reproduction.findings.inputs import Findings
from reproduction.findings.scorecard import compare_tables
from reproduction.scores.files import AS_TEXT, read_scores
from reproduction.study.cells_file import read_lines
from reproduction.study.paths import Source, below_prefix, name_of
from reproduction.study.plan import Plan
from reproduction.study.studies import scorecard_of
from reproduction.study.tasks import task_of

_CODE = """\
import numpy as np
from coassoc.bench.storage.hdf5 import read_dataset, read_pool
from coassoc.ensemble import Ensemble
from coassoc.methods import METHODS, Method
from coassoc.metrics import score_against

pool = read_pool("{pool_file}")
make = {make}
seeds = {seeds}
scores = []
for repeat, seed in enumerate(seeds):
    ensemble = Ensemble.from_clusterings(pool.labels[:, pool.draws_of({m})[repeat]])
    estimator = make(n_clusters={k}, random_state=seed, **{parameters})
    labels = np.unique(estimator.fit(ensemble{features}).labels_, return_inverse=True)[1]
    scores.append(score_against(pool.references, labels)["{column}"])
print(scores, np.mean(scores))
"""


def describe_cell(plan: Plan, cell: str) -> Iterator[str]:
    """Lines about a cell, named study/table/row/data set, of a table that was built."""
    target, label, dataset = _parse(plan, cell)
    numbers = pd.read_csv(below_prefix(plan.numbers_of(target)), dtype=AS_TEXT)
    numbers = numbers[numbers["label"].eq(label) & numbers["dataset"].eq(dataset)]
    planned = read_lines(target)
    planned = planned[planned["label"].eq(label) & planned["dataset"].eq(dataset)]
    if planned.empty:
        raise ConfigError(f"{cell}: {dataset} is not a data set of this row. Choose another.")
    scores = read_scores(below_prefix(f"results/scores/{target}.parquet"))
    verdicts = _verdicts(plan, target)
    for number in numbers.to_dict("records"):
        metric, column = number["metric"], number["column"]
        yield f"\n{target}: {label} on {dataset}, {metric} (column {column} of the scores)"
        for x in planned.to_dict("records") if metric == numbers["metric"].iloc[0] else ():
            for key in ("pool_file", "features_file", "run_file", "archive"):
                yield from [f"  {key.replace('_', ' ')}: {x[key]}"] * bool(x[key])
        if number["mean"] != number["mean"]:
            yield f"  no number: {number['reason']}"
            continue
        lines = scores[number["run"]] if number["run"] in scores else pd.DataFrame()
        for key in ("parameters", "reference"):
            if key in lines and number[key] == number[key]:
                lines = lines[lines[key].eq(number[key])]
        run, seeds = Source.parse(number["run"]), {}
        if run.block:
            task = task_of(plan, run)
            seeds = {repeat: task.repeat_seed(repeat) for repeat in lines["repeat"]}
            yield f"  settings: {number['parameters']}, m = {run.m}, commit {number['commit']}"
        for x in lines.to_dict("records"):
            repeat = x.get("repeat", x.get("clustering"))
            seed = f", seed {seeds[repeat]}" if repeat in seeds else ""
            yield f"  repeat {repeat}{seed}: {x[column]:.6f}" if column in x else f"  {x['status']}"
        yield f"  mean {number['mean']:.6g}, sd {number['std']:.3g}"
        keys = pd.Series({"method": label, "dataset": dataset, "metric": metric})
        printed = verdicts[verdicts[[*keys.index]].eq(keys).all(axis=1)]
        if printed.empty:
            yield "  the paper prints no number for this row, data set and metric"
        for x in printed.to_dict("records"):
            within = f", {'' if x['within 2 se'] else 'not '}within 2 se"
            known = f"published {x['mean']:g}: {x['verdict']}"
            yield f"  {known}{within if x['verdict'].endswith('sd') else ''} {x['reason']}".rstrip()
        if seeds and column in METRICS and number["distance"] is not True:
            yield from ["", "This computes the number without Snakemake:", ""]
            yield _code(plan, run, json.loads(number["parameters"]), seeds, column)
        elif metric == numbers["metric"].iloc[-1]:
            yield "  no lines of Python: the number is no score of a method against the classes"


def _parse(plan: Plan, cell: str) -> tuple[str, str, str]:
    """The path of the target, the row and the data set."""
    path, dataset = cell.rpartition("/")[::2]
    target = next((x for x in plan.targets if path.startswith(f"{x}/")), "")
    if not target:
        known = [x for x, y in plan.targets.items() if y.section == "tables"]
        check_known(f"{cell}", "table", ["/".join(cell.split("/")[:2])], known)
    label = path.removeprefix(f"{target}/")
    check_known(target, "row", [label], dict.fromkeys(x["label"] for x in plan.unedited[target]))
    return target, label, dataset


def _verdicts(plan: Plan, target: str) -> pd.DataFrame:
    """The scorecard of one table."""
    findings, study = Findings(plan), plan.studies[target.split("/")[0]]
    given = findings.scorecard(scorecard_of(study))
    paper, table = target.split("/")
    numbers = [x for x in given["published"] if (x["paper"], x["table"]) == (paper, table)]
    if not numbers:
        return pd.DataFrame(columns=["method", "dataset", "metric"])
    about = {**given, "published": numbers, "tables": {target: findings.shown(target)}}
    return compare_tables(about, [below_prefix(plan.numbers_of(target))])


def _code(
    plan: Plan, run: Source, parameters: dict[str, Any], seeds: dict[int, int], column: str
) -> str:
    task, method = task_of(plan, run), plan.catalogues.methods[run.method]
    file = below_prefix(f"data/datasets/{run.dataset}.h5")
    make = f'METHODS["{run.method}"]'
    if method.place:  # in a user's file
        make = f"Method({run.method!r}, **{method.record()}).factory"
    return _CODE.format(
        make=make,
        m=run.m,
        column=column,
        parameters=parameters,
        seeds=[*seeds.values()],
        k="pool.n_classes" if task.n_clusters is None else task.n_clusters,
        pool_file=below_prefix(run.pool_file),
        features=f', X=read_dataset("{file}").X' if method.uses_features else "",
    )


@click.command()
@click.argument("cell")
@click.argument("configurations", nargs=-1)
def main(cell: str, configurations: tuple[str, ...]) -> None:
    """Build the table of a CELL, such as eccms/table4/LWEA/Ecoli, and print how it came about."""
    settings: dict[str, Any] = {}
    for file in configurations:
        update_config(settings, load_yaml(file))
    try:
        plan = Plan(settings)
        target, *_ = _parse(plan, cell)
        words = ["--snakefile", PROJECT / "Snakefile", "--cores", "all", "--quiet", "all"]
        words += ["--configfile", *configurations] if configurations else []
        given = [sys.executable, "-m", "snakemake", name_of(target), *words]
        if subprocess.run([*map(str, given)]).returncode:
            sys.exit(1)
        print("\n".join(describe_cell(plan, cell)))
    except CoassocError as error:
        sys.exit(f"coassoc: {error}")


if __name__ == "__main__":
    main()
