"""Pools of a user's own clusterings, from a file of labels."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.datasets.sources import sha256_of
from coassoc.display import count_of
from coassoc.io.files import open_table
from coassoc.io.labels import EncodedLabels, labels_of
from coassoc.io.table import Table, listed
from coassoc.pools.draws import check_labelled
from coassoc.pools.settings import PoolSettings
from coassoc.storage.records import Dataset, Pool, encode_classes

#: Increase this number when a change gives pools of this kind different labels or draws.
REVISION = 1


def import_labels(
    settings: PoolSettings, name: str, dataset: Dataset | None = None, seed: int = 0
) -> Pool:
    """The clusterings in a file as a pool, by default with one draw of all clusterings.

    The settings must have the kind "labels". Samples without any label, such as HDBSCAN's noise
    points, are left out of the pool. Its attribute ``unlabelled`` maps their positions in the file
    to their names. If the file has no classes, the data set gives the classes. If the file and the
    data set both name their samples, the pool has the order of the data set. Otherwise the file
    must have this order. The attribute ``matched`` says which case applies.

    Raises
    ------
    DataError
        For a mistake in the file. The message names the file, the row and the column.
    """
    assert settings.labels is not None
    source = settings.labels
    table = open_table(source)
    rows = labels_of(table)
    y, matched = None, ""
    if dataset is not None:
        rows, matched = _matched(table, rows, dataset, name)
        y = dataset.y
    rows, unlabelled = rows.split()
    if unlabelled and dataset is not None:
        raise table.error(
            f"{count_of(len(unlabelled), 'sample')} of the data set {name} without a label: "
            f"{listed([*unlabelled.values()])}",
            "Remove these samples from the table of labels and from the data set",
        )
    if rows.classes is not None:
        y = encode_classes(rows.classes)[0]
    n_classes = None if y is None else int(y.max()) + 1
    attributes = {
        "made": f"the user's own clusterings, read from {source.file}",
        "sha256": sha256_of(source.file),
        "clusterings": rows.clusterings,
        "unlabelled": unlabelled,
        "matched": matched,
        **settings.common_attributes(name, seed, n_classes),
        "k_rule": "",
        "preprocessing": "",
    }
    draws = settings.make_draws(len(rows.clusterings), name, seed)
    check_labelled(rows.labels, draws, source.file)
    return Pool(rows.labels, y, draws, attributes, rows.samples)


def _matched(
    table: Table, rows: EncodedLabels, dataset: Dataset, name: str
) -> tuple[EncodedLabels, str]:
    """The rows in the order of a data set, and a sentence that says how they were matched."""
    n = len(rows.labels)
    if rows.samples is not None and dataset.samples is not None:
        order = _order(table, rows.samples, dataset.samples, name)
        moved = "" if (order == np.arange(n)).all() else ", and reordered"
        return rows.at(order), f"The rows are matched to the data set {name} by id{moved}."
    if dataset.X.shape[0] != n:
        raise table.error(
            f"there are {n} samples, but the data set {name} has {dataset.X.shape[0]}. Use labels "
            "of the same samples"
        )
    names = dataset.samples if rows.samples is None else rows.samples
    which = "neither has" if names is None else "only one of the two has"
    return replace(rows, samples=names), (
        f"The rows are assumed to be in the order of the data set {name}, because {which} ids."
    )


def _order(table: Table, names: NDArray, dataset_ids: NDArray, name: str) -> NDArray[np.intp]:
    """The row of each sample of a data set whose ids must be those of the file."""
    ids, index_of_dataset = pd.Index(names), pd.Index(dataset_ids)
    for unmatched, where in (
        (ids.difference(index_of_dataset), f"not in the data set {name}"),
        (index_of_dataset.difference(ids), f"only in the data set {name}"),
    ):
        if len(unmatched):
            raise table.error(
                f"{count_of(len(unmatched), 'id')} {where}: {listed([*map(str, unmatched)])}",
                "Use labels and a data set with the same samples",
            )
    return ids.get_indexer(index_of_dataset)
