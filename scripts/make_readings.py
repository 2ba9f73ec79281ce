"""Agreement of each interpretation of open settings with the published numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.io.atomic import write_text
from reproduction.findings import readings
from reproduction.findings.cells import read_cells, read_protocols
from reproduction.findings.intervals import percent, with_interval
from reproduction.pages import render, write_numbers
from reproduction.running.scripting import job


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


if __name__ == "__main__":
    with job(snakemake.log[0]):
        output = snakemake.output
        lines = study(snakemake.params.given, snakemake.input, snakemake.params.seed)
        write_text(Path(output.md), page(lines))
        write_numbers(output.csv, lines)
