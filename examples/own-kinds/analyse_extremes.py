"""Compare the times of the fastest and the slowest repeat."""

import pandas as pd

from reproduction.analyses import make_analysis
from reproduction.scores.evidence import Evidence


def analyse(evidence: Evidence) -> pd.DataFrame:
    """Seconds of the fastest and slowest repeat of each method on each data set."""
    good = evidence.lines[evidence.lines["status"] == "ok"]
    seconds = good.groupby(["label", "dataset"], sort=False)["seconds"]
    return seconds.agg(fastest="min", slowest="max").reset_index()


def table(result: pd.DataFrame) -> pd.DataFrame:
    """The fastest and slowest time of each method on each data set, as text."""
    texts = result["fastest"].map("{:.3g}".format) + " to " + result["slowest"].map("{:.3g}".format)
    return result.assign(text=texts).pivot(index="label", columns="dataset", values="text")


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """How the times were measured."""
    return "Seconds of runs during which other jobs ran too."


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark)
