"""Published against reproduced, for every cell that the papers print."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

__all__ = ["LARGEST_Z", "rank_agreement", "scorecard", "summary_page", "verdicts"]

#: Up to this many standard deviations a difference counts as reproduced.
LARGEST_Z = 2.0
#: Smallest spread of a score: papers print three digits, and many print no spread at all.
SMALLEST_SPREAD = 0.01

_KEYS = ["paper", "table", "dataset", "method", "metric"]


def scorecard(published: pd.DataFrame, reproduced: pd.DataFrame) -> pd.DataFrame:
    """One line for each published cell.

    Parameters
    ----------
    published : DataFrame
        Columns paper, table, dataset, method, metric, mean, std; data sets under this project's
        names.
    reproduced : DataFrame
        The tables' CSV files one below the other, with the columns paper and table added.

    Returns
    -------
    DataFrame
        Columns of `published`, and reproduced_mean, reproduced_std, repeats, difference, z,
        verdict, reason, pool, parameters, run.

    Notes
    -----
    z is the difference over √(s_r² + s_p²), the spreads of the repeats here and in the paper.
    Where the paper prints none, the spread here stands for both. Seconds are compared as
    ratios elsewhere: another machine's time is never reproduced.
    """
    columns = ["mean", "std", "repeats", "reason", "pool", "parameters", "run"]
    here = reproduced.rename(columns={"label": "method"})[_KEYS + columns]
    here = here.rename(columns={"mean": "reproduced_mean", "std": "reproduced_std"})
    card = published.merge(here, on=_KEYS, how="left", validate="many_to_one")
    card["difference"] = card["reproduced_mean"] - card["mean"]
    own = card["reproduced_std"].fillna(0.0)
    spread = np.sqrt(own**2 + card["std"].fillna(own) ** 2).clip(lower=SMALLEST_SPREAD)
    card["z"] = card["difference"] / spread
    card["verdict"] = verdicts(card)
    return card


def verdicts(card: pd.DataFrame) -> pd.Series:
    """One word a line: reproduced, better, worse, not comparable (times) or not run."""
    verdict = pd.Series("reproduced", index=card.index)
    verdict[card["z"] > LARGEST_Z] = "better"
    verdict[card["z"] < -LARGEST_Z] = "worse"
    verdict[card["metric"] == "seconds"] = "not comparable"
    verdict[card["reproduced_mean"].isna()] = "not run"
    return verdict


def rank_agreement(card: pd.DataFrame) -> pd.DataFrame:
    """Kendall's τ between the published and the reproduced order of the methods.

    Returns
    -------
    DataFrame
        For each paper, table, data set and metric with at least three methods: methods, tau.
    """
    lines = []
    for keys, group in card.dropna(subset=["reproduced_mean"]).groupby(
        ["paper", "table", "dataset", "metric"], sort=False
    ):
        if len(group) >= 3:
            tau = kendalltau(group["mean"], group["reproduced_mean"]).statistic
            lines.append((*keys, len(group), tau))
    columns = ["paper", "table", "dataset", "metric", "methods", "tau"]
    return pd.DataFrame(lines, columns=columns)


def summary_page(card: pd.DataFrame, ranks: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """One page of Markdown: verdicts per table, agreement of ranks, and the largest gaps."""
    counts = card.pivot_table(
        index=["paper", "table"], columns="verdict", values="mean", aggfunc="size", fill_value=0
    )
    counts["cells"] = counts.sum(axis=1)
    tau = ranks.groupby(["paper", "table"])["tau"].mean().rename("mean Kendall τ")
    table = counts.join(tau).reset_index()
    total = len(card)
    compared = card[card["verdict"].isin(["reproduced", "better", "worse"])]
    good = int((compared["verdict"] == "reproduced").sum())
    gaps = compared.reindex(compared["z"].abs().sort_values(ascending=False).index).head(15)
    shown = [*_KEYS, "mean", "reproduced_mean", "z"]
    return (
        "# Scorecard\n\n"
        f"Of {total} published cells {len(compared)} were compared; {good} are reproduced within "
        f"{LARGEST_Z:g} standard deviations of the repeats, here and in the paper together.\n\n"
        f"{table.to_markdown(index=False, floatfmt='.2f')}\n\n"
        f"## Largest gaps\n\n{gaps[shown].to_markdown(index=False, floatfmt='.3f')}\n\n"
        "## Papers\n\n"
        + "\n".join(f"- **{paper}**: {title}" for paper, title in titles.items())
        + "\n"
    )
