"""Published against reproduced, for every cell that the papers print."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from coassoc.atomic import write_text
from coassoc.bench.columns import MADE_BY
from reproduction.plan.keys import block_of
from reproduction.results.pages import render, write_lines, write_sortable_page
from reproduction.scores.files import AS_TEXT

#: Up to this many standard deviations a difference counts as reproduced.
LARGEST_Z = 2.0
#: Absolute differences that count as near and as close.
NEAR, CLOSE = 0.05, 0.02
#: Columns that say whether a compared cell passes a yardstick, from lenient to strict.
YARDSTICKS = ("within 2 sd", f"within {NEAR:g}", "within 2 se", f"within {CLOSE:g}")
#: Smallest spread of a score: papers print three digits, and many print no spread at all.
SMALLEST_SPREAD = 0.01

_TABLE = ["paper", "table"]
_COLUMN = [*_TABLE, "dataset", "metric"]
_KEYS = [*_TABLE, "dataset", "method", "metric"]
_FOUND = ["mean", "std", "repeats", "reason", "pool", "m", "reference", "parameters", "run"]
_FOUND += ["distance", *MADE_BY]
#: Verdicts on a published cell; the first two are those of compared cells.
VERDICTS = ["reproduced", "differs", "not comparable", "not run"]
_COMPARED = VERDICTS[:2]


def read_tables(paths: Sequence[str | Path], published: Mapping[str, str]) -> pd.DataFrame:
    """The lines of tables' CSV files with a reproduced number, or the reason why there is none.

    Paths are ``…/{paper}/{table}.csv``; `published` has for "paper/table" the name of the table in
    published.csv, where it is another one.
    """
    frames = []
    for path in map(Path, paths):
        paper, table = path.parent.name, path.stem
        name = published.get(f"{paper}/{table}", table)
        frame = pd.read_csv(path, dtype=AS_TEXT).assign(paper=paper, table=name)
        frames.append(frame[frame["row"].notna()])
    if not frames:
        return pd.DataFrame(columns=[*_KEYS, *_FOUND, "label"]).drop(columns="method")
    return pd.concat(frames, ignore_index=True)


def scorecard(
    published: Sequence[Mapping[str, Any]] | pd.DataFrame,
    reproduced: pd.DataFrame,
    differences: Sequence[Mapping[str, Any]] = (),
) -> pd.DataFrame:
    """One line for each published cell.

    Published numbers have paper, table, dataset, method, metric, mean, std, why (the reason for
    which the configuration does not make this cell; empty if it does), same_as (the method whose
    printed numbers a method's repeat) and fitted (whether a setting or the reading of the text
    was chosen by print); data sets under this project's names. Numbers may be texts, empty where
    there are none. Reproduced lines are from :func:`read_tables`; differences are
    entries of config/differences.yaml: cells that cannot be compared, and causes of those that
    differ.

    Returns
    -------
    DataFrame
        Columns of `published` without why and same_as, and reproduced_mean, reproduced_std,
        repeats, pool, m, reference (of base clusterings, not of a method), parameters, run,
        distance (whether it is one from another row), commit, code, shortened (by a race, to fewer
        repeats or points), difference, z, verdict, the yardsticks (:data:`YARDSTICKS`, True or
        False where numbers are compared), reason, repeats_cell (of a number that the paper prints
        more than once, the table and method of the cell from which the verdict is).

    Notes
    -----
    z is the difference over √(s_r² + s_p²), the spreads of the repeats here and in the paper.
    Where the paper prints none, the spread here stands for both. A standard error has s²/repeats in
    place of s², with the repeats here for both. A time on another machine gets no z.

    A number that a paper prints in several tables gets one verdict, that of the first cell that has
    been run, by the spread of the first that has one.
    """
    card = pd.DataFrame(published)
    card[["mean", "std"]] = card[["mean", "std"]].apply(pd.to_numeric)
    here = reproduced.rename(columns={"label": "method"}).reindex(columns=_KEYS + _FOUND)
    here = here.rename(columns={"mean": "reproduced_mean", "std": "reproduced_std"})
    card = card.merge(here, on=_KEYS, how="left", validate="many_to_one")
    # A mean over other data sets has the name of the published cell, and is another number.
    numbers = ["reproduced_mean", "reproduced_std"]
    card[numbers] = card[numbers].astype(float).where(card["why"] == "")
    card["distance"] = card["distance"].eq(True)
    once = _printed_first(card)
    card["std"] = card["std"].fillna(card["std"].groupby(once).transform("first"))
    card["difference"] = card["reproduced_mean"] - card["mean"]
    own = card["reproduced_std"].fillna(0.0)
    spread = np.sqrt(own**2 + card["std"].fillna(own) ** 2).clip(lower=SMALLEST_SPREAD)
    card["z"] = (card["difference"] / spread).where(card["metric"] != "seconds")
    card["shortened"] = card["run"].map(_shortened)
    card["verdict"] = np.where(card["z"].abs() > LARGEST_Z, "differs", "reproduced")
    card.loc[card["metric"] == "seconds", "verdict"] = "not comparable"
    card.loc[card["reproduced_mean"].isna(), "verdict"] = "not run"
    card["reason"] = _reasons(card, reproduced)
    _apply_differences(card, differences)
    error = spread / np.sqrt(card["repeats"].astype(float).clip(lower=1))
    limits = (LARGEST_Z * spread, NEAR, (2 * error).clip(lower=SMALLEST_SPREAD), CLOSE)
    compared = card["verdict"].isin(_COMPARED)
    for name, limit in zip(YARDSTICKS, limits, strict=True):
        passed = card["difference"].abs() <= limit + 1e-9
        card[name] = passed.astype(object).where(compared, None)
    # Of a repeated number all but its place is as in the cell that has it first.
    judged = card.loc[once].set_axis(card.index)
    first = (judged["table"] + ": " + judged["method"]).where(once != card.index, "")
    judged[_KEYS] = card[_KEYS]
    return judged.assign(repeats_cell=first).drop(columns=["why", "same_as"])


def _printed_first(card: pd.DataFrame) -> pd.Series:
    """For each cell the index of the first with the same printed number, of those that were run."""
    own = card.index.to_series()
    run = own.where(card["reproduced_mean"].notna())
    numbers = [card[key] for key in ("paper", "dataset", "same_as", "metric", "mean")]
    first = own.groupby(numbers).transform("first")
    return run.groupby(numbers).transform("first").fillna(first).astype(int)


def _shortened(run: Any) -> str:
    """How a run was shortened: by a race, fewer repeats or fewer grid points; mostly empty."""
    block = block_of(run)
    parts = ["race"] if block.race else []
    parts += [f"{block.repeats} repeat{'s' if block.repeats > 1 else ''}"] if block.repeats else []
    parts += [f"{block.points[0]} of {block.points[1]} points"] if block.points else []
    return ", ".join(parts)


def named_by(entry: Mapping[str, Any], cells: pd.DataFrame) -> pd.Series:
    """Which cells an entry of config/differences.yaml names.

    They have the columns paper, table, dataset, method and metric.
    """
    named = cells["paper"] == entry["paper"]
    for column in ("table", "dataset", "method", "metric"):
        if f"{column}s" in entry:
            named &= cells[column].isin(entry[f"{column}s"])
    return named


def _apply_differences(card: pd.DataFrame, differences: Sequence[Mapping[str, Any]]) -> None:
    """Set aside cells that cannot be compared, and name causes; earlier entries come first."""
    for entry in differences:
        named = named_by(entry, card)
        if entry.get("not_comparable"):
            aside = named & card["verdict"].isin(_COMPARED)
            card.loc[aside, "verdict"] = "not comparable"
            card.loc[aside, "z"] = np.nan
        else:
            aside = named & (card["verdict"] == "differs") & (card["reason"] == "")
        card.loc[aside, "reason"] = f"{entry['because']} (shown by: {entry['shown_by']})"


def _reasons(card: pd.DataFrame, reproduced: pd.DataFrame) -> Any:
    """Why a cell was not run or cannot be compared; empty for the others."""
    made = pd.MultiIndex.from_frame(card[_TABLE]).isin(pd.MultiIndex.from_frame(reproduced[_TABLE]))
    of_run = card["reason"].fillna("").str.removeprefix("not run: ").replace("", "no score")
    reasons = {
        "": card["verdict"].isin(_COMPARED),
        "time on another machine": card["verdict"] == "not comparable",
        "table not made": ~made & (card["why"] == ""),
        "the table was made without the cell": card["repeats"].isna() & (card["why"] == ""),
    }
    return np.select([*reasons.values()], [*reasons], card["why"].where(card["why"] != "", of_run))


def _ordered(card: pd.DataFrame) -> pd.DataFrame:
    """Lines of a paper, table, data set and metric with three methods to order, not distances."""
    columns = card.groupby(_COLUMN, sort=False)
    several = columns["method"].transform("size") >= 3
    return card[several & ~columns["distance"].transform("any").astype(bool)]


def rank_agreement(card: pd.DataFrame) -> pd.DataFrame:
    """Kendall's τ (tau) between the published and the reproduced order of the methods.

    One line for each paper, table, data set and metric with at least three methods.
    """
    groups = _ordered(card.dropna(subset="reproduced_mean")).groupby(_COLUMN, sort=False)
    lines = [
        (*keys, len(group), kendalltau(group["mean"], group["reproduced_mean"]).statistic)
        for keys, group in groups
    ]
    return pd.DataFrame(lines, columns=[*_COLUMN, "methods", "tau"])


def winners(card: pd.DataFrame, own: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Who is best in print and here, and where the paper's own method stands, by paper.

    Over its columns (paper, table, data set and metric with at least three compared methods): their
    number, in how many the same method is best ("same winner"), and the mean ranks of the best of
    the paper's own methods (`own`: paper → labels), "rank in print" and "rank here", of the columns
    that have one. The lower rank counts among ties.
    """
    compared = _ordered(card[card["verdict"].isin(_COMPARED)])
    numbers = compared.groupby(_COLUMN, sort=False)[["mean", "reproduced_mean"]]
    ranks = numbers.rank(ascending=False, method="min")
    labels = {(paper, label) for paper, names in own.items() for label in names}
    is_own = pd.MultiIndex.from_frame(compared[["paper", "method"]]).isin(labels)
    lines = compared[_COLUMN].assign(
        **{"same winner": (ranks == 1).all(axis=1)},
        **{"rank in print": ranks["mean"].where(is_own)},
        **{"rank here": ranks["reproduced_mean"].where(is_own)},
    )
    best = {"same winner": "max", "rank in print": "min", "rank here": "min"}
    by_paper = lines.groupby(_COLUMN, sort=False).agg(best).groupby("paper", sort=False)
    summary = by_paper.agg({"same winner": "sum", "rank in print": "mean", "rank here": "mean"})
    summary.insert(0, "columns", by_paper.size())
    return summary.reset_index()


