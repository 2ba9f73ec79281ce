"""The consensus of base clusterings by several methods as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from coassoc.ensemble import Ensemble
    from coassoc.subtyping import Subtypes


def consensus_csv(
    results: Mapping[str, Any], unlabelled: Mapping[int, str] = MappingProxyType({})
) -> str:
    """CSV with a row for each sample, and the columns cluster and confidence for each method.

    If requested, a third column has the agreement of five other methods, and if the base
    clusterings have two answers, two columns have their clusters. All are empty for samples without
    any label, which are not part of the ensemble: `unlabelled` maps their positions in the table of
    labels to their names. The result of each method is a :class:`~coassoc.consensus.Consensus`, all
    for the same ensemble.
    """
    ensemble = next(iter(results.values())).ensemble
    columns = {"sample": np.asarray(sample_names(ensemble), dtype=object)}
    for method, consensus in results.items():
        columns[method] = _texts(consensus.shown, "{}")
        columns[f"{method} confidence"] = _texts(consensus.confidence, "{:.4f}")
        if consensus.agreement is not None:
            columns[f"{method} agreement"] = _texts(consensus.agreement.samples, "{:.4g}")
        for name, labels in consensus.answers.items():
            columns[f"{method} {name}"] = np.where(labels < 0, "", _texts(labels + 1, "{}"))
    places = sorted(unlabelled)
    before = np.array(places, dtype=np.intp) - np.arange(len(places))
    lines = [np.insert(column, before, "") for column in columns.values()]
    lines[0][places] = [unlabelled[place] for place in places]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in lines), strict=True))
    return text.getvalue()


def _texts(values: NDArray, form: str) -> NDArray[np.object_]:
    """Values in a form; equal ones are formatted once."""
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([form.format(value) for value in distinct.tolist()], dtype=object)[place]


def sample_names(samples: Ensemble | Subtypes) -> Any:
    """(n,) names of the samples of an ensemble or of subtypes, or their numbers from 1."""
    return np.arange(1, samples.n_samples + 1) if samples.index is None else samples.index
