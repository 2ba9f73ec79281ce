"""Pools of a user's own clusterings, from a file of labels."""

from dataclasses import replace

import pandas as pd

from coassoc.bench.datasets.sources import sha256_of
from coassoc.bench.pools.draws import check_labelled
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.records import Dataset, Pool, encode_classes
from coassoc.io.display import count_of
from coassoc.io.files import open_table
from coassoc.io.labels import EncodedLabels, labels_of
from coassoc.io.table import Table, listed


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
    attributes = {
        "made": f"the user's own clusterings, read from {source.file}",
        "sha256": sha256_of(source.file),
        "clusterings": rows.clusterings,
        "unlabelled": unlabelled,
        "matched": matched,
        "k_rule": "",
        "preprocessing": "",
    }
    pool = settings.complete(Pool(rows.labels, y, {}, attributes, rows.samples), name, seed)
    check_labelled(rows.labels, pool.draws, source.file)
    return pool


def _matched(
    table: Table, rows: EncodedLabels, dataset: Dataset, name: str
) -> tuple[EncodedLabels, str]:
    """The rows in the order of a data set, and a sentence that says how they were matched."""
    if len(rows.labels) != dataset.X.shape[0]:
        raise table.error(
            f"there are {len(rows.labels)} samples, but the data set {name} has "
            f"{dataset.X.shape[0]}. Use labels of the same samples"
        )
    if rows.samples is None or dataset.samples is None:
        names = dataset.samples if rows.samples is None else rows.samples
        return replace(rows, samples=names), (
            f"The rows are assumed to be in the order of the data set {name}, because not both "
            "have ids."
        )
    order = pd.Index(rows.samples).get_indexer(dataset.samples)
    if (order < 0).any():
        missing = listed([*map(str, dataset.samples[order < 0])])
        raise table.error(
            f"{count_of((order < 0).sum(), 'sample')} of the data set {name} without a row: "
            f"{missing}",
            "Add a row with the id of each sample, and remove other rows",
        )
    return rows.at(order), f"The rows are matched to the data set {name} by id."
