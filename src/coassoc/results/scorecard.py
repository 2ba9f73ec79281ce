"""Published against reproduced, for every cell that the papers print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from coassoc.plan.columns import MADE_BY
from coassoc.plan.keys import RunKey
from coassoc.results.pages import write_sortable_page
from coassoc.results.summaries import AS_TEXT
from coassoc.results.tables import write_lines

__all__ = [
    "LARGEST_Z",
    "rank_agreement",
    "read_tables",
    "scorecard",
    "summary_page",
    "verdicts",
    "what_remains",
    "winners",
    "write_scorecard",
]

#: Up to this many standard deviations a difference counts as reproduced.
LARGEST_Z = 2.0
#: Other yardsticks: standard errors of the difference of means, and absolute differences.
LARGEST_ERRORS, CLOSE, NEAR = 2.0, 0.02, 0.05
#: Columns that say whether a compared cell passes a yardstick, from lenient to strict.
YARDSTICKS = ("within 2 sd", f"within {NEAR:g}", "within 2 se", f"within {CLOSE:g}")
#: Smallest spread of a score: papers print three digits, and many print no spread at all.
SMALLEST_SPREAD = 0.01

_KEYS = ["paper", "table", "dataset", "method", "metric"]
_FOUND = ["mean", "std", "repeats", "reason", "pool", "m", "reference", "parameters", "run"]
_FOUND += MADE_BY
#: What can be said of a published cell.
VERDICTS = ["reproduced", "differs", "not comparable", "not run"]
_COMPARED = ["reproduced", "differs"]


def read_tables(paths: Sequence[str | Path], published: Mapping[str, str]) -> pd.DataFrame:
    """The lines of tables' CSV files that hold a reproduced number or the reason for its lack.

    Parameters
    ----------
    paths : sequence of path
        ``…/{paper}/{table}.csv``.
    published : mapping
        "paper/table" → name of the table in published.csv, where it is another one.
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

    Parameters
    ----------
    published : sequence of mapping
        With paper, table, dataset, method, metric, mean, std, and why (the reason for which the
        configuration does not make this cell; empty if it does); data sets under this project's
        names. Numbers may be texts, empty where there are none.
    reproduced : DataFrame
        From :func:`read_tables`.
    differences : sequence of mapping
        Entries of config/differences.yaml: cells that cannot be compared, and causes of those that
        differ.

    Returns
    -------
    DataFrame
        Columns of `published` without why, and reproduced_mean, reproduced_std, repeats, pool, m,
        reference (of base clusterings, not of a method), parameters, run, commit, code, shortened
        (by a race, to fewer repeats or points), difference, z, verdict, the yardsticks
        (:data:`YARDSTICKS`, True or False where numbers are compared), reason.

    Notes
    -----
    z is the difference over √(s_r² + s_p²), the spreads of the repeats here and in the paper.
    Where the paper prints none, the spread here stands for both. A standard error has s²/repeats in
    place of s², with the repeats here for both. A time on another machine is no number that could
    be reproduced, and gets no z.
    """
    published = pd.DataFrame(published)
    for name in ("mean", "std"):
        published[name] = pd.to_numeric(published[name])
    here = reproduced.rename(columns={"label": "method"}).reindex(columns=_KEYS + _FOUND)
    here = here.rename(columns={"mean": "reproduced_mean", "std": "reproduced_std"})
    card = published.merge(here, on=_KEYS, how="left", validate="many_to_one")
    # A mean over other data sets has the name of the published cell, and is another number.
    for name in ("reproduced_mean", "reproduced_std"):
        card[name] = card[name].astype(float).where(card["why"] == "")
    card["difference"] = card["reproduced_mean"] - card["mean"]
    own = card["reproduced_std"].fillna(0.0)
    spread = np.sqrt(own**2 + card["std"].fillna(own) ** 2).clip(lower=SMALLEST_SPREAD)
    card["z"] = (card["difference"] / spread).where(card["metric"] != "seconds")
    card["shortened"] = card["run"].map(_shortened)
    card["verdict"] = verdicts(card)
    card["reason"] = _reasons(card, reproduced)
    _apply_differences(card, differences)
    _add_yardsticks(card, spread)
    return card.drop(columns="why")


def _shortened(run: Any) -> str:
    """How the run of a cell was made with fewer fits than its table's protocol; mostly empty."""
    key = RunKey.from_stem(run) if isinstance(run, str) else None
    if key is None:
        return ""
    parts = ["race"] if key.race else []
    parts += [f"{key.repeats} repeat{'s' if key.repeats > 1 else ''}"] if key.repeats else []
    parts += [f"{key.points[0]} of {key.points[1]} points"] if key.points else []
    return ", ".join(parts)


