"""The report of aligned memberships: bars for each K and mode, and tables for other programs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.io.atomic import write_bytes
from coassoc.io.display import cluster_numbers, count_of
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, file_name, write_report
from coassoc.pages.style import COLOURS, blank, cluster_colour, panels, short_name, styled
from coassoc.soft import TOLERANCE, AlignedMemberships, Level, NumberEvidence

#: Largest number of bars in a picture. For more samples, a bar is the mean of several samples.
_BARS = 3000
#: Width of a bar in pixels.
_PIXELS = 120
#: Largest width of a letter of a group's name in inches.
_LETTER = 0.055
_NUMBERS = (
    "H' is the mean similarity of two aligned runs, as in CLUMPP. A mode is a group of similar "
    "runs. Clusters are distinct if at least 75 % of the samples have a membership of at least "
    "0.8, and each cluster has such a sample. “CV error” is the lowest of the runs, “log "
    "likelihood” the highest, and “ln P(D)” the mean with its standard deviation “sd”. ΔK (Evanno "
    "et al. 2005) does not exist for the smallest and the largest K, so it never chooses K = 1. "
    "Confidence is the largest mean membership in the largest mode minus the second largest, "
    "averaged over the samples. A split shows which cluster divides between the largest modes at "
    "K and the next K. If its similarity (in brackets) is low, the larger K is not a refinement."
)
_BARS_ARE = (
    "Each bar is a sample, and its colours are its mean memberships over the runs of a mode. "
    "Samples are sorted by group and then by cluster. Clusters have the colours of the clusters of "
    "the previous K and of the largest mode with which they share most memberships, where this "
    f"lowers H' by at most {TOLERANCE}."
)


def files_of_memberships(stem: str | Path) -> list[Path]:
    """The page, the memberships, the scores of each K, and the runs."""
    return [Path(f"{stem}{end}") for end in (".html", ".csv", "_k.csv", "_runs.csv")]


def write_memberships(
    stem: str | Path,
    aligned: AlignedMemberships,
    evidence: NumberEvidence,
    groups: NDArray[Any] | None,
    group_order: Sequence[str],
    about: str,
) -> list[Path]:
    """Write :func:`files_of_memberships`, and folders with the aligned runs and modes as .Q files.

    Parameters
    ----------
    stem : path
    aligned : AlignedMemberships
        Aligned runs with strings as names.
    evidence : NumberEvidence
        What the runs say about K.
    groups : (n,) array or None
        Group of each sample, for the figures.
    group_order : sequence of str
        The groups from left to right; if empty, they are sorted by their main clusters.
    about : str
        Description of the data, such as "runs: 9 runs of 40 samples".
    """
    page, memberships, numbers, runs = paths = files_of_memberships(stem)
    of_runs, of_numbers = _runs(aligned), _numbers(aligned, evidence)
    write_lines(memberships, _samples(aligned, groups))
    write_lines(numbers, of_numbers)
    write_lines(runs, of_runs)
    folders = [Path(f"{stem}_{what}") for what in ("aligned", "modes")]
    for K, level in aligned.levels.items():
        for r, Q in zip(level.runs, level.aligned, strict=True):
            parts = [part for part in Path(str(aligned.names[r])).parts if part not in ("/", "..")]
            write_bytes(folders[0].joinpath(*parts[:-1], f"{parts[-1]}.Q"), _as_text(Q))
        for number, mode in enumerate(level.modes, 1):
            write_bytes(folders[1] / f"K{K}_mode{number}.{K}.Q", _as_text(mode.memberships))
    finest = aligned.levels[max(aligned.levels)]
    groups = cluster_numbers(finest.labels) if groups is None else groups
    order = sample_order(finest.memberships, groups, group_order)
    figures = {"Scores of each K": plot_numbers(of_numbers)} if len(aligned.levels) > 1 else {}
    sections = [
        Section(f"{about}."),
        Section(evidence.verdict, of_numbers, figures, "Which K?", _NUMBERS),
        Section(caption=_BARS_ARE),
    ]
    for K, level in aligned.levels.items():
        figures = {f"Memberships, K = {K}": plot_modes(level, order, groups)}
        sections.append(Section("", None, figures, f"K = {K}"))
    sections.append(Section("", of_runs, heading="Runs"))
    write_report(page, f"Memberships: {file_name(about)}", sections)
    return [*paths, *folders]


def _as_text(Q: NDArray[np.float64]) -> bytes:
    """K numbers in each line; Arrow writes ten times as fast as pandas."""
    import pyarrow as pa
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    table = pa.table({str(k): column for k, column in enumerate(Q.round(6).T)})
    csv.write_csv(table, sink, csv.WriteOptions(include_header=False, delimiter=" "))
    return bytes(sink.getvalue())


def sample_order(
    memberships: NDArray[np.float64], groups: NDArray[Any], group_order: Sequence[str] = ()
) -> NDArray[np.intp]:
    """Order of the samples by group, with groups in an order, or ordered by their main clusters."""
    names = groups.astype(str)
    means = pd.DataFrame(memberships).groupby(names).mean()
    main = means.idxmax(axis=1)
    sorted_names = group_order or means.index[np.lexsort((-means.max(axis=1), main))]
    own = memberships[np.arange(len(names)), main[names]]
    return np.lexsort((-own, pd.Index(sorted_names).get_indexer(names)))


@styled
def plot_numbers(numbers: pd.DataFrame) -> Figure:
    """Plot H' and the scores of each K, each in a panel."""
    names = ["H'", "CV error", "log likelihood", "ln P(D)", "ΔK"]
    shown = [name for name in names if name in numbers and numbers[name].notna().any()]
    figure, axes = panels(len(shown), most=len(shown))
    for name, axis in zip(shown, axes, strict=True):
        known = numbers[numbers[name].notna()]
        error = known["sd"] if name == "ln P(D)" else None
        axis.errorbar(known["K"], known[name], error, fmt="o-", color=COLOURS["blue"], capsize=2)
        axis.set(title=name, xlabel="K", xticks=numbers["K"])
        axis.ticklabel_format(axis="y", useOffset=False)
    return figure