def summary_page(
    card: pd.DataFrame,
    titles: Mapping[str, str],
    own: Mapping[str, Sequence[str]],
    agreement: str = "",
) -> str:
    """One page of Markdown: verdicts per table, agreement of ranks, reasons, largest gaps.

    It begins with the page of the yardsticks, `agreement`, where there is one.
    """
    compared = card[card["verdict"].isin(_COMPARED)]
    passed = compared[list(YARDSTICKS)].astype(int).assign(compared=1)
    yardsticks = passed.groupby(compared["paper"], sort=False)[["compared", *YARDSTICKS]].sum()
    yardsticks.loc["all"] = yardsticks.sum()
    if compared["fitted"].any():
        yardsticks.loc["all with stated settings"] = passed[~compared["fitted"]].sum()
    largest = compared["z"].abs().sort_values(ascending=False).index[:10]
    gaps = compared.loc[largest, [*_KEYS, "mean", "reproduced_mean", "z"]]
    return render(
        "scorecard.md",
        agreement=agreement.removeprefix("# ").partition("\n"),
        card=card,
        titles=titles,
        compared=compared,
        once=compared[compared["repeats_cell"] == ""],
        largest_z=f"{LARGEST_Z:g}",
        smallest_spread=SMALLEST_SPREAD,
        yardsticks=yardsticks.rename_axis("paper").reset_index(),
        shortened=compared["shortened"].replace("", None).value_counts().sort_index(),
        winners=winners(card, own),
        tables=_by_table(card),
        remaining=what_remains(card),
        largest=gaps.rename(columns={"mean": "published", "reproduced_mean": "reproduced"}),
    )


