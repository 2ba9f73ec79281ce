"""Margins of each paper's own method: published, reproduced and by chance."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.provenance import commit
from coassoc.io.atomic import write_text
from reproduction.findings import margins, standing
from reproduction.findings.cells import read_cells
from reproduction.findings.intervals import Resampling
from reproduction.pages import render, write_numbers
from reproduction.running.scripting import job

#: Number of draws of the repeats, for the variance of the measures on a data set. With 200, the
#: mean change of EC-CMS depended on the seed by half its standard error.
_DRAWS = 2000
#: Quantities of the standings in three tables of the page, and their names there.
_STANDINGS = {
    "data sets fell": "margin fell on data sets",
    "data sets fell by chance": "by chance",
    "rank of change": "rank of the change",
    "rank of reproduced mean": "rank of the reproduced mean",
    "margin over one rival, printed": "over one rival, published",
    "margin over one rival, here": "over one rival, reproduced",
}
_SLOPES = {
    "slope on other families": "on other data sets",
    "slope on other metrics": "by the other metrics",
    "slope on both numbers": "mean of both numbers",
}
_KINDS = {
    "chance-corrected, comparisons": "comparisons of methods, %",
    "chance-corrected, other tables": "other tables, %",
}


def study(cells: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Lines of unit (a paper or the group), measure, value, low, high, spread, units and chance.

    Lines of papers also have "paper". Chance is the value if both sides are drawn around the
    published numbers.
    """
    columns = margins.columns_of(cells)
    printed, reproduced = (cells[key].to_numpy(float) for key in ("printed", "here"))
    observed = margins.track_margins(columns, printed, reproduced)
    lines_of = margins.lines_of_columns(columns, observed)
    drawn = margins.draw_chance(cells, columns, seed).mean(axis=-1)
    chance = margins.lines_of_columns(columns, drawn)
    variances = _variances(cells, columns, seed)
    lines = []
    for measure in margins.MARGIN_MEASURES:
        alone = margins.effects(chance, pd.Series(dtype=float), measure)
        for unit, effect in margins.effects(lines_of, variances[measure], measure).items():
            line = {"unit": unit, "measure": measure, **effect._asdict()}
            lines.append(line | {"chance": alone[unit].value})
    return pd.DataFrame(lines).assign(paper=lambda table: table["unit"].isin(cells["paper"]))


def _variances(cells: pd.DataFrame, columns: Any, seed: int) -> pd.DataFrame:
    """Variance of each measure on each data set over draws of the repeats of both sides."""
    resampling, rng = Resampling(cells), np.random.default_rng(seed)
    drawn = np.array([resampling.numbers(rng) for _ in range(_DRAWS)])
    measured = margins.track_margins(columns, drawn[:, 1], drawn[:, 0])
    shape = measured.shape[1:]
    units = margins.lines_of_columns(columns, measured[..., 0])[margins.UNIT[:2]]
    numbers = pd.DataFrame(measured.reshape(len(columns), np.prod(shape)))
    means = numbers.groupby([units[name] for name in units], sort=False).mean()
    variances = means.to_numpy().reshape(len(means), *shape).var(axis=-1, ddof=1)
    return pd.DataFrame(variances, means.index, margins.MARGIN_MEASURES)


def page(lines: pd.DataFrame, standings: pd.DataFrame) -> str:
    """The page: the margins and their changes by paper, and what chance alone would do.

    `standings` are the lines of :func:`reproduction.findings.standing.standing_table`.
    """
    return render(
        "margins.md",
        table=margins.margins_table(lines, margins.MARGIN_MEASURES),
        p=standings.loc[standings["quantity"] == "p of ranks", ["paper", "value"]],
        standings=standing.table_of_standings(standings, _STANDINGS),
        slopes=standing.table_of_standings(standings, _SLOPES),
        kinds=standing.table_of_standings(standings, _KINDS),
        chance=lines.set_index(["unit", "measure"])["chance"],
        papers=list(lines.loc[lines["paper"], "unit"].unique()),
        datasets=lines[lines["measure"] == margins.MARGIN_MEASURES[0]].set_index("unit")["units"],
    )


if __name__ == "__main__":
    with job(snakemake.log[0]):
        files, output, params = snakemake.input, snakemake.output, snakemake.params
        seed = params.seed
        cells = read_cells(files.card, files.scores, params.given)
        lines = study(cells, seed)
        tables = {name: x["tables"] for name, x in params.given["yardsticks"].items()}
        standings = standing.standing_table(cells, tables, seed).assign(commit=commit())
        write_numbers(output.standing, standings)
        write_text(Path(output.md), page(lines, standings))
        write_numbers(output.csv, lines)
