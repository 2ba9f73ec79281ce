"""What decides a score: results-published/pools.csv and pool_margins.csv, from new pools.

    cd release && python -m benchmarks.pool_variance

The scores are those of `benchmarks.pools`, kept in results-published/kept/pools.parquet. For each
data set, method and pair of a paper's own method with a rival, the variance of a score or of a
difference between draws from one pool, between pools of one recipe and between recipes is
estimated by `coassoc.bench.survival.score_variances`. One draw from each pool is an ensemble of its
own: its variance is that of `draw`, and `pool` is empty.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from coassoc.bench.statistics import LEVEL, holm
from coassoc.bench.survival import score_variances
from generated import write_into_page
from reproduction.pages import write_numbers

PUBLISHED = Path(__file__).parents[2] / "results-published"
KEPT = PUBLISHED / "kept/pools.parquet"
PAGE = PUBLISHED.parent / "docs/results/pools.md"
_PARTS = ("recipe", "pool", "draw")
#: Smallest number of pools whose variance is told.
_FEWEST = 5
#: The own methods of the papers in a design, with the metric and the table of its comparison.
OWN = {
    "eccms": [("eccms", "EC-CMS", "EC-CMS (alpha=0.8, lambda=0.4)", "ARI", "table4")],
    "classes": [
        ("rce", "RCE", "RCE", "ACC", "table2"),
        ("hclce", "HCLCE", "HCLCE", "ACC", "table2"),
        ("acmk", "ACMK-SC", "ACMK-SC", "ACC", "table2"),
    ],
    "lta": [("lta", "LTA-SC", "LTA-SC", "ACC", None)],
}  # fmt: skip
#: The recipe of our tables of each paper that prints its own method at the defaults. The paper on
#: EC-CMS does not state the starts of k-means, and that on HCLCE neither starts nor scale.
USED = {"eccms": "as described", "lta": "as described", "hclce": "unit, random, 1 starts"}

#: Recipes with random starts, and those that differ from them in the starts of k-means++ alone.
STARTS = {"as described": "k-means++"} | {
    f"{scale}, random, {n} starts": f"{scale}, k-means++, {n} starts"
    for scale in ("raw", "unit", "standardised") for n in (1, 10)
}  # fmt: skip


def complete(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of a data set's first pools that all its recipes have."""
    sizes = scores.groupby("recipe")["pool"].nunique()
    return scores[scores["pool"] < sizes.min()]


def components(values: pd.Series) -> dict[str, float]:
    """Mean and variances of values that are indexed by recipe, pool and draw."""
    sizes = {name: values.index.get_level_values(name).nunique() for name in values.index.names}
    cube = values.sort_index().to_numpy().reshape([*sizes.values()])
    return {"mean": cube.mean(), **score_variances(cube), **{f"{k}s": n for k, n in sizes.items()}}


