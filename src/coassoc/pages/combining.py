"""Consensus without classes: clusters by several methods, or a comparison of numbers of clusters.

The program ``coassoc consensus`` and the workflow's target ``consensus`` are these functions.
"""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.bench.fits import fit
from coassoc.bench.runs import labels_of
from coassoc.confidence import agreement_with_base, sample_confidence
from coassoc.ensemble import Ensemble
from coassoc.errors import CoassocError, DataError
from coassoc.selection import DisagreementWarning, Selection, select_n_clusters
from coassoc.storage.records import Pool
from coassoc.tables.label_table import Labels

__all__ = [
    "Base",
    "ComparedNumbers",
    "ConsensusLabels",
    "base_of_labels",
    "base_of_pool",
    "combine",
    "compare",
]

#: Makes an estimator from ``n_clusters`` and ``random_state``.
Factory = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Base:
    """Base clusterings, and what is known of their samples."""

    ensemble: Ensemble
    #: Names of the base clusterings.
    clusterings: list[str]
    #: (n,) names of the samples; their numbers from 1 where they have none.
    samples: NDArray
    #: Samples without any label, which are none of the n: place in the file → name.
    unlabelled: dict[int, str] = field(default_factory=dict)
    #: How the rows of a file of labels became the samples of a data set, as a sentence.
    matched: str = ""


@dataclass(frozen=True, eq=False)
class ConsensusLabels:
    """What methods found."""

    base: Base
    #: Method → its clusters, an (n,) array.
    partitions: dict[str, NDArray]
    #: Method → (n,) confidence of each sample, see :func:`coassoc.confidence.sample_confidence`.
    confidence: dict[str, NDArray]
    #: Method → why it found none.
    failures: dict[str, str]

    @property
    def summary(self) -> pd.DataFrame:
        """A line for each method."""
        lines = []
        for method, labels in self.partitions.items():
            sizes = np.unique(labels, return_counts=True)[1]
            confidence = self.confidence[method]
            agreement = np.nanmean(agreement_with_base(self.base.ensemble, labels))
            lines.append(
                {
                    "method": method,
                    "clusters": len(sizes),
                    "mean confidence": f"{confidence.mean():.3f}",
                    "closer to another": (confidence < 0).sum(),
                    "NMI with base": f"{agreement:.3f}",
                    "sizes": " ".join(map(str, sizes)),
                }
            )
        return pd.DataFrame(lines)

    def as_csv(self) -> str:
        """A line for each sample, two columns for each method: cluster and confidence.

        They are empty for samples without any label.
        """
        columns: dict[str, Any] = {"sample": self.base.samples}
        for method, labels in self.partitions.items():
            columns[method] = labels
            columns[f"{method} confidence"] = [f"{value:.4f}" for value in self.confidence[method]]
        table = pd.DataFrame(columns, dtype=object)
        others = pd.DataFrame({"sample": pd.Series(self.base.unlabelled, dtype=object)})
        labelled = np.setdiff1d(np.arange(len(table) + len(others)), others.index)
        table = pd.concat([table.set_axis(labelled), others]).sort_index()
        return table.to_csv(index=False, lineterminator="\n")

    def as_text(self) -> str:
        """A line for each method, for a terminal."""
        return self.summary.to_string(index=False)


@dataclass(frozen=True, eq=False)
class ComparedNumbers:
    """What criteria that need no classes say of numbers of clusters."""

    base: Base
    #: Method → what the criteria say of its partitions.
    selections: dict[str, Selection]
    #: Method → why it has none.
    failures: dict[str, str]

    def as_csv(self) -> str:
        """A line for each method and number of clusters, a column for each criterion.

        The last column names the criteria that choose this number.
        """
        frames = []
        for method, selection in self.selections.items():
            choosing = [
                ", ".join(name for name, chosen in selection.chosen.items() if chosen == c)
                for c in selection.criteria.index
            ]
            frame = selection.criteria.map("{:.6g}".format).rename_axis("n_clusters").reset_index()
            frame.insert(0, "method", method)
            frames.append(frame.assign(**{"chosen by": choosing}))
        return pd.concat(frames).to_csv(index=False, lineterminator="\n")

    def as_text(self) -> str:
        """The criteria by each method, a star where each chooses, for a terminal."""
        return "\n\n".join(
            f"{method}: {selection.verdict}\n{selection.table.to_string()}"
            for method, selection in self.selections.items()
        )


