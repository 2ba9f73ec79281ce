"""Compared cells: published and reproduced numbers, their spreads, and scores of the repeats."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.findings.scorecard import COMPARED, read_scorecard, with_errors
from reproduction.scores.files import AS_TEXT, read_scores

#: Columns that distinguish the columns of the papers' tables.
COLUMN = ["paper", "table", "dataset", "metric"]


def cells_of(
    card: pd.DataFrame,
    own: Mapping[str, Sequence[str]],
    yardsticks: Mapping[str, Mapping[str, Any]],
) -> pd.DataFrame:
    """The compared cells of these papers on the scorecard, without distances, for the measures.

    To the columns of the scorecard are added printed and here (the published and the reproduced
    mean), each also with _sd and _n (number of repeats); error and freedom of the difference of the
    means; own (whether the method is the paper's own); main (whether the row is a consensus method
    in a table that compares methods); again (whether the paper prints the same number elsewhere
    too); and by_repeat (scores of the repeats, empty unless :func:`with_repeats` reads them).
    """
    compared = card["verdict"].isin(COMPARED) & card["paper"].isin(yardsticks)
    cells = card[compared & ~card["distance"].eq(True)].reset_index(drop=True)
    cells = cells.assign(
        repeats=cells["repeats"].astype(float),
        printed=cells["mean"].astype(float),
        printed_n=cells["paper"].map(_each(yardsticks, "repeats")).astype(float),
        own=_in_pairs(cells, ["paper", "method"], own),
        main=_in_pairs(cells, ["paper", "table"], _each(yardsticks, "tables"))
        & ~_in_pairs(cells, ["paper", "method"], _each(yardsticks, "single"))
        & cells["reference"].isna(),
        again=cells["repeats_cell"].astype(object).fillna("") != "",
        by_repeat=pd.Series([np.empty(0)] * len(cells), dtype=object),
    )
    return with_errors(cells)


def read_cells(
    card: str | Path, scores: Iterable[str | Path], given: Mapping[str, Any]
) -> pd.DataFrame:
    """Read the cells of a scorecard's CSV file, and their repeats from files of scores.

    `given` is what :meth:`reproduction.findings.inputs.Findings.scorecard` says of the papers.
    """
    cells = cells_of(read_scorecard(card), given["own"], given["yardsticks"])
    return with_repeats(cells, read_scores(*scores), given["metrics"])


def _each(yardsticks: Mapping[str, Mapping[str, Any]], key: str) -> dict[str, Any]:
    return {paper: values[key] for paper, values in yardsticks.items()}


def _in_pairs(
    cells: pd.DataFrame, columns: list[str], named: Mapping[str, Sequence[str]]
) -> np.ndarray:
    pairs = {(paper, name) for paper, names in named.items() for name in names}
    return pd.MultiIndex.from_frame(cells[columns]).isin(pairs)


def standard_errors(cells: pd.DataFrame) -> np.ndarray:
    """Standard errors of the published and of the reproduced means (2 × cells)."""
    return np.array([cells[f"{x}_sd"] / np.sqrt(cells[f"{x}_n"]) for x in ("printed", "here")])


def with_repeats(
    cells: pd.DataFrame,
    scores: Mapping[str, pd.DataFrame],
    metrics: Mapping[str, Mapping[str, str]],
) -> pd.DataFrame:
    """The cells with the scores of their repeats, in order, if the mean is a mean over repeats.

    `scores` are by source, and `metrics` maps the metrics of each paper to their columns.
    """
    repeats = []
    for cell in cells.itertuples(index=False):
        lines = scores.get(cell.run, pd.DataFrame())
        for column in ("reference", "parameters"):
            if column in lines:
                lines = lines[lines[column] == getattr(cell, column)]
        lines = lines.sort_values("repeat") if "repeat" in lines else lines
        score = metrics.get(cell.paper, {}).get(cell.metric)
        values = lines[score].dropna().to_numpy() if score in lines else np.empty(0)
        # The best base clustering is not a mean.
        same = values.size and abs(values.mean() - cell.here) < 1e-4
        repeats.append(values if same else np.empty(0))
    return cells.assign(by_repeat=pd.Series(repeats, dtype=object))


class Reading(NamedTuple):
    """One variant of a protocol, with its lines and the positions of their cells."""

    protocol: str
    variant: str
    place: NDArray[np.intp]
    lines: pd.DataFrame


def read_protocols(cells: pd.DataFrame, paths: Iterable[str | Path]) -> Iterator[list[Reading]]:
    """Variants of each protocol that concerns some of the cells; the tables' variant is first.

    The paths are ``…/{paper}/{protocol}.csv``. Only the cells that all variants have are used.
    """
    columns = ["paper", "method", "dataset", "metric"]
    keys = pd.MultiIndex.from_frame(cells[columns])
    for path in map(Path, paths):
        lines = pd.read_csv(path, dtype=AS_TEXT | {"by_repeat": str}).assign(paper=path.parent.name)
        lines = lines.rename(columns={"label": "method"})
        names = lines["variant"].unique()
        every = lines.dropna(subset="mean").groupby(columns)["variant"].transform("nunique")
        lines = lines.loc[every.index[every == len(names)]]
        readings = []
        for name in names:
            of_variant = lines[lines["variant"] == name]
            at = pd.MultiIndex.from_frame(of_variant[columns]).get_indexer(keys)
            place = np.flatnonzero(at >= 0)
            readings.append(Reading(path.stem, name, place, of_variant.iloc[at[place]]))
        if len(readings) and len(readings[0].place):
            yield readings
