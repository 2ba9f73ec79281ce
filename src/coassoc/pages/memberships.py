"""The report of aligned memberships: bars for each K and mode, and tables for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.io.atomic import write_bytes
from coassoc.io.display import count_of
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.pages.style import blank, cluster_colour, short_name, styled
from coassoc.soft import AlignedMemberships, Level

#: Largest number of bars in a picture. For more samples, a bar is the mean of several samples.
_BARS = 3000
#: Width of a bar in pixels.
_PIXELS = 200
_LEVELS = (
    "H' is the mean similarity of two aligned runs, as in CLUMPP. A mode is a group of similar "
    "runs. A split shows which cluster divides between the largest modes at K and K + 1. If its "
    "similarity (in brackets) is low, the larger K is not a refinement. Confidence is the largest "
    "mean membership minus the second largest, averaged over the samples."
)
_BARS_ARE = (
    "Each bar is a sample, and its colours are its mean memberships over the runs of a mode. "
    "Samples are sorted by group and then by cluster. A cluster keeps its colour from K to K + 1."
)


def files_of_memberships(stem: str | Path) -> list[Path]:
    """The page, the memberships, and the runs."""
    return [Path(f"{stem}{end}") for end in (".html", ".csv", "_runs.csv")]


def write_memberships(
    stem: str | Path, aligned: AlignedMemberships, groups: NDArray[Any] | None, about: str
) -> list[Path]:
    """Write :func:`files_of_memberships`, and a folder with the aligned runs as .Q files.

    Parameters
    ----------
    stem : path
    aligned : AlignedMemberships
        Aligned runs with strings as names.
    groups : (n,) array or None
        Group of each sample, for the figures.
    about : str
        Description of the data, for the title.
    """
    page, memberships, runs = files_of_memberships(stem)
    of_runs = _runs(aligned)
    write_lines(memberships, _samples(aligned, groups))
    write_lines(runs, of_runs)
    folder = Path(f"{stem}_aligned")
    for level in aligned.levels.values():
        for r, Q in zip(level.runs, level.aligned, strict=True):
            parts = [part for part in Path(str(aligned.names[r])).parts if part not in ("/", "..")]
            write_bytes(folder.joinpath(*parts[:-1], f"{parts[-1]}.Q"), _as_text(Q))
    finest = aligned.levels[max(aligned.levels)]
    groups = finest.labels + 1 if groups is None else groups
    order = sample_order(finest.modes[0].memberships, groups)
    sections = [Section("", _levels(aligned), caption=_LEVELS), Section(caption=_BARS_ARE)]
    for K, level in aligned.levels.items():
        figures = {f"Memberships, K = {K}": plot_modes(level, order, groups)}
        sections.append(Section("", None, figures, f"K = {K}"))
    sections.append(Section("", of_runs, heading="Runs"))
    write_report(page, f"Memberships of {about}", sections)
    return [page, memberships, runs, folder]


def _as_text(Q: NDArray[np.float64]) -> bytes:
    """K numbers in each line; Arrow writes ten times as fast as pandas."""
    import pyarrow as pa
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    table = pa.table({str(k): column for k, column in enumerate(Q.round(6).T)})
    csv.write_csv(table, sink, csv.WriteOptions(include_header=False, delimiter=" "))
    return bytes(sink.getvalue())


def sample_order(memberships: NDArray[np.float64], groups: NDArray[Any]) -> NDArray[np.intp]:
    """Order of the samples by group, with groups ordered by their main clusters."""
    names = groups.astype(str)
    means = pd.DataFrame(memberships).groupby(names).mean()
    main = means.idxmax(axis=1)
    rank = pd.Series(np.lexsort((-means.max(axis=1), main)).argsort(), means.index)
    own = memberships[np.arange(len(names)), main[names]]
    return np.lexsort((-own, rank[names]))


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
    figure = Figure((9.0, 0.75 * len(level.modes) + 0.75))
    axes = figure.subplots(len(level.modes), 1, squeeze=False, sharex=True)[:, 0]
    edges = np.unique(np.linspace(0, n, min(n, _BARS) + 1).astype(np.intp))
    pixels = np.linspace(1, 0, 2 * _PIXELS + 1)[1::2]
    colours = np.array([to_rgb(cluster_colour(k)) for k in range(K)])
    changes = np.flatnonzero(groups[order][1:] != groups[order][:-1]) + 1
    for number, (axis, mode) in enumerate(zip(axes, level.modes, strict=True), 1):
        sums = np.add.reduceat(mode.memberships[order], edges[:-1], axis=0)
        tops = np.cumsum(sums / np.diff(edges)[:, None], axis=1)
        cluster = (tops[:, : K - 1] <= pixels[:, None, None]).sum(axis=2)
        axis.imshow(colours[cluster], aspect="auto", interpolation="nearest", extent=(0, n, 0, 1))
        blank(axis)
        axis.set(xlim=(0, n), ylim=(0, 1))
        title = f"mode {number}\n{count_of(len(mode.runs), 'run')}"
        axis.set_ylabel(title, rotation=0, ha="right", va="center", fontsize=6.5)
        for change in changes:
            axis.axvline(change, color="black", linewidth=0.5)
    ends = np.array([0, *changes, n])
    names = [short_name(str(group)) for group in groups[order][ends[:-1]]]
    axes[-1].set_xticks((ends[:-1] + ends[1:]) / 2, names, rotation=90, fontsize=6)
    axes[-1].tick_params(length=0)
    return figure


def _levels(aligned: AlignedMemberships) -> pd.DataFrame:
    """H', confidence, modes and splits of each K."""
    splits = {}
    for split in aligned.splits:  # such as "1 into 1 and 3 (0.996)"
        joined = {k: " and ".join(str(i + 1) for i in part) for k, part in split.parts.items()}
        divided = "; ".join(f"{k + 1} into {parts}" for k, parts in joined.items())
        splits[split.next_K] = f"{divided} ({split.similarity:.3f})"
    lines = []
    for K, level in aligned.levels.items():
        numbers = level.h, level.confidence.mean(), level.sizes_of_modes
        lines.append((K, len(level.runs), *numbers, splits.get(K, "")))
    return pd.DataFrame(lines, columns=["K", "runs", "H'", "confidence", "runs per mode", "splits"])


