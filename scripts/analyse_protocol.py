"""Protocols: published cells under several variants of a setting that a paper leaves open.

Papers leave open how features were scaled, how k-means started, with which parameters a compared
method ran, or what "NMI" is. A protocol computes the cells under several variants of one setting.

One rule chooses the variant in all protocols: the smallest mean absolute difference from the
published means, over the cells that were computed for every variant. Among equal variants, the
first is chosen.
"""

import numpy as np
import pandas as pd

from coassoc.bench.storage.records import ORIGIN
from reproduction.analyses import make_analysis
from reproduction.findings.scorecard import CLOSE
from reproduction.pages import note
from reproduction.scores.evidence import Evidence
from reproduction.scores.files import printed_numbers

_CELL = ["label", "dataset", "metric"]
_COLUMNS = ["row", *_CELL, "variant", "column", "pool", "m", "reference", "parameters", "run"]
_COLUMNS += ["repeats", "mean", "std", "by_repeat", *ORIGIN]


def analyse(evidence: Evidence) -> pd.DataFrame:
    """Every published cell in every variant, one line for each.

    Columns are row, label, dataset, metric, variant, column, pool, m, reference, parameters, run,
    repeats, mean, std, by_repeat, commit, code, published_mean, published_std, difference.
    """
    # A cell that two tables print, once as a method and once as its ablation, has one number.
    printed = printed_numbers(evidence.spec["published"]).drop_duplicates(_CELL)
    # Base clusterings have no repeats, so the column is missing if all rows are base clusterings.
    result = evidence.summary.reindex(columns=_COLUMNS).merge(printed, on=_CELL)
    return result.assign(difference=result["mean"] - result["published_mean"])


def fits(result: pd.DataFrame) -> pd.DataFrame:
    """Fit of each variant to the published numbers, over the cells computed for all variants.

    The columns are cells (their number), difference and absolute (means), close (number of cells
    within :data:`~reproduction.findings.scorecard.CLOSE`), std and published_std (means).
    """
    lines = result[result.groupby(_CELL)["mean"].transform(lambda means: means.notna().all())]
    absolute = lines["difference"].abs()
    lines = lines.assign(absolute=absolute, close=absolute <= CLOSE)
    groups = lines.groupby("variant", sort=False)
    means = groups[["difference", "absolute", "std", "published_std"]].mean()
    return means.assign(cells=groups.size(), close=groups["close"].sum())


def table(result: pd.DataFrame) -> pd.DataFrame:
    """Table of the fits and the cells, with columns for published numbers and variants."""
    variants = result["variant"].unique()
    summary = fits(result)
    spread = "mean standard deviation"
    rows = {
        "mean absolute difference": summary["absolute"].map("{:.3f}".format),
        "mean difference": summary["difference"].map("{:+.3f}".format),
        f"cells within {CLOSE:g}": summary["close"].astype(str) + f" of {summary['cells'].max()}",
        spread: summary["std"].map("{:.3f}".format),
    }
    texts = pd.DataFrame(rows).T.reindex(columns=variants)
    numbers = result["mean"].map("{:.3f}".format) + result["difference"].map(" ({:+.3f})".format)
    numbers = numbers.where(np.isfinite(result["mean"]), "no score")
    keys = [result[name] for name in _CELL]
    published = result["published_mean"].groupby(keys, sort=False).first()
    cells = numbers.groupby([*keys, result["variant"]]).first().unstack(fill_value="")
    cells = cells.reindex(published.index)
    cells.insert(0, "published", published.map("{:.3f}".format).replace("nan", ""))
    texts.insert(0, "published", "")
    texts.loc[spread, "published"] = f"{summary['published_std'].mean():.3f}".replace("nan", "")
    cells = cells.set_axis(cells.index.map(", ".join)).reindex(columns=texts.columns)
    return pd.concat([texts, cells]).rename_axis("method, data set, metric")


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """The chosen variant, and the differences that it leaves unexplained."""
    summary = fits(result)
    best = summary["absolute"].round(6).idxmin()
    repeats = result.loc[result["variant"] == best, "repeats"].agg(["min", "max"]).unique()
    nearest = result.assign(absolute=result["difference"].abs()).groupby(_CELL)["absolute"].min()
    about = {"best": best, "chosen": summary.loc[best], "nearest": nearest, "repeats": repeats}
    return note("protocol.md", summary=summary, close=CLOSE, **about)


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark)
