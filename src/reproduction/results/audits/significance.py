"""The audit of the kind "significance": methods against one of them over all data sets."""

import numpy as np
import pandas as pd

from coassoc.bench.significance import Significance, compare_methods
from coassoc.bench.statistics import FEWEST_REPEATS, LEVEL, power, smallest_p
from coassoc.errors import DataError
from reproduction.results.audits.evidence import Evidence


def compare(evidence: Evidence) -> Significance:
    """The rows of an audit, each against the one that its entry names."""
    values = evidence.values
    unknown = values.groupby("dataset")["value"].count() == 0
    if unknown.any():
        raise DataError(
            f"{unknown.idxmax()} has no {evidence.spec['metrics'][evidence.metric]}, by which the "
            "methods are compared: its classes are unknown."
        )
    return compare_methods(values, evidence.reference, evidence.spec["rope"])


def table(result: Significance) -> pd.DataFrame:
    """The comparison as text, methods by mean rank."""
    lines = result.methods
    rope = f"probability better / within {result.rope:g} / worse"
    return pd.DataFrame(
        {
            "mean rank": lines["rank"].map("{:.2f}".format),
            "mean": lines["mean"].map("{:.3f}".format),
            "difference": lines["difference"].map("{:+.3f}".format),
            "better / alike / worse": _joined(lines[["wins", "ties", "losses"]], "{:.0f}")
            + lines["untested"].map(lambda n: f", {n:.0f} not tested" if n > 0 else ""),
            rope: _joined(lines[["better", "alike", "worse"]], "{:.2f}"),
            "p (Wilcoxon, Holm)": lines["p_wilcoxon"].map(_p_text),
            "p (Nemenyi)": lines["p_nemenyi"].map(_p_text),
        }
    ).rename_axis("method")


def _joined(numbers: pd.DataFrame, form: str) -> pd.Series:
    """The numbers of each row, separated by slashes; empty where one is missing."""
    texts = numbers.astype(float).map(form.format).agg(" / ".join, axis=1)
    return texts.where(numbers.notna().all(axis=1), "")


def remark(result: Significance, evidence: Evidence) -> str:
    """The tests, the number of data sets, and whether the methods differ at all."""
    return (
        f"{result.blocks} data sets. Friedman's test of all methods being alike has the p-value "
        f"{_p_text(result.friedman) or 'not defined'}. Difference, counts of data sets and "
        "p-values against the method without a difference; better and worse are counted where "
        f"the repeats differ at {LEVEL:g} after Holm's correction, which needs "
        f"{FEWEST_REPEATS} repeats. {_what_can_be_found(result)} The probabilities are those of "
        "the Bayesian signed-rank test (Benavoli et al. 2017), which asks the same of one method "
        f"at a time and takes a mean difference within {result.rope:g} for none."
    )


def _what_can_be_found(result: Significance) -> str:
    blocks, comparisons = result.blocks, len(result.methods) - 1
    least = smallest_p(blocks, comparisons)
    start = (
        f"With {blocks} data sets and {comparisons} comparisons Wilcoxon's p after Holm's "
        f"correction is at least {least:.2g}"
    )
    if least >= LEVEL:
        return f"{start}, so that the test cannot find anything at {LEVEL:g}."
    one, two = (power(blocks, comparisons, effect) for effect in (1, 2))
    return (
        f"{start}; of a method whose scores differ by one standard deviation of the differences "
        f"over data sets the test finds {one:.0%}, of two {two:.0%} (simulated, normal)."
    )


def _p_text(p: float) -> str:
    if not np.isfinite(p):
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
