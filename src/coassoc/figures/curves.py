"""Scores against something: a parameter (sensitivity) or the ensemble size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.figures.style import SYMBOLS, curve_style, label_ends, panels, shared_legend
from coassoc.plan.runs import repeats_in

__all__ = ["plot_ensemble_size", "plot_sensitivity"]

#: Methods in a panel from which bands would hide one another.
_MANY = 4


def plot_sensitivity(summary: pd.DataFrame, spec: Mapping[str, Any]) -> Figure:
    """Mean score, with a band of one standard deviation, against a parameter.

    Parameters
    ----------
    summary : DataFrame
        From :func:`~coassoc.results.summaries.summarize`; rows without x are baselines, drawn as
        a line.
    spec : mapping
        The figure's entry in the paper's file: ``metric``, ``over``, ``scale``.

    Returns
    -------
    Figure
        One panel per data set.
    """
    figure, axes = panels(summary["dataset"].nunique())
    for axis, (dataset, lines) in zip(axes, summary.groupby("dataset", sort=False), strict=True):
        axis.set_title(_title(str(dataset), lines))
        swept = lines[lines["x"].notna()].astype({"x": float}).sort_values("x")
        for label, curve in swept.groupby("label", sort=False):
            _curve(axis, label.split(" (")[0], curve)
        for _, line in lines[lines["x"].isna()].iterrows():
            style = {**curve_style(line["label"]), "marker": "", "linestyle": "--"}
            axis.axhline(line["mean"], label=line["label"], **style)
        if spec.get("scale") == "log":
            axis.set_xscale("log")
        axis.set_xlabel(SYMBOLS.get(spec["over"], spec["over"]))
        axis.margins(y=0.15)
    _label_scores(axes, spec["metric"])
    shared_legend(figure, axes)
    return figure


def plot_ensemble_size(summary: pd.DataFrame, spec: Mapping[str, Any]) -> Figure:
    """Mean score of each method against the number of base clusterings.

    Few methods have bands of one standard deviation. Of many only the paper's own have one, drawn
    over the others, which are thin lines; each line has its name at its end.

    Parameters
    ----------
    summary : DataFrame
        From :func:`coassoc.results.summaries.summarize`, with x the ensemble size.
    spec : mapping
        The figure's entry in the paper's file: ``metric``, and ``own``, labels of the paper's own
        methods.
    """
    crowded = summary["label"].nunique() > _MANY
    number = summary["dataset"].nunique()
    figure, axes = panels(number, height=2.6, most=2) if crowded else panels(number)
    for axis, (dataset, lines) in zip(axes, summary.groupby("dataset", sort=False), strict=True):
        axis.set_title(_title(str(dataset), lines))
        sizes = np.sort(lines["x"].astype(float).unique())
        ends = {}
        for label, found in lines.groupby("label", sort=False):
            name = str(label).split(" (")[0]
            curve = found.astype({"x": float}).sort_values("x")
            if crowded and label not in spec["own"]:
                thin = {**curve_style(name), "linewidth": 0.7, "markersize": 2}
                axis.plot(curve["x"], curve["mean"], label=name, **thin)
            else:
                _curve(axis, name, curve)
            made = curve["mean"].dropna()
            if len(made):
                ends[name] = float(made.iloc[-1])
        axis.set_xticks(sizes)
        axis.set_xlabel("ensemble size m")
        if crowded:
            label_ends(axis, float(sizes[-1]), ends)
    _label_scores(axes, spec["metric"])
    if not crowded:
        shared_legend(figure, axes)
    return figure


def _title(dataset: str, lines: pd.DataFrame) -> str:
    """The data set, and how many repeats its curves have where they are fewer than the pool's."""
    shortened = lines[lines["run"].astype(str).map(repeats_in).notna()]
    parts = []
    for repeats, found in shortened.groupby("repeats", sort=False):
        of = "" if set(found["label"]) == set(lines["label"]) else _names(found["label"].unique())
        parts.append(f"{of}{repeats} {'repeat' if repeats == 1 else 'repeats'}")
    return "\n".join([dataset, *parts])


def _names(labels: Sequence[str]) -> str:
    listed = ", ".join(label.split(" (")[0] for label in labels)
    return f"{listed if len(labels) < _MANY else f'{len(labels)} methods'}: "


def _curve(axis: Axes, label: str, curve: pd.DataFrame) -> None:
    style = curve_style(label)
    spread = curve["std"].fillna(0)
    axis.fill_between(
        curve["x"],
        curve["mean"] - spread,
        curve["mean"] + spread,
        color=style["color"],
        alpha=0.15,
        linewidth=0,
    )
    axis.plot(curve["x"], curve["mean"], label=label, **style)


def _label_scores(axes: list[Axes], metric: str) -> None:
    for axis in axes:
        place = axis.get_subplotspec()
        if place is not None and place.is_first_col():
            axis.set_ylabel(metric)
