"""Agreement of each interpretation of open settings with the published numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coassoc.io.atomic import write_text
from coassoc.pages.style import COLOURS, canvas, name_rows, styled
from reproduction.figures.layout import write_figure
from reproduction.findings import readings
from reproduction.findings.cells import read_cells, read_protocols
from reproduction.findings.intervals import percent, with_interval
from reproduction.pages import render
from reproduction.running.scripting import job

#: Choices of interpretations that the figure shows, with their markers.
_LOOKS = {
    readings.TABLES: ("red", "s"),
    readings.OTHERS: ("blue", "D"),
    readings.HINDSIGHT: ("green", "^"),
    readings.NEAREST: ("black", "x"),
}


def study(given: Mapping[str, Any], files: Any, seed: int) -> pd.DataFrame:
    """Lines of paper and the columns of ``readings.readings``, for each paper of the scorecard."""
    readings_of = [pd.DataFrame(columns=["paper", "protocol"])]
    cells = read_cells(files.card, files.scores, given)
    for name, of_paper in cells.groupby("paper", sort=False):
        own = of_paper.reset_index(drop=True)
        protocols = list(read_protocols(own, files.protocols))
        readings_of.append(readings.readings(own, protocols, seed).assign(paper=name))
    return pd.concat(readings_of[1:] or readings_of, ignore_index=True)


def page(lines: pd.DataFrame) -> str:
    """The page, with the tables and the choices among all interpretations for each paper."""
    whole = lines[lines["protocol"] == ""]
    papers = {name: _texts(of_paper) for name, of_paper in whole.groupby("paper", sort=False)}
    return render("readings.md", papers=papers)


def _texts(lines: pd.DataFrame) -> pd.DataFrame:
    wrong, perfect = (lines[f"within 2 se, {x}"].map(percent) for x in ("wrong", "perfect"))
    names, values = lines["reading"], lines.rename(columns={readings.SHARES[0]: "value"})
    return pd.DataFrame(
        {
            "interpretation": names.mask(lines["tables"], "**" + names + "**"),
            "data sets": lines["datasets"],
            "cells": lines["cells"],
            "within 2 se, %": lines["within 2 se"].map(percent),
            "· chance baseline": wrong,
            "· ceiling": perfect,
            "**chance-corrected**, %": values.apply(with_interval, axis=1, form=percent),
        }
    )


@styled
def draw_readings(lines: pd.DataFrame) -> Figure:
    """For each paper, a dash for every alternative variant, and the choices with intervals."""
    papers = list(dict.fromkeys(lines["paper"]))
    figure, axis = canvas(6.5, 1.2 + 0.6 * len(papers))
    y = lines["paper"].map(papers.index)
    whole = lines["protocol"] == ""
    otherwise = ~whole & ~lines["tables"].astype(bool)
    label = "a different interpretation of one setting"
    look: dict[str, Any] = {"color": COLOURS["grey"], "markersize": 7, "label": label}
    axis.plot(100 * lines["whole paper"][otherwise], y[otherwise] - 0.3, "|", **look)
    for number, (name, (colour, marker)) in enumerate(_LOOKS.items()):
        chosen = lines[whole & (lines["reading"] == name)]
        share, low, high = (100 * chosen[key] for key in (readings.SHARES[0], "low", "high"))
        look = {"color": COLOURS[colour], "markersize": 5, "label": name}
        heights, ends = y[share.index] - 0.14 + 0.14 * number, [share - low, high - share]
        axis.errorbar(share, heights, xerr=ends, fmt=marker, capsize=2, **look)
    name_rows(axis, papers)
    axis.set_xlabel(
        "chance-corrected percentage of the paper's cells within 2 se of the published mean"
    )
    axis.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        output = snakemake.output
        lines = study(snakemake.params.given, snakemake.input, snakemake.params.seed)
        write_text(Path(output.md), page(lines))
        write_figure(output, draw_readings(lines), lines)
