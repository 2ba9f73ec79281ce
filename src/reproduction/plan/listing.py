"""The table ``results/plan/cells.csv``: a line for each cell of everything that can be made."""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from reproduction.plan.keys import Source
from reproduction.plan.kinds import MEASURED
from reproduction.plan.planning import Plan
from reproduction.plan.studies import Target

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
        place = {
            "kind": target.kind,
            "made_from": target.made_from,
            **{name: getattr(cell, name) for name in (*_OF_A_CELL, "not_run")},
            "point": json.dumps(cell.point) if cell.point else "",
        }
        sources = target.sources_of(cell)
        for source in sources:
            yield place | _of_source(plan, target, source, named=bool(cell.sources))
        if not sources:
            yield place


def _of_source(plan: Plan, target: Target, source: Source, named: bool) -> dict[str, str]:
    """Columns of what a cell is made from; it has no name where it is a pool alone."""
    columns = {"source": str(source) if named else "", "pool_file": source.pool_file}
    if target.made_from in MEASURED:
        columns["measured_file"] = source.measured_file(target.made_from)
    if source.block:
        columns["method"], columns["parameters"] = source.method, source.block
        columns["run_file"] = plan.catalogues.run_file(source)
        columns["features_file"] = plan.catalogues.features_file(source)
    return columns
