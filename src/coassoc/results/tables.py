"""Tables: every reproduced number beside the published one.

:func:`compare` puts the published numbers beside a summary of scores; :func:`write_table` renders
the lines as CSV (one line per number, for programs), and laid out as in the paper as Markdown,
LaTeX and a web page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.pools.draws import size_name
from coassoc.results.pages import for_markdown, write_page, write_sortable_page
from coassoc.results.summaries import MEAN, versions
from coassoc.running.provenance import commit
from coassoc.storage.whole import write_text

#: Quantities of which less is better.
LOWER_IS_BETTER = ("seconds", "cpu_seconds", "peak_mb")


def reproduction_note(summary: pd.DataFrame) -> str:
    """How the numbers of a table were made: pools, ensemble sizes, repeats, version of the code."""
    pools = ", ".join(sorted(summary["pool"].unique()))
    sizes = ", ".join(size_name(int(m)) for m in sorted(summary["m"].unique()))
    repeats = int(summary["repeats"].where(summary["reference"].isna()).max())
    runs = versions(summary) if "commit" in summary else []
    made_by = f"version {commit()}"
    if runs and runs != [commit()]:
        made_by = f"runs by version {', '.join(runs)}, table by {commit()}"
    note = f"Pool: {pools}; m = {sizes}; {repeats} repeats; {made_by}."
    return f"{note} {hardware_note(summary)}".strip()


def hardware_note(lines: pd.DataFrame) -> str:
    """On what measured times were taken; empty for scores, which depend on no machine."""
    if "cpu" not in lines:
        return ""
    machines = lines[["cpu", "cores", "threads"]].dropna().drop_duplicates()
    return " ".join(
        f"Measured one job at a time on {cpu}, {cores:g} cores, {threads:g} of them used."
        for cpu, cores, threads in machines.itertuples(index=False)
    )


def printed_numbers(published: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Published numbers as columns label, dataset, metric, published_mean and published_std."""
    printed = pd.DataFrame(
        list(published), columns=["method", "dataset", "metric", "mean", "std"]
    ).rename(columns={"method": "label", "mean": "published_mean", "std": "published_std"})
    numbers = printed[["published_mean", "published_std"]].apply(pd.to_numeric, errors="coerce")
    printed = printed.assign(**numbers)
    return printed.drop_duplicates(ignore_index=True)  # a table may print a column twice


def compare(summary: pd.DataFrame, published: Sequence[Mapping[str, str]]) -> pd.DataFrame:
    """Put the published numbers beside the reproduced ones.

    Adds the columns published_mean, published_std, difference, and the lines that only the
    paper has (their ``reason`` says that they were not run).
    """
    printed = printed_numbers(published)
    here = set(summary["dataset"]) if len(summary) else set()
    if not set(printed["dataset"]) <= here:
        here = here - {MEAN}  # a mean over other data sets is another quantity
    printed = printed[printed["dataset"].isin(here)]
    keys = ["label", "dataset", "metric"]
    both = summary.merge(printed, on=keys, how="outer", sort=False)
    both.loc[both["row"].isna(), "reason"] = "not run"
    both["difference"] = both["mean"] - both["published_mean"]
    order = _in_order(both, pd.concat([summary[keys], printed[keys]])).sort_values(keys)
    return both.loc[order.index].reset_index(drop=True)


def _in_order(lines: pd.DataFrame, order: pd.DataFrame) -> pd.DataFrame:
    """Columns that sort by the place of their values in those of the same names."""
    return lines.assign(
        **{
            name: pd.Categorical(lines[name], values.dropna().unique(), ordered=True)
            for name, values in order.items()
        }
    )


def mark_ranks(lines: pd.DataFrame) -> pd.Series:
    """1 for the best and 2 for the second best row of each data set and metric, else 0.

    Only methods compete, not base clusterings nor controls nor rows on shuffled samples.
    """
    competing = lines["mean"].notna() & lines["reference"].isna()
    competing &= ~lines["label"].str.endswith("(shuffled samples)")
    rank = pd.Series(0, index=lines.index)
    if "distance" in lines and lines["distance"].eq(True).any():
        return rank  # distances from a row are not better or worse
    for (_, metric), group in lines[competing].groupby(["dataset", "metric"]):
        ascending = metric in LOWER_IS_BETTER
        place = group["mean"].round(6).rank(method="min", ascending=ascending)
        rank.loc[group.index] = place.where(place <= 2, 0).astype(int)
    return rank


# -- rendering ----------------------------------------------------------------------------------


def write_lines(path: str | Path, lines: pd.DataFrame, index: bool = False) -> None:
    """Write a table or the numbers of a figure as CSV, with six digits and the same line ends."""
    write_text(path, lines.to_csv(index=index, float_format="%.6g", lineterminator="\n"))


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
    """Write the lines of :func:`compare` as CSV, Markdown, LaTeX and a web page.

    Parameters
    ----------
    paths : mapping
        Paths for "csv", "md", "tex" and "html".
    lines : DataFrame
    title, caption, note : str
        Heading, what to look at, and how the numbers were made.
    down, across : sequence of str
        What the rows and the columns are: any of "method", "dataset", "metric".
    """
    lines = lines.assign(rank=mark_ranks(lines))
    write_lines(paths["csv"], lines)
    lines, footnotes = _with_footnotes(_with_fewer_repeats(lines))
    note = " ".join([_legend(lines), *footnotes, *_remarks(lines), note])
    about = {"title": title, "caption": caption, "note": note}
    write_markdown(paths["md"], _laid_out(lines, _MARKDOWN, down, across), **about)
    write_sortable_page(paths["html"], _laid_out(lines, _HTML, down, across), **about)
    write_text(paths["tex"], _latex_table(_laid_out(lines, _LATEX, down, across), title, note))


