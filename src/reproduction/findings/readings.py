"""Agreement of each interpretation of open settings with the papers, by the measure of the tables.

A protocol computes some rows in several variants. Each variant replaces the numbers of the tables
in the cells that were computed in all variants. It is evaluated on these cells, and together with
the other cells of its paper.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.findings.cells import COLUMN, cells_of
from reproduction.findings.intervals import Resampling, intervals
from reproduction.findings.measures import Floats, Measures
from reproduction.scores.files import AS_TEXT

#: Measures, and the columns from which they are computed.
SHARES = [
    "chance-corrected 2 se",
    "within 2 se",
    "within 2 se, wrong",
    "within 2 se, perfect",
]
#: Columns of a protocol that identify a cell, by their names in the scorecard.
_NUMBERS = {"mean": "reproduced_mean", "std": "reproduced_std"} | {
    name: name for name in ("repeats", "run", "parameters")
}
_CELL = ["label", "dataset", "metric"]
_PRINTED = ["method", "dataset", "metric"]
#: The numbers of the tables, and three ways to choose among the variants of each protocol.
TABLES, OTHERS, HINDSIGHT = "the tables", "chosen on the other data sets", "chosen in hindsight"
NEAREST = "nearest in each cell"


class Paper:
    """The cells of one paper, whose numbers can be replaced by those of a variant.

    Parameters
    ----------
    card : DataFrame
        The scorecard's lines of the paper. Only compared lines are used.
    repeats : sequence of ndarray
        Scores of the repeats of the cells that :func:`cells_of` returns for these lines.
    own, yardsticks
        As :func:`cells_of` takes them.
    """

    def __init__(self, card: pd.DataFrame, repeats: Sequence[Floats], own: Any, yardsticks: Any):
        self._known = own, yardsticks
        self.card = card.astype({"repeats": float})
        self.repeats = list(repeats)
        self.cells = cells_of(self.card, *self._known)

    def with_lines(self, place: NDArray[np.intp], lines: pd.DataFrame) -> "Paper":
        """A copy in which the lines of a protocol replace some cells."""
        card, repeats = self.card.copy(), list(self.repeats)
        for theirs, ours in _NUMBERS.items():
            card.iloc[place, card.columns.get_loc(ours)] = lines[theirs].to_numpy()
        for k, values in zip(place, lines["by_repeat"].astype(object).fillna(""), strict=True):
            repeats[k] = np.array(str(values).split(), float)
        return Paper(card, repeats, *self._known)

    def measured(self, place: NDArray[np.intp] | None = None, seed: int | None = None) -> Any:
        """Numbers of cells and data sets, and :data:`SHARES`, at some positions or at all.

        With a seed, and with at least two data sets, the result also has the interval of the first
        measure (low, high).
        """
        chosen = np.zeros(len(self.cells))
        chosen[slice(None) if place is None else place] = 1.0
        # A wrong number comes from the same column. Only whole columns are therefore used.
        column = self.cells.groupby(COLUMN, sort=False).ngroup()
        part = column.isin(column[chosen > 0]).to_numpy()
        cells, mask = self.cells[part].reset_index(drop=True), chosen[part]
        agreement = Measures(cells)

        def measure(made: Floats, printed: Floats, weights: Floats) -> dict[str, float]:
            return agreement.by_cell(made, printed, weights * mask)

        here, printed = (cells[key].to_numpy(float) for key in ("here", "printed"))
        measured_values = measure(here, printed, mask)
        line = {name: measured_values[name] for name in SHARES} | {"low": np.nan, "high": np.nan}
        datasets = cells.loc[mask > 0, "dataset"].nunique()
        if seed is not None and datasets > 1:
            repeats = [x for x, is_in_part in zip(self.repeats, part, strict=True) if is_in_part]
            ends = intervals(measure, Resampling(cells, repeats), measured_values, seed)
            line |= ends.loc[SHARES[0]].to_dict()
        return {"cells": int((mask * ~cells["again"]).sum()), "datasets": datasets, **line}

    def outside(self) -> Floats:
        """Difference of each cell from the published number, divided by the allowed difference."""
        cells = self.cells
        allowed = np.maximum(2 * cells["error"], 0.01)
        return ((cells["here"] - cells["printed"]).abs() / allowed).to_numpy()


class Reading(NamedTuple):
    """One variant of a protocol, with its lines and the positions of their cells."""

    protocol: str
    variant: str
    place: NDArray[np.intp]
    lines: pd.DataFrame


def protocols_of(paper: Paper, paths: Iterable[str | Path]) -> Iterator[list[Reading]]:
    """Variants of each protocol that concerns cells of the paper; the tables' variant is first."""
    keys = pd.MultiIndex.from_frame(paper.card[_PRINTED])
    for path in map(Path, paths):
        lines = pd.read_csv(path, dtype=AS_TEXT | {"by_repeat": str})
        names = list(dict.fromkeys(lines["variant"]))
        every = lines.dropna(subset="mean").groupby(_CELL)["variant"].transform("nunique")
        lines = lines.loc[every.index[every == len(names)]]
        ways = []
        for name in names:
            of_variant = lines[lines["variant"] == name]
            at = pd.MultiIndex.from_frame(of_variant[_CELL]).get_indexer(keys)
            place = np.flatnonzero(at >= 0)
            ways.append(Reading(path.stem, name, place, of_variant.iloc[at[place]]))
        if ways and len(ways[0].place):
            yield ways


