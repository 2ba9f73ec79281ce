"""The ranking as one web page that needs nothing but itself, and as tables beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from coassoc.results.audits.statistics import LEVEL
from coassoc.results.pages import write_page
from coassoc.results.ranking.views import TIME, Ranks, View
from coassoc.results.tables import write_lines

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
    cells = found.cells.drop(columns="x")
    for name, lines in (("", found.lines), ("cells", cells)):
        write_lines(paths[name or "csv"], lines)
        lines.to_parquet(paths[f"{name}_parquet".strip("_")])
    write_page(
        paths["html"],
        "ranking.html",
        title="Ranking of ensemble clustering methods",
        pools=", ".join(dict.fromkeys(cells["pool"])),
        m=cells["m"].iloc[0],
        level=LEVEL,
        data=page_data(found),
    )


def page_data(found: Ranks) -> dict[str, Any]:
    """What the page shows: rows, data sets, cells and their repeats, and ranks of each view."""
    scored = found.cells[found.cells["metric"] != TIME]
    metrics = list(scored["metric"].unique())
    rows = list(found.rows)
    return {
        "rows": [{"name": name, **facts} for name, facts in found.rows.items()],
        "datasets": [{"name": name, **facts} for name, facts in found.datasets.items()],
        "metrics": metrics,
        "groups": list(dict.fromkeys(found.lines["group"])),
        "cells": {
            metric: _grid(found, lines, _score, [None, None, "not asked for"])
            for metric, lines in scored.groupby("metric", sort=False)
        },
        "origins": _grid(
            found,
            found.cells.dropna(subset="run").drop_duplicates(["row", "dataset"]),
            lambda run: _origin(run, found.repeats[run["row"], run["dataset"]], metrics),
        ),
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


def _grid(found: Ranks, lines: pd.DataFrame, shown: Any, missing: Any = None) -> list[list[Any]]:
    """What is shown of the line of each row (down) and data set (across)."""
    places = zip(lines["row"], lines["dataset"], strict=True)
    filled = dict(zip(places, map(shown, lines.to_dict("records")), strict=True))
    return [[filled.get((row, name), missing) for name in found.datasets] for row in found.rows]


def _score(line: Mapping[str, Any]) -> list[Any]:
    return [_number(line["mean"]), _number(line["std"]), line["reason"]]


def _origin(run: Mapping[str, Any], repeats: pd.DataFrame, metrics: list[str]) -> dict[str, Any]:
    """The file of a run, and for each repeat [number, what became of it, scores]."""
    lines = repeats.reindex(columns=["repeat", "status", *metrics]).itertuples(index=False)
    return {
        "run": run["run"],
        "parameters": json.loads(run["parameters"]),
        "version": run.get("commit", ""),
        "repeats": [[int(r), status, *map(_number, scores)] for r, status, *scores in lines],
    }


def _number(value: float, digits: int = 4) -> float | None:
    return round(float(value), digits) if np.isfinite(value) else None