@styled
def plot_modes(level: Level, order: NDArray[np.intp], groups: NDArray[Any]) -> Figure:
    """Plot bars of the mean memberships of each mode, one panel below the other.

    Parameters
    ----------
    level : Level
    order : (n,) integer array
        Samples from left to right.
    groups : (n,) array
        Groups of the samples, each contiguous in `order`; their names are shown below.
    """
    n, K = level.memberships.shape
    changes = np.flatnonzero(groups[order][1:] != groups[order][:-1]) + 1
    ends = np.array([0, *changes, n])
    names = [short_name(str(group)) for group in groups[order][ends[:-1]]]
    # Known places, because a layout that measures all names takes as long as the drawing.
    number, below = len(level.modes), 0.15 + _LETTER * max(map(len, names))
    height = 0.75 * number + below
    figure = Figure((9.0, height), layout="none")  # type: ignore[arg-type]  # the stubs lack it
    axes = figure.subplots(number, 1, squeeze=False, sharex=True)[:, 0]
    figure.subplots_adjust(0.06, below / height, 0.99, 1 - 0.05 / height, hspace=0.1)
    edges = np.unique(np.linspace(0, n, min(n, _BARS) + 1).astype(np.intp))
    pixels = np.linspace(1, 0, 2 * _PIXELS + 1)[1::2]
    colours = np.array([to_rgb(cluster_colour(k)) for k in range(K)])
    for number, (axis, mode) in enumerate(zip(axes, level.modes, strict=True), 1):
        sums = np.add.reduceat(mode.memberships[order], edges[:-1], axis=0)
        tops = np.cumsum(sums / np.diff(edges)[:, None], axis=1)
        cluster = (tops[:, : K - 1] <= pixels[:, None, None]).sum(axis=2)
        axis.imshow(colours[cluster], aspect="auto", interpolation="nearest", extent=(0, n, 0, 1))
        axis.vlines(changes, 0, 1, color="black", linewidth=0.5)
        blank(axis)
        axis.set(xlim=(0, n), ylim=(0, 1))
        title = f"mode {number}\n{count_of(len(mode.runs), 'run')}"
        axis.set_ylabel(title, rotation=0, ha="right", va="center", fontsize=6.5)
    axes[-1].set_xticks((ends[:-1] + ends[1:]) / 2, names, rotation=90, fontsize=6)
    axes[-1].tick_params(length=0)
    return figure


def _numbers(aligned: AlignedMemberships, evidence: NumberEvidence) -> pd.DataFrame:
    """Scores, H', modes, confidence and splits of each K."""
    splits = {}
    for split in aligned.splits:  # such as "1 into 1 and 3 (0.996)"
        divided = "; ".join(
            f"{cluster_numbers(k)} into {' and '.join(map(str, cluster_numbers(part)))}"
            for k, part in split.parts.items()
        )
        splits[split.next_K] = f"{divided} ({split.similarity:.3f})"
    lines = []
    for K, scores in evidence.scores.items():
        line: dict[str, Any] = {"K": K}
        if level := aligned.levels.get(K):
            line |= {"runs": str(len(level.runs)), "runs per mode": level.sizes_of_modes}
            line |= {"H'": level.h, "confidence": level.confidence.mean()}
        lines.append({**line, **scores, "splits": splits.get(K, "")})
    return pd.DataFrame(lines)


def _samples(aligned: AlignedMemberships, groups: NDArray[Any] | None) -> pd.DataFrame:
    """Cluster and confidence of each sample at each K, and its mean memberships in each mode."""
    n = len(next(iter(aligned.levels.values())).memberships)
    columns: dict[str, Any] = {
        "sample": range(1, n + 1) if aligned.index is None else aligned.index
    }
    if groups is not None:
        columns["group"] = groups
    for K, level in aligned.levels.items():
        columns[f"K{K} cluster"] = cluster_numbers(level.labels)
        columns[f"K{K} confidence"] = level.confidence
        for number, mode in enumerate(level.modes, 1):
            for k, column in zip(cluster_numbers(range(K)), mode.memberships.T, strict=True):
                columns[f"K{K} mode{number} Cluster{k}"] = column
    return pd.DataFrame(columns)


def _runs(aligned: AlignedMemberships) -> pd.DataFrame:
    """Mode of each run, its similarity to the other runs, and the order of its columns."""
    lines = []
    for K, level in aligned.levels.items():
        modes = {r: number for number, mode in enumerate(level.modes, 1) for r in mode.runs}
        others = np.where(np.eye(len(level.runs)), np.nan, level.similarity)
        means = pd.DataFrame(others).mean()
        for r, columns, mean in zip(level.runs, level.columns, means, strict=True):
            lines.append(
                (aligned.names[r], K, modes[r], mean, " ".join(map(str, cluster_numbers(columns))))
            )
    names = ["run", "K", "mode", "mean G' with the others", "columns"]
    return pd.DataFrame(lines, columns=names)