def _samples(aligned: AlignedMemberships, groups: NDArray[Any] | None) -> pd.DataFrame:
    """Cluster and confidence of each sample at each K, and its mean memberships in each mode."""
    n = len(next(iter(aligned.levels.values())).memberships)
    columns: dict[str, Any] = {
        "sample": range(1, n + 1) if aligned.index is None else aligned.index
    }
    if groups is not None:
        columns["group"] = groups
    for K, level in aligned.levels.items():
        columns[f"K{K} cluster"] = level.labels + 1
        columns[f"K{K} confidence"] = level.confidence
        for number, mode in enumerate(level.modes, 1):
            for k in range(K):
                columns[f"K{K} mode{number} Cluster{k + 1}"] = mode.memberships[:, k]
    return pd.DataFrame(columns)


def _runs(aligned: AlignedMemberships) -> pd.DataFrame:
    """Mode of each run, its similarity to the other runs, and the order of its columns."""
    lines = []
    for K, level in aligned.levels.items():
        modes = {r: number for number, mode in enumerate(level.modes, 1) for r in mode.runs}
        others = np.where(np.eye(len(level.runs)), np.nan, level.similarity)
        means = pd.DataFrame(others).mean()
        for r, columns, mean in zip(level.runs, level.columns, means, strict=True):
            lines.append((aligned.names[r], K, modes[r], mean, " ".join(map(str, columns + 1))))
    names = ["run", "K", "mode", "mean G' with the others", "columns"]
    return pd.DataFrame(lines, columns=names)
