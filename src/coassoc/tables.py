"""From scores to tables: every reproduced number beside the published one.

:func:`summarize` makes one line per (row, data set, metric); :func:`write_table` renders the lines
as CSV (one line per number, for programs), Markdown and LaTeX (laid out as in the paper).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.provenance import commit
from coassoc.scores import LABEL_FREE

__all__ = [
    "collect_scores",
    "compare",
    "mark_ranks",
    "read_scores_by_stem",
    "reproduction_note",
    "summarize",
    "write_table",
]

#: Quantities of which less is better.
LOWER_IS_BETTER = ("seconds", "cpu_seconds", "peak_mb")


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
    method is "base".
    """
    frames = []
    for stem, frame in read_scores_by_stem(paths, folder).items():
        pool, dataset, *rest = stem.split("/")
        m, method, block = rest if len(rest) == 3 else ("", "base", "")
        place = {"pool": pool, "dataset": dataset, "m": m.removeprefix("m"), "method": method}
        frames.append(frame.assign(**place, block=block))
    return pd.concat(frames, ignore_index=True)


def reproduction_note(summary: pd.DataFrame) -> str:
    """How the numbers of a table were made: pools, ensemble sizes, repeats, version of the code."""
    pools = ", ".join(sorted(summary["pool"].unique()))
    sizes = ", ".join(f"{m:g}" for m in sorted(summary["m"].unique()))
    repeats = int(summary["repeats"].where(summary["base"].isna()).max())
    return f"Pool: {pools}; m = {sizes}; {repeats} repeats; version {commit()}."


def summarize(
    cells: Iterable[Mapping[str, Any]],
    scores: Mapping[str, pd.DataFrame],
    metrics: Mapping[str, str],
) -> pd.DataFrame:
    """Mean and standard deviation over the repeats, for each cell and metric.

    Parameters
    ----------
    cells : iterable of mapping
        Cells of a table or figure (:meth:`coassoc.experiments.Cell.as_parameters`).
    scores : mapping of str to DataFrame
        Score files by their stems.
    metrics : mapping of str to str
        Name in the table → column of the score files.

    Returns
    -------
    DataFrame
        Columns row, label, dataset, pool, m, x, base, metric, mean, std (with n − 1), repeats,
        skipped, reason, parameters (JSON), run.
    """
    lines = []
    for cell in cells:
        if cell.get("not_run"):
            lines += _lines_not_run(cell, metrics)
            continue
        frame, origin = _cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"] if "status" in frame else frame
        bad = frame[frame["status"] != "ok"] if "status" in frame else frame.iloc[:0]
        shared = _place(cell) | {
            "repeats": len(good),
            "skipped": len(bad),
            "reason": str(bad["status"].iloc[0]) if len(bad) else "",
            **origin,
        }
        for name, column in _available(metrics, frame).items():
            values = good[column] if column in good else pd.Series(dtype=float)
            mean, std = _mean_std(values, best=cell["base"] == "best")
            lines.append({**shared, "metric": name, "mean": mean, "std": std})
    return pd.DataFrame(lines)


