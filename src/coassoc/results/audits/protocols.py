"""Protocols: the same cells made in several ways, beside the numbers in print.

Papers leave open how features were scaled, how k-means started, at which parameters a compared
method ran, what "NMI" is. A protocol makes their cells in each of several ways, called variants,
and one rule says which of them explains print best.

The rule, the same for all protocols: the smallest mean absolute difference from print over the
cells that every variant has; the first variant of equal ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from coassoc.results.scorecard import CLOSE
from coassoc.results.summaries import summarize

__all__ = ["best_variant", "compare_protocols", "fits", "protocol_remark", "protocol_table"]

_CELL = ["label", "dataset", "metric"]
_FOUND = [*_CELL, "variant", "column", "pool", "m", "parameters", "run", "repeats", "mean", "std"]


def compare_protocols(
    cells: Iterable[Mapping[str, Any]],
    scores: Mapping[str, pd.DataFrame],
    metrics: Mapping[str, str],
    published: Sequence[Mapping[str, str]],
) -> pd.DataFrame:
    """Every printed cell in every variant.

    Parameters
    ----------
    cells : iterable of mapping
        Cells of the audit; their ``variant`` says which variant they are, their ``columns`` which
        scores it takes in place of `metrics`.
    scores : mapping of str to DataFrame
        Score files by their stems.
    metrics : mapping of str to str
        Name in the paper → column of the score files.
    published : sequence of mapping
        Published numbers of the paper.

    Returns
    -------
    DataFrame
        Columns label, dataset, metric, variant, column, pool, m, parameters, run, repeats, mean,
        std, published_mean, published_std, difference; one line for each cell that is in print and
        each variant.
    """
    lines = [summarize([cell], scores, {**metrics, **cell["columns"]}) for cell in cells]
    printed = pd.DataFrame(published, columns=["dataset", "method", "metric", "mean", "std"])
    printed = printed.rename(
        columns={"method": "label", "mean": "published_mean", "std": "published_std"}
    )
    for name in ("published_mean", "published_std"):
        printed[name] = pd.to_numeric(printed[name])
    # A cell that two tables print, as a method and as its ablation, is in both the same.
    printed = printed.drop_duplicates(_CELL)
    found = pd.concat(lines, ignore_index=True)[_FOUND].merge(printed, on=_CELL)
    return found.assign(difference=found["mean"] - found["published_mean"])


def fits(found: pd.DataFrame) -> pd.DataFrame:
    """How well each variant fits print, over the cells that all variants have.

    Returns
    -------
    DataFrame
        Index variant; columns cells, difference (mean), absolute (mean absolute difference), close
        (cells within :data:`~coassoc.results.scorecard.CLOSE`), std and published_std (means).
    """
    lines = found[found.groupby(_CELL)["mean"].transform(lambda means: means.notna().all())]
    groups = lines.assign(
        absolute=lines["difference"].abs(), close=lines["difference"].abs() <= CLOSE
    ).groupby("variant", sort=False)
    means = groups[["difference", "absolute", "std", "published_std"]].mean()
    means.insert(0, "cells", groups.size())
    means.insert(3, "close", groups["close"].sum())
    return means


def best_variant(found: pd.DataFrame) -> str:
    """The variant that the rule chooses."""
    return str(fits(found)["absolute"].round(6).idxmin())


def protocol_table(found: pd.DataFrame) -> pd.DataFrame:
    """The fit of each variant, then the cells, down; print and the variants across."""
    variants = list(dict.fromkeys(found["variant"]))
    summary = fits(found)
    rows = {
        "mean absolute difference": summary["absolute"].map("{:.3f}".format),
        "mean difference": summary["difference"].map("{:+.3f}".format),
        f"cells within {CLOSE:g}": summary["close"].astype(str) + " of " + str(_shared(summary)),
        "mean standard deviation": summary["std"].map("{:.3f}".format),
    }
    table = pd.DataFrame(rows).T.reindex(columns=variants)
    table.insert(0, "in print", "")
    table.loc["mean standard deviation", "in print"] = _number(summary["published_std"].mean())
    for cell, lines in found.groupby(_CELL, sort=False):
        texts = lines.set_index("variant").apply(_text, axis=1)
        printed = _number(lines["published_mean"].iloc[0])
        table.loc[", ".join(cell)] = {"in print": printed, **texts.reindex(variants, fill_value="")}
    return table.rename_axis("method, data set, metric")


def protocol_remark(found: pd.DataFrame) -> str:
    """Which variant the rule chooses, and what it leaves unexplained."""
    summary, best = fits(found), best_variant(found)
    chosen = summary.loc[best]
    lines = found[found["variant"] == best]
    nearest = found.assign(absolute=found["difference"].abs()).groupby(_CELL)["absolute"].min()
    return (
        "Means over the repeats, with the difference from print. The rule, the same for all "
        "protocols: the variant with the smallest mean absolute difference from print over the "
        f"{_shared(summary)} cells that every variant has. It is “{best}”: "
        f"{chosen['absolute']:.3f}, {chosen['close']:.0f} cells within {CLOSE:g}. "
        f"{(nearest > CLOSE).sum()} of {len(nearest)} cells are further from print in every "
        f"variant. Repeats: {lines['repeats'].max()}."
    )


def _shared(summary: pd.DataFrame) -> int:
    return int(summary["cells"].max()) if len(summary) else 0


def _text(line: pd.Series) -> str:
    if not np.isfinite(line["mean"]):
        return "no score"
    return f"{line['mean']:.3f} ({line['difference']:+.3f})"


def _number(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else ""
