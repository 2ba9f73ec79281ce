"""Scores against something: a parameter (sensitivity) or the ensemble size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.figures.inputs import Inputs
from coassoc.figures.layout import band, label_ends, label_scores, panels, shared_legend
from coassoc.figures.style import SYMBOLS, curve_style, styled
from coassoc.plan.keys import RunKey

__all__ = ["draw_ensemble_size", "draw_sensitivity"]

#: Methods in a panel from which bands would hide one another.
_MANY = 4


@styled
def draw_sensitivity(inputs: Inputs) -> Figure:
    """Mean score, with a band of one standard deviation, against a parameter.

    One panel per data set. Cells without x are baselines, drawn as a line. The entry has the
    ``metric``, the parameter (``over``) and the ``scale`` of its axis.
    """
    spec, summary = inputs.spec, inputs.summary
    figure, axes = panels(summary["dataset"].nunique())
    for axis, lines in _titled(axes, summary):
        for name, curve in _curves(lines[lines["x"].notna()]):
            _curve(axis, name, curve)
        for _, line in lines[lines["x"].isna()].iterrows():
            style = {**curve_style(line["label"]), "marker": "", "linestyle": "--"}
            axis.axhline(line["mean"], label=line["label"], **style)
        if spec.get("scale") == "log":
            axis.set_xscale("log")
        axis.set_xlabel(SYMBOLS.get(spec["over"], spec["over"]))
        axis.margins(y=0.15)
    label_scores(axes, spec["metric"])
    shared_legend(figure)
    return figure


@styled
def draw_ensemble_size(inputs: Inputs) -> Figure:
    """Mean score of each method against the number of base clusterings.

    Few methods have bands of one standard deviation. Of many only the paper's own have one, drawn
    over the others, which are thin lines; each line has its name at its end. The entry has the
    ``metric``, and the labels of the paper's ``own`` methods.
    """
    spec, summary = inputs.spec, inputs.summary
    crowded = summary["label"].nunique() > _MANY
    number = summary["dataset"].nunique()
    figure, axes = panels(number, height=2.6, most=2) if crowded else panels(number)
    for axis, lines in _titled(axes, summary):
        ends = {}
        for name, curve in _curves(lines):
            if crowded and curve["label"].iloc[0] not in spec["own"]:
                thin = {**curve_style(name), "linewidth": 0.7, "markersize": 2}
                axis.plot(curve["x"], curve["mean"], label=name, **thin)
            else:
                _curve(axis, name, curve)
            if curve["mean"].notna().any():
                ends[name] = float(curve["mean"].dropna().iloc[-1])
        sizes = np.sort(lines["x"].astype(float).unique())
        axis.set(xticks=sizes, xlabel="ensemble size m")
        if crowded:
            label_ends(axis, float(sizes[-1]), ends)
    label_scores(axes, spec["metric"])
    if not crowded:
        shared_legend(figure)
    return figure


def _titled(axes: Sequence[Axes], summary: pd.DataFrame) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """The panel of each data set, with its title, and its lines."""
    for axis, (dataset, lines) in zip(axes, summary.groupby("dataset", sort=False), strict=True):
        axis.set_title(_title(str(dataset), lines))
        yield axis, lines


def _title(dataset: str, lines: pd.DataFrame) -> str:
    """The data set, and how many repeats its curves have where they are fewer than the pool's."""
    keys = lines["run"].astype(str).map(RunKey.from_stem)
    shortened = lines[[key is not None and key.repeats is not None for key in keys]]
    parts = []
    for repeats, some in shortened.groupby("repeats", sort=False):
        of = "" if set(some["label"]) == set(lines["label"]) else _names(some["label"].unique())
        parts.append(f"{of}{repeats} {'repeat' if repeats == 1 else 'repeats'}")
    return "\n".join([dataset, *parts])


def _names(labels: Sequence[str]) -> str:
    listed = ", ".join(label.split(" (")[0] for label in labels)
    return f"{listed if len(labels) < _MANY else f'{len(labels)} methods'}: "


def _curves(lines: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Name of each method, without its settings, and its lines from the smallest x."""
    for label, curve in lines.astype({"x": float}).groupby("label", sort=False):
        yield str(label).split(" (")[0], curve.sort_values("x")


def _curve(axis: Axes, name: str, curve: pd.DataFrame) -> None:
    style = curve_style(name)
    band(axis, curve["x"], curve["mean"], curve["std"].fillna(0), style["color"])
    axis.plot(curve["x"], curve["mean"], label=name, **style)
