"""The score of each repeat against the mean score of the base clusterings in its ensemble."""

from collections.abc import Iterable, Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.bench.storage.hdf5 import read_pool
from coassoc.bench.storage.records import Cell, Pool
from coassoc.bench.summaries import Scores, lines_of
from coassoc.pages.style import styled
from reproduction.figures.layout import label_scores, panel_each, shared_legend, write_figure
from reproduction.figures.style import curve_style
from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence
from reproduction.study.paths import Source, below_prefix


def repeats_against_base(
    cells: Iterable[Cell], scores: Scores, pools: Mapping[Source, Pool], column: str
) -> pd.DataFrame:
    """The lines of all repeats with their score (`column`), base and pool_mean.

    base is the mean score of the base clusterings in the ensemble, and pool_mean that of the whole
    pool.
    """
    lines = lines_of(cells, scores)
    frames = []
    good = lines[lines["status"] == "ok"]
    for (pool, dataset, m), of_ensembles in good.groupby(["pool", "dataset", "m"], sort=False):
        source = Source(pool, dataset)
        of_pool = scores[str(source)][column].to_numpy()
        base = of_pool[pools[source].draws_of(m)].mean(axis=1)
        beside = {"base": base[of_ensembles["repeat"]], "pool_mean": of_pool.mean()}
        frames.append(of_ensembles.assign(score=of_ensembles[column], **beside))
    return pd.concat(frames).sort_index()


@styled
def draw_base_quality(points: pd.DataFrame, metric: str) -> Figure:
    """One point per repeat; above the grey diagonal, the consensus is better than its base.

    The dotted line shows the mean score of the pool.
    """
    figure, drawn = panel_each(points, height=1.95)
    for axis, of_panel in drawn:
        _dots(axis, of_panel)
        axis.set_xlabel(f"mean {metric} of\nthe base clusterings")
    label_scores(figure, f"{metric} of the consensus")
    shared_legend(figure, columns=3)
    return figure


def _dots(axis: Axes, points: pd.DataFrame) -> None:
    for label, dots in points.groupby("label", sort=False):
        style = {**curve_style(str(label)), "linestyle": "", "alpha": 0.8}
        style |= {"markersize": 3.2, "markeredgewidth": 0.7}
        axis.plot(dots["base"], dots["score"], label=label, **style)
    low, high = points["base"].min(), points["base"].max()
    room = 0.15 * max(high - low, 0.01)
    axis.set_xlim(low - room, high + room)
    axis.axline((low, low), slope=1, color="#999999", linewidth=0.8, zorder=1)
    line = axis.axhline(points["pool_mean"].iloc[0], color="#444444", linewidth=0.8, zorder=1)
    line.set(linestyle=":", label="mean of the whole pool")
    score = points["score"]
    axis.set_ylim(min(low, score.min()) - 0.05, min(1.02, score.max() + 0.05))


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        cells, metric = evidence.cells, evidence.metric
        sources = {Source(cell.pool, cell.dataset) for cell in cells}
        pools = {source: read_pool(below_prefix(source.pool_file)) for source in sources}
        # If there are several scores, the first is drawn.
        column = evidence.spec["metrics"][metric]
        points = repeats_against_base(cells, evidence.scores, pools, column)
        shown = points[["dataset", "label", "repeat", "base", "score", "pool_mean"]]
        write_figure(snakemake.output, draw_base_quality(points, metric), shown)
