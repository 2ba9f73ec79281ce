"""From score files to the numbers of a table or figure: one line per cell and metric.

:func:`summarize` finds the lines of the score files that count for each cell, chooses the best
point where a row is tuned, and takes means and spreads over the repeats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.errors import DataError
from coassoc.metrics import METRICS
from coassoc.plan.columns import LABEL_FREE, MADE_BY, SCORES, TIMES
from coassoc.results.scores import MADE_FROM, N_LINES, read_scores
from coassoc.storage.records import LEFT_THE_RACE

#: Types of columns that would be taken for numbers: a version may be 12e4567.
AS_TEXT = dict.fromkeys(MADE_BY, str)
#: Name of the column of means over the data sets.
MEAN = "mean"


def read_sources(files: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """What a table or audit is made from, by the stems of its cells' sources.

    Files are "scores", the Parquet file of a target, or "measured", CSV files of times or criteria;
    a DataError is raised for one that is not whole.
    """
    if "scores" in files:
        return read_scores(files["scores"])
    # results/{measured}/{pool}/{dataset}/m{m}/{method}/{parameters}.csv
    paths = [Path(path) for path in files["measured"]]
    return {"/".join(path.with_suffix("").parts[-5:]): _read_measured(path) for path in paths}


def _read_measured(path: Path) -> pd.DataFrame:
    """The lines of one file; from a part of them a table would have fewer repeats than it says."""
    try:
        frame = pd.read_csv(path, dtype=AS_TEXT)
    except (ValueError, OSError) as error:  # those of pandas are kinds of ValueError
        raise DataError(
            f"{path}: not a file of measurements; delete it to have it made again."
        ) from error
    whole = N_LINES in frame and len(frame) and (frame[N_LINES] == len(frame)).all()
    numbers = frame.columns.intersection([*SCORES, *TIMES])
    if not whole or not all(pd.api.types.is_numeric_dtype(frame[name]) for name in numbers):
        raise DataError(f"{path}: the file is cut or damaged; delete it to have it made again.")
    return frame.drop(columns=N_LINES)


def collect_scores(paths: Iterable[str | Path]) -> pd.DataFrame:
    """The scores of all targets in one frame, a run that several show once.

    The columns pool, dataset, m, method and block come from the sources; for base clusterings the
    method is "base", and there is no m, for what methods are compared with "reference".
    """
    sources: dict[str, pd.DataFrame] = {}
    for path in paths:
        sources = read_scores(path) | sources
    frames = []
    for source, frame in sources.items():
        pool, dataset, *rest = source.split("/")
        # The base clusterings of a pool have no m, references have no parameters.
        m, method, block = (None, *rest, "") if len(rest) == 1 else (*rest, "")[:3]
        place = {"pool": pool, "dataset": dataset, "m": m and int(m.removeprefix("m"))}
        placed = frame.drop(columns=MADE_FROM).assign(**place, method=method, block=block)
        frames.append(placed.astype({"m": "Int64"}))
    return pd.concat(frames, ignore_index=True)


def versions(lines: pd.DataFrame) -> list[str]:
    """Versions of the software that made the runs behind some lines."""
    return sorted(lines["commit"].dropna().unique())


def summarize(
    cells: Iterable[Mapping[str, Any]],
    scores: Mapping[str, pd.DataFrame],
    metrics: Mapping[str, str],
    relative_to: str | None = None,
) -> pd.DataFrame:
    """Mean and standard deviation over the repeats, for each cell and metric.

    Parameters
    ----------
    cells : iterable of mapping
        Cells of a table or figure (:meth:`coassoc.plan.studies.Cell.as_parameters`).
    scores : mapping of str to DataFrame
        Score files by their stems.
    metrics : mapping of str to str
        Name in the table → column of the score files.
    relative_to : str, optional
        A row. The others show their distance from it, repeat by repeat: differences of scores,
        and relative changes |x − x₀| / x₀ of other quantities.

    Returns
    -------
    DataFrame
        Columns row, label, dataset, pool, m, x, reference, variant, metric, column (of the score
        files), mean, std (with n − 1), repeats, skipped, reason, parameters (JSON), run, distance
        (whether the numbers are distances from `relative_to`); of measured times also cpu, cores,
        threads; of runs commit and code, what made them; note where partitions do not have the
        wanted number of clusters; raced, how many fits of how many were made, where the points of a
        grid raced.
    """
    lines = []
    reference: dict[str, pd.DataFrame] = {}
    cells = sorted(cells, key=lambda cell: cell["row"] != relative_to) if relative_to else cells
    for cell in cells:
        place = {key: cell.get(key) for key in _PLACE}
        if cell.get("not_run"):
            nothing = {"mean": np.nan, "std": np.nan, "repeats": 0, "skipped": 0}
            reason = f"not run: {cell['not_run']}"
            lines += [{**place, **nothing, "reason": reason, "metric": name} for name in metrics]
            continue
        frame, origin = cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"] if "status" in frame else frame
        bad = frame.drop(good.index)
        shared = place | {
            "repeats": len(good),
            "skipped": len(bad),
            "reason": str(bad["status"].iloc[0]) if len(bad) else "",
            **origin,
        }
        known = (name for name in (*_MACHINE, *MADE_BY) if name in frame and len(frame))
        shared |= {name: frame[name].iloc[0] for name in known}
        if "note" in good and good["note"].notna().any():
            shared["note"] = ", ".join(dict.fromkeys(good["note"].dropna()))
        if cell["row"] == relative_to:
            reference[cell["dataset"]] = good
        shared["distance"] = relative_to is not None and cell["row"] != relative_to
        for name, column in _available(metrics, frame).items():
            values = good[column] if column in good else pd.Series(dtype=float)
            if shared["distance"]:
                values = _distance(good, reference.get(cell["dataset"], good.iloc[:0]), column)
            best = cell["reference"] == "best"
            mean, std = (values.max(), np.nan) if best else (values.mean(), values.std())
            line = {**shared, "metric": name, "column": column}
            line |= {"mean": float(mean), "std": float(std)}
            if column not in frame and not shared["reason"]:
                line["reason"] = f"no score: {cell['label']} has no {name} on {cell['dataset']}"
            lines.append(line)
    return pd.DataFrame(lines)


#: Lines of the score files, and where they come from.
Candidate = tuple[pd.DataFrame, dict[str, str]]

_PLACE = ("row", "label", "dataset", "pool", "m", "x", "reference", "variant")
_MACHINE = ("cpu", "cores", "threads")


def _distance(found: pd.DataFrame, reference: pd.DataFrame, column: str) -> pd.Series:
    """Distance from the reference in the repeats that both have."""
    both = found.merge(reference, on="repeat", suffixes=("", "_reference"))
    change = both[column] - both[f"{column}_reference"]
    return change if column in METRICS else change.abs() / both[f"{column}_reference"]


def with_means(summary: pd.DataFrame, datasets: Sequence[str]) -> pd.DataFrame:
    """Add for each row and metric a line with the mean over some data sets, named "mean".

    Its spread is the root mean square of the data sets' spreads; that of a paper's column of means
    agrees with it best.
    """
    lines = []
    counted = summary[summary["dataset"].isin(datasets)]
    for _, group in counted.groupby(["row", "metric"], sort=False):
        first = group.iloc[0].to_dict()
        spread = float(np.sqrt((group["std"] ** 2).mean()))
        together = {"dataset": MEAN, "pool": ", ".join(dict.fromkeys(group["pool"])), "run": ""}
        numbers = {"mean": group["mean"].mean(skipna=False), "std": spread}
        reason = max(group["reason"])  # of a data set without a number, if there is one
        lines.append({**first, **together, **numbers, "parameters": "{}", "reason": reason})
    return pd.concat([summary, pd.DataFrame(lines)], ignore_index=True)


def _available(metrics: Mapping[str, str], frame: pd.DataFrame) -> Mapping[str, str]:
    """The metrics, or the label-free measures where the scores were made without classes."""
    without_classes = [name for name in LABEL_FREE if name in frame]
    has_classes = any(name in frame for name in METRICS)
    if has_classes or not without_classes or not any(c in METRICS for c in metrics.values()):
        return metrics
    return {name: name for name in without_classes}


def cell_scores(cell: Mapping[str, Any], scores: Mapping[str, pd.DataFrame]) -> Candidate:
    """The lines of the score files that count for a cell, and where they come from."""
    candidates: list[Candidate] = []
    for stem in cell["sources"]:
        frame = scores[stem]
        if cell["reference"]:
            if "reference" in frame:
                frame = frame[frame["reference"] == cell["reference"]]
            return frame, {"parameters": "{}", "run": stem}
        for parameters, lines in frame.groupby("parameters", sort=False):
            # What they leave out is at its default, the point's own value by construction.
            here, point = json.loads(parameters), cell["point"] or {}
            if all(here.get(name, value) == value for name, value in point.items()):
                candidates.append((lines, {"parameters": parameters, "run": stem}))
    if cell["tune"]:
        return _best_candidate(candidates, cell["tune"])
    if len(candidates) != 1:
        raise DataError(
            f"{cell['label']} on {cell['dataset']}: {len(candidates)} points in "
            f"{', '.join(cell['sources'])}, where there must be one."
        )
    return candidates[0]


def _best_candidate(candidates: Sequence[Candidate], score: str) -> Candidate:
    """The candidate with the largest mean score, the first of equal ones.

    Where repeats came to an end and none of them has the score, as where the classes are unknown or
    a single repeat has no stability, nothing can be chosen, and the repeats are skipped.
    """
    candidates, fits = _finalists(candidates)
    means = [
        lines.loc[lines["status"] == "ok"].get(score, pd.Series(dtype=float)).mean()
        for lines, _ in candidates
    ]
    if np.isfinite(means).any():
        lines, origin = candidates[int(np.nanargmax(means))]
        return lines, {**origin, **fits}
    lines, origin = candidates[0]
    reason = f"skipped: it is tuned by {score}, which is unknown here"
    status = lines["status"].where(lines["status"] != "ok", reason)
    return lines.assign(status=status), origin


def _finalists(candidates: Sequence[Candidate]) -> tuple[Sequence[Candidate], dict[str, str]]:
    """Points that stayed in a race to its end, and how many fits of how many it took.

    Where there was no race these are all of them, and nothing is said of fits.
    """
    left = [lines["status"] == LEFT_THE_RACE for lines, _ in candidates]
    if not any(each.any() for each in left):
        return candidates, {}
    total = sum(map(len, left))
    spent = total - sum(int(each.sum()) for each in left)
    finalists = [each for each, gone in zip(candidates, left, strict=True) if not gone.any()]
    return finalists, {"raced": f"{spent} of {total} fits"}