def base_of_labels(labels: Labels) -> Base:
    """The base clusterings in a table; samples without any label are set aside."""
    return _base(*labels.split())


def base_of_pool(pool: Pool, m: int) -> Base:
    """The first ensemble of m base clusterings of a pool."""
    known = {
        name: json.loads(value) if isinstance(value, str) else value
        for name in ("clusterings", "unlabelled")
        if (value := pool.attributes.get(name))
    }
    draw = pool.draws_of(m)[0]
    names = known.get("clusterings") or [*range(1, pool.labels.shape[1] + 1)]
    unlabelled = {int(place): name for place, name in known.get("unlabelled", {}).items()}
    labels = Labels([names[j] for j in draw], pool.labels[:, draw], pool.samples)
    return _base(labels, unlabelled, pool.attributes.get("matched", ""))


def _base(labels: Labels, unlabelled: dict[int, str], matched: str = "") -> Base:
    ensemble, samples = Ensemble(labels.labels), labels.samples
    ensemble.index, ensemble.clusterings = samples, labels.clusterings
    if samples is None:
        samples = np.arange(1, ensemble.n_samples + 1)
    return Base(ensemble, [*map(str, labels.clusterings)], samples, unlabelled, matched)


def combine(
    base: Base,
    methods: Mapping[str, Factory],
    n_clusters: int | None,
    seed: int = 0,
    features: Any = None,
) -> ConsensusLabels:
    """The consensus of base clusterings by each of some methods.

    Parameters
    ----------
    base : Base
    methods : mapping of str to callable
        Name → what makes an estimator, such as :data:`coassoc.methods.METHODS`; methods are taken
        one after another.
    n_clusters : int or None
        As for the methods; those that choose the number of clusters are not given it.
    seed : int
        ``random_state`` of each.
    features : (n, d) array or sparse matrix, optional
        For methods that see the samples' features.

    Raises
    ------
    DataError
        If no method found anything; with the reason of the first.
    """
    n = base.ensemble.n_samples
    partitions: dict[str, NDArray] = {}
    failures: dict[str, str] = {}
    for name, make in methods.items():
        with _failure_noted(name, failures):
            estimator = make(n_clusters=n_clusters, random_state=seed)
            if getattr(estimator, "n_clusters_is", "given") == "chosen":
                estimator.set_params(n_clusters=None)
            seen = features if getattr(estimator, "uses_features", False) else None
            partitions[name] = labels_of(fit(estimator, base.ensemble, seen), n)
    if not partitions:
        raise _nothing("has a consensus", failures)
    confidence = {
        name: sample_confidence(base.ensemble, labels) for name, labels in partitions.items()
    }
    return ConsensusLabels(base, partitions, confidence, failures)


def compare(
    base: Base,
    methods: Mapping[str, Factory],
    n_clusters: Sequence[int],
    n_draws: int,
    seed: int = 0,
) -> ComparedNumbers:
    """What :func:`coassoc.selection.select_n_clusters` says with each of some methods.

    Parameters
    ----------
    base, methods, seed
        As for :func:`combine`.
    n_clusters : sequence of int
        Increasing numbers of clusters.
    n_draws : int
        Draws of half of the base clusterings.

    Raises
    ------
    DataError
        If no method gives partitions; with the reason of the first.
    """
    selections: dict[str, Selection] = {}
    failures: dict[str, str] = {}
    for name, make in methods.items():
        # Whether criteria agree is shown with what they choose.
        quiet = warnings.catch_warnings(action="ignore", category=DisagreementWarning)
        with _failure_noted(name, failures), quiet:
            selections[name] = select_n_clusters(
                base.ensemble, make, n_clusters, n_draws=n_draws, seed=seed
            )
    if not selections:
        raise _nothing("gives partitions to be compared", failures)
    return ComparedNumbers(base, selections, failures)


@contextmanager
def _failure_noted(method: str, failures: dict[str, str]) -> Iterator[None]:
    """Go on after a method that fails, with its reason in `failures`."""
    try:
        yield
    except CoassocError as error:
        failures[method] = f"skipped: {error}"
    except Exception as error:  # a user's own class may fail in any way
        failures[method] = f"failed: {type(error).__name__}: {error}"


def _nothing(what: str, failures: Mapping[str, str]) -> DataError:
    name, reason = next(iter(failures.items()))
    reason = reason.removeprefix("skipped: ")
    return DataError(f"No method {what}; {'' if name in reason else f'{name}: '}{reason}")
