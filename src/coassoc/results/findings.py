"""One screen on what was found: verdicts on headline claims, the scorecard, the ranking."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd

from coassoc.results.ranking.views import ALL
from coassoc.results.scorecard import VERDICTS, YARDSTICKS
from coassoc.results.summaries import AS_TEXT, versions
from coassoc.running.provenance import commit

__all__ = ["findings_page", "write_findings"]

#: Methods at the head of the ranking that are shown.
_SHOWN = 8

_FILES = """\
- [scorecard.md](scorecard.md) sums up; `scorecard.csv` has a line for each published number, with
  the reproduced one, the difference in standard deviations, the verdict, and the reason where there
  is no number. "Not run yet" means that this copy was taken before the run came to its end.
- [claims.md](claims.md) says which claims hold; `claims_cells.csv` and
  [claims_cells.md](claims_cells.md) have the cells that decide each.
- `tables/{paper}/{table}.md` are the tables to read, `.csv` the same with a line for each number:
  pool, m, parameters, repeats, the file of the run, and the version of the software that made it.
- `tables/audit/*.md` are the audits, of all methods: the order of the samples, parameters, base
  clusterings, significance, the number of clusters, and growth with the number of samples.
- `tables/{paper}/protocol_*.md` compare printed cells with several ways of making them where a
  paper does not say how: which fits, and what none explains.
- `scores.parquet` has the scores of all repeats of the runs, for questions of your own, each with
  the version that made it. Runs of an older code than this copy's are not in it, nor are those
  whose score files were gone when it was collected; the tables have their means.
