"""Agreement of each interpretation of open settings with the papers, by the measure of the tables.

A protocol computes some rows in several variants. Each variant replaces the numbers of the tables
in the cells that were computed in all variants. It is evaluated on these cells, and together with
the other cells of its paper.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.bench.statistics import family
from reproduction.findings.cells import COLUMN, Reading, with_errors
from reproduction.findings.intervals import Resampling, intervals, percent, table_of_intervals
from reproduction.findings.measures import Floats, Measures

#: Measures, and the columns from which they are computed.
SHARES = [
    "chance-corrected 2 se",
    "within 2 se",
    "within 2 se, wrong",
    "within 2 se, perfect",
]
#: Columns of a protocol that identify a cell, by their names in the scorecard.
_NUMBERS = {"mean": "reproduced_mean", "std": "reproduced_std"} | {
    name: name for name in ("repeats", "run", "parameters", "by_repeat")
}
#: The numbers of the tables, and three ways to choose among the variants of each protocol.
TABLES, OTHERS, HINDSIGHT = "the tables", "chosen on the other data sets", "chosen in hindsight"
NEAREST = "nearest in each cell"


def replaced(cells: pd.DataFrame, place: NDArray[np.intp], lines: pd.DataFrame) -> pd.DataFrame:
    """The cells, with the numbers of a protocol's lines at some positions."""
    cells = cells.copy()
    values = lines["by_repeat"].astype(object).fillna("").map(lambda x: np.array(x.split(), float))
    lines = lines.assign(by_repeat=values)
    for theirs, ours in _NUMBERS.items():
        cells.iloc[place, cells.columns.get_loc(ours)] = lines[theirs].to_numpy()
    return with_errors(cells)


def measured(
    cells: pd.DataFrame, place: NDArray[np.intp] | None = None, seed: int | None = None
) -> dict[str, Any]:
    """Numbers of cells and data sets, and :data:`SHARES`, at some positions or at all.

    With a seed, and with at least two families of data sets, the result also has the interval of
    the first measure (low, high).
    """
    chosen = np.zeros(len(cells))
    chosen[slice(None) if place is None else place] = 1.0
    # A wrong number comes from the same column. Only whole columns are therefore used.
    column = cells.groupby(COLUMN, sort=False).ngroup()
    part = column.isin(column[chosen > 0]).to_numpy()
    cells, mask = cells[part].reset_index(drop=True), chosen[part]
    agreement = Measures(cells)

    def measure(made: Floats, printed: Floats, weights: Floats) -> dict[str, float]:
        return agreement.by_cell(made, printed, weights * mask)

    here, printed = (cells[key].to_numpy(float) for key in ("here", "printed"))
    observed = measure(here, printed, mask)
    line = {name: observed[name] for name in SHARES} | {"low": np.nan, "high": np.nan}
    datasets = cells.loc[mask > 0, "dataset"].unique()
    if seed is not None and len({*map(family, datasets)}) > 1:
        line |= intervals(measure, Resampling(cells), observed, seed).loc[SHARES[0]].to_dict()
    return {"cells": int((mask * ~cells["again"]).sum()), "datasets": len(datasets), **line}


def chosen_numbers(
    cells: pd.DataFrame, protocols: Sequence[Sequence[Reading]], choice: str
) -> pd.DataFrame:
    """The cells, with the numbers of the variants that a choice takes from each protocol."""
    for ways in protocols:
        picked, place = _CHOICES[choice](cells, ways), ways[0].place
        rows = [ways[picked[k]].lines.iloc[[k]] for k in np.flatnonzero(picked >= 0)]
        cells = replaced(cells, place[picked >= 0], pd.concat([ways[0].lines.iloc[:0], *rows]))
    return cells


def readings(
    cells: pd.DataFrame, protocols: Sequence[Sequence[Reading]], seed: int
) -> pd.DataFrame:
    """Lines for the tables, for the choices among variants, and for each variant of each protocol.

    The cells are those of one paper. The columns are protocol, reading, tables (whether the tables
    use this variant), cells and datasets of the protocol, :data:`SHARES` on these cells with low
    and high of the first measure, and "whole paper" (the first measure on all cells of the paper if
    only this variant replaces the tables' variant).
    """
    lines = []

    def add(names: tuple[str, str, bool], made: pd.DataFrame, place: Any = None) -> None:
        line = dict(zip(("protocol", "reading", "tables"), names, strict=True))
        whole = measured(made)[SHARES[0]]
        lines.append({**line, **measured(made, place, seed), "whole paper": whole})

    add(("", TABLES, True), cells)
    for name in _CHOICES:
        add(("", name, False), chosen_numbers(cells, protocols, name))
    for ways in protocols:
        for way in ways:
            names = way.protocol, way.variant, way is ways[0]
            add(names, replaced(cells, way.place, way.lines), way.place)
    return pd.DataFrame(lines)


def choices_table(lines: pd.DataFrame) -> pd.DataFrame:
    """Table of text with a row for each paper, and columns for the tables and for the choices."""
    whole = lines[lines["protocol"].astype(object).fillna("") == ""]
    whole = whole.rename(columns={SHARES[0]: "value"})
    return table_of_intervals(whole, "paper", "reading", [TABLES, *_CHOICES], percent)


# -- choices among the variants of one protocol, one for each of its cells; −1 chooses none --------


def _by_share(cells: pd.DataFrame, ways: Sequence[Reading], elsewhere: bool) -> NDArray[np.intp]:
    """The variant that is best on all data sets or, for each data set, on the other data sets.

    Where this is the tables' variant, or there are no other data sets, nothing is chosen.
    """
    place = ways[0].place
    datasets = cells["dataset"].to_numpy()[place]
    picked = np.zeros(len(place), dtype=int)
    for name in dict.fromkeys(datasets) if elsewhere else [""]:
        others = datasets != name
        if others.any():
            made = (replaced(cells, place, way.lines) for way in ways)
            shares = [measured(x, place[others])[SHARES[0]] for x in made]
            best = np.argmax(np.nan_to_num(shares, nan=-np.inf))
            picked[~others if elsewhere else others] = best
    return np.where(picked > 0, picked, -1)


def _cell_by_cell(cells: pd.DataFrame, ways: Sequence[Reading]) -> NDArray[np.intp]:
    """For each cell, the variant nearest to the published number, if nearer than the tables'."""
    place = ways[0].place
    far = np.array([_outside(replaced(cells, place, way.lines))[place] for way in ways])
    return np.where(far.min(axis=0) < _outside(cells)[place], far.argmin(axis=0), -1)


def _outside(cells: pd.DataFrame) -> Floats:
    """Difference of each cell from the published number, divided by the allowed difference."""
    allowed = np.maximum(2 * cells["error"], 0.01)
    return ((cells["here"] - cells["printed"]).abs() / allowed).to_numpy()


_CHOICES: dict[str, Callable[[pd.DataFrame, Sequence[Reading]], NDArray[np.intp]]] = {
    OTHERS: partial(_by_share, elsewhere=True),
    HINDSIGHT: partial(_by_share, elsewhere=False),
    NEAREST: _cell_by_cell,
}
