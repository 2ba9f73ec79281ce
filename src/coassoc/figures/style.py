"""The look of all figures: one colour and marker per method everywhere, readable at print size."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # jobs have no screen

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.optimize import isotonic_regression

__all__ = ["SYMBOLS", "as_png", "curve_style", "label_ends", "panels", "save", "shared_legend"]

#: Okabe & Ito's palette, which colour-blind readers can tell apart.
_COLOURS = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "yellow": "#C9B800",
    "blue": "#0072B2",
    "red": "#D55E00",
    "pink": "#CC79A7",
    "grey": "#777777",
}

#: Colour, marker and line of each method; families share a colour, members differ in marker.
_METHODS = {
    "EC-CMS": ("red", "o", "-"),
    "EC-CMS on CA": ("red", "s", "-"),
    "EC-CMS on PTS": ("red", "^", "-"),
    "LTA-EA": ("pink", "o", "-"),
    "LTA-SC": ("pink", "s", "-"),
    "LTA-SC (lambda=0.02)": ("pink", "^", "--"),
    "GTLEC": ("orange", "X", "-"),
    "RCE": ("blue", "o", "-"),
    "HCLCE": ("green", "o", "-"),
    "ACMK-SC": ("orange", "o", "-"),
    "ACMK-KM": ("orange", "s", "-."),
    "ACMK-SC-A": ("orange", "D", ":"),
    "ACMK-KM-A": ("orange", "P", ":"),
    "ACMK-GF": ("orange", "^", "--"),
    "ACMK-Fix": ("orange", "v", "--"),
    "LWEA": ("black", "D", "--"),
    "LWGP": ("black", "s", "--"),
    "LWSC": ("black", "^", "--"),
    "PTA-AL": ("sky", "o", "-"),
    "PTA-CL": ("sky", "s", "-"),
    "PTA-SL": ("sky", "^", "-"),
    "PTGP": ("sky", "v", "-"),
    "EAC-AL": ("grey", "o", "-"),
    "EAC-SL": ("grey", "^", "-"),
    "EAC-CL": ("grey", "s", "-"),
    "EAC": ("grey", "o", "-"),
    "CA": ("grey", "D", "-"),
    "CA-SC": ("grey", "D", "-"),
    "ECPCS-HC": ("green", "s", "--"),
    "ECPCS-MC": ("green", "^", "--"),
    "RSEC-H": ("yellow", "o", "-"),
    "RSEC-Z": ("yellow", "s", "-"),
    "DREC": ("yellow", "^", "--"),
    "SPCE": ("blue", "s", "--"),
    "TRCE": ("blue", "^", "--"),
    "SCCBG": ("blue", "v", "--"),
    "SCCABG": ("blue", "x", "--"),
    "CESHL": ("blue", "D", "--"),
    "CSPA": ("grey", "s", ":"),
    "HGPA": ("grey", "^", ":"),
    "MCLA": ("grey", "v", ":"),
    "HBGF": ("grey", "P", ":"),
    "U-SENC": ("black", "P", ":"),
    "VOTE": ("grey", "x", ":"),
    "KCC-Uc": ("orange", "<", ":"),
    "KCC-UH": ("orange", ">", ":"),
    "WEAC": ("black", "o", ":"),
    "GP-MGLA": ("black", "v", ":"),
    "LCE-CTS": ("sky", "D", ":"),
    "LCE-SRS": ("sky", "P", ":"),
    "LCE-ASRS": ("sky", "x", ":"),
    "SDGCA": ("red", "P", ":"),
    "MDEC-HC": ("black", "<", ":"),
    "MDEC-SC": ("black", ">", ":"),
    "MDEC-BG": ("black", "x", ":"),
    "CEHM": ("red", "D", ":"),
    "AWEC": ("red", "x", ":"),
    "CEAM": ("sky", "v", ":"),
    "CDEC": ("blue", "<", ":"),
    "NMFC": ("pink", "^", ":"),
    "GWCA": ("pink", "v", ":"),
    "BCE": ("pink", "D", ":"),
    "RMSC": ("green", "D", ":"),
    "SEC": ("green", "v", ":"),
    "KC": ("orange", "D", ":"),
    "SC": ("orange", "x", ":"),
}

#: Names that fit beside a panel, one above the other.
_NAMES_IN_A_PANEL = 16

#: How parameters are written on an axis.
SYMBOLS = {
    "alpha": "α",
    "lam": "λ",
    "lam1": "λ₁",
    "lam2": "λ₂",
    "gamma": "γ",
    "theta": "θ",
    "order": "order k",
}

plt.rcParams.update(
    {
        "font.size": 8,
        "axes.titlesize": 8,
        "axes.labelsize": 8,
        "legend.fontsize": 7.5,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.5,
        "axes.axisbelow": True,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.5,
        "figure.constrained_layout.use": True,
        "savefig.dpi": 200,
        "svg.hashsalt": "coassoc",
        "pdf.fonttype": 42,
    }
)


def curve_style(label: str) -> dict[str, Any]:
    """Colour, marker and line of a method, the same in every figure.

    Labels with settings in parentheses ("EC-CMS (tuned)") look like the method itself unless they
    are known by themselves; methods that are not known here are grey.
    """
    known = label if label in _METHODS else label.split(" (")[0]
    colour, marker, line = _METHODS.get(known, ("grey", "x", "-."))
    return {"color": _COLOURS[colour], "marker": marker, "linestyle": line}


def panels(
    number: int, width: float = 7.2, height: float = 1.75, most: int = 4
) -> tuple[Figure, list[Axes]]:
    """Axes for one panel per data set, at most `most` in a row, on a text-wide figure."""
    columns = min(number, most)
    rows = -(-number // columns)
    figure, grid = plt.subplots(
        rows,
        columns,
        figsize=(max(width * columns / most, 3.6) if columns < 3 else width, height * rows + 0.35),
        squeeze=False,
    )
    axes = list(grid.flat)
    for spare in axes[number:]:
        spare.set_visible(False)
    return figure, axes[:number]


def label_ends(axis: Axes, x: float, ends: Mapping[str, float]) -> None:
    """Name lines at their right ends, in their colours; names keep a distance from one another.

    Parameters
    ----------
    axis : Axes
        With all its lines.
    x : float
        Where the lines end.
    ends : mapping of str to float
        Name of each line → its height there.
    """
    low, high = axis.get_ylim()
    in_order = sorted(ends.items(), key=lambda item: item[1])
    # As near to the lines' ends as the distance between names allows, by least squares.
    steps = np.arange(len(ends)) / max(_NAMES_IN_A_PANEL, len(ends))
    wanted = (np.array([end for _, end in in_order]) - low) / (high - low)
    heights = np.clip(isotonic_regression(wanted - steps).x, 0, 1 - steps[-1]) + steps
    for (name, end), height in zip(in_order, heights, strict=True):
        axis.annotate(
            name,
            (x, end),
            xytext=(1.06, height),
            textcoords="axes fraction",
            color=curve_style(name)["color"],
            fontsize=6.5,
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": "#BBBBBB",
                "linewidth": 0.4,
                "relpos": (0, 0.5),
                "shrinkA": 0,
                "shrinkB": 2,
            },
        )
    axis.set_ylim(low, high)


def shared_legend(figure: Figure, axes: Iterable[Axes], columns: int = 6) -> None:
    """One legend below all panels, each label once; `columns`, or as many as there is room for."""
    entries: dict[str, Any] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        entries.update(dict(zip(labels, handles, strict=True)))
    # Inches of a column: a symbol, the gaps around it, and the letters of the longest label.
    longest = 0.5 + 0.06 * max(map(len, entries), default=0)
    room = int(figure.get_figwidth() / longest)
    figure.legend(
        entries.values(),
        entries.keys(),
        loc="outside lower center",
        ncols=max(1, min(columns, len(entries), room)),
        frameon=False,
    )


def save(figure: Figure, paths: Mapping[str, str | Path]) -> None:
    """Write the figure as PDF and PNG, byte-identical from run to run."""
    for end, path in paths.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        metadata = {"CreationDate": None} if end == "pdf" else {"Software": None}
        figure.savefig(path, metadata=metadata)
    plt.close(figure)


def as_png(figure: Figure) -> bytes:
    """The figure as the content of a PNG file, for pages that hold their pictures."""
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    plt.close(figure)
    return content.getvalue()
