"""Tables: every reproduced number beside the published one.

:func:`compare` puts the published numbers beside a summary of scores; :func:`write_table` renders
the lines as CSV (one line per number, for programs), and laid out as in the paper as Markdown,
LaTeX and a web page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.results.escaping import for_markdown, for_tex
from coassoc.results.pages import write_sortable_page
from coassoc.results.summaries import MEAN, versions
from coassoc.running.provenance import commit

__all__ = [
    "compare",
    "hardware_note",
    "mark_ranks",
    "reproduction_note",
    "write_lines",
    "write_markdown",
    "write_table",
]

#: Quantities of which less is better.
LOWER_IS_BETTER = ("seconds", "cpu_seconds", "peak_mb")


def reproduction_note(summary: pd.DataFrame) -> str:
    """How the numbers of a table were made: pools, ensemble sizes, repeats, version of the code."""
    pools = ", ".join(sorted(summary["pool"].unique()))
    sizes = ", ".join(f"{m:g}" for m in sorted(summary["m"].unique()))
    repeats = int(summary["repeats"].where(summary["reference"].isna()).max())
    note = f"Pool: {pools}; m = {sizes}; {repeats} repeats; {_made_by(summary)}."
    return f"{note} {hardware_note(summary)}".strip()


def _made_by(summary: pd.DataFrame) -> str:
    """Versions of the software that made the runs, and the one that made the table of them."""
    runs = versions(summary) if "commit" in summary else []
    if not runs or runs == [commit()]:
        return f"version {commit()}"
    return f"runs by version {', '.join(runs)}, table by {commit()}"


def hardware_note(lines: pd.DataFrame) -> str:
    """On what measured times were taken; empty for scores, which depend on no machine."""
    if "cpu" not in lines:
        return ""
    machines = lines[["cpu", "cores", "threads"]].dropna().drop_duplicates()
    return " ".join(
        f"Measured one job at a time on {cpu}, {cores:g} cores, {threads:g} of them used."
        for cpu, cores, threads in machines.itertuples(index=False)
    )


def compare(summary: pd.DataFrame, published: Sequence[Mapping[str, str]]) -> pd.DataFrame:
    """Put the published numbers beside the reproduced ones.

    Adds the columns published_mean, published_std, difference, and the lines that only the
    paper has (their ``reason`` says that they were not run).
    """
    columns = ["method", "dataset", "metric", "mean", "std"]
    paper = pd.DataFrame(list(published), columns=["paper", "table", *columns])[columns]
    paper = paper.rename(
        columns={"method": "label", "mean": "published_mean", "std": "published_std"}
    )
    for name in ("published_mean", "published_std"):
        paper[name] = pd.to_numeric(paper[name], errors="coerce")
    here = set(summary["dataset"]) if len(summary) else set()
    if not set(paper["dataset"]) <= here:
        here = here - {MEAN}  # a mean over other data sets is another quantity
    paper = paper[paper["dataset"].isin(here)]
    both = summary.merge(paper, on=["label", "dataset", "metric"], how="outer", sort=False)
    unknown = both["row"].isna()
    both.loc[unknown, "reason"] = "not run"
    both["difference"] = both["mean"] - both["published_mean"]
    order = {
        label: i for i, label in enumerate(dict.fromkeys([*summary["label"], *paper["label"]]))
    }
    place = {name: i for i, name in enumerate(dict.fromkeys(summary["dataset"]))}
    measure = {name: i for i, name in enumerate(dict.fromkeys(summary["metric"]))}
    keys = both.assign(
        a=both["label"].map(order), b=both["dataset"].map(place), c=both["metric"].map(measure)
    )
    return both.loc[keys.sort_values(["a", "b", "c"]).index].reset_index(drop=True)


def mark_ranks(lines: pd.DataFrame) -> pd.Series:
    """1 for the best and 2 for the second best row of each data set and metric, else 0.

    Only methods compete, not base clusterings nor controls nor rows on shuffled samples.
    """
    competing = lines["mean"].notna() & lines["reference"].isna()
    competing &= ~lines["label"].str.endswith("(shuffled samples)")
    rank = pd.Series(0, index=lines.index)
    if "distance" in lines and lines["distance"].fillna(False).astype(bool).any():
        return rank  # distances from a row are not better or worse
    for (_, metric), group in lines[competing].groupby(["dataset", "metric"]):
        ascending = metric in LOWER_IS_BETTER
        place = group["mean"].round(6).rank(method="min", ascending=ascending)
        rank.loc[group.index] = place.where(place <= 2, 0).astype(int)
    return rank


# -- rendering ----------------------------------------------------------------------------------


def write_lines(path: str | Path, lines: pd.DataFrame, index: bool = False) -> None:
    """Write a table or the numbers of a figure as CSV, with six digits and the same line ends.

    Parameters
    ----------
    path : path
    lines : DataFrame
        One line for each number.
    index : bool
        Whether the index is a column too.
    """
    lines.to_csv(path, index=index, float_format="%.6g", lineterminator="\n")


def write_table(
    paths: Mapping[str, str | Path],
    lines: pd.DataFrame,
    *,
    title: str,
    caption: str,
    down: Sequence[str],
    across: Sequence[str],
    note: str,
) -> None:
    """Write a table as CSV, Markdown, LaTeX and a web page.

    Parameters
    ----------
    paths : mapping
        Paths for "csv", "md", "tex" and "html".
    lines : DataFrame
        From :func:`compare`.
    title, caption : str
        Heading and what to look at.
    down, across : sequence of str
        What the rows and the columns are: any of "method", "dataset", "metric".
    note : str
        How the numbers were made: pool, m, repeats, commit.
    """
    lines = lines.assign(rank=mark_ranks(lines))
    write_lines(paths["csv"], lines)
    lines, footnotes = _with_footnotes(_with_fewer_repeats(lines))
    markdown = _laid_out(lines.assign(text=_texts(lines, _MARKDOWN)), down, across)
    latex = _laid_out(lines.assign(text=_texts(lines, _LATEX)), down, across)
    published = "the published value in parentheses; " if lines["published_mean"].any() else ""
    marks = "best in bold, second best underlined" if lines["rank"].any() else "no ranks"
    legend = f"Mean±standard deviation over the repeats; {published}{marks}."
    if (lines["r"] != "").any():
        legend += " r: repeats, where they are fewer than the table's."
    note = " ".join([*footnotes, *_remarks(lines), *_races(lines), note])
    write_markdown(paths["md"], markdown, title=title, caption=caption, note=f"{legend} {note}")
    Path(paths["tex"]).write_text(_latex_table(latex, title, f"{legend} {note}"), encoding="utf-8")
    page = _laid_out(lines.assign(text=_texts(lines, _HTML)), down, across)
    write_sortable_page(paths["html"], page, title=title, caption=caption, note=f"{legend} {note}")


def write_markdown(
    path: str | Path, table: pd.DataFrame, *, title: str, caption: str, note: str
) -> None:
    """Write a table, its cells in Markdown and all else plain text, as a page in Markdown."""
    named = table.rename(index=for_markdown, columns=for_markdown)
    body = named.rename_axis(index=for_markdown(table.index.name or "")).to_markdown(
        disable_numparse=True
    )
    title, caption, note = map(for_markdown, (title, caption, note))
    Path(path).write_text(f"# {title}\n\n{caption}\n\n{body}\n\n{note}\n", encoding="utf-8")


def _with_fewer_repeats(lines: pd.DataFrame) -> pd.DataFrame:
    """What a cell shows of its repeats, in the column r: nothing where it has as many as most."""
    if "cpu" in lines:  # of measured times there are as many as a configuration allows
        return lines.assign(r="")
    is_run = lines["reference"].isna() & (lines["dataset"] != MEAN)
    usual = lines.loc[is_run, "repeats"].max()
    fewer = is_run & lines["mean"].notna() & (lines["repeats"] < usual)
    return lines.assign(r=lines["repeats"].map(", r = {:.0f}".format).where(fewer, ""))


def _with_footnotes(lines: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Reasons cut to their first words and a number, and the footnotes with the rest of them."""
    short: dict[str, str] = {}
    footnotes: list[str] = []
    for reason in dict.fromkeys(lines.loc[lines["mean"].isna(), "reason"]):
        status, _, why = str(reason).partition(": ")
        short[reason] = status
        if why:
            short[reason] += f" [{len(footnotes) + 1}]"
            footnotes.append(f"[{len(footnotes) + 1}] {why}.")
    return lines.replace({"reason": short}), footnotes


