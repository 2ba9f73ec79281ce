"""What is left of a method's gain when a growing share of the samples is shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from coassoc.results.audits.evidence import (
    FEWEST_REPEATS,
    LEVEL,
    Cells,
    Scores,
    holm,
    signed_rank_p,
)
from coassoc.results.summaries import cell_scores

__all__ = ["compare_orders", "order_remark", "order_table", "readers"]

#: Gain below which it makes no sense to say how much of it is left.
_LEAST_GAIN = 0.01


def compare_orders(cells: Cells, scores: Scores, column: str, reference: str) -> pd.DataFrame:
    """Mean scores of each method at each percentage of shuffled samples.

    Parameters
    ----------
    cells : iterable of mapping
        Cells of the audit; their ``x`` is the percentage.
    scores : mapping of str to DataFrame
        Score files by their stems.
    column : str
        The score.
    reference : str
        Label of the plain method that the others must beat.

    Returns
    -------
    DataFrame
        Columns label, dataset, pool, m, shuffled, parameters, run, repeats, mean, std, gain (over
        the reference at the same percentage), difference (from the stored order) and p (that it is
        none; Wilcoxon's signed ranks with Holm's correction over all lines). All have the same
        draws, so that gains and differences are means over the repeats that both have. The
        reference comes first, and percentages rise.
    """
    cells = sorted(cells, key=lambda cell: (cell["label"] != reference, cell["x"]))
    lines: list[dict[str, Any]] = []
    stored: dict[tuple[str, str], pd.Series] = {}
    plain: dict[tuple[str, int], pd.Series] = {}
    for cell in cells:
        frame, origin = cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"].set_index("repeat")
        values = good[column] if column in good else pd.Series(dtype=float)
        start = stored.setdefault((cell["label"], cell["dataset"]), values)
        if cell["label"] == reference:
            plain[cell["dataset"], cell["x"]] = values
        beside = plain.get((cell["dataset"], cell["x"]), pd.Series(dtype=float))
        line = {key: cell[key] for key in ("label", "dataset", "pool", "m")}
        line |= {"shuffled": cell["x"], **origin, "repeats": len(values)}
        line |= {"mean": values.mean(), "std": values.std(), "gain": (values - beside).mean()}
        if cell["x"] > 0:
            change = (values - start).dropna()
            line |= {"difference": change.mean(), "p": _p(change)}
        lines.append(line)
    found = pd.DataFrame(lines).reindex(columns=[*lines[0], "difference", "p"])
    return found.assign(p=holm(found["p"]))


def _p(change: pd.Series) -> float:
    if len(change) < FEWEST_REPEATS:
        return float("nan")
    return signed_rank_p(change)


def readers(found: pd.DataFrame) -> list[str]:
    """Methods that are worse, on some data set, when all samples are shuffled."""
    worse = (found["shuffled"] == 100) & (found["difference"] < 0) & (found["p"] < LEVEL)
    return list(dict.fromkeys(found.loc[worse, "label"]))


def order_table(found: pd.DataFrame) -> pd.DataFrame:
    """Methods down; the mean gain at each percentage, and what becomes of it in words.

    Means are over the data sets on which the method has scores at all percentages.
    """
    order = list(dict.fromkeys(found["label"]))
    means = _mean_gains(found).reindex(order)
    lost = readers(found)
    table = means.map(lambda gain: f"{gain:+.3f}" if np.isfinite(gain) else "")
    table.columns = [f"{percent} % shuffled" for percent in means]
    counts = _complete(found).groupby("label").sum()
    table.insert(0, "data sets", counts.reindex(order, fill_value=0).map("{:g}".format))
    table["what is left"] = [_in_words(gains, label in lost) for label, gains in means.iterrows()]
    return table.rename_axis("method")


def _complete(found: pd.DataFrame) -> pd.Series:
    """For each method and data set, whether there is a score at every percentage."""
    percentages = found["shuffled"].nunique()
    return found.groupby(["label", "dataset"])["gain"].count() == percentages


def _mean_gains(found: pd.DataFrame) -> pd.DataFrame:
    complete = found.set_index(["label", "dataset"]).index.map(_complete(found))
    kept = found[np.asarray(complete, dtype=bool)]
    return kept.pivot_table(index="label", columns="shuffled", values="gain", aggfunc="mean")


def _in_words(gains: pd.Series, reads: bool) -> str:
    """One sentence on a method, from its mean gains at 0 and at 100 % shuffled."""
    first, last = gains.get(0, np.nan), gains.get(100, np.nan)
    if not np.isfinite([first, last]).all():
        return "No data set has scores at every percentage."
    if reads:
        start = "It reads the order of the file: "
        if first < _LEAST_GAIN:
            return f"{start}the mean gain falls from {first:+.3f} to {last:+.3f}."
        if last <= 0:
            return f"{start}nothing is left of its gain of {first:.3f}, it ends at {last:+.3f}."
        return f"{start}{last / first:.0%} of its gain of {first:.3f} is left."
    if first < _LEAST_GAIN:
        return "It has no gain to lose."
    return f"It does not read the order: {last / first:.0%} of its gain of {first:.3f} is left."


def order_remark(found: pd.DataFrame, metric: str, reference: str) -> str:
    """What the numbers are."""
    plain = found[found["label"] == reference].groupby("shuffled")["mean"].mean()
    each = ", ".join(f"{mean:.3f} at {percent} %" for percent, mean in plain.items())
    fewest, most = found["repeats"].min(), found["repeats"].max()
    repeats = most if fewest == most else f"{fewest} to {most}"
    return (
        f"Gains are differences of {metric} from {reference} at the same percentage and on the "
        "same draws, means over the data sets on which a method has scores at all percentages; "
        f"{reference} itself has "
        f"{each}. A method reads the order of the file if on some data set its scores are worse "
        f"with all samples shuffled, at {LEVEL:g} by Wilcoxon's signed ranks over the repeats "
        f"with Holm's correction over all methods, data sets and percentages. A gain below "
        f"{_LEAST_GAIN:g} counts as none. Draws of base clusterings are the same at all "
        f"percentages; m = {', '.join(str(m) for m in dict.fromkeys(found['m']))}, "
        f"{repeats} repeats."
    )