def paired(scores: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Scores in a column for each method, indexed by recipe, pool and draw."""
    return scores.pivot_table(index=["recipe", "pool", "draw"], columns="method", values=metric)


def variances(scores: pd.DataFrame) -> pd.DataFrame:
    """A line for each design, data set, order, and method or difference of two methods."""
    lines = []
    for (design, dataset, order), part in scores.groupby(
        ["design", "dataset", "order"], sort=False
    ):
        metric = OWN[design][0][3]
        wide = paired(complete(part), metric)
        if wide.index.get_level_values("pool").nunique() < _FEWEST:
            continue
        about = {"design": design, "dataset": dataset, "order": order, "metric": metric}
        for method in wide:
            lines.append(about | {"method": method, "rival": ""} | components(wide[method]))
        own = [name for _, name, *_ in OWN[design]]
        for name in own:
            for rival in wide.columns.difference(own):
                difference = components(wide[name] - wide[rival])
                lines.append(about | {"method": name, "rival": rival} | difference)
    return pd.DataFrame(lines)


def margins(scores: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """The margin of an own method over each rival: in print, on our pool, on new pools, by recipe.

    The own method is printed at the defaults that the experiment uses, and all methods of the
    experiment have this library's defaults; `defaults` tells whether our row of the rival has, too.
    `low` and `high` are the ends of the 95 % t interval over new pools of the recipe of our tables,
    and `starts` is the change from random starts to those of k-means++, with its interval; it is
    empty if there is one recipe. `p` and `starts_p` are the p-values of the t tests with Holm's
    correction over the margins of a paper in one order; the intervals are not corrected. In print
    and on our pool, samples are in the order of the file.
    """
    lines = []
    for (design, dataset, order), part in scores.groupby(["design", "dataset", "order"]):
        for paper, own, label, metric, table in OWN[design]:
            key = cells[["paper", "dataset", "metric"]] == [paper, dataset, metric]
            column = cells[key.all(axis=1)]
            column = column[(column["table"] == table) | (table is None)].set_index("method")
            wide = paired(complete(part), metric)
            rivals = wide.columns.intersection(column.index).drop(own, errors="ignore")
            few = wide.index.get_level_values("pool").nunique() < _FEWEST
            if few or label not in column.index or column["parameters"][label] != "{}":
                continue
            for rival in rivals:
                difference = (wide[own] - wide[rival]).groupby(["recipe", "pool"]).mean()
                there = difference[USED[paper]]
                low, high, p = tested(there.mean(), there.var() / len(there), len(there) - 1)
                starts, starts_low, starts_high, starts_p = change_of_starts(difference)
                lines.append({
                    "paper": paper, "dataset": dataset, "order": order, "metric": metric,
                    "rival": rival,
                    "defaults": column["parameters"][rival] == "{}",
                    "published": column["mean"][label] - column["mean"][rival],
                    "here": column["reproduced_mean"][label] - column["reproduced_mean"][rival],
                    "new_pools": there.mean(), "low": low, "high": high, "p": p,
                    "least_pool": there.min(), "most_pool": there.max(), "pools": len(there),
                    "starts": starts, "starts_low": starts_low, "starts_high": starts_high,
                    "starts_p": starts_p,
                })  # fmt: skip
    table = pd.DataFrame(lines)
    together = table.groupby(["paper", "order"])
    return table.assign(**{name: together[name].transform(holm) for name in ("p", "starts_p")})


def tested(mean: float, variance: float, freedom: float) -> tuple[float, float, float]:
    """Ends of the 95 % t interval of a mean with an estimated variance, and the two-sided p."""
    error = np.sqrt(variance)
    half = stdtrit(freedom, 0.975) * error
    return mean - half, mean + half, 2 * stdtr(freedom, -abs(mean) / error)


def change_of_starts(difference: pd.Series) -> tuple[float, float, float, float]:
    """Mean change of the means of pools from random starts to k-means++, interval and p-value.

    Pools of each pair of recipes that differ in the starts alone are compared.
    """
    changes, variances = [], []
    for recipe, other in STARTS.items():
        if recipe in difference.index and other in difference.index:
            pair = difference[recipe], difference[other]
            changes.append(pair[1].mean() - pair[0].mean())
            variances.append(sum(x.var() / len(x) for x in pair))
    count = len(changes)
    if not count:
        return np.nan, np.nan, np.nan, np.nan
    freedom = 2 * count * (difference.groupby("recipe").size().min() - 1)
    mean = float(np.mean(changes))
    return mean, *tested(mean, sum(variances) / count**2, freedom)


def shown_variances(table: pd.DataFrame) -> str:
    """Standard deviations of differences on each data set, as Markdown."""
    pairs = table[table["rival"] != ""]
    by_set = pairs.groupby(["design", "dataset", "order"], sort=False)[list(_PARTS)].mean()
    sizes = pairs.groupby(["design", "dataset", "order"], sort=False)[["recipes", "pools"]].first()
    shares = by_set.div(by_set.sum(axis=1), axis=0)
    shown = pd.DataFrame({
        name: [
            "" if np.isnan(value) else f"{np.sqrt(value):.3f} ({share:.0%})"
            for value, share in zip(by_set[name], shares[name], strict=True)
        ]
        for name in _PARTS
    }, index=by_set.index)  # fmt: skip
    return sizes.join(shown).reset_index().to_markdown(index=False)


def shown_margins(table: pd.DataFrame) -> str:
    """How many margins are positive in print and on new pools, by paper, as Markdown."""
    kinds = {
        "positive in print": table["published"] > 0,
        "positive here": table["here"] > 0,
        "above 0 on new pools": (table["new_pools"] > 0) & (table["p"] < LEVEL),
        "below 0 on new pools": (table["new_pools"] < 0) & (table["p"] < LEVEL),
        "changed by starts": table["starts_p"] < LEVEL,
    }
    paper = table["paper"].where(table["order"] == "file", table["paper"] + ", shuffled")
    counts = pd.DataFrame({"margins": 1, **kinds}).groupby(paper).sum()
    return counts.reset_index().to_markdown(index=False)


def main() -> None:
    """Write both tables, and their part of docs/results/pools.md."""
    scores = pd.read_parquet(KEPT)
    cells = pd.read_csv(PUBLISHED / "scorecard.csv", low_memory=False)
    commits = " ".join(scores["commit"].unique())
    found = {"pools": variances(scores), "pool_margins": margins(scores, cells)}
    for name, table in found.items():
        write_numbers(PUBLISHED / f"{name}.csv", table.assign(commit=commits))
    write_into_page(PAGE, "variances", shown_variances(found["pools"]))
    write_into_page(PAGE, "margins", shown_margins(found["pool_margins"]))


if __name__ == "__main__":
    main()
