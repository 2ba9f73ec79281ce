"""Methods against each other over all data sets: ranks, tests, corrections."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from coassoc.errors import DataError
from reproduction.results.audits.evidence import Evidence
from coassoc.bench.statistics import (
    FEWEST_REPEATS,
    LEVEL,
    Beliefs,
    bayesian_signed_ranks,
    friedman_p,
    holm,
    power,
    smallest_p,
)


class Significance(NamedTuple):
    """Result of :func:`compare`."""

    #: One line per method: rank (mean over the data sets), mean; against the reference
    #: difference, wins, ties, losses (data sets on which the repeats tell the two apart),
    #: p_wilcoxon (over the data sets, Holm-corrected), p_nemenyi, and the probabilities worse,
    #: alike and better of the Bayesian signed-rank test.
    methods: pd.DataFrame
    #: p-values of each pair of methods, and of all methods being alike.
    nemenyi: pd.DataFrame
    friedman: float
    #: Number of data sets.
    blocks: int
    #: Largest mean difference that is practically equivalent to none.
    rope: float


def compare(evidence: Evidence) -> Significance:
    """The rows of an audit, each against the one that its entry names."""
    values = evidence.values
    unknown = values.groupby("dataset")["value"].count() == 0
    if unknown.any():
        raise DataError(
            f"{unknown.idxmax()} has no {evidence.spec['metrics'][evidence.metric]}, by which the "
            "methods are compared: its classes are unknown."
        )
    return compare_values(values, evidence.reference, evidence.spec["rope"])


def compare_values(values: pd.DataFrame, reference: str, rope: float) -> Significance:
    """Demšar's tests: Friedman over data sets, then Nemenyi for all pairs and Wilcoxon for one.

    The blocks are data sets, each with the mean over its repeats: repeats on one data set are no
    independent evidence. Data sets on which a method has no score are left out. Wins and losses
    use the repeats, paired by draw, with Holm's correction over all methods and data sets.

    Parameters
    ----------
    values : DataFrame
        One line per repeat: label, dataset, repeat and value, NaN where it failed.
    reference : str
        Label of the method that others are compared with.
    rope : float
        Mean difference that is none in practice.
    """
    repeats = values.pivot(index=["label", "dataset"], columns="repeat", values="value")
    order = [values[name].unique() for name in ("dataset", "label")]
    means = repeats.mean(axis=1).unstack("label").reindex(order[0])[order[1]].dropna()
    nemenyi = _nemenyi(means)
    changes = means.drop(columns=reference).sub(means[reference], axis=0)
    ranks = means.round(6).rank(axis=1, ascending=False)
    methods = pd.DataFrame({"rank": ranks.mean(), "mean": means.mean()})
    methods["difference"] = methods["mean"] - methods.loc[reference, "mean"]
    methods = methods.join(_duels(repeats.loc[pd.IndexSlice[:, means.index], :], reference))
    methods["p_wilcoxon"] = holm(changes.apply(_wilcoxon).astype(float))
    beliefs = {name: bayesian_signed_ranks(change, rope) for name, change in changes.items()}
    methods = methods.join(pd.DataFrame(beliefs, index=Beliefs._fields).T)
    methods["p_nemenyi"] = nemenyi[reference].where(nemenyi.index != reference)
    methods = methods.sort_values("rank").rename_axis("method")
    return Significance(methods, nemenyi, friedman_p(means), len(means), rope)


def _nemenyi(means: pd.DataFrame) -> pd.DataFrame:
    """The p-values of each pair of methods; on one data set all are 1."""
    import scikit_posthocs

    p = np.ones((means.shape[1],) * 2)
    if len(means) > 1 and means.shape[1] > 2:
        p = scikit_posthocs.posthoc_nemenyi_friedman(means.to_numpy()).to_numpy()
    return pd.DataFrame(p, means.columns, means.columns)


def _wilcoxon(change: pd.Series) -> float:
    if len(change) < 2 or not change.abs().max() > 0:
        return float("nan")
    return float(wilcoxon(change).pvalue)


def _duels(repeats: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Data sets on which each method is better, alike, worse, not tested; repeats are columns."""
    rival = repeats.loc[reference].reindex(repeats.index.get_level_values("dataset"))
    changes = (repeats - rival.set_axis(repeats.index)).drop(index=reference, level="label")
    enough = changes[changes.count(axis=1) >= FEWEST_REPEATS]
    p = pd.Series({key: _wilcoxon(line.dropna()) for key, line in enough.iterrows()}, dtype=float)
    names = {"wins": 1, "ties": 0, "losses": -1}
    if p.isna().all():
        return pd.DataFrame(columns=[*names, "untested"], dtype=float)
    told_apart = np.sign(changes.mean(axis=1)) * (holm(p).reindex(changes.index) < LEVEL)
    told_apart = told_apart.where(changes.index.isin(enough.index))
    counts = {name: (told_apart == sign).groupby("label").sum() for name, sign in names.items()}
    return pd.DataFrame({**counts, "untested": told_apart.isna().groupby("label").sum()})


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
