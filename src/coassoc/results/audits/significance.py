"""Methods against each other over all data sets: ranks, tests, corrections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

from coassoc.errors import DataError
from coassoc.results.audits.bayesian import Beliefs, signed_ranks
from coassoc.results.audits.evidence import FEWEST_REPEATS, LEVEL, Cells, Scores, holm
from coassoc.results.audits.power import power, smallest_p
from coassoc.results.summaries import cell_scores

__all__ = ["Significance", "compare_methods", "significance_remark", "significance_table"]


class Significance(NamedTuple):
    """Result of :func:`compare_methods`.

    Attributes
    ----------
    methods : DataFrame
        One line per method: rank (mean over the data sets), mean; against the reference
        difference, wins, ties, losses (data sets on which the repeats tell the two apart),
        p_wilcoxon (over the data sets, Holm-corrected), p_nemenyi, and the probabilities worse,
        alike and better of the Bayesian signed-rank test.
    ranks : Series
        Mean rank of each method.
    nemenyi : DataFrame
        p-value of each pair of methods.
    friedman : float
        p-value of all methods being alike.
    blocks : int
        Data sets.
    rope : float
        Mean difference that is none in practice.
    """

    methods: pd.DataFrame
    ranks: pd.Series
    nemenyi: pd.DataFrame
    friedman: float
    blocks: int
    rope: float


def compare_methods(
    cells: Cells, scores: Scores, column: str, reference: str, rope: float
) -> Significance:
    """Demšar's tests: Friedman over data sets, then Nemenyi for all pairs and Wilcoxon for one.

    Parameters
    ----------
    cells, scores, column
        As for :func:`compare_variants`.
    reference : str
        Label of the method that the others are compared with.
    rope : float
        Mean difference that is none in practice.

    Notes
    -----
    The blocks are data sets, each with the mean over its repeats: repeats on one data set are no
    independent evidence. Data sets on which a method has no score are left out. Wins and losses
    use the repeats, paired by draw, with Holm's correction over all methods and data sets.
    """
    import scikit_posthocs

    repeats: dict[tuple[str, str], pd.Series] = {}
    for cell in cells:
        frame, _ = cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"].set_index("repeat")
        if column not in good:
            raise DataError(
                f"{cell['dataset']} has no {column}, by which the methods are compared: "
                "its classes are unknown."
            )
        repeats[cell["dataset"], cell["label"]] = good[column]
    means = pd.Series({key: values.mean() for key, values in repeats.items()}).unstack(sort=False)
    means = means.dropna()
    ranks = pd.DataFrame(
        [rankdata(-row) for row in means.round(6).to_numpy()], means.index, means.columns
    ).mean()
    enough = len(means) > 1 and means.shape[1] > 2
    nemenyi = (
        scikit_posthocs.posthoc_nemenyi_friedman(means.to_numpy())
        if enough
        else pd.DataFrame(np.ones((means.shape[1],) * 2))
    )
    nemenyi = pd.DataFrame(nemenyi.to_numpy(), means.columns, means.columns)
    friedman = friedmanchisquare(*means.T.to_numpy()).pvalue if enough else np.nan
    methods = pd.DataFrame({"rank": ranks, "mean": means.mean()})
    methods["difference"] = methods["mean"] - methods.loc[reference, "mean"]
    methods = methods.join(_duels(repeats, list(means.index), list(means.columns), reference))
    others = [name for name in means if name != reference]
    p = {name: _wilcoxon(means[name] - means[reference]) for name in others}
    methods["p_wilcoxon"] = holm(pd.Series(p, dtype=float))
    beliefs = {name: signed_ranks(means[name] - means[reference], rope) for name in others}
    methods[list(Beliefs._fields)] = pd.DataFrame.from_dict(
        beliefs, orient="index", columns=Beliefs._fields
    )
    methods["p_nemenyi"] = nemenyi[reference].where(nemenyi.index != reference)
    methods = methods.sort_values("rank").rename_axis("method")
    return Significance(methods, ranks, nemenyi, float(friedman), len(means), rope)


def _wilcoxon(change: pd.Series) -> float:
    if len(change) < 2 or not change.abs().max() > 0:
        return float("nan")
    return float(wilcoxon(change).pvalue)


def _duels(
    repeats: Mapping[tuple[str, str], pd.Series],
    datasets: list[str],
    methods: list[str],
    reference: str,
) -> pd.DataFrame:
    """On how many data sets a method is better, alike and worse than the reference."""
    changes = {
        (method, dataset): (repeats[dataset, method] - repeats[dataset, reference]).dropna()
        for method in methods
        if method != reference
        for dataset in datasets
    }
    p = {
        key: _wilcoxon(change) if len(change) >= FEWEST_REPEATS else np.nan
        for key, change in changes.items()
    }
    if not np.isfinite(list(p.values())).any():
        return pd.DataFrame(np.nan, index=methods, columns=["wins", "ties", "losses"])
    found = holm(pd.Series(p, dtype=float)) < LEVEL
    signs = pd.Series({key: np.sign(change.mean()) for key, change in changes.items()}) * found
    counts = {
        name: (signs == sign).groupby(level=0, sort=False).sum()
        for name, sign in (("wins", 1), ("ties", 0), ("losses", -1))
    }
    return pd.DataFrame(counts)


def significance_table(found: Significance) -> pd.DataFrame:
    """The comparison as text, methods by mean rank."""
    lines = found.methods
    duels = lines[["wins", "ties", "losses"]]
    beliefs = lines[["better", "alike", "worse"]]
    return pd.DataFrame(
        {
            "mean rank": lines["rank"].map("{:.2f}".format),
            "mean": lines["mean"].map("{:.3f}".format),
            "difference": lines["difference"].map("{:+.3f}".format),
            "better / alike / worse": [
                "" if np.isnan(row).any() else " / ".join(f"{value:.0f}" for value in row)
                for row in duels.to_numpy(dtype=float)
            ],
            f"probability better / within {found.rope:g} / worse": [
                "" if np.isnan(row).any() else " / ".join(f"{value:.2f}" for value in row)
                for row in beliefs.to_numpy(dtype=float)
            ],
            "p (Wilcoxon, Holm)": lines["p_wilcoxon"].map(_p_text),
            "p (Nemenyi)": lines["p_nemenyi"].map(_p_text),
        }
    ).rename_axis("method")


def significance_remark(found: Significance) -> str:
    """What was tested, on how much, and whether the methods differ at all."""
    return (
        f"{found.blocks} data sets. Friedman's test of all methods being alike has the p-value "
        f"{_p_text(found.friedman) or 'not defined'}. Difference, counts of data sets and "
        "p-values against the method without a difference; better and worse are counted where "
        f"the repeats differ at {LEVEL:g} after Holm's correction, which needs "
        f"{FEWEST_REPEATS} repeats. {_what_can_be_found(found)} The probabilities are those of "
        "the Bayesian signed-rank test (Benavoli et al. 2017), which asks the same of one method "
        f"at a time and takes a mean difference within {found.rope:g} for none."
    )


def _what_can_be_found(found: Significance) -> str:
    """Smallest p of Wilcoxon's test, and how probably it finds a difference."""
    blocks, comparisons = found.blocks, len(found.methods) - 1
    least = smallest_p(blocks, comparisons)
    start = (
        f"With {blocks} data sets and {comparisons} comparisons Wilcoxon's p after Holm's "
        f"correction is {least:.2g} at the least"
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