def _place(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {key: cell[key] for key in ("row", "label", "dataset", "pool", "m", "x", "base")}


def _lines_not_run(cell: Mapping[str, Any], metrics: Mapping[str, str]) -> list[dict[str, Any]]:
    """Lines of a cell that the configuration leaves out, with its reason."""
    nothing = {"mean": np.nan, "std": np.nan, "repeats": 0, "skipped": 0}
    reason = f"not run: {cell['not_run']}"
    return [{**_place(cell), **nothing, "reason": reason, "metric": name} for name in metrics]


def _available(metrics: Mapping[str, str], frame: pd.DataFrame) -> Mapping[str, str]:
    """The metrics, or the label-free measures where the scores were made without classes."""
    without_classes = [name for name in LABEL_FREE if name in frame]
    return {name: name for name in without_classes} or metrics


def _mean_std(values: pd.Series, best: bool) -> tuple[float, float]:
    if best:
        return float(values.max()), float("nan")
    return float(values.mean()), float(values.std(ddof=1))


def _cell_scores(
    cell: Mapping[str, Any], scores: Mapping[str, pd.DataFrame]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """The lines of the score files that count for a cell, and where they come from."""
    candidates = []
    for stem in cell["sources"]:
        frame = scores[stem]
        if cell["base"]:
            return frame, {"parameters": "{}", "run": stem}
        for parameters, lines in frame.groupby("parameters", sort=False):
            if _matches(json.loads(parameters), cell["point"]):
                candidates.append((lines, {"parameters": parameters, "run": stem}))
    if cell["tune"] and len(candidates) > 1:
        return max(candidates, key=lambda candidate: _tuning_score(candidate[0], cell["tune"]))
    return candidates[0]


def _matches(parameters: Mapping[str, Any], point: Mapping[str, Any] | None) -> bool:
    # A block that is all defaults has no values in its name, and is the point by construction.
    return not point or all(parameters.get(name, value) == value for name, value in point.items())


def _tuning_score(lines: pd.DataFrame, score: str) -> float:
    """Mean score of a candidate; without classes the agreement with the base clusterings."""
    column = score if score in lines else LABEL_FREE[0]
    mean = lines.loc[lines["status"] == "ok", column].mean()
    return float(mean) if np.isfinite(mean) else -np.inf


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

    Rows about the base clusterings and controls do not compete.
    """
    competing = lines["mean"].notna() & ~lines["label"].str.startswith(("Base clusterings", "("))
    rank = pd.Series(0, index=lines.index)
    for (_, metric), group in lines[competing].groupby(["dataset", "metric"]):
        ascending = metric in LOWER_IS_BETTER
        place = group["mean"].round(6).rank(method="min", ascending=ascending)
        rank.loc[group.index] = place.where(place <= 2, 0).astype(int)
    return rank


# -- rendering ----------------------------------------------------------------------------------


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
    """Write a table as CSV, Markdown and LaTeX.

    Parameters
    ----------
    paths : mapping
        Paths for "csv", "md" and "tex".
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
    lines.to_csv(paths["csv"], index=False, float_format="%.6g", lineterminator="\n")
    markdown = _laid_out(lines.assign(text=_texts(lines, _MARKDOWN)), down, across)
    latex = _laid_out(lines.assign(text=_texts(lines, _LATEX)), down, across)
    published = "the published value in parentheses; " if lines["published_mean"].any() else ""
    legend = (
        f"Mean±standard deviation over the repeats; {published}"
        "best in bold, second best underlined."
    )
    Path(paths["md"]).write_text(
        f"# {title}\n\n{caption}\n\n{markdown.to_markdown()}\n\n{legend} {note}\n",
        encoding="utf-8",
    )
    Path(paths["tex"]).write_text(_latex_table(latex, title, f"{legend} {note}"), encoding="utf-8")


def _laid_out(lines: pd.DataFrame, down: Sequence[str], across: Sequence[str]) -> pd.DataFrame:
    columns = {"method": "label", "dataset": "dataset", "metric": "metric"}
    index, header = [columns[name] for name in down], [columns[name] for name in across]
    if "metric" not in [*down, *across] and lines["metric"].nunique() > 1:
        header = [*header, "metric"]
    if lines["metric"].nunique() == 1:
        index = [name for name in index if name != "metric"]
        header = [name for name in header if name != "metric"]
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


def _texts(lines: pd.DataFrame, style: Mapping[Any, str]) -> list[str]:
    return [_text(line, style) for line in lines.to_dict("records")]


def _text(line: Mapping[str, Any], style: Mapping[Any, str]) -> str:
    published = _number(line["published_mean"], line["published_std"], style["pm"])
    if np.isfinite(line["mean"]):
        number = style[line["rank"]].format(_number(line["mean"], line["std"], style["pm"]))
    else:
        number = str(line["reason"]) or "no score"
    return f"{number} ({published})" if published else number


def _number(mean: float, std: float, pm: str) -> str:
    if not np.isfinite(mean):
        return ""
    digits = 3 if abs(mean) < 10 else 1
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
