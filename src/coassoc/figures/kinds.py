"""The kinds of figures, each with the function that draws it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from coassoc.figures.inputs import Inputs

__all__ = ["DRAWN_BY", "draw"]

#: Kind → module and function, which takes :class:`~coassoc.figures.inputs.Inputs`.
DRAWN_BY = {
    "reliability": "coassoc.figures.reliability:draw_reliability",
    "transform": "coassoc.figures.transform:draw_transform",
    "sensitivity": "coassoc.figures.curves:draw_sensitivity",
    "ensemble_size": "coassoc.figures.curves:draw_ensemble_size",
    "surface": "coassoc.figures.surface:draw_surface",
    "convergence": "coassoc.figures.convergence:draw_convergence",
    "base_quality": "coassoc.figures.base_quality:draw_base_quality",
    "matrices": "coassoc.figures.matrices:draw_matrices",
    "before_after": "coassoc.figures.before_after:draw_before_after",
    "embedding": "coassoc.figures.embedding:draw_embedding",
}


def draw(kind: str, inputs: Inputs) -> Figure:
    """Draw a figure; its module is imported here."""
    module, _, function = DRAWN_BY[kind].partition(":")
    figure: Figure = getattr(import_module(module), function)(inputs)
    return figure
