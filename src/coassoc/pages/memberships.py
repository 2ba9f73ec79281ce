"""The report of aligned memberships: bars for each K and mode, and tables for other programs."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.atomic import write_bytes
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.pages.style import blank, cluster_colour, short_name, styled
from coassoc.soft import AlignedMemberships, Level, Split

#: Largest number of bars in a picture. For more samples, a bar is the mean of several samples.
_BARS = 3000
#: Width of a bar in pixels.
_PIXELS = 200
_LEVELS = (
    "H' is the mean similarity of two aligned runs Q and R, 1 − ‖Q − R‖ / √(2n), over all pairs of "
    "runs, as in CLUMPP. A mode is a group of similar runs: the mean similarity of the matched "
    "clusters of any two runs of a mode is at least the threshold. A split shows which cluster "
    "divides between the largest modes at K and K + 1. The similarity of a split compares the two "
    "modes after the memberships in the parts of the divided cluster have been added. A low "
    "similarity means that the larger K is not a refinement. Confidence is the largest mean "
    "membership minus the second largest, averaged over the samples."
)
_BARS_ARE = (
    "Each bar is a sample, and its colours are its mean memberships over the runs of a mode. A "
    "cluster keeps its colour from K to K + 1. All panels show the samples in the same order. "
    "Samples are sorted by group, and within a group by the clusters of the largest K."
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
    write_lines(memberships, _samples(aligned, groups))
    write_lines(runs, _runs(aligned))
    folder = Path(f"{stem}_aligned")
    for level in aligned.levels.values():
        for r, Q in zip(level.runs, level.aligned, strict=True):
            write_bytes(folder / f"{_inside(aligned.names[r])}.Q", _as_text(Q))
    order = sample_order(aligned, groups)
    sections = [Section("", _levels(aligned), caption=_LEVELS), Section(caption=_BARS_ARE)]
    for K, level in aligned.levels.items():
        figures = {f"Memberships, K = {K}": plot_modes(level, order, groups)}
        sections.append(Section("", None, figures, f"K = {K}"))
    sections.append(Section(heading="Runs", table=_runs(aligned)))
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


def _inside(name: Any) -> str:
    """A name as a path that stays in its folder."""
    parts = [part for part in Path(str(name)).parts if part not in ("/", "..", ".")]
    return "/".join(parts)


def sample_order(aligned: AlignedMemberships, groups: NDArray[Any] | None) -> NDArray[np.intp]:
    """Order of the samples by group, and then by cluster of the largest K."""
    Q = aligned.levels[max(aligned.levels)].modes[0].memberships
    groups = Q.argmax(axis=1) if groups is None else groups
    names, group = np.unique(groups.astype(str), return_inverse=True)
    means = np.array([Q[group == g].mean(axis=0) for g in range(len(names))])
    main = means.argmax(axis=1)
    rank = np.lexsort((-means.max(axis=1), main)).argsort()
    return np.lexsort((-Q[np.arange(len(Q)), main[group]], rank[group]))


@styled
def plot_modes(level: Level, order: NDArray[np.intp], groups: NDArray[Any] | None = None) -> Figure:
    """Plot bars of the mean memberships of each mode, one panel below the other.

    Parameters
    ----------
    level : Level
    order : (n,) integer array
        Samples from left to right.
    groups : (n,) array, optional
        Groups of the samples, each contiguous in `order`; their names are shown below.
    """
    n, K = level.memberships.shape
    figure = Figure((9.0, 0.75 * len(level.modes) + (0.75 if groups is not None else 0.25)))
    axes = figure.subplots(len(level.modes), 1, squeeze=False, sharex=True)[:, 0]
    edges = np.unique(np.linspace(0, n, min(n, _BARS) + 1).astype(np.intp))
    pixels = np.linspace(1, 0, 2 * _PIXELS + 1)[1::2]
    colours = np.array([to_rgb(cluster_colour(k)) for k in range(K)])
    changes = []
    if groups is not None:
        changes = [0, *(np.flatnonzero(groups[order][1:] != groups[order][:-1]) + 1), n]
    for number, (axis, mode) in enumerate(zip(axes, level.modes, strict=True), 1):
        sums = np.add.reduceat(mode.memberships[order], edges[:-1], axis=0)
        tops = np.cumsum(sums / np.diff(edges)[:, None], axis=1)
        cluster = (tops[:, : K - 1] <= pixels[:, None, None]).sum(axis=2)
        axis.imshow(colours[cluster], aspect="auto", interpolation="nearest", extent=(0, n, 0, 1))
        blank(axis)
        axis.set(xlim=(0, n), ylim=(0, 1))
        title = f"mode {number}\n{len(mode.runs)} run{'s' * (len(mode.runs) > 1)}"
        axis.set_ylabel(title, rotation=0, ha="right", va="center", fontsize=6.5)
        for change in changes[1:-1]:
            axis.axvline(change, color="black", linewidth=0.5)
    if groups is not None:
        middles = [(a + b) / 2 for a, b in pairwise(changes)]
        names = [short_name(str(groups[order[a]])) for a in changes[:-1]]
        axes[-1].set_xticks(middles, names, rotation=90, fontsize=6)
        axes[-1].tick_params(length=0)
    return figure


def _levels(aligned: AlignedMemberships) -> pd.DataFrame:
    splits = {split.next_K: _describe(split) for split in aligned.splits}
    lines = []
    for K, level in aligned.levels.items():
        numbers = level.h, level.confidence.mean(), level.sizes_of_modes
        lines.append((K, len(level.runs), *numbers, splits.get(K, "")))
    return pd.DataFrame(lines, columns=["K", "runs", "H'", "confidence", "runs per mode", "splits"])


def _describe(split: Split) -> str:
    """Such as "1 into 1 and 3 (0.996)"."""
    parts = [
        f"{k + 1} into {' and '.join(str(part + 1) for part in parts)}"
        for k, parts in split.parts.items()
    ]
    return f"{'; '.join(parts)} ({split.similarity:.3f})"


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
        means = (level.similarity.sum(axis=1) - 1) / max(len(level.runs) - 1, 1)
        for r, columns, mean in zip(level.runs, level.columns, means, strict=True):
            permuted = " ".join(str(column + 1) for column in columns)
            mean = mean if len(level.runs) > 1 else np.nan
            lines.append((aligned.names[r], K, modes[r], mean, permuted))
    names = ["run", "K", "mode", "mean G' with the others", "columns"]
    return pd.DataFrame(lines, columns=names)
