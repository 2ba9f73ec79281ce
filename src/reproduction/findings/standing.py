"""Whether a paper's own method lost more than its rivals, without a model.

The standing of a method in a column is its score minus the mean score of the rivals there; the
change is the reproduced standing minus the published one. A method's change is the mean over
families of data sets, so that versions of one data set count once. If nothing but chance separated
the own method from the rivals, each rank of its change among all changes would be equally likely.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from coassoc.bench.statistics import family
from reproduction.findings import margins
from reproduction.findings.cells import COLUMN
from reproduction.findings.intervals import Resampling, intervals, percent, with_interval
from reproduction.findings.measures import Measures
from reproduction.scores.families import drawn_times

#: The name of a paper's own method: in each column, its row with the best mean of both numbers.
OWN = "own method"


def standings(cells: pd.DataFrame) -> pd.DataFrame:
    """Published ("printed") and reproduced ("here") standings of the methods in each column.

    A line has :data:`~reproduction.findings.cells.COLUMN`, method, family, standings and change.
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
    rows = rows.assign(change=rows["here"] - rows["printed"])
    return rows[[*COLUMN, "method", "family", "printed", "here", "change"]].sort_index()


def means_over_families(lines: pd.DataFrame) -> pd.DataFrame:
    """Mean numbers of each method of each paper, over families of data sets."""
    by_family = lines.groupby(["paper", "method", "family"], sort=False)
    return by_family.mean(numeric_only=True).groupby(["paper", "method"], sort=False).mean()


def ranks_of_own(lines: pd.DataFrame) -> pd.DataFrame:
    """The rank of the own method's change from the lowest, and the number of methods, by paper."""
    changes = means_over_families(lines)["change"].unstack("method")
    ranks = changes.rank(axis=1, method="max").reindex(columns=[OWN])
    table = pd.DataFrame({"rank": ranks[OWN], "methods": changes.count(axis=1)})
    return table.loc[lines["paper"].unique()]


def p_of_ranks(ranks: pd.DataFrame) -> float:
    """Exact probability that the sum of relative ranks is as small, if all ranks are as likely."""
    relative = [np.arange(1, n + 1) / n for n in ranks["methods"]]
    observed = (ranks["rank"] / ranks["methods"]).sum()
    return float((reduce(np.add.outer, relative) <= observed + 1e-12).mean())


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
    columns = ["paper", "family", "printed", "here"]
    return pd.DataFrame(found, columns=columns).dropna()


def mean_with_interval(values: pd.Series, families: pd.Series, seed: int) -> tuple[float, ...]:
    """A mean with its 95 % percentile interval over resamples of families."""
    sums = values.groupby(families).agg(["sum", "size"])
    times = drawn_times(len(sums), seed)
    means = (times @ sums["sum"].to_numpy()) / (times @ sums["size"].to_numpy())
    return (float(values.mean()), *np.quantile(means, [0.025, 0.975]))


#: Standings with which a change is compared: in the published table on the other families of data
#: sets, by the other metrics on the same data set, and the mean of both standings (Bland & Altman).
_STANDINGS = ("other families", "other metrics", "both numbers")


def slopes_of_change(lines: pd.DataFrame) -> pd.DataFrame:
    """Slopes of the rivals' changes on other standings than that of the same number in print.

    Lines of quantity, paper, value, low and high. If scores return to the mean, the slopes are
    negative. The lines go through the origin; intervals are t intervals of the jackknife over
    families of data sets. Other metrics of the same partitions share a part of the noise.
    """
    rivals, found = lines[lines["method"] != OWN], []
    for (paper, part), name in product(rivals.groupby("paper", sort=False), _STANDINGS):
        if name == "other metrics":  # families with a single metric would narrow the interval
            metrics = part.groupby(["method", "dataset"])["metric"]
            part = part[metrics.transform("nunique") > 1]
        left = [_slope(part[part["family"] != x], name) for x in part["family"].unique()]
        n, value = len(left), _slope(part, name)
        spread = np.std(left) if n > 1 else np.nan
        half = stdtrit(n - 1, 0.975) * spread * np.sqrt(n - 1)
        ends = {"low": value - half, "high": value + half}
        found.append({"quantity": f"slope on {name}", "paper": paper, "value": value, **ends})
    return pd.DataFrame(found)


def _slope(part: pd.DataFrame, standing: str) -> float:
    """Slope of the changes of one paper's rivals on one of their standings."""
    if standing == "both numbers":
        x, y = (part["printed"] + part["here"]) / 2, part["change"]
    else:
        apart = "family" if standing == "other families" else "metric"
        same = ["method"] if standing == "other families" else ["method", "dataset"]
        means = part.groupby([*same, apart], sort=False)[["printed", "change"]].mean()
        of_method = means["printed"].groupby(same, sort=False)
        others = of_method.transform("size") - 1
        x = (of_method.transform("sum") - means["printed"]) / others.where(others > 0)
        y = means["change"].where(x.notna())
    return float((x * y).sum() / (x * x).sum()) if x.any() else np.nan


