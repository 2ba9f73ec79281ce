"""From scores to tables: every reproduced number beside the published one.

:func:`summarize` makes one line per (row, data set, metric); :func:`write_table` renders the lines
as CSV (one line per number, for programs), and laid out as in the paper as Markdown, LaTeX and a
web page.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.errors import DataError
from coassoc.metrics import METRICS
from coassoc.plan.columns import LABEL_FREE
from coassoc.results.pages import write_sortable_page
from coassoc.running.provenance import commit

__all__ = [
    "cell_scores",
    "collect_scores",
    "compare",
    "hardware_note",
    "mark_ranks",
    "read_scores_by_stem",
    "reproduction_note",
    "summarize",
    "with_means",
    "write_lines",
    "write_table",
]

#: Quantities of which less is better.
LOWER_IS_BETTER = ("seconds", "cpu_seconds", "peak_mb")
#: Name of the column of means over the data sets.
MEAN = "mean"


# -- numbers ------------------------------------------------------------------------------------


def read_scores_by_stem(paths: Iterable[str | Path], folder: str | Path) -> dict[str, pd.DataFrame]:
    """Score files by their path below `folder`, without ending."""
    return {
        Path(path).relative_to(folder).with_suffix("").as_posix(): pd.read_csv(path)
        for path in paths
    }


def collect_scores(paths: Iterable[str | Path], folder: str | Path) -> pd.DataFrame:
    """All score files in one frame, one line per parameter point and repeat.

    The columns pool, dataset, m, method and block come from the paths; for base clusterings the
    method is "base", for what methods are compared with "reference".
    """
    frames = []
    for stem, frame in read_scores_by_stem(paths, folder).items():
        pool, dataset, *rest = stem.split("/")
        # The base clusterings of a pool have no m, references have no parameters.
        m, method, block = ("", *rest, "") if len(rest) == 1 else (*rest, "")[:3]
        place = {"pool": pool, "dataset": dataset, "m": m.removeprefix("m"), "method": method}
        frames.append(frame.assign(**place, block=block))
    return pd.concat(frames, ignore_index=True)


def reproduction_note(summary: pd.DataFrame) -> str:
    """How the numbers of a table were made: pools, ensemble sizes, repeats, version of the code."""
    pools = ", ".join(sorted(summary["pool"].unique()))
    sizes = ", ".join(f"{m:g}" for m in sorted(summary["m"].unique()))
    repeats = int(summary["repeats"].where(summary["reference"].isna()).max())
    note = f"Pool: {pools}; m = {sizes}; {repeats} repeats; version {commit()}."
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


def summarize(
    cells: Iterable[Mapping[str, Any]],
    scores: Mapping[str, pd.DataFrame],
    metrics: Mapping[str, str],
    relative_to: str | None = None,
) -> pd.DataFrame:
    """Mean and standard deviation over the repeats, for each cell and metric.

    Parameters
    ----------
    cells : iterable of mapping
        Cells of a table or figure (:meth:`coassoc.plan.artefacts.Cell.as_parameters`).
    scores : mapping of str to DataFrame
        Score files by their stems.
    metrics : mapping of str to str
        Name in the table → column of the score files.
    relative_to : str, optional
        A row. The others show their distance from it, repeat by repeat: differences of scores,
        and relative changes |x − x₀| / x₀ of other quantities.

    Returns
    -------
    DataFrame
        Columns row, label, dataset, pool, m, x, reference, variant, metric, column (of the score
        files), mean, std (with n − 1),
        repeats, skipped, reason, parameters (JSON), run, distance (whether the numbers are
        distances from `relative_to`); of measured times also cpu, cores, threads; note where
        partitions do not have the wanted number of clusters.
    """
    lines = []
    reference: dict[str, pd.DataFrame] = {}
    cells = sorted(cells, key=lambda cell: cell["row"] != relative_to) if relative_to else cells
    for cell in cells:
        if cell.get("not_run"):
            lines += _lines_not_run(cell, metrics)
            continue
        frame, origin = cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"] if "status" in frame else frame
        bad = frame[frame["status"] != "ok"] if "status" in frame else frame.iloc[:0]
        shared = _place(cell) | {
            "repeats": len(good),
            "skipped": len(bad),
            "reason": str(bad["status"].iloc[0]) if len(bad) else "",
            **origin,
        }
        shared |= {name: frame[name].iloc[0] for name in _MACHINE if name in frame and len(frame)}
        if "note" in good and good["note"].notna().any():
            shared["note"] = ", ".join(dict.fromkeys(good["note"].dropna()))
        if cell["row"] == relative_to:
            reference[cell["dataset"]] = good
        shared["distance"] = relative_to is not None and cell["row"] != relative_to
        for name, column in _available(metrics, frame).items():
            values = good[column] if column in good else pd.Series(dtype=float)
            if shared["distance"]:
                values = _distance(good, reference.get(cell["dataset"], good.iloc[:0]), column)
            mean, std = _mean_std(values, best=cell["reference"] == "best")
            line = {**shared, "metric": name, "column": column, "mean": mean, "std": std}
            if column not in frame and not shared["reason"]:
                line["reason"] = f"no score: {cell['label']} has no {name} on {cell['dataset']}"
            lines.append(line)
    return pd.DataFrame(lines)


#: Lines of the score files, and where they come from.
Candidate = tuple[pd.DataFrame, dict[str, str]]

_PLACE = ("row", "label", "dataset", "pool", "m", "x", "reference", "variant")
_MACHINE = ("cpu", "cores", "threads")


def _distance(found: pd.DataFrame, reference: pd.DataFrame, column: str) -> pd.Series:
    """Distance from the reference in the repeats that both have."""
    both = found.merge(reference, on="repeat", suffixes=("", "_reference"))
    change = both[column] - both[f"{column}_reference"]
    return change if column in METRICS else change.abs() / both[f"{column}_reference"]


def with_means(summary: pd.DataFrame, datasets: Sequence[str]) -> pd.DataFrame:
    """Add for each row and metric a line with the mean over some data sets, named "mean".

    Its spread is the root mean square of the data sets' spreads; that of a paper's column of means
    agrees with it best.
    """
    lines = []
    counted = summary[summary["dataset"].isin(datasets)]
    for _, group in counted.groupby(["row", "metric"], sort=False):
        first = group.iloc[0].to_dict()
        spread = float(np.sqrt((group["std"] ** 2).mean()))
        together = {"dataset": MEAN, "pool": ", ".join(dict.fromkeys(group["pool"])), "run": ""}
        numbers = {"mean": group["mean"].mean(skipna=False), "std": spread}
        reason = max(group["reason"])  # of a data set without a number, if there is one
        lines.append({**first, **together, **numbers, "parameters": "{}", "reason": reason})
    return pd.concat([summary, pd.DataFrame(lines)], ignore_index=True)


def _place(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {key: cell.get(key) for key in _PLACE}


def _lines_not_run(cell: Mapping[str, Any], metrics: Mapping[str, str]) -> list[dict[str, Any]]:
    """Lines of a cell that the configuration leaves out, with its reason."""
    nothing = {"mean": np.nan, "std": np.nan, "repeats": 0, "skipped": 0}
    reason = f"not run: {cell['not_run']}"
    return [{**_place(cell), **nothing, "reason": reason, "metric": name} for name in metrics]


def _available(metrics: Mapping[str, str], frame: pd.DataFrame) -> Mapping[str, str]:
    """The metrics, or the label-free measures where the scores were made without classes."""
    without_classes = [name for name in LABEL_FREE if name in frame]
    has_classes = any(name in frame for name in METRICS)
    if has_classes or not without_classes or not any(c in METRICS for c in metrics.values()):
        return metrics
    return {name: name for name in without_classes}


def _mean_std(values: pd.Series, best: bool) -> tuple[float, float]:
    if best:
        return float(values.max()), float("nan")
    return float(values.mean()), float(values.std(ddof=1))


def cell_scores(cell: Mapping[str, Any], scores: Mapping[str, pd.DataFrame]) -> Candidate:
    """The lines of the score files that count for a cell, and where they come from."""
    candidates: list[Candidate] = []
    for stem in cell["sources"]:
        frame = scores[stem]
        if cell["reference"]:
            if "reference" in frame:
                frame = frame[frame["reference"] == cell["reference"]]
            return frame, {"parameters": "{}", "run": stem}
        for parameters, lines in frame.groupby("parameters", sort=False):
            if _matches(json.loads(parameters), cell["point"]):
                candidates.append((lines, {"parameters": parameters, "run": stem}))
    if cell["tune"]:
        return _best_candidate(candidates, cell["tune"])
    if len(candidates) != 1:
        raise DataError(
            f"{cell['label']} on {cell['dataset']}: {len(candidates)} points in "
            f"{', '.join(cell['sources'])}, where there must be one."
        )
    return candidates[0]


def _best_candidate(candidates: Sequence[Candidate], score: str) -> Candidate:
    """The candidate with the largest mean score, the first of equal ones.

    Where repeats came to an end and none of them has the score, as where the classes are unknown or
    a single repeat has no stability, nothing can be chosen, and the repeats are skipped.
    """
    means = [_mean_score(lines, score) for lines, _ in candidates]
    if np.isfinite(means).any():
        return candidates[int(np.nanargmax(means))]
    lines, origin = candidates[0]
    reason = f"skipped: it is tuned by {score}, which is unknown here"
    status = lines["status"].where(lines["status"] != "ok", reason)
    return lines.assign(status=status), origin


def _mean_score(lines: pd.DataFrame, score: str) -> float:
    """Mean score of a candidate; undefined where the files have none."""
    values = lines.loc[lines["status"] == "ok"].get(score, pd.Series(dtype=float))
    return float(values.mean())


def _matches(parameters: Mapping[str, Any], point: Mapping[str, Any] | None) -> bool:
    # What a run's name leaves out is at its default, which is the point's value by construction.
    return not point or all(parameters.get(name, value) == value for name, value in point.items())


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
    lines, footnotes = _with_footnotes(lines)
    markdown = _laid_out(lines.assign(text=_texts(lines, _MARKDOWN)), down, across)
    latex = _laid_out(lines.assign(text=_texts(lines, _LATEX)), down, across)
    published = "the published value in parentheses; " if lines["published_mean"].any() else ""
    marks = "best in bold, second best underlined" if lines["rank"].any() else "no ranks"
    legend = f"Mean±standard deviation over the repeats; {published}{marks}."
    note = " ".join([*footnotes, *_remarks(lines), note])
    Path(paths["md"]).write_text(
        f"# {title}\n\n{caption}\n\n{markdown.to_markdown()}\n\n{legend} {note}\n",
        encoding="utf-8",
    )
    Path(paths["tex"]).write_text(_latex_table(latex, title, f"{legend} {note}"), encoding="utf-8")
    page = _laid_out(lines.assign(text=_texts(lines, _HTML)), down, across)
    write_sortable_page(paths["html"], page, title=title, caption=caption, note=f"{legend} {note}")


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
    def escape(text: Any) -> str:
        special = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "^": r"\^{}", "±": r"$\pm$"}
        return "".join(special.get(character, character) for character in str(text))

    wide = wide.rename(index=escape, columns=escape).rename_axis(index=escape(wide.index.name))
    body = wide.to_latex(escape=False, column_format="l" + "r" * wide.shape[1])
    return (
        "\\begin{table}\n\\centering\\small\n"
        f"\\caption{{{escape(title)}. {escape(note)}}}\n{body}\\end{{table}}\n"
    )
