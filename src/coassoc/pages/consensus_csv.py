"""The consensus of base clusterings by several methods as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from coassoc.alignment import Alignment
    from coassoc.ensemble import Ensemble
    from coassoc.methods.auto import Choice
    from coassoc.methods.leaders import Agreement
    from coassoc.subtyping import Subtypes


class FoundConsensus(Protocol):
    """What is shown of a :class:`coassoc.consensus.Consensus`, which documents it."""

    # ruff: noqa: D102

    @property
    def ensemble(self) -> Ensemble: ...
    @property
    def labels(self) -> NDArray[np.intp]: ...
    @property
    def names(self) -> NDArray: ...
    @property
    def confidence(self) -> NDArray[np.float64]: ...
    @property
    def estimator(self) -> Any: ...
    @property
    def alignment(self) -> Alignment | None: ...
    @property
    def choice(self) -> Choice | None: ...
    @property
    def agreement(self) -> Agreement | None: ...


def consensus_csv(
    found: Mapping[str, FoundConsensus], unlabelled: Mapping[int, str] = MappingProxyType({})
) -> str:
    """A line for each sample, two columns for each method, cluster and confidence, and
    where it was asked for the agreement of the leading methods.

    They are empty for samples without any label, which are none of the ensemble's: their places in
    the table of labels, and their names. All that methods found is
    of one ensemble.
    """
    ensemble = next(iter(found.values())).ensemble
    columns = {"sample": np.asarray(sample_names(ensemble), dtype=object)}
    for method, consensus in found.items():
        columns[method] = _texts(consensus.names, "{}")
        columns[f"{method} confidence"] = _texts(consensus.confidence, "{:.4f}")
        if consensus.agreement is not None:
            columns[f"{method} agreement"] = _texts(consensus.agreement.samples, "{:.4g}")
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
    """(n,) names of the samples of an ensemble, or of subtypes; else their numbers from 1."""
    return np.arange(1, samples.n_samples + 1) if samples.index is None else samples.index