def _apply_differences(card: pd.DataFrame, differences: Sequence[Mapping[str, Any]]) -> None:
    """Set aside what cannot be compared, and give the cause of what differs; first entry first."""
    for entry in differences:
        named = card["paper"] == entry["paper"]
        for key, column in (("tables", "table"), ("datasets", "dataset"), ("methods", "method")):
            named &= card[column].isin(entry.get(key, card[column]))
        named &= card["metric"].isin(entry.get("metrics", card["metric"]))
        if entry.get("not_comparable"):
            aside = named & card["verdict"].isin(_COMPARED)
            card.loc[aside, "verdict"] = "not comparable"
            card.loc[aside, "z"] = np.nan
        else:
            aside = named & (card["verdict"] == "differs") & (card["reason"] == "")
        card.loc[aside, "reason"] = f"{entry['because']} (shown by: {entry['shown_by']})"


def _add_yardsticks(card: pd.DataFrame, spread: pd.Series) -> None:
    """Whether each compared cell passes each of :data:`YARDSTICKS`."""
    compared = card["verdict"].isin(_COMPARED)
    size = card["difference"].abs()
    repeats = card["repeats"].astype(float).clip(lower=1)
    errors = spread / np.sqrt(repeats)
    passes = (
        size <= LARGEST_Z * spread,
        size <= NEAR + 1e-9,
        size <= (LARGEST_ERRORS * errors).clip(lower=SMALLEST_SPREAD),
        size <= CLOSE + 1e-9,
    )
    for name, passed in zip(YARDSTICKS, passes, strict=True):
        card[name] = passed.astype(object).where(compared, None)


def verdicts(card: pd.DataFrame) -> pd.Series:
    """One of reproduced, differs, not comparable (times) and not run, for each line."""
    verdict = pd.Series("reproduced", index=card.index)
    verdict[card["z"].abs() > LARGEST_Z] = "differs"
    verdict[card["metric"] == "seconds"] = "not comparable"
    verdict[card["reproduced_mean"].isna()] = "not run"
    return verdict


def _reasons(card: pd.DataFrame, reproduced: pd.DataFrame) -> pd.Series:
    """Why a cell was not run or cannot be compared; empty for the others."""
    made = set(zip(reproduced["paper"], reproduced["table"], strict=True))
    here = pd.Series([key in made for key in zip(card["paper"], card["table"], strict=True)])
    reason = card["reason"].fillna("").str.removeprefix("not run: ").replace("", "no score")
    reason = reason.where(card["repeats"].notna(), "the table was made without the cell")
    reason = reason.where(here.set_axis(card.index), "table not made")
    reason = card["why"].where(card["why"] != "", reason)
    reason[card["verdict"] == "not comparable"] = "time on another machine"
    reason[card["verdict"].isin(_COMPARED)] = ""
    return reason


def rank_agreement(card: pd.DataFrame) -> pd.DataFrame:
    """Kendall's τ between the published and the reproduced order of the methods.

    Returns
    -------
    DataFrame
        For each paper, table, data set and metric with at least three methods: methods, tau.
    """
    lines = []
    for keys, group in card.dropna(subset=["reproduced_mean"]).groupby(
        ["paper", "table", "dataset", "metric"], sort=False
    ):
        if len(group) >= 3:
            tau = kendalltau(group["mean"], group["reproduced_mean"]).statistic
            lines.append((*keys, len(group), tau))
    columns = ["paper", "table", "dataset", "metric", "methods", "tau"]
    return pd.DataFrame(lines, columns=columns)