def _remarks(lines: pd.DataFrame) -> list[str]:
    """Sentences on partitions that are not what was asked for."""
    if "note" not in lines:
        return []
    odd = lines[lines["note"].notna() & (lines["dataset"] != MEAN)]
    places = odd[["label", "dataset", "note"]].drop_duplicates().itertuples(index=False)
    return [f"{label} on {dataset}: {note}." for label, dataset, note in places]


def _races(lines: pd.DataFrame) -> list[str]:
    """A sentence on the cells whose grid was not fitted whole."""
    if "raced" not in lines:
        return []
    raced = lines[lines["raced"].notna() & (lines["dataset"] != MEAN)]
    places = raced[["label", "dataset", "raced"]].drop_duplicates().itertuples(index=False)
    cells = "; ".join(f"{label} on {dataset}, {fits}" for label, dataset, fits in places)
    return [f"Found by a race over the grid: {cells}."]


def _laid_out(lines: pd.DataFrame, down: Sequence[str], across: Sequence[str]) -> pd.DataFrame:
    columns = {"method": "label", "dataset": "dataset", "metric": "metric"}
    index, header = [columns[name] for name in down], [columns[name] for name in across]
    if "metric" not in [*down, *across] and lines["metric"].nunique() > 1:
        header = [*header, "metric"]
    if lines["metric"].nunique() == 1:
        # A single metric needs no name, unless nothing else would be left.
        index = [name for name in index if name != "metric"] or index
        header = [name for name in header if name != "metric"] or header
    ordered = lines.copy()
    for name in dict.fromkeys(index + header):
        ordered[name] = pd.Categorical(ordered[name], dict.fromkeys(lines[name]), ordered=True)
    wide = ordered.pivot(index=index, columns=header, values="text").fillna("")
    wide = wide.sort_index(axis=0).sort_index(axis=1)
    wide.columns = [
        " ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in wide.columns
    ]
    wide.index = [
        " ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in wide.index
    ]
    wide.index.name = " / ".join(down)
    return wide


