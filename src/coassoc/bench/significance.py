"""Comparison of methods over all data sets: ranks, tests, corrections."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from coassoc.bench.statistics import (
    FEWEST_REPEATS,
    LEVEL,
    bayesian_signed_ranks,
    friedman_p,
    holm,
    signed_rank_p,
)


class Significance(NamedTuple):
    """Result of :func:`compare_methods`."""

    #: One line per method: rank (mean over the data sets), mean; against the reference difference,
    #: wins, ties, losses (data sets on which the two differ significantly over the repeats, or do
    #: not), p_wilcoxon (over the data sets, Holm-corrected), p_nemenyi, and the probabilities
    #: worse, alike and better of the Bayesian signed-rank test.
    methods: pd.DataFrame
    #: p-values of each pair of methods, and of the hypothesis that all methods are alike.
    nemenyi: pd.DataFrame
    friedman: float
    #: Number of data sets.
    blocks: int
    #: Largest mean difference that counts as practically equivalent to zero.
    rope: float


def compare_methods(values: pd.DataFrame, reference: str, rope: float) -> Significance:
    """Demšar's tests: Friedman over data sets, then Nemenyi for all pairs and Wilcoxon for one.

    The blocks are data sets, each with the mean over its repeats, because repeats on one data set
    are not independent evidence. Data sets on which a method has no score are left out. Wins and
    losses use the repeats, paired by draw, with Holm's correction over all methods and data sets.

    Parameters
    ----------
    values : DataFrame
        A row for each repeat: label, dataset, repeat and value; NaN if it failed.
    reference : str
        Label of the method that others are compared with.
    rope : float
        Mean difference that counts as no difference in practice.
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
    methods["p_wilcoxon"] = holm(changes.apply(_changed).astype(float))
    beliefs = {name: bayesian_signed_ranks(change, rope) for name, change in changes.items()}
    methods = methods.join(pd.DataFrame(beliefs).T)
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


def _changed(change: pd.Series) -> float:
    """p-value of Wilcoxon's test; undefined for a single change, and where nothing changed."""
    if len(change) < 2 or not change.abs().max() > 0:
        return float("nan")
    return signed_rank_p(change)


def _duels(repeats: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Data sets on which each method is better, alike, worse, not tested; repeats are columns."""
    rival = repeats.loc[reference].reindex(repeats.index.get_level_values("dataset"))
    changes = (repeats - rival.set_axis(repeats.index)).drop(index=reference, level="label")
    enough = changes[changes.count(axis=1) >= FEWEST_REPEATS]
    p = pd.Series({key: _changed(line.dropna()) for key, line in enough.iterrows()}, dtype=float)
    names = {"wins": 1, "ties": 0, "losses": -1}
    if p.isna().all():
        return pd.DataFrame(columns=[*names, "untested"], dtype=float)
    told_apart = np.sign(changes.mean(axis=1)) * (holm(p).reindex(changes.index) < LEVEL)
    told_apart = told_apart.where(changes.index.isin(enough.index))
    counts = {name: (told_apart == sign).groupby("label").sum() for name, sign in names.items()}
    return pd.DataFrame({**counts, "untested": told_apart.isna().groupby("label").sum()})
