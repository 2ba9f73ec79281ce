"""What pages with pictures share; their text is in the templates of :mod:`coassoc.results`."""

from __future__ import annotations

import base64

from matplotlib.figure import Figure

from coassoc.figures.style import as_png


def place(pool: str, dataset: str) -> str:
    """What a title says a page is about; a pool of labels may be a data set by itself."""
    return pool if dataset == pool else f"{pool} on {dataset}"


def embedded(figure: Figure) -> str:
    """The source of an image that stands in the page itself."""
    return f"data:image/png;base64,{base64.b64encode(as_png(figure)).decode()}"
