"""Whether a paper's own method lost more than its rivals, without a model.

The standing of a method in a column is its score minus the mean score of the rivals there; the
change is the reproduced standing minus the published one. A method's change is the mean over
families of data sets, so that versions of one data set count once. If nothing but chance separated
the own method from the rivals, each rank of its change among all changes would be equally likely.
"""

from itertools import product
from math import prod

import numpy as np
import pandas as pd

from coassoc.bench.statistics import family
from reproduction.findings.cells import COLUMN
from reproduction.scores.families import drawn_times

#: The name of a paper's own method: in each column, its row with the best mean of both numbers.
OWN = "own method"


def standings(cells: pd.DataFrame) -> pd.DataFrame:
    """Published ("printed") and reproduced ("here") standings of the methods in each column.

    A line has :data:`~reproduction.findings.cells.COLUMN`, method, family and both standings.
    Columns with an own row and at least two rivals count.
    """
    rows = cells[cells["main"]]
    rows = rows.assign(
        method=rows["method"].where(~rows["own"], OWN),
        family=rows["dataset"].map(family),
        both=rows["printed"] + rows["here"],
    )
    rows = rows.sort_values("both", kind="stable").drop_duplicates([*COLUMN, "method"], keep="last")
    is_own = rows["method"] == OWN
    groups = rows.assign(own=is_own).groupby(COLUMN, sort=False)["own"]
    rows = rows[(groups.transform("sum") == 1) & (groups.transform("size") >= 3)]
    is_rival = rows["method"] != OWN
    for side in ("printed", "here"):
        of_rivals = rows[side].where(is_rival).groupby([rows[key] for key in COLUMN])
        rows[side] = rows[side] - of_rivals.transform("mean")
    return rows[[*COLUMN, "method", "family", "printed", "here"]].sort_index()


def mean_changes(lines: pd.DataFrame) -> pd.Series:
    """Mean change of each method of each paper, over families of data sets."""
    change = (lines["here"] - lines["printed"]).groupby(
        [lines["paper"], lines["method"], lines["family"]], sort=False
    )
    return change.mean().groupby(["paper", "method"], sort=False).mean()


def ranks_of_own(lines: pd.DataFrame) -> pd.DataFrame:
    """The rank of the own method's change from the lowest, and the number of methods, by paper."""
    ranks = {}
    for paper, changes in mean_changes(lines).groupby("paper", sort=False):
        changes = changes.droplevel("paper")
        ranks[paper] = {
            "rank": int((changes <= changes[OWN]).sum()),
            "methods": len(changes),
            "change": changes[OWN],
        }
    return pd.DataFrame.from_dict(ranks, orient="index").rename_axis("paper")


def p_of_ranks(ranks: pd.DataFrame) -> float:
    """Exact probability that the sum of relative ranks is as small, if all ranks are as likely."""
    numbers = ranks["methods"].astype(int).tolist()
    observed = (ranks["rank"] / ranks["methods"]).sum()
    as_small = sum(
        sum(rank / n for rank, n in zip(drawn, numbers, strict=True)) <= observed + 1e-12
        for drawn in product(*(range(1, n + 1) for n in numbers))
    )
    return as_small / prod(numbers)


def margins_over_one_rival(lines: pd.DataFrame) -> pd.DataFrame:
    """Margins over the best single rival, chosen on the other families, by paper and family.

    The published margin is over the rival with the best published standing on the other families,
    the reproduced margin over the one with the best reproduced standing there.
    """
    found = []
    means = lines.groupby(["paper", "method", "family"], sort=False)[["printed", "here"]].mean()
    for paper, of_paper in means.groupby("paper", sort=False):
        tables = {side: of_paper[side].droplevel("paper").unstack("family") for side in of_paper}
        for name in tables["printed"].columns:
            line = {"paper": paper, "family": name}
            for side, table in tables.items():
                here = table[name].dropna()
                others = table.drop(columns=name).mean(axis=1).drop(OWN)
                others = others.reindex(here.index).dropna()
                if OWN in here and len(others):
                    line[side] = here[OWN] - here[others.idxmax()]
            found.append(line)
    return pd.DataFrame(found).dropna(subset=["printed", "here"])


def mean_with_interval(values: pd.Series, families: pd.Series, seed: int) -> tuple[float, ...]:
    """A mean with its 95 % percentile interval over resamples of families."""
    sums = values.groupby(families).agg(["sum", "size"])
    times = drawn_times(len(sums), seed)
    means = (times @ sums["sum"].to_numpy()) / (times @ sums["size"].to_numpy())
    return (float(values.mean()), *np.quantile(means, [0.025, 0.975]))


def falls(columns: pd.DataFrame) -> pd.DataFrame:
    """On how many data sets and families the margin fell, by paper and for "all".

    Lines are from :func:`~reproduction.findings.margins.lines_of_columns`. A perfect reproduction
    lets about half of the margins fall.
    """
    change = columns.groupby(["paper", "dataset"], sort=False)["change"].mean().reset_index()
    change["family"] = change["dataset"].map(family)

    def count(part: pd.DataFrame) -> pd.Series:
        by_family = part.groupby("family")["change"].mean()
        return pd.Series(
            {
                "data sets": len(part),
                "fell": int((part["change"] < 0).sum()),
                "families": len(by_family),
                "families fell": int((by_family < 0).sum()),
            }
        )

    counts = {str(paper): count(part) for paper, part in change.groupby("paper", sort=False)}
    return pd.DataFrame({**counts, "all": count(change)}).T.rename_axis("paper")