def readings(paper: Paper, protocols: Sequence[Sequence[Reading]], seed: int) -> pd.DataFrame:
    """Lines for the tables, for the choices among variants, and for each variant of each protocol.

    The columns are protocol, reading, tables (whether the tables use this variant), cells and
    datasets of the protocol, :data:`SHARES` on these cells with low and high of the first measure,
    and "whole paper" (the first measure on all cells of the paper if only this variant replaces the
    tables' variant).
    """
    lines = []

    def add(names: tuple[str, str, bool], made: Paper, place: Any = None) -> None:
        line = dict(zip(("protocol", "reading", "tables"), names, strict=True))
        whole = made.measured()[SHARES[0]]
        lines.append({**line, **made.measured(place, seed), "whole paper": whole})

    add(("", TABLES, True), paper)
    for name, choose in _CHOICES.items():
        chosen = paper
        for ways in protocols:
            chosen = chosen.with_lines(*choose(chosen, ways))
        add(("", name, False), chosen)
    for ways in protocols:
        for way in ways:
            replaced = paper.with_lines(way.place, way.lines)
            add((way.protocol, way.variant, way is ways[0]), replaced, way.place)
    return pd.DataFrame(lines)


def with_intervals(lines: pd.DataFrame) -> pd.Series:
    """The first measure of lines of :func:`readings` in per cent, as text with its interval."""
    value, low, high = (
        (100 * lines[name].astype(float)).round().add(0.0).map("{:.0f}".format, na_action="ignore")
        for name in (SHARES[0], "low", "high")
    )
    return value + (" [" + low + ", " + high + "]").fillna("")


def choices_table(lines: pd.DataFrame) -> pd.DataFrame:
    """Table of text with a row for each paper, and columns for the tables and for the choices."""
    whole = lines[lines["protocol"].astype(object).fillna("") == ""]
    texts = whole.assign(text=with_intervals(whole))
    table = texts.pivot(index="paper", columns="reading", values="text")
    order = [TABLES, *_CHOICES]
    table = table.reindex(whole["paper"].unique(), columns=order, fill_value="")
    return table.rename_axis(columns=None).reset_index()


# -- choices among the variants of one protocol: positions of cells, and their lines -------------

_Choice = tuple[NDArray[np.intp], pd.DataFrame]


def _elsewhere(paper: Paper, ways: Sequence[Reading]) -> _Choice:
    """For each data set, the best variant on the others, or the tables' variant without others."""
    datasets = paper.cells["dataset"].to_numpy()[ways[0].place]
    picked = np.zeros(len(datasets), dtype=int)
    if len(set(datasets)) > 1:
        for name in dict.fromkeys(datasets):
            picked[datasets == name] = _best(paper, ways, datasets != name)
    return _lines_of(ways, picked, picked > 0)


def _choose_in_hindsight(paper: Paper, ways: Sequence[Reading]) -> _Choice:
    """The variant that is best on all data sets."""
    every = np.ones(len(ways[0].place), dtype=bool)
    picked = np.full(len(every), _best(paper, ways, every))
    return _lines_of(ways, picked, picked > 0)


def _cell_by_cell(paper: Paper, ways: Sequence[Reading]) -> _Choice:
    """For each cell, the variant nearest to the published number, if nearer than the tables'."""
    far = np.array([paper.with_lines(way.place, way.lines).outside()[way.place] for way in ways])
    nearer = far.min(axis=0) < paper.outside()[ways[0].place]
    return _lines_of(ways, far.argmin(axis=0), nearer)


def _best(paper: Paper, ways: Sequence[Reading], there: NDArray[np.bool_]) -> int:
    """The (first) variant with the largest chance-corrected fraction on some of the cells."""
    shares = [
        paper.with_lines(way.place, way.lines).measured(way.place[there])[SHARES[0]] for way in ways
    ]
    return int(np.argmax(np.nan_to_num(shares, nan=-np.inf)))


def _lines_of(
    ways: Sequence[Reading], picked: NDArray[np.intp], changed: NDArray[np.bool_]
) -> _Choice:
    """The lines of the chosen variants for the cells that change; other cells keep their lines."""
    rows = [ways[picked[k]].lines.iloc[[k]] for k in np.flatnonzero(changed)]
    return ways[0].place[changed], pd.concat([ways[0].lines.iloc[:0], *rows])


_CHOICES = {OTHERS: _elsewhere, HINDSIGHT: _choose_in_hindsight, NEAREST: _cell_by_cell}
