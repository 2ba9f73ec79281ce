"""The table ``results/plan/cells.csv``: a line for each cell of everything that can be made."""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from reproduction.plan.keys import Source, base_of, runs_of
from reproduction.plan.studies import Target
from reproduction.plan.targets import Plan

_OF_A_CELL = ["row", "label", "dataset", "pool", "m", "x", "variant", "reference", "tune"]
_COLUMNS = [
    "target", "wanted", "kind", "made_from", *_OF_A_CELL, "point", "method", "parameters", "source",
    "run_file", "measured_file", "pool_file", "features_file", "not_run",
]  # fmt: skip


def list_cells(plan: Plan) -> pd.DataFrame:
    """One row for each cell and source of its numbers.

    Returns
    -------
    DataFrame
        target ("eccms/table4"), wanted (whether it is made unless a target is named), kind,
        made_from (such as "scores"), row, label, dataset, pool, m, x, variant, reference, tune
        (the score), point (JSON), method and parameters of the run, source (of its lines among
        the scores), run_file, measured_file (of times or criteria), pool_file, features_file
        (where the method sees features), and not_run (the reason). What a cell does not have is
        empty.
    """
    wanted = {target.path for target in plan.wanted}
    rows = [
        {"target": path, "wanted": path in wanted, **row}
        for path, target in plan.by_path.items()
        for row in _rows(plan, target)
    ]
    return pd.DataFrame(rows, columns=_COLUMNS).fillna("")


def _rows(plan: Plan, target: Target) -> Iterator[dict[str, Any]]:
    for cell in target.cells:
        files = target.measured_files(cell)
        of_runs = dict(zip(runs_of(cell), files, strict=False))
        place = {
            "kind": target.kind,
            "made_from": target.made_from,
            **{name: getattr(cell, name) for name in (*_OF_A_CELL, "not_run")},
            "point": json.dumps(cell.point) if cell.point else "",
            "pool_file": "" if cell.not_run else base_of(cell).pool_file,
            "measured_file": "" if runs_of(cell) else "".join(files),
        }
        for source in cell.sources:
            of_run = _of_run(plan, source) if source.block else {}
            measured = of_runs.get(source, place["measured_file"])
            yield place | {"source": str(source), "measured_file": measured} | of_run
        if not cell.sources:
            yield place | {"source": ""}
        if target.entry.reads_pools:
            yield place | {"source": str(base_of(cell))}


def _of_run(plan: Plan, run: Source) -> dict[str, str]:
    return {
        "method": run.method,
        "parameters": run.block,
        "run_file": plan.run_file(run),
        "features_file": plan.features_file(run),
    }
