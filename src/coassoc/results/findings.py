"""One screen on what was found: headline claims with their verdicts, and the scorecard's counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from coassoc.results.scorecard import VERDICTS, YARDSTICKS
from coassoc.results.summaries import AS_TEXT

__all__ = ["findings_page", "write_findings"]

_FILES = """\
- [scorecard.md](scorecard.md) sums up; `scorecard.csv` has a line for each published number, with
  the reproduced one, the difference in standard deviations, the verdict, and the reason where there
  is no number. "Not run yet" means that this copy was taken before the run came to its end.
- [claims.md](claims.md) says which claims hold; `claims_cells.csv` and
  [claims_cells.md](claims_cells.md) have the cells that decide each.
- `tables/{paper}/{table}.md` are the tables to read, `.csv` the same with a line for each number:
  pool, m, parameters, repeats, the file of the run, and the version of the software that made it.
- `tables/{paper}/protocol_*.md` compare printed cells with several ways of making them where a
  paper does not say how: which fits, and what none explains.
- `scores.parquet`, written at the end of `make published`, has the scores of all repeats of all
  runs, for questions of your own.
- The figures are in `figures/published/`; curves and surfaces have their numbers beside them."""


def findings_page(
    claims: pd.DataFrame, card: pd.DataFrame, headlines: Sequence[str], titles: Mapping[str, str]
) -> str:
    """The page as Markdown.

    Parameters
    ----------
    claims : DataFrame
        The claims and their verdicts, as in claims.csv.
    card : DataFrame
        Every published cell and its verdict, as in scorecard.csv.
    headlines : sequence of str
        Names of the claims on the page, in its order.
    titles : mapping
        Titles of the papers by their names.
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
        "## The files",
        _FILES,
        _sentence_on_versions(card),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


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


def _sentence_on_versions(card: pd.DataFrame) -> str:
    made = card["commit"].dropna().unique() if "commit" in card else []
    if not len(made):
        return "The numbers were made by several versions of the software; the tables name them."
    versions = "version" if len(made) == 1 else "versions"
    return f"Made by {versions} {', '.join(sorted(made))} of the software."


def write_findings(
    path: str | Path,
    claims: str | Path,
    card: str | Path,
    headlines: Sequence[str],
    titles: Mapping[str, str],
) -> None:
    """Write the page from the CSV files of the claims and of the scorecard."""
    lines = pd.read_csv(card, dtype=AS_TEXT, low_memory=False)
    page = findings_page(pd.read_csv(claims), lines, headlines, titles)
    Path(path).write_text(page, encoding="utf-8")
