"""The scorer: how near a candidate is to the classes, predicted from numbers that need no classes.

Boosted regression trees in ``scorer.json``, trained on synthetic data only by ``make scorer``. The
file lists the columns and, for each tree, its nodes: the column, the threshold, the two next nodes
(of a leaf, −1) and the value.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from coassoc.answer.indices import COLUMNS
from coassoc.errors import DataError

FILE = Path(__file__).with_name("scorer.json")


@cache
def load_scorer() -> list[dict[str, NDArray]]:
    """The trees of the scorer."""
    about = json.loads(FILE.read_text(encoding="utf-8"))
    if tuple(about["columns"]) != COLUMNS:
        raise DataError(f"{FILE.name}: made for other columns. Run 'make scorer'.")
    return [{key: np.asarray(values) for key, values in tree.items()} for tree in about["trees"]]


def predict(table: NDArray[np.float64], trees: list[dict[str, NDArray]]) -> NDArray[np.float64]:
    """(q,) sums of the values of the leaves in which the (q, columns) rows end."""
    scores = np.zeros(len(table))
    rows = np.arange(len(table))
    for tree in trees:
        node = np.zeros(len(table), dtype=np.intp)
        while (inner := tree["left"][node] >= 0).any():
            low = table[rows, tree["column"][node]] <= tree["threshold"][node]
            node = np.where(inner, np.where(low, tree["left"][node], tree["right"][node]), node)
        scores += tree["value"][node]
    return scores
