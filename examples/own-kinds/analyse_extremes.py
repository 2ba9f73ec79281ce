"""Compare the times of the fastest and the slowest repeat."""

import pandas as pd
from matplotlib.figure import Figure

from coassoc.pages.style import styled
from reproduction.analyses import write_analysis
from reproduction.figures.layout import panel_each
from reproduction.running.scripting import job
from reproduction.scores.evidence import Evidence, read_evidence


def analyse(evidence: Evidence) -> pd.DataFrame:
    """Seconds of the fastest and slowest repeat of each method on each data set."""
    good = evidence.lines[evidence.lines["status"] == "ok"]
    seconds = good.groupby(["label", "dataset"], sort=False)["seconds"]
    return seconds.agg(fastest="min", slowest="max").reset_index()


def table(result: pd.DataFrame) -> pd.DataFrame:
    """The fastest and slowest time of each method on each data set, as text."""
    texts = result["fastest"].map("{:.3g}".format) + " to " + result["slowest"].map("{:.3g}".format)
    return result.assign(text=texts).pivot(index="label", columns="dataset", values="text")


@styled
def plot(result: pd.DataFrame) -> Figure:
    """A line from the fastest to the slowest repeat of each method."""
    figure, drawn = panel_each(result)
    for axis, here in drawn:
        axis.hlines(here["label"], here["fastest"], here["slowest"])
        axis.set_xlabel("seconds")
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        result, note = analyse(evidence), "Seconds of runs during which other jobs ran too."
        shown = table(result), note, plot(result)
        write_analysis(snakemake.output, evidence.spec, result, *shown)
