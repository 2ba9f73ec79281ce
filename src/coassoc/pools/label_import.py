"""Pools of a user's own clusterings, from a file of labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from coassoc.datasets.prepare import encode_classes
from coassoc.datasets.sources import sha256_of
from coassoc.errors import DataError
from coassoc.pools.draws import check_labelled
from coassoc.pools.label_rows import LabelRows, read_rows
from coassoc.pools.settings import PoolSettings
from coassoc.storage.records import Dataset, Pool

__all__ = ["import_labels"]


def import_labels(
    settings: PoolSettings, name: str, dataset: Dataset | None = None, seed: int = 0
) -> Pool:
    """The clusterings in a file as a pool, by default with one draw of all of them.

    Samples without any label, as HDBSCAN's noise may be, are left out of the pool; its attribute
    ``unlabelled`` has their names by their places in the file.

    Parameters
    ----------
    settings : PoolSettings
        Of kind "labels".
    name : str
        Name of the data set.
    dataset : Dataset, optional
        The data set itself; gives the classes if the file has none. Where both name their samples,
        the pool has the data set's order, and otherwise the file must have it; the attribute
        ``matched`` says which.
    seed : int
        Root seed of the experiment.

    Raises
    ------
    DataError
        Naming the file, the row and the column.
    """
    assert settings.labels is not None
    rows = read_rows(settings.labels)
    y, matched, unlabelled = None, "", {}
    if dataset is not None:
        rows, matched = _matched(rows, dataset, name)
        y = dataset.y
    if not rows.labelled.all():
        names = rows.names
        unlabelled = {int(place): names[place] for place in np.flatnonzero(~rows.labelled)}
        if dataset is not None:
            raise DataError(
                f"{rows.path}: {', '.join(list(unlabelled.values())[:5])} have no label at all, "
                f"and are samples of the data set {name}; leave them out of both."
            )
        rows = replace(rows, samples=names).at(rows.labelled)
    if rows.classes is not None:
        y = encode_classes(rows.classes)[0]
    attributes = {
        "made": f"the user's own clusterings, read from {rows.path}",
        "sha256": sha256_of(rows.path),
        "clusterings": rows.clusterings,
        "unlabelled": unlabelled,
        "matched": matched,
        "pool": settings.name,
        "dataset": name,
        "kind": settings.kind,
        "k_rule": "",
        "preprocessing": "",
        "draws_scheme": settings.scheme,
        "seed": seed,
        "citation": settings.citation,
    }
    if y is not None:
        attributes["n_classes"] = int(y.max()) + 1
    draws = settings.make_draws(len(rows.clusterings), name, seed)
    check_labelled(rows.labels, draws, str(rows.path))
    return Pool(rows.labels, y, draws, attributes, rows.samples)


def _matched(rows: LabelRows, dataset: Dataset, name: str) -> tuple[LabelRows, str]:
    """The rows as the samples of a data set, and how that is known."""
    n = len(rows.labels)
    if rows.samples is not None and dataset.samples is not None:
        order = _order(rows, dataset.samples, name)
        moved = "" if (order == np.arange(n)).all() else ", and put in its order"
        return rows.at(order), f"The rows are matched with the data set {name} by their ids{moved}."
    if dataset.X.shape[0] != n:
        raise DataError(
            f"{rows.path}: there are {n} samples, and the data set {name} has {dataset.X.shape[0]}."
        )
    names = dataset.samples if rows.samples is None else rows.samples
    which = "neither has" if names is None else "only one of them has"
    return replace(rows, samples=names), (
        f"The rows are taken for those of the data set {name} in its order, since {which} ids."
    )


def _order(rows: LabelRows, known: NDArray, name: str) -> NDArray[np.intp]:
    """The row of each sample of a data set, which must have the same ids as the file."""
    places = {sample: place for place, sample in enumerate(rows.names)}
    there = set(known)
    strange = next((sample for sample in places if sample not in there), None)
    if strange is not None:
        raise DataError(
            f"{rows.path}: row {places[strange] + rows.first_row} has the id {strange!r}; the data "
            f"set {name} has no such sample."
        )
    absent = next((k for k, sample in enumerate(known) if sample not in places), None)
    if absent is not None:
        raise DataError(
            f"{rows.path}: no row has the id {known[absent]!r}, that of sample {absent + 1} of the "
            f"data set {name}."
        )
    return np.array([places[sample] for sample in known], dtype=np.intp)