_MARKDOWN = {0: "{}", 1: "**{}**", 2: "<u>{}</u>", "pm": "±"}
_LATEX = {0: "{}", 1: r"\textbf{{{}}}", 2: r"\underline{{{}}}", "pm": r"$\pm$"}
_HTML = {0: "{}", 1: "<b>{}</b>", 2: "<u>{}</u>", "pm": "±"}


def _texts(lines: pd.DataFrame, style: Mapping[Any, str]) -> list[str]:
    return [_text(line, style) for line in lines.to_dict("records")]


def _text(line: Mapping[str, Any], style: Mapping[Any, str]) -> str:
    number_of = _quantity if line["metric"] in LOWER_IS_BETTER else _number
    published = number_of(line["published_mean"], line["published_std"], style["pm"])
    if np.isfinite(line["mean"]):
        number = style[line["rank"]].format(number_of(line["mean"], line["std"], style["pm"]))
        if line.get("distance") is True and line["mean"] > 0:
            number = f"+{number}"
        number += line["r"]
    else:
        number = str(line["reason"]) or "no score"
    return f"{number} ({published})" if published else number


def _number(mean: float, std: float, pm: str) -> str:
    if not np.isfinite(mean):
        return ""
    digits = 3 if abs(mean) < 10 else 1
    spread = f"{pm}{std:.{digits}f}" if np.isfinite(std) else ""
    return f"{mean:.{digits}f}{spread}"


def _quantity(mean: float, std: float, pm: str) -> str:
    """A time or a size: three digits that count, and the spread to the same place."""
    if not np.isfinite(mean):
        return ""
    digits = max(0, 2 - int(np.floor(np.log10(max(abs(mean), 1e-6)))))
    spread = f"{pm}{std:.{digits}f}" if np.isfinite(std) else ""
    return f"{mean:.{digits}f}{spread}"


def _latex_table(wide: pd.DataFrame, title: str, note: str) -> str:
    wide = wide.rename(index=for_tex, columns=for_tex).rename_axis(index=for_tex(wide.index.name))
    body = wide.to_latex(escape=False, column_format="l" + "r" * wide.shape[1])
    return (
        "\\begin{table}\n\\centering\\small\n"
        f"\\caption{{{for_tex(title)}. {for_tex(note)}}}\n{body}\\end{{table}}\n"
    )
