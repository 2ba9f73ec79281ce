"""Tables with every reproduced number next to the published number, laid out as in the paper."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.pools.draws import size_name
from coassoc.bench.summaries import hardware_note
from reproduction import pages
from reproduction.pages import write_numbers, write_table
from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence
from reproduction.scores.files import printed_numbers
from reproduction.study.kinds import LOWER_IS_BETTER

#: Name of the column of means over the data sets.
MEAN = "mean"
#: Marks of the best and the second best number of a column.
_MARKS = {0: "{}", 1: "**{}**", 2: "<u>{}</u>"}


def write_table_files(
    paths: Mapping[str, str | Path], lines: pd.DataFrame, spec: Mapping[str, Any], note: str
) -> None:
    """Write lines of :func:`add_published` as CSV, Markdown and a web page ("csv", "md", "html").

    The options of the table are title, caption, ``down`` and ``across``, each a list of "method",
    "dataset" and "metric".
    """
    lines = lines.assign(rank=mark_ranks(lines))
    write_numbers(paths["csv"], lines)
    lines, footnotes = _add_footnotes(_mark_fewer_repeats(lines))
    raced = _places(lines, "raced")
    shown = {"lines": lines, "footnotes": footnotes, "remarks": _places(lines, "note")}
    below = pages.note("table.md", **shown, raced=raced, origin=note)
    about = {"title": spec["title"], "caption": spec["caption"], "note": below}
    down, across = spec.get("down", ["method"]), spec.get("across", ["dataset"])
    write_table(paths, _laid_out(lines, down, across), **about)


def reproduction_note(summary: pd.DataFrame) -> str:
    """Origin of the numbers of a table: pools, ensemble sizes, repeats, version of the code."""
    return pages.note(
        "origin.md",
        pools=sorted(summary["pool"].unique()),
        sizes=[size_name(int(m)) for m in sorted(summary["m"].unique())],
        repeats=int(summary["repeats"].where(summary["reference"].isna()).max()),
        runs=sorted(summary["commit"].dropna().unique()) if "commit" in summary else [],
        hardware=hardware_note(summary),
    )


def add_means(summary: pd.DataFrame, datasets: Sequence[str]) -> pd.DataFrame:
    """Add a line with the mean over some data sets (named "mean") for each row and metric.

    Its standard deviation is the root mean square of the data sets' standard deviations, which
    agrees best with the papers' columns of means.
    """
    lines = []
    counted = summary[summary["dataset"].isin(datasets)]
    for _, group in counted.groupby(["row", "metric"], sort=False):
        first = group.iloc[0].to_dict()
        spread = float(np.sqrt((group["std"] ** 2).mean()))
        together = {"dataset": MEAN, "pool": ", ".join(dict.fromkeys(group["pool"])), "run": ""}
        numbers = {"mean": group["mean"].mean(skipna=False), "std": spread, "by_repeat": None}
        reason = max(group["reason"])  # the reason of a data set without a number, if there is one
        lines.append({**first, **together, **numbers, "parameters": "{}", "reason": reason})
    return pd.concat([summary, pd.DataFrame(lines)], ignore_index=True)


def add_published(summary: pd.DataFrame, published: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Add the published numbers to the reproduced numbers.

    The function adds the columns published_mean, published_std and difference, and lines for
    numbers that only the paper has. The ``reason`` of these lines says that they were not run.
    """
    printed = printed_numbers(published)
    datasets = set(summary["dataset"])
    if not set(printed["dataset"]) <= datasets:
        datasets = datasets - {MEAN}  # a mean over different data sets is not comparable
    printed = printed[printed["dataset"].isin(datasets)]
    keys = ["label", "dataset", "metric"]
    both = summary.merge(printed, on=keys, how="outer", sort=False)
    both.loc[both["row"].isna(), "reason"] = "not run"
    both["difference"] = both["mean"] - both["published_mean"]
    order = _order_values(both, pd.concat([summary[keys], printed[keys]])).sort_values(keys)
    return both.loc[order.index].reset_index(drop=True)


def _order_values(lines: pd.DataFrame, order: pd.DataFrame) -> pd.DataFrame:
    """Turn columns into ordered categories, in the order of the values in `order`."""
    return lines.assign(
        **{
            name: pd.Categorical(lines[name], values.dropna().unique(), ordered=True)
            for name, values in order.items()
        }
    )