def write_markdown(
    path: str | Path, table: pd.DataFrame, *, title: str, caption: str, note: str
) -> None:
    """Write a table, its cells in Markdown and all else plain text, as a page in Markdown."""
    named = table.rename(index=for_markdown, columns=for_markdown)
    named = named.rename_axis(index=for_markdown(table.index.name or ""))
    write_page(path, "table.md", table=named, title=title, caption=caption, note=note)


def _legend(lines: pd.DataFrame) -> str:
    published = "the published value in parentheses; " if lines["published_mean"].any() else ""
    marks = "best in bold, second best underlined" if lines["rank"].any() else "no ranks"
    legend = f"Mean±standard deviation over the repeats; {published}{marks}."
    if (lines["r"] != "").any():
        legend += " r: repeats, where they are fewer than the table's."
    return legend


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
        if why:
            number = f"[{len(footnotes) + 1}]"
            footnotes.append(f"{number} {why}.")
            status += f" {number}"
        short[reason] = status
    return lines.replace({"reason": short}), footnotes


def _remarks(lines: pd.DataFrame) -> list[str]:
    """Sentences on partitions that are not what was asked for, and on grids not fitted whole."""
    odd = _places(lines, "note")
    remarks = [f"{label} on {dataset}: {note}." for label, dataset, note in odd]
    if "raced" in lines:
        cells = _places(lines, "raced")
        raced = "; ".join(f"{label} on {dataset}, {fits}" for label, dataset, fits in cells)
        remarks.append(f"Found by a race over the grid: {raced}.")
    return remarks


def _places(lines: pd.DataFrame, column: str) -> list[tuple[str, str, str]]:
    """Label, data set and entry of a column where it has any."""
    known = lines[lines["dataset"] != MEAN].reindex(columns=["label", "dataset", column]).dropna()
    return list(known.drop_duplicates().itertuples(index=False, name=None))


def _laid_out(
    lines: pd.DataFrame, style: Mapping[Any, str], down: Sequence[str], across: Sequence[str]
) -> pd.DataFrame:
    """The numbers as texts in a style, in the rows and columns of the table."""
    columns = {"method": "label", "dataset": "dataset", "metric": "metric"}
    index, header = [columns[name] for name in down], [columns[name] for name in across]
    several = lines["metric"].nunique() > 1
    if several and "metric" not in index + header:
        header = [*header, "metric"]
    if not several:  # a single metric needs no name, unless nothing else would be left
        index = [name for name in index if name != "metric"] or index
        header = [name for name in header if name != "metric"] or header
    texts = [_text(line, style) for line in lines.to_dict("records")]
    ordered = _in_order(lines, lines[index + header]).assign(text=texts)
    wide = ordered.pivot(index=index, columns=header, values="text").fillna("")
    wide = wide.sort_index(axis=0).sort_index(axis=1)
    for axis in (0, 1):
        names = wide.axes[axis].to_frame().astype(str).agg(" ".join, axis=1)
        wide = wide.set_axis(names.to_list(), axis=axis)
    return wide.rename_axis(" / ".join(down))


_MARKDOWN = {0: "{}", 1: "**{}**", 2: "<u>{}</u>", "pm": "±"}
_LATEX = {0: "{}", 1: r"\textbf{{{}}}", 2: r"\underline{{{}}}", "pm": r"$\pm$"}
_HTML = {0: "{}", 1: "<b>{}</b>", 2: "<u>{}</u>", "pm": "±"}


def _text(line: Mapping[str, Any], style: Mapping[Any, str]) -> str:
    measured = line["metric"] in LOWER_IS_BETTER
    published = _number(line["published_mean"], line["published_std"], measured, style["pm"])
    if np.isfinite(line["mean"]):
        number = _number(line["mean"], line["std"], measured, style["pm"])
        sign = "+" if line.get("distance") is True and line["mean"] > 0 else ""
        number = f"{sign}{style[line['rank']].format(number)}{line['r']}"
    else:
        number = str(line["reason"]) or "no score"
    return f"{number} ({published})" if published else number


def _number(mean: float, std: float, measured: bool, pm: str) -> str:
    """A score; or a time or size with three digits that count, and the spread to the same place."""
    if not np.isfinite(mean):
        return ""
    digits = 3 if abs(mean) < 10 else 1
    if measured:
        digits = max(0, 2 - int(np.floor(np.log10(max(abs(mean), 1e-6)))))
    spread = f"{pm}{std:.{digits}f}" if np.isfinite(std) else ""
    return f"{mean:.{digits}f}{spread}"


_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
    "±": r"$\pm$",
    "<": r"$<$",
    ">": r"$>$",
    **{character: f"\\{character}" for character in "&%#_{}$"},
}


def _for_tex(text: object) -> str:
    """The text as LaTeX sets it."""
    return "".join(_TEX.get(character, character) for character in str(text))


def _latex_table(wide: pd.DataFrame, title: str, note: str) -> str:
    named = wide.rename(index=_for_tex, columns=_for_tex)
    named = named.rename_axis(index=_for_tex(wide.index.name))
    body = named.to_latex(escape=False, column_format="l" + "r" * wide.shape[1])
    return (
        "\\begin{table}\n\\centering\\small\n"
        f"\\caption{{{_for_tex(title)}. {_for_tex(note)}}}\n{body}\\end{{table}}\n"
    )
