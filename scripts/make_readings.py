"""Agreement of each interpretation of open settings with the published numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coassoc.atomic import write_text
from coassoc.pages.style import COLOURS, canvas, name_rows, styled
from reproduction.figures.layout import write_figure
from reproduction.findings.cells import read_cells
from reproduction.findings.readings import (
    HINDSIGHT,
    NEAREST,
    OTHERS,
    SHARES,
    TABLES,
    Paper,
    protocols_of,
    readings,
    with_intervals,
)
from reproduction.pages import render
from reproduction.running.scripting import job

#: Choices of interpretations that the figure shows, with their markers.
_LOOKS = {
    TABLES: ("red", "s"),
    OTHERS: ("blue", "D"),
    HINDSIGHT: ("green", "^"),
    NEAREST: ("black", "x"),
}


def study(given: Mapping[str, Any], files: Any, seed: int) -> pd.DataFrame:
    """Lines of paper and the columns of :func:`readings`, for each paper of the scorecard."""
    cells, repeats = read_cells(files.card, files.scores, given)
    readings_of = []
    for name, lines in cells.groupby("paper", sort=False):
        of_paper = [repeats[k] for k in lines.index]
        paper = Paper(lines, of_paper, given["own"], given["yardsticks"])
        protocols = [path for path in files.protocols if Path(path).parent.name == name]
        readings_of.append(
            readings(paper, list(protocols_of(paper, protocols)), seed).assign(paper=name)
        )
    return (
        pd.concat(readings_of, ignore_index=True)
        if readings_of
        else pd.DataFrame(columns=["paper"])
    )


def page(lines: pd.DataFrame) -> str:
    """The page, with the tables and the choices among all interpretations for each paper."""
    whole = lines[lines["protocol"] == ""]
    papers = {name: _texts(of_paper) for name, of_paper in whole.groupby("paper", sort=False)}
    return render("readings.md", papers=papers)


def _texts(lines: pd.DataFrame) -> pd.DataFrame:
    shares = lines[SHARES].mul(100).map("{:.0f}".format)
    return pd.DataFrame(
        {
            "interpretation": lines["reading"].mask(
                lines["tables"], "**" + lines["reading"] + "**"
            ),
            "data sets": lines["datasets"],
            "cells": lines["cells"],
            "within 2 se, %": shares["within 2 se"],
            "· chance baseline": shares["within 2 se, wrong"],
            "· ceiling": shares["within 2 se, perfect"],
            "**chance-corrected**, %": with_intervals(lines),
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
    axis.plot(
        100 * lines["whole paper"][otherwise],
        y[otherwise] - 0.3,
        "|",
        color=COLOURS["grey"],
        markersize=7,
        label="a different interpretation of one setting",
    )
    for number, (name, (colour, marker)) in enumerate(_LOOKS.items()):
        shares = 100 * lines.loc[whole & (lines["reading"] == name), [SHARES[0], "low", "high"]]
        ends = [shares[SHARES[0]] - shares["low"], shares["high"] - shares[SHARES[0]]]
        axis.errorbar(
            shares[SHARES[0]],
            y[shares.index] - 0.14 + 0.14 * number,
            xerr=ends,
            fmt=marker,
            color=COLOURS[colour],
            capsize=2,
            markersize=5,
            label=name,
        )
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
