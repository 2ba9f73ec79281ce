"""The table of everything that is wanted: one row for each cell of each target, and its run.

Rules look up in it what a target shows; ``make plan`` writes it, so that the question why a run is
made, and for which tables, is answered by looking.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from coassoc.plan.artefacts import Artefact
from coassoc.plan.experiments import Experiments
from coassoc.plan.keys import DATASET, POOL, RunKey
from coassoc.plan.kinds import KINDS
from coassoc.plan.methods import MethodEntry

__all__ = ["table_of_cells"]

_OF_A_CELL = ["row", "label", "dataset", "pool", "m", "x", "variant", "reference", "tune"]
_COLUMNS = [
    "target", "wanted", "kind", "needs", *_OF_A_CELL, "point", "method", "parameters", "source",
    "run_file", "measured_file", "pool_file", "features_file", "not_run",
]  # fmt: skip


def table_of_cells(experiments: Experiments) -> pd.DataFrame:
    """One row for each cell and source of its numbers.

    Returns
    -------
    DataFrame
        target ("eccms/table4"), wanted (whether it is made unless a target is named), kind, needs
        (what it is made from), row, label, dataset, pool, m, x, variant, reference, tune (the
        score), point (JSON), method and parameters of the run, source (stem of its lines among the
        scores), run_file, measured_file (of times or criteria), pool_file, features_file (where the
        method sees features), and not_run (the reason). What a cell does not have is empty.
    """
    wanted = {artefact.path for artefact in experiments.wanted}
    rows = [
        {"wanted": path in wanted, **row}
        for path, artefact in experiments.by_path.items()
        for row in _rows(artefact, experiments.catalogues.methods)
    ]
    return pd.DataFrame(rows, columns=_COLUMNS).fillna("")


def _rows(artefact: Artefact, methods: Mapping[str, MethodEntry]) -> Iterator[dict[str, Any]]:
    for cell in artefact.cells:
        place = {
            "target": artefact.path,
            "kind": artefact.kind,
            "needs": artefact.needs,
            **{name: getattr(cell, name) for name in (*_OF_A_CELL, "not_run")},
            "point": json.dumps(cell.point) if cell.point else "",
            "pool_file": "" if cell.not_run else POOL.format(pool=cell.pool, dataset=cell.dataset),
        }
        runs = {} if cell.not_run else {run.stem: run for run in cell.runs}
        for source in cell.sources or [""]:
            run = runs.get(source)
            of_run = _of_run(run, artefact.needs, methods[run.method]) if run else {}
            yield place | {"source": source} | of_run
        if KINDS[artefact.kind].pools:
            yield place | {"source": f"{cell.pool}/{cell.dataset}/base"}


def _of_run(run: RunKey, needs: str, method: MethodEntry) -> dict[str, str]:
    return {
        "method": run.method,
        "parameters": run.parameters,
        "run_file": run.path(),
        "measured_file": run.measured_path(needs),
        "features_file": run.path(DATASET) if method.uses_features else "",
    }
