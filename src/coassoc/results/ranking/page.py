"""The ranking as one web page that needs nothing but itself, and as tables beside it."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.results.audits.evidence import LEVEL
from coassoc.results.ranking.template import PAGE
from coassoc.results.ranking.views import TIME, Ranks, View
from coassoc.results.tables import write_lines
from coassoc.running.provenance import commit

__all__ = ["page_data", "write_ranking"]


def write_ranking(paths: Mapping[str, str], found: Ranks) -> None:
    """Write the page, the ranks and the cells.

    Parameters
    ----------
    paths : mapping
        Paths for "html", for "csv" and "parquet" of the ranks, and for "cells" (CSV) and
        "cells_parquet".
    found : Ranks
    """
    write_lines(paths["csv"], found.lines)
    found.lines.to_parquet(paths["parquet"])
    cells = found.cells.drop(columns="x")
    write_lines(paths["cells"], cells)
    cells.to_parquet(paths["cells_parquet"])
    # "</" would end the script; it means the same in JSON with a backslash.
    data = json.dumps(page_data(found), allow_nan=False).replace("</", "<\\/")
    page = PAGE.replace("@NOTE@", html.escape(_note(found))).replace("@DATA@", data)
    Path(paths["html"]).write_text(page, encoding="utf-8")


def _note(found: Ranks) -> str:
    first = found.cells.iloc[0]
    pools = ", ".join(dict.fromkeys(found.cells["pool"]))
    return (
        f"Base clusterings: {pools}, m = {first['m']}. Ranks are means over data sets, 1 is best; "
        f"bars reach half of the critical difference to each side (Nemenyi's test at {LEVEL:g}): "
        "methods whose bars overlap cannot be told apart. Scores are means over the repeats of a "
        "data set; a click on one shows the repeats and where they come from, a click on a cross "
        "the reason why there is no score. Seconds are those of one fit beside other jobs, so take "
        f"them as an order of magnitude. Version {commit()}."
    )


def page_data(found: Ranks) -> dict[str, Any]:
    """What the page shows: rows, data sets, cells and their repeats, and ranks of each view."""
    rows, datasets = list(found.rows), list(found.datasets)
    metrics = [name for name in found.cells["metric"].unique() if name != TIME]
    return {
        "rows": [{"name": name, **found.rows[name]} for name in rows],
        "datasets": [{"name": name, **found.datasets[name]} for name in datasets],
        "metrics": metrics,
        "groups": list(dict.fromkeys(found.lines["group"])),
        "cells": {
            metric: _grid(lines, rows, datasets)
            for metric, lines in found.cells.groupby("metric", sort=False)
            if metric != TIME
        },
        "origins": _origins(found, metrics),
        "views": {
            _key(View(*parts)): {
                "cd": _number(lines["critical_difference"].max()),
                "n": int(lines["n_datasets"].iloc[0]),
                "lines": [_ranked_row(line, rows) for line in lines.itertuples()],
            }
            for parts, lines in found.lines.groupby(list(View._fields), sort=False)
        },
    }


def _key(view: View) -> str:
    """Name of a view, as the page puts it together."""
    flags = "".join(str(int(flag)) for flag in (view.tuned, view.readers, view.all_methods))
    return f"{view.metric}|{view.group}|{flags}"


def _ranked_row(line: Any, rows: list[str]) -> list[Any]:
    """Number of the row, its rank, mean score and seconds, and how many scores it lacks."""
    numbers = [_number(line.rank, 2), _number(line.mean), _number(line.seconds)]
    return [rows.index(line.label), *numbers, int(line.missing)]


def _grid(lines: pd.DataFrame, rows: list[str], datasets: list[str]) -> list[list[Any]]:
    """For each row and data set [mean, standard deviation, reason]."""
    found = {(line.row, line.dataset): line for line in lines.itertuples()}
    return [[_cell(found.get((row, dataset))) for dataset in datasets] for row in rows]


def _cell(line: Any) -> list[Any]:
    if line is None:
        return [None, None, "not asked for"]
    return [_number(line.mean), _number(line.std), line.reason]


def _origins(found: Ranks, metrics: list[str]) -> list[list[Any]]:
    """For each row and data set what made its scores, and the score of each repeat."""
    runs = found.cells.dropna(subset="run").drop_duplicates(["row", "dataset"])
    places = zip(runs["row"], runs["dataset"], strict=True)
    made = {
        place: _origin(run, found.repeats[place], metrics)
        for place, run in zip(places, runs.to_dict("records"), strict=True)
    }
    return [[made.get((row, dataset)) for dataset in found.datasets] for row in found.rows]


def _origin(run: Mapping[Any, Any], repeats: pd.DataFrame, metrics: list[str]) -> dict[str, Any]:
    """The file of a run, and for each repeat [number, what became of it, scores]."""
    scores = repeats.reindex(columns=metrics).itertuples(index=False)
    return {
        "run": run["run"],
        "parameters": json.loads(run["parameters"]),
        "version": run.get("commit", ""),
        "repeats": [
            [int(repeat), status, *map(_number, values)]
            for repeat, status, values in zip(
                repeats["repeat"], repeats["status"], scores, strict=True
            )
        ],
    }


def _number(value: float, digits: int = 4) -> float | None:
    return round(float(value), digits) if np.isfinite(value) else None