def standing_table(
    cells: pd.DataFrame, tables: Mapping[str, Sequence[str]], seed: int
) -> pd.DataFrame:
    """Lines of quantity, paper, value, low, high and "of" (the count that the value is part of).

    Papers without public base clusterings are also taken together, under their names joined by
    "+". `tables` are the tables of each paper that compare methods.
    """
    lines, columns = standings(cells), margins.columns_of(cells)
    drawn = margins.draw_chance(cells, columns, seed)
    numbers = [cells[key].to_numpy(float) for key in ("printed", "here")]
    observed = margins.lines_of_columns(columns, margins.track_margins(columns, *numbers))
    chance = observed[["paper", "dataset"]].join(
        pd.DataFrame(drawn[:, margins.MARGIN_MEASURES.index("change")])
    )
    is_closed = observed["public"].eq(False)
    closed = observed[is_closed].groupby("paper", sort=False)["dataset"].nunique() > 1
    group = "+".join(closed.index[closed])
    units = {paper: [paper] for paper in observed["paper"].unique()}
    units |= {group: group.split("+")} if closed.any() else {}
    ranks, single = ranks_of_own(lines), margins_over_one_rival(lines)
    means = means_over_families(lines)["here"]
    names, found = ("value", "low", "high", "of"), []
    for unit, papers in units.items():
        part = observed[observed["paper"].isin(papers)]
        change = part.groupby(["paper", "dataset"], sort=False)["change"].mean()
        by_family = change.groupby(change.index.get_level_values("dataset").map(family)).mean()
        by_chance = chance[chance["paper"].isin(papers)].groupby(["paper", "dataset"]).mean()
        # Data sets vary independently of one another, so their probabilities give the distribution.
        falling = (by_chance < 0).mean(axis=1)
        counts = reduce(np.convolve, [np.array((1 - x, x)) for x in falling])
        ends = np.searchsorted(counts.cumsum(), [0.025, 0.975])
        # A perfect reproduction lets about half of the margins fall.
        rows = {
            "data sets fell": ((change < 0).sum(), np.nan, np.nan, len(change)),
            "families fell": ((by_family < 0).sum(), np.nan, np.nan, len(by_family)),
            "data sets fell by chance": (falling.sum(), *ends, len(change)),
        }
        of_unit = single[single["paper"].isin(papers)]
        for side in ("printed", "here") if of_unit["family"].nunique() > 1 else ():
            mean = mean_with_interval(of_unit[side], of_unit["family"], seed)
            rows[f"margin over one rival, {side}"] = (*mean, len(of_unit))
        if unit in ranks.index:
            line, here = ranks.loc[unit], means[unit]
            rows["rank of change"] = (line["rank"], np.nan, np.nan, line["methods"])
            rows["rank of reproduced mean"] = ((here >= here[OWN]).sum(), np.nan, np.nan, len(here))
        else:
            rows["p of ranks"] = (p_of_ranks(ranks.loc[papers]), np.nan, np.nan, np.nan)
        found += [
            {"quantity": name, "paper": unit, **dict(zip(names, row, strict=True))}
            for name, row in rows.items()
        ]
    kinds = [_agreement_by_kind(cells, paper, tables[paper], seed) for paper in ranks.index]
    made = pd.concat([pd.DataFrame(found), slopes_of_change(lines), *kinds], ignore_index=True)
    return made.reindex(columns=["quantity", "paper", *names])


def _agreement_by_kind(
    cells: pd.DataFrame, paper: str, tables: Sequence[str], seed: int
) -> pd.DataFrame:
    """Chance-corrected agreement of the tables that compare methods, and of the other tables."""
    name, of_paper = "chance-corrected 2 se", cells[cells["paper"] == paper]
    found = []
    for kind, part in of_paper.groupby(of_paper["table"].isin(tables)):
        part = part.reset_index(drop=True)
        measures, resampling = Measures(part), Resampling(part)
        observed = {name: measures.observed()[name]}

        def measure(*numbers, measures=measures):
            return {name: measures.by_cell(*numbers)[name]}

        low, high = intervals(measure, resampling, observed, seed).loc[name]
        quantity = f"chance-corrected, {'comparisons' if kind else 'other tables'}"
        line = {"quantity": quantity, "paper": paper, "value": observed[name]}
        found.append({**line, "low": low, "high": high, "of": int((~part["again"]).sum())})
    return pd.DataFrame(found)


def table_of_standings(lines: pd.DataFrame, quantities: Mapping[str, str]) -> pd.DataFrame:
    """Table of papers and quantities, under their names for readers, with counts as "k of n"."""

    def text(line: pd.Series) -> str:
        if line["quantity"].startswith("chance-corrected"):
            return with_interval(line, percent)
        if line["quantity"].startswith(("margin", "slope")):
            return with_interval(line, "{:+z.3f}".format)
        counted = with_interval(line, "{:.0f}".format)
        return (
            counted if line[["of", "low"]].isna().sum() != 1 else f"{counted} of {line['of']:.0f}"
        )

    texts = lines.assign(text=lines.apply(text, axis=1) if len(lines) else "")
    table = texts.pivot(index="paper", columns="quantity", values="text")
    table = table.reindex(lines["paper"].unique(), columns=list(quantities)).rename(
        columns=quantities
    )
    return table.dropna(how="all").fillna("").rename_axis(columns=None).reset_index()