def what_remains(card: pd.DataFrame) -> pd.DataFrame:
    """The cells that differ, grouped by paper and cause, the causes of most cells first.

    Columns are paper, methods, data sets, cells, mean difference and why.
    """
    differ = card[card["verdict"] == "differs"]
    paper = pd.Categorical(differ["paper"], differ["paper"].unique())
    causes = differ.assign(paper=paper, why=differ["reason"].replace("", "not explained"))
    groups = causes.groupby(["paper", "why"], sort=False, observed=True, as_index=False).agg(
        **{"methods": ("method", _listed), "data sets": ("dataset", _listed)},
        **{"cells": ("z", "size"), "mean difference": ("difference", "mean")},
    )
    groups = groups.sort_values(
        ["paper", "cells"], ascending=[True, False], kind="stable", ignore_index=True
    )
    return groups[["paper", "methods", "data sets", "cells", "mean difference", "why"]]


def _listed(names: pd.Series) -> str:
    return ", ".join(names.unique())


def verdict_counts(card: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Number of cells of each group, in their order, and how many have each verdict."""
    counts = pd.get_dummies(card["verdict"], dtype=int).reindex(columns=VERDICTS, fill_value=0)
    counts.insert(0, "cells", 1)
    return counts.groupby([card[key] for key in keys], sort=False).sum()


def _by_table(card: pd.DataFrame) -> pd.DataFrame:
    counts = verdict_counts(card, _TABLE)
    for name, sign in (("higher", 1), ("lower", -1)):
        there = (card["verdict"] == "differs") & (np.sign(card["z"]) == sign)
        counts[name] = there.groupby([card[key] for key in _TABLE]).sum()
    ranks = rank_agreement(card)
    agreement = ranks.groupby(_TABLE)["tau"].mean().reindex(counts.index)
    counts.loc[("all", ""), :] = counts.sum()
    taus = pd.Series([*agreement, ranks["tau"].mean()], counts.index)
    texts = taus.map("{:.2f}".format).replace("nan", "")
    return counts.astype(int).assign(**{"Kendall τ": texts}).reset_index()


#: Columns of the scorecard's page, the verdict where it is seen first.
_ON_PAGE = [*_KEYS[:2], "data set", "method", "metric", "verdict", "published", "published std"]
_ON_PAGE += ["reproduced", "reproduced std", "difference", "z", "within 2 se", "repeats"]
_ON_PAGE += ["shortened", "reason", "printed already in"]
_NAMES = {"dataset": "data set", "mean": "published", "std": "published std"}
_NAMES |= {"reproduced_mean": "reproduced", "reproduced_std": "reproduced std"}
_NAMES |= {"repeats_cell": "printed already in"}


def write_scorecard(
    paths: Mapping[str, Any],
    card: pd.DataFrame,
    titles: Mapping[str, str],
    own: Mapping[str, Any],
    agreement: str = "",
) -> None:
    """Write the scorecard as CSV and web page, and its summary as Markdown."""
    write_lines(paths["csv"], card)
    write_text(paths["md"], summary_page(card, titles, own, agreement))
    write_sortable_page(
        paths["html"],
        card.round(4).rename(columns=_NAMES)[_ON_PAGE].set_index("paper"),
        title="Scorecard",
        caption="Every published cell beside the reproduced one.",
        note="z: difference over the spread of the repeats, here and in the paper together.",
    )
