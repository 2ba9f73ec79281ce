"""Intervals of the measures, by a bootstrap over families of data sets and over repeats."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from coassoc.bench.statistics import family
from reproduction.findings.cells import standard_errors
from reproduction.findings.measures import Floats
from reproduction.study.paths import Source

#: Number of bootstrap draws, and the level of the intervals.
DRAWS, CONFIDENCE = 500, 0.95


class Resampling:
    """Means of cells over resampled repeats, and how often each family of data sets is drawn.

    Methods on the same ensembles are resampled together. The repeats behind a published mean are
    unknown, so normal noise with its standard error replaces them. The same kind of noise replaces
    the repeats of reproduced cells without scores of repeats.

    Parameters
    ----------
    cells : DataFrame
        From :func:`~reproduction.findings.cells.cells_of`.
    """

    def __init__(self, cells: pd.DataFrame) -> None:
        self._here, self._printed = (cells[key].to_numpy(float) for key in ("here", "printed"))
        self._error, self._error_here = standard_errors(cells)
        papers, families = cells["paper"], cells["dataset"].map(family)
        self._family = cells.groupby([papers, families], sort=False).ngroup().to_numpy()
        of_paper = pd.Series(self._family).groupby(papers.to_numpy())
        self._of_paper = [found.unique() for _, found in of_paper]
        ensembles = ["{}/{}/{}".format(*Source.parse(run)[:3]) for run in cells["run"]]
        repeats = cells["by_repeat"].to_list()
        counts = np.array(list(map(len, repeats)))
        self._blocks = []
        for members in pd.Series(counts).groupby([ensembles, counts]).indices.values():
            if counts[members[0]] > 1:  # cells with repeats on the same ensembles
                scores = np.stack([repeats[k] for k in members])
                self._blocks.append((members, scores, scores.mean(axis=1)))

    def numbers(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Reproduced and published means for one draw of the repeats."""
        reproduced = rng.normal(self._here, self._error_here)
        for members, scores, means in self._blocks:
            drawn = rng.integers(scores.shape[1], size=scores.shape[1])
            reproduced[members] = self._here[members] + (scores[:, drawn].mean(axis=1) - means)
        return reproduced, rng.normal(self._printed, self._error)

    def weights(self, rng: np.random.Generator) -> Floats:
        """How often one draw of each paper's families contains the family of each cell."""
        times = np.zeros(self._family.max(initial=-1) + 1)
        for families in self._of_paper:
            np.add.at(times, rng.choice(families, size=len(families)), 1)
        return times[self._family]


def intervals(
    measure: Callable[[Floats, Floats, Floats], dict[str, float]],
    resampling: Resampling,
    observed: dict[str, float],
    seed: int,
) -> pd.DataFrame:
    """Lower and upper ends of the measures' intervals, as columns low and high.

    `measure` takes reproduced numbers, published numbers and weights of the cells, like the methods
    of :class:`~reproduction.findings.measures.Measures`, and `observed` contains its observed
    values.

    Resampling the repeats adds noise a second time, so agreement looks worse in every draw than it
    is. The intervals are therefore shifted by the difference between the observed value and the
    mean of the draws. Fractions of cells are kept between 0 and 1.
    """
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(DRAWS):
        reproduced, printed = resampling.numbers(rng)
        drawn.append(measure(reproduced, printed, resampling.weights(rng)))
    draws = pd.DataFrame(drawn)
    tail = (1 - CONFIDENCE) / 2
    ends = draws.quantile([tail, 1 - tail]) - draws.mean() + pd.Series(observed)[list(draws)]
    ends = ends.T.set_axis(["low", "high"], axis=1)
    unbounded = ("slope", "margin", "Kendall", "chance-corrected")
    bounded = [name for name in ends.index if not name.startswith(unbounded)]
    ends.loc[bounded] = ends.loc[bounded].clip(0.0, 1.0)
    return ends


def percent(share: float) -> str:
    """A fraction in per cent, without the sign."""
    return f"{100 * share:z.0f}"


def with_interval(line: pd.Series, form: Callable[[float], str]) -> str:
    """A value with its interval (low, high), if it has one; empty for a missing value."""
    value, low, high = line[["value", "low", "high"]]
    if np.isnan(value):
        return ""
    return form(value) + ("" if np.isnan(low) else f" [{form(low)}, {form(high)}]")


def table_of_intervals(
    lines: pd.DataFrame, unit: str, columns: str, order: Sequence[str], form: Callable[[float], str]
) -> pd.DataFrame:
    """Values with intervals, with a row for each unit and the columns in this order."""
    texts = lines.assign(text=lines.apply(with_interval, axis=1, form=form) if len(lines) else "")
    table = texts.pivot(index=unit, columns=columns, values="text")
    table = table.reindex(lines[unit].unique(), columns=order, fill_value="")
    return table.rename_axis(columns=None).reset_index()
