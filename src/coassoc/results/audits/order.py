"""What is left of a method's gain when a growing share of the samples is shuffled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from coassoc.results.audits.evidence import Evidence
from coassoc.results.audits.statistics import FEWEST_REPEATS, LEVEL, holm, signed_rank_p

#: Gain below which it makes no sense to say how much of it is left.
_LEAST_GAIN = 0.01


def compare(evidence: Evidence) -> pd.DataFrame:
    """Mean scores of each method at each percentage of shuffled samples, the ``x`` of a cell.

    Returns
    -------
    DataFrame
        Columns label, dataset, pool, m, shuffled, parameters, run, repeats, mean, std, gain (over
        the reference at the same percentage), difference (from the stored order) and p (that it is
        none; Wilcoxon's signed ranks with Holm's correction over all lines). All have the same
        draws, so that gains and differences are means over the repeats that both have. The
        reference comes first, and percentages rise.
    """
    reference = evidence.reference
    lines: list[dict[str, Any]] = []
    stored: dict[tuple[str, str], pd.Series] = {}
    plain: dict[tuple[str, int], pd.Series] = {}
    cells = sorted(evidence.cells, key=lambda cell: (cell["label"] != reference, cell["x"]))
    for cell, values, line in replace(evidence, cells=cells).values():
        label, dataset, percent = cell["label"], cell["dataset"], cell["x"]
        start = stored.setdefault((label, dataset), values)
        if label == reference:
            plain[dataset, percent] = values
        beside = plain.get((dataset, percent), pd.Series(dtype=float))
        line |= {"shuffled": percent, "gain": (values - beside).mean()}
        if percent > 0:
            change = (values - start).dropna()
            enough = len(change) >= FEWEST_REPEATS
            line |= {"difference": change.mean(), "p": signed_rank_p(change) if enough else np.nan}
        lines.append(line)
    columns = ["label", "dataset", "pool", "m", "shuffled", "parameters", "run", "repeats"]
    found = pd.DataFrame(lines).reindex(
        columns=[*columns, "mean", "std", "gain", "difference", "p"]
    )
    return found.assign(p=holm(found["p"]))


def readers(found: pd.DataFrame) -> list[str]:
    """Methods that are worse, on some data set, when all samples are shuffled."""
    worse = (found["shuffled"] == 100) & (found["difference"] < 0) & (found["p"] < LEVEL)
    return list(dict.fromkeys(found.loc[worse, "label"]))


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Methods down; the mean gain at each percentage, and what becomes of it in words.

    Means are over the data sets on which the method has scores at all percentages.
    """
    wide = found.pivot(index=["label", "dataset"], columns="shuffled", values="gain").dropna()
    order = list(dict.fromkeys(found["label"]))
    means = wide.groupby("label").mean().reindex(order)
    lost = readers(found)
    texts = means.map(lambda gain: f"{gain:+.3f}" if np.isfinite(gain) else "")
    texts.columns = [f"{percent} % shuffled" for percent in means]
    counts = wide.groupby("label").size().reindex(order, fill_value=0)
    texts.insert(0, "data sets", counts.astype(str))
    texts["what is left"] = [_in_words(gains, label in lost) for label, gains in means.iterrows()]
    return texts.rename_axis("method")


def _in_words(gains: pd.Series, reads: bool) -> str:
    """One sentence on a method, from its mean gains at 0 and at 100 % shuffled."""
    first, last = gains.get(0, np.nan), gains.get(100, np.nan)
    if not np.isfinite([first, last]).all():
        return "No data set has scores at every percentage."
    if not reads and first < _LEAST_GAIN:
        return "It has no gain to lose."
    start = "It reads the order of the file" if reads else "It does not read the order"
    if reads and first < _LEAST_GAIN:
        return f"{start}: the mean gain falls from {first:+.3f} to {last:+.3f}."
    if reads and last <= 0:
        return f"{start}: nothing is left of its gain of {first:.3f}, it ends at {last:+.3f}."
    return f"{start}: {last / first:.0%} of its gain of {first:.3f} is left."


def remark(found: pd.DataFrame, evidence: Evidence) -> str:
    """What the numbers are."""
    reference = evidence.reference
    plain = found[found["label"] == reference].groupby("shuffled")["mean"].mean()
    levels = ", ".join(f"{mean:.3f} at {percent} %" for percent, mean in plain.items())
    fewest, most = found["repeats"].min(), found["repeats"].max()
    repeats = most if fewest == most else f"{fewest} to {most}"
    return (
        f"Gains are differences of {evidence.metric} from {reference} at the same percentage and "
        "on the same draws, means over the data sets on which a method has scores at all "
        f"percentages; {reference} itself has {levels}. A method reads the order of the file if on "
        f"some data set its scores are worse with all samples shuffled, at {LEVEL:g} by Wilcoxon's "
        "signed ranks over the repeats with Holm's correction over all methods, data sets and "
        f"percentages. A gain below {_LEAST_GAIN:g} counts as none. Draws of base clusterings are "
        f"the same at all percentages; m = {', '.join(map(str, dict.fromkeys(found['m'])))}, "
        f"{repeats} repeats."
    )
