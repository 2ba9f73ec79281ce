"""Candidates for ``method="auto"``, evaluated on data sets that were not used to choose them.

A *score table* has a line for each ensemble: its problem (a data set), family (data sets of one
origin), pool (how its base clusterings were generated), kind ("finer" if the median number of its
clusters is larger than requested, else "others"), features of its labels (:data:`FACTS`), and the
ARI of each method and of "auto". "WEAC without k" is WEAC that chooses the number of clusters
itself, and "WEAC if large" is WEAC on a large ensemble of the data set.
``scripts/measure_choice.py`` computes the lines.
"""

import pandas as pd

from coassoc.methods.auto import measured_means
from reproduction.scores.families import half_width, standard_error

#: Columns of a score table that are no scores. The last ones are the requested number of clusters,
#: the clusters of the median base clustering relative to this number, the distinct rows relative to
#: the samples, the missing labels, and the diversity.
FACTS = ["problem", "family", "pool", "kind", "n_clusters", "finer", "rows", "missing", "diversity"]
#: Compared choices: methods with and without hindsight, and the candidates.
WITHOUT, LARGE = " without k", " if large"
LWEA, FIXED, BEST = "LWEA", "best fixed method", "best method of each"
CHOSEN, AUTO = "method of best mean", "auto"
#: Method with which others are compared on a kind of ensemble, instead of "auto".
BASELINES = {"no number": "WEAC", "large": "LWGP"}
#: Question for each kind of ensemble.
_ASKED = {
    "others": "clusterings with about the requested number of clusters, or fewer",
    "finer": "clusterings with more clusters than requested (by the median)",
    "no number": "no number of clusters requested",
}


def methods_of(table: pd.DataFrame) -> list[str]:
    """Methods but auto that take the number of classes and have a score on every ensemble."""
    complete = table.select_dtypes("number").dropna(axis="columns")
    # A commit may have digits only, which a CSV file does not tell from a number.
    others = (*FACTS, AUTO, "commit")
    return [x for x in complete if x not in others and not x.endswith((WITHOUT, LARGE))]


def judged(table: pd.DataFrame) -> pd.DataFrame:
    """ARI of each candidate on each ensemble of a score table that has a score of "auto".

    The columns are pool, family, and one for each candidate. CHOSEN is the method with the largest
    mean over the pools on the other families. FIXED (for each pool) and BEST (for each ensemble)
    are oracles.
    """
    table = table[table[AUTO].notna()]
    scores = table[methods_of(table)]
    result = table[["pool", "family"]].copy()
    result[LWEA] = scores[LWEA]
    for _, of_pool in scores.groupby(table["pool"]):
        result.loc[of_pool.index, FIXED] = of_pool[of_pool.mean().idxmax()]
    for _, of_family in scores.groupby(table["family"]):
        others = scores.drop(of_family.index)
        means = others.groupby(table["pool"]).mean().mean()
        result.loc[of_family.index, CHOSEN] = of_family[means.idxmax()]
    result[AUTO] = table[AUTO]
    result[BEST] = scores.max(axis=1)
    return result


def gaps_closed(result: pd.DataFrame) -> pd.DataFrame:
    """A line for each candidate: mean ARI by pool and over the pools, and fraction of the gap
    closed.

    The gap is the difference between the best fixed method and the best method of each ensemble.
    The standard error (over the families) is that of the difference from the best fixed method.
    """
    candidates = result.drop(columns=["pool", "family"])
    table = candidates.groupby(result["pool"]).mean().T
    # All pools have the same weight, regardless of their number of ensembles.
    weights = 1 / result.groupby("pool")["pool"].transform("size") / table.shape[1]
    table["mean"] = means = table.mean(axis=1)
    table["closed"] = (means - means[FIXED]) / (means[BEST] - means[FIXED])
    differences = candidates.sub(result[FIXED], axis=0)
    table["standard error"] = standard_error(differences, result["family"], weights)
    return table.rename_axis("candidate")


def means_of(table: pd.DataFrame) -> pd.DataFrame:
    """Mean ARI of each method on each kind of ensemble, which the library reports.

    A line contains the kind, the method, the numbers of problems and ensembles, the mean ARI, its
    difference from the mean ARI of the baseline, and the interval of the difference. The best
    method comes first.
    """
    scores, parts = table[[AUTO, *methods_of(table)]].dropna(), {}
    for kind, suffix in (("no number", WITHOUT), ("large", LARGE)):
        own = table.filter(regex=f"{suffix}$")
        own = own.set_axis(own.columns.str.removesuffix(suffix), axis=1)
        parts[kind] = own.dropna(how="all").dropna(axis="columns")
    kinds = table.loc[scores.index, "kind"]
    parts |= {kind: scores[kinds == kind] for kind in kinds.unique()}
    frames = [_compared(x, here, table.loc[here.index]) for x, here in parts.items() if len(here)]
    return pd.concat(frames)


def _compared(kind: str, scores: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    differences = scores.sub(scores[BASELINES.get(kind, AUTO)], axis=0)
    means, half = differences.mean(), half_width(differences, facts["family"])
    lines = pd.DataFrame({"mean": scores.mean(), "difference": means})
    lines = lines.assign(low=means - half, high=means + half).sort_values("mean", ascending=False)
    lines = lines.round(3).rename_axis("method").reset_index()
    counts = {"problems": facts["problem"].nunique(), "ensembles": len(scores)}
    lines = lines.assign(kind=kind, **counts)
    return lines[["kind", "method", *counts, "mean", "difference", "low", "high"]]


def recommended() -> pd.DataFrame:
    """The mean ARI of ``auto`` on each kind of ensemble, and of methods that do not differ."""
    lines = []
    for kind, description in _ASKED.items():
        means, name = measured_means(kind), BASELINES.get(kind, AUTO)
        near = [x for x, line in means.items() if line.alike and x != name]
        more = f" and {len(near) - 3} more" if len(near) > 3 else ""
        lines.append(
            {
                "ensemble": description,
                "data sets": means[name].problems,
                "method": f"{name} {means[name].mean:.3f}",
                "LWEA": means["LWEA"].versus,
                "not significantly different": ", ".join(near[:3]) + more,
            }
        )
    return pd.DataFrame(lines)
