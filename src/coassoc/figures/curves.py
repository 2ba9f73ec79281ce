"""Scores against something: a parameter (sensitivity) or the ensemble size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.figures.style import SYMBOLS, curve_style, panels, shared_legend

__all__ = ["plot_ensemble_size", "plot_sensitivity"]


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
        axis.set_title(dataset)
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
    """Mean score of each method against the number of base clusterings; error bars: one std.

    Parameters
    ----------
    summary : DataFrame
        From :func:`coassoc.results.summaries.summarize`, with x the ensemble size.
    spec : mapping
        The figure's entry in the paper's file: ``metric``.
    """
    crowded = summary["label"].nunique() > 8
    number = summary["dataset"].nunique()
    figure, axes = panels(number, height=2.4, most=2) if crowded else panels(number)
    for axis, (dataset, lines) in zip(axes, summary.groupby("dataset", sort=False), strict=True):
        axis.set_title(dataset)
        labels = list(dict.fromkeys(lines["label"]))
        sizes = np.sort(lines["x"].astype(float).unique())
        step = np.diff(sizes).min() if len(sizes) > 1 else 1.0
        # Methods stand side by side at each size, so that error bars do not hide each other.
        shifts = (np.arange(len(labels)) - (len(labels) - 1) / 2) * step * 0.5 / len(labels)
        for label, shift in zip(labels, shifts, strict=True):
            curve = lines[lines["label"] == label].astype({"x": float}).sort_values("x")
            axis.errorbar(
                curve["x"] + shift,
                curve["mean"],
                yerr=curve["std"].fillna(0),
                label=label.split(" (")[0],
                elinewidth=0.6,
                **curve_style(label),
            )
        axis.set_xticks(sizes)
        axis.set_xlabel("ensemble size m")
    _label_scores(axes, spec["metric"])
    shared_legend(figure, axes)
    return figure


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