def mark_ranks(lines: pd.DataFrame) -> pd.Series:
    """1 for the best and 2 for the second best row of each data set and metric, otherwise 0.

    Only methods are ranked, not base clusterings, controls or rows on shuffled samples.
    """
    competing = lines["mean"].notna() & lines["reference"].isna()
    competing &= ~lines["label"].str.endswith("(shuffled samples)")
    if "distance" in lines and lines["distance"].eq(True).any():
        competing &= False  # distances from another row cannot be ranked
    signs = lines["metric"].isin(LOWER_IS_BETTER).map({True: 1, False: -1})
    scores = (signs * lines["mean"].round(6))[competing]
    places = scores.groupby([lines["dataset"], lines["metric"]]).rank(method="min")
    return places.where(places <= 2).reindex(lines.index, fill_value=0).fillna(0).astype(int)


def _mark_fewer_repeats(lines: pd.DataFrame) -> pd.DataFrame:
    """Add the column r: the number of repeats of cells with fewer repeats than most cells."""
    if "cpu" in lines:  # the configuration determines the number of repeats of measured times
        return lines.assign(r="")
    is_run = lines["reference"].isna() & (lines["dataset"] != MEAN)
    usual = lines.loc[is_run, "repeats"].max()
    fewer = is_run & lines["mean"].notna() & (lines["repeats"] < usual)
    return lines.assign(r=lines["repeats"].map(", r = {:.0f}".format).where(fewer, ""))


def _add_footnotes(lines: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Shorten reasons to a status and a footnote number, and return the footnotes."""
    short: dict[str, str] = {}
    notes: dict[str, str] = {}
    for reason in dict.fromkeys(lines.loc[lines["mean"].isna(), "reason"]):
        status, _, why = str(reason).partition(": ")
        if why := why.rstrip("."):
            status += " " + notes.setdefault(why, f"[{len(notes) + 1}]")
        short[reason] = status
    return lines.replace({"reason": short}), [f"{note} {why}." for why, note in notes.items()]


def _places(lines: pd.DataFrame, column: str) -> list[tuple[str, str, str]]:
    """Label, data set and entry of a column, for its non-empty entries."""
    numbers = lines[lines["dataset"] != MEAN].reindex(columns=["label", "dataset", column]).dropna()
    return list(numbers.drop_duplicates().itertuples(index=False, name=None))


def _laid_out(lines: pd.DataFrame, down: Sequence[str], across: Sequence[str]) -> pd.DataFrame:
    columns = {"method": "label", "dataset": "dataset", "metric": "metric"}
    index, header = [columns[name] for name in down], [columns[name] for name in across]
    several = lines["metric"].nunique() > 1
    if several and "metric" not in index + header:
        header = [*header, "metric"]
    if not several:  # a single metric needs no name, unless nothing else would be left
        index = [name for name in index if name != "metric"] or index
        header = [name for name in header if name != "metric"] or header
    texts = list(map(_text, lines.to_dict("records")))
    ordered = _order_values(lines, lines[index + header]).assign(text=texts)
    wide = ordered.pivot(index=index, columns=header, values="text").fillna("")
    wide = wide.sort_index(axis=0).sort_index(axis=1)
    for axis in (0, 1):
        names = wide.axes[axis].to_frame().astype(str).agg(" ".join, axis=1)
        wide = wide.set_axis(names.to_list(), axis=axis)
    return wide.rename_axis(" / ".join(down))


def _text(line: Mapping[str, Any]) -> str:
    """A number with its mark, its standard deviation and the published number, or a reason."""
    measured = line["metric"] in LOWER_IS_BETTER
    published = _number(line["published_mean"], line["published_std"], measured)
    if np.isfinite(line["mean"]):
        number = _MARKS[line["rank"]].format(_number(line["mean"], line["std"], measured))
        sign = "+" if line.get("distance") is True and line["mean"] > 0 else ""
        number = f"{sign}{number}{line['r']}"
    else:
        number = str(line["reason"]) or "no score"
    return f"{number} ({published})" if published else number


def _number(mean: float, std: float, measured: bool) -> str:
    """A score, or a time or size with three significant digits, and its standard deviation."""
    if not np.isfinite(mean):
        return ""
    digits = 3 if abs(mean) < 10 else 1
    if measured:
        digits = max(0, 2 - int(np.floor(np.log10(max(abs(mean), 1e-6)))))
    spread = f"±{std:.{digits}f}" if np.isfinite(std) else ""
    return f"{mean:.{digits}f}{spread}"


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        summary, spec = evidence.summary, evidence.spec
        note = reproduction_note(summary)
        if spec.get("mean"):
            summary = add_means(summary, spec["mean"])
        lines = add_published(summary, spec["published"])
        write_table_files(dict(snakemake.output.items()), lines, spec, note)
