"""Kinds of tables, figures and audits: what is known of each, in one place.

A new kind is one entry here, with the function that makes it; docs/extending.md has the recipe.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["KINDS", "Kind", "made_by"]


@dataclass(frozen=True)
class Kind:
    """What is known of a kind.

    Attributes
    ----------
    section : {"tables", "figures", "audits"}
        Section of the papers' files that has its entries.
    needs : str
        What it is made from: "scores" of runs, "timing" or "scaling" (times measured alone),
        "selection" (criteria for the number of clusters), "runs" with their history, "pools", or
        "fits", methods fitted on first draws.
    maker : str
        "module:function" that makes it, imported when it is called.
    numbers : bool
        Whether it has a CSV file of its numbers.
    pools : bool
        Whether it reads pools besides.
    by_classes : bool
        Whether it is made of the classes themselves.
    by_repeat : bool
        Whether it looks at single repeats, which the base clusterings of a whole pool do not have.
    shows : tuple of str
        Attributes of a fitted estimator that it shows.
    """

    section: str
    needs: str
    maker: str = ""
    numbers: bool = True
    pools: bool = False
    by_classes: bool = False
    by_repeat: bool = False
    shows: tuple[str, ...] = ()


def _figure(needs: str, maker: str, **known: Any) -> Kind:
    known.setdefault("numbers", False)
    return Kind("figures", needs, f"coassoc.figures.{maker}", **known)


KINDS: dict[str, Kind] = {
    "table": Kind("tables", "scores"),
    # -- figures
    "sensitivity": _figure("scores", "curves:draw_sensitivity", numbers=True),
    "ensemble_size": _figure("scores", "curves:draw_ensemble_size", numbers=True),
    "surface": _figure("scores", "surface:draw_surface", numbers=True),
    "base_quality": _figure(
        "scores", "base_quality:draw_base_quality", pools=True, by_classes=True, by_repeat=True
    ),
    "reliability": _figure("pools", "reliability:draw_reliability", by_classes=True),
    "transform": _figure("pools", "transform:draw_transform"),
    "convergence": _figure("runs", "convergence:draw_convergence"),
    "matrices": _figure("fits", "matrices:draw_matrices", shows=("affinity_",)),
    "before_after": _figure(
        "fits",
        "before_after:draw_before_after",
        by_classes=True,
        shows=("initial_labels_", "refined_labels_"),
    ),
    "embedding": _figure("fits", "embedding:draw_embedding", shows=("embedding_",)),
    # -- audits
    "comparison": Kind("audits", "scores", by_repeat=True),
    "order": Kind("audits", "scores", by_repeat=True),
    "significance": Kind("audits", "scores", by_repeat=True),
    "protocol": Kind("audits", "scores"),
    "scaling": Kind("audits", "scaling"),
    "n_clusters": Kind("audits", "selection"),
}


def made_by(kind: str) -> Any:
    """The function that makes a kind."""
    module, _, function = KINDS[kind].maker.partition(":")
    return getattr(import_module(module), function)