def winners(card: pd.DataFrame, own: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Who is best in print and here, and where the paper's own method stands.

    Parameters
    ----------
    card : DataFrame
        From :func:`scorecard`.
    own : mapping
        Paper → labels of its own methods.

    Returns
    -------
    DataFrame
        For each paper, table, data set and metric with at least three compared methods:
        "same winner", and the ranks of the best of the paper's own methods, "rank in print" and
        "rank here", empty where the column has none of them. The lower rank counts among ties.
    """
    lines = []
    compared = card[card["verdict"].isin(_COMPARED)]
    for keys, group in compared.groupby(["paper", "table", "dataset", "metric"], sort=False):
        if len(group) < 3:
            continue
        ranks = group[["mean", "reproduced_mean"]].rank(ascending=False, method="min")
        best = ranks == 1
        place = ranks[group["method"].isin(own.get(str(keys[0]), ()))].min()
        same = bool((best["mean"] & best["reproduced_mean"]).any())
        lines.append((*keys, same, place["mean"], place["reproduced_mean"]))
    columns = ["paper", "table", "dataset", "metric", "same winner", "rank in print", "rank here"]
    return pd.DataFrame(lines, columns=columns)


def summary_page(
    card: pd.DataFrame,
    ranks: pd.DataFrame,
    titles: Mapping[str, str],
    own: Mapping[str, Sequence[str]],
) -> str:
    """One page of Markdown: verdicts per table, agreement of ranks, reasons, largest gaps."""
    compared = card[card["verdict"].isin(_COMPARED)]
    good = int((compared["verdict"] == "reproduced").sum())
    percent = f" ({good / len(compared):.0%})" if len(compared) else ""
    parts = [
        f"# Scorecard of {', '.join(dict.fromkeys(card['paper']))}",
        f"Of {len(card)} published cells {len(compared)} were compared; {good}{percent} are "
        f"reproduced within {LARGEST_Z:g} standard deviations of the repeats, here and in the "
        f"paper together (at least {SMALLEST_SPREAD:g}).",
        "Two standard deviations of single repeats are a lenient yardstick. By four of them:",
        _by_yardstick(compared).to_markdown(index=False),
        "Two standard errors are those of the difference of the means; the differences .05 and .02 "
        "are absolute.",
        *_sentence_on_shortened(compared),
        "## Winners",
        "In how many columns (a data set and a metric of a table) the same method is best, and the "
        "mean rank of the best of the paper's own methods:",
        _by_winner(winners(card, own)).to_markdown(index=False, floatfmt=".1f"),
        "## Tables",
        _counts(card, ranks).to_markdown(index=False, floatfmt=".2f"),
        "Higher and lower count the cells that differ. The order of the methods agrees if "
        "Kendall's τ, here the mean over data sets and metrics, is near 1; it is near 0 if it is "
        "as good as random.",
    ]
    remaining = what_remains(card)
    if len(remaining):
        parts += [
            "## What remains different",
            "The cells that differ by more than two standard deviations, by their cause. The mean "
            "difference is the reproduced number less the printed one; “open” means that no run "
            "shows the cause yet.",
            remaining.to_markdown(index=False, floatfmt="+.3f"),
        ]
    for verdict, head in (("not comparable", "Not comparable"), ("not run", "Not run")):
        reasons = card.loc[card["verdict"] == verdict, "reason"]
        if len(reasons):
            counts = reasons.value_counts().items()
            parts += [f"## {head}", "\n".join(f"- {reason}: {n}" for reason, n in counts)]
    if len(compared):
        largest = compared["z"].abs().sort_values(ascending=False).index[:10]
        shown = compared.loc[largest, [*_KEYS, "mean", "reproduced_mean", "z"]]
        shown = shown.rename(columns={"mean": "published", "reproduced_mean": "reproduced"})
        parts += ["## Largest gaps", shown.to_markdown(index=False, floatfmt=".3f")]
    papers = [f"- **{paper}**: {titles.get(paper, '')}" for paper in dict.fromkeys(card["paper"])]
    parts += ["## Papers", "\n".join(papers)]
    return "\n\n".join(parts) + "\n"


def what_remains(card: pd.DataFrame) -> pd.DataFrame:
    """The cells that differ, in groups of one cause.

    Returns
    -------
    DataFrame
        For each paper and reason, in the order of the papers and the most cells first: paper,
        methods, data sets, cells, mean difference, why.
    """
    lines = []
    differ = card[card["verdict"] == "differs"]
    for paper in dict.fromkeys(differ["paper"]):
        cells = differ[differ["paper"] == paper]
        reasons = cells["reason"].replace("", "not explained")
        for reason in reasons.value_counts().index:
            group = cells[reasons == reason]
            methods, datasets = (", ".join(dict.fromkeys(group[k])) for k in ("method", "dataset"))
            lines.append((paper, methods, datasets, len(group), group["difference"].mean(), reason))
    columns = ["paper", "methods", "data sets", "cells", "mean difference", "why"]
    return pd.DataFrame(lines, columns=columns)


def _sentence_on_shortened(compared: pd.DataFrame) -> list[str]:
    """How many compared cells were made with fewer fits, and how; nothing where none was."""
    counts = compared["shortened"][compared["shortened"] != ""].value_counts(sort=False)
    if counts.empty:
        return []
    kinds = "; ".join(f"{kind}: {n}" for kind, n in counts.sort_index().items())
    return [
        f"{counts.sum()} of them were made with fewer fits than in the papers ({kinds}). A race "
        "gives all repeats only to the points of the grid that were best on the first ones; with "
        "some points of the grid the best one may be missed; the verdict on a cell with fewer "
        "repeats is computed with these."
    ]


def _by_yardstick(compared: pd.DataFrame) -> pd.DataFrame:
    """How many compared cells of each paper pass each yardstick."""
    passed = compared[list(YARDSTICKS)].astype(int).assign(compared=1)
    counts = passed.groupby(compared["paper"], sort=False).sum()
    counts.loc["all"] = counts.sum()
    return counts[["compared", *YARDSTICKS]].rename_axis("paper").reset_index()


def _by_winner(found: pd.DataFrame) -> pd.DataFrame:
    """Columns with the same winner, and mean ranks of the paper's own methods, by paper."""
    grouped = found.groupby("paper", sort=False)
    frame = grouped[["rank in print", "rank here"]].mean()
    frame.insert(0, "same winner", grouped["same winner"].sum())
    frame.insert(0, "columns", grouped.size())
    return frame.reset_index()


def _counts(card: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    """Verdicts and rank agreement of each table, and of all together."""
    keys = ["paper", "table"]
    counts = card.groupby(keys, sort=False)["verdict"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=VERDICTS, fill_value=0)
    differs = card["verdict"] == "differs"
    counts["higher"] = (differs & (card["z"] > 0)).groupby([card[k] for k in keys]).sum()
    counts["lower"] = (differs & (card["z"] < 0)).groupby([card[k] for k in keys]).sum()
    counts.insert(0, "cells", counts[VERDICTS].sum(axis=1))
    counts["Kendall τ"] = ranks.groupby(keys)["tau"].mean()
    counts = counts.loc[list(dict.fromkeys(zip(card["paper"], card["table"], strict=True)))]
    total = counts.drop(columns="Kendall τ").sum().to_dict()
    last = pd.DataFrame([{"paper": "all", "table": "", **total, "Kendall τ": ranks["tau"].mean()}])
    table = pd.concat([counts.reset_index(), last], ignore_index=True)
    return table.assign(**{"Kendall τ": table["Kendall τ"].map("{:.2f}".format).replace("nan", "")})


#: Columns of the scorecard's page, the verdict where it is seen first.
_ON_PAGE = {
    "paper": "paper",
    "table": "table",
    "dataset": "data set",
    "method": "method",
    "metric": "metric",
    "verdict": "verdict",
    "mean": "published",
    "std": "published std",
    "reproduced_mean": "reproduced",
    "reproduced_std": "reproduced std",
    "difference": "difference",
    "z": "z",
    "within 2 se": "within 2 se",
    "repeats": "repeats",
    "shortened": "shortened",
    "reason": "reason",
}


def write_scorecard(
    paths: Mapping[str, Any],
    card: pd.DataFrame,
    titles: Mapping[str, str],
    own: Mapping[str, Sequence[str]],
) -> None:
    """Write the scorecard as CSV and as a web page, and its summary as Markdown.

    Parameters
    ----------
    paths : mapping
        Paths for "csv", "md" and "html".
    card : DataFrame
        From :func:`scorecard`.
    titles : mapping
        Titles of the papers.
    own : mapping
        Paper → labels of its own methods.
    """
    write_lines(paths["csv"], card)
    page = summary_page(card, rank_agreement(card), titles, own)
    Path(paths["md"]).write_text(page, encoding="utf-8")
    write_sortable_page(
        paths["html"],
        card.round(4)[list(_ON_PAGE)].rename(columns=_ON_PAGE).set_index("paper"),
        title="Scorecard",
        caption="Every published cell beside the reproduced one.",
        note="z: difference over the spread of the repeats, here and in the paper together.",
    )