- The figures are in `figures/published/`; curves and surfaces have their numbers beside them."""


def findings_page(
    claims: pd.DataFrame,
    card: pd.DataFrame,
    ranks: pd.DataFrame | None,
    headlines: Sequence[str],
    titles: Mapping[str, str],
    codes: Collection[str],
) -> str:
    """The page as Markdown.

    Parameters
    ----------
    claims : DataFrame
        The claims and their verdicts, as in claims.csv.
    card : DataFrame
        Every published cell and its verdict, as in scorecard.csv.
    ranks : DataFrame or None
        Ranks in all views, as in ranking.csv; None if nothing is ranked.
    headlines : sequence of str
        Names of the claims on the page, in its order.
    titles : mapping
        Titles of the papers by their names.
    codes : collection of str
        Fingerprints of the present code behind the methods' numbers.
    """
    shown = claims.set_index("claim").loc[list(headlines)]
    table = shown[["paper", "text", "data sets", "verdict"]].rename(columns={"text": "claim"})
    table["data sets"] = table["data sets"].str.split(", ").str.len()
    table["claim"] = [f"[{text}](claims_cells.md#{name})" for name, text in shown["text"].items()]
    papers = [f"*{name}* is {titles[name]}" for name in dict.fromkeys(card["paper"])]
    parts = [
        "# What was found",
        "Five papers on ensemble clustering, reproduced on their own data and base clusterings. "
        "What each claims of its method, and whether it holds here "
        f"(all {len(claims)} in [claims.md](claims.md); a claim here leads to the cells "
        "that decide it), and on how many data sets:",
        table.to_markdown(index=False),
        f"{_sentence_on_cells(card)} By paper ([the scorecard](scorecard.md), with the reasons):",
        _counts(card).to_markdown(index=False),
        f"{'; '.join(papers)}.",
        *_ranking(ranks),
        "## The files",
        _FILES,
        _sentences_on_code(card, codes),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _ranking(ranks: pd.DataFrame | None) -> list[str]:
    """The best methods by the first score on all data sets; nothing without a ranking."""
    if ranks is None or ranks.empty:
        return []
    metric = ranks["metric"].iloc[0]
    whole = ranks[(ranks["metric"] == metric) & (ranks["group"] == ALL)]
    whole = whole[~whole["tuned"] & ~whole["all_methods"]].dropna(subset="rank")
    blind = whole[~whole["readers"]].sort_values("rank", ignore_index=True)
    if blind.empty:
        return []
    n_datasets, cd = blind["n_datasets"].iloc[0], blind["critical_difference"].iloc[0]
    near = int((blind["rank"] - blind["rank"].iloc[0] < cd).sum()) - 1
    best = blind[["label", "rank", "mean", "seconds"]].head(_SHOWN)
    best.columns = ["method", "mean rank", f"mean {metric}", "seconds of a fit"]
    return [
        "## Which method?",
        f"[The ranking](ranking.html) has every method by several scores and on groups of data "
        f"sets, at its defaults or tuned. {len(blind)} methods have a score at their defaults on "
        f"all of its {n_datasets} data sets; the best by mean rank of {metric}:",
        best.to_markdown(index=False, floatfmt=("", ".1f", ".3f", ".2g")),
        f"Mean ranks that differ by less than {cd:.1f} cannot be told apart (Nemenyi's test); as "
        f"near to the best are {near} of the others.{_sentence_on_readers(whole)}",
    ]


def _sentence_on_readers(whole: pd.DataFrame) -> str:
    """Where methods that read the order of the samples would stand."""
    together = whole[whole["readers"]].sort_values("rank", ignore_index=True)
    readers = together[~together["label"].isin(whole["label"][~whole["readers"]])]
    if readers.empty:
        return ""
    places = ", ".join(f"{line.label} {line.Index + 1}" for line in readers.itertuples())
    return (
        " Methods that read the order of the samples are left out, since many files lie sorted by "
        f"class; among all {len(together)} they would have the places: {places}."
    )


def _sentence_on_cells(card: pd.DataFrame) -> str:
    compared = card["verdict"].isin(VERDICTS[:2])
    good = int((card["verdict"] == VERDICTS[0]).sum())
    return (
        f"Of {len(card):,} printed numbers {compared.sum():,} were compared with ours; {good:,} "
        "lie within two standard deviations of the repeats."
    )


def _counts(card: pd.DataFrame) -> pd.DataFrame:
    """Verdicts of each paper and of all, and how many pass the strictest yardstick."""
    counts = card.groupby("paper", sort=False)["verdict"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=VERDICTS, fill_value=0)
    strictest = YARDSTICKS[-1]
    passed = card[strictest].astype(str) == "True"
    counts[f"of these {strictest}"] = passed.groupby(card["paper"], sort=False).sum()
    counts.loc["all"] = counts.sum()
    counts.insert(0, "cells", counts[VERDICTS].sum(axis=1))
    return counts.rename_axis("paper").reset_index()


def _sentences_on_code(card: pd.DataFrame, codes: Collection[str]) -> str:
    """Whether this version's code makes the numbers, and which versions ran it."""
    by_methods = card["run"].notna() & card["reference"].isna() & card["reproduced_mean"].notna()
    made = card[by_methods]
    current = int(made["code"].isin(codes).sum())
    parts = [f"This page was made by version {commit()} of the software."]
    if made.empty:
        return parts[0]
    if current == len(made):
        parts.append(f"All {current:,} numbers of methods come from its code:")
        parts.append("what has changed since a run does not concern its method.")
    else:
        parts.append(f"{current:,} of {len(made):,} numbers of methods come from its code,")
        parts.append("the others from older code.")
    parts.append(f"The runs were made by version {', '.join(versions(made))}.")
    return " ".join(parts)


def write_findings(
    path: str | Path,
    files: Mapping[str, str | Path | None],
    headlines: Sequence[str],
    titles: Mapping[str, str],
    codes: Collection[str],
) -> None:
    """Write the page.

    Parameters
    ----------
    path : path
    files : mapping
        The CSV files "claims", "card" and "ranking"; the last may be None.
    headlines, titles, codes
        As for :func:`findings_page`.
    """
    card = pd.read_csv(files["card"], dtype=AS_TEXT, low_memory=False)
    ranks = pd.read_csv(files["ranking"]) if files["ranking"] else None
    page = findings_page(pd.read_csv(files["claims"]), card, ranks, headlines, titles, codes)
    Path(path).write_text(page, encoding="utf-8")
