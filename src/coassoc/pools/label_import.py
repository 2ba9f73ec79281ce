"""Pools of a user's own clusterings, from a file of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.datasets.prepare import encode_classes
from coassoc.datasets.sources import sha256_of
from coassoc.errors import DataError
from coassoc.pools.draws import check_labelled
from coassoc.pools.label_columns import roles_in
from coassoc.pools.label_files import Column, Table, open_table
from coassoc.pools.settings import PoolSettings
from coassoc.storage.records import Dataset, Pool

__all__ = ["import_labels"]

#: Texts that say that there is no label; HDBSCAN marks noise by −1.
_NO_LABEL = ("", "NA", "NaN", "nan", "-1")


def import_labels(
    settings: PoolSettings, name: str, dataset: Dataset | None = None, seed: int = 0
) -> Pool:
    """The clusterings in a file as a pool, by default with one draw of all of them.

    A label is an integer or a text, and missing where the file has nothing, NA, NaN or −1. Samples
    without any label, as HDBSCAN's noise may be, are left out of the pool; its attribute
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
    source = settings.labels
    path = Path(source.file)
    table = open_table(source, path)
    roles = roles_in(source, table.names)
    extra = [place for place in (roles.id, roles.classes) if place is not None]
    found = dict(zip(extra, table.read(extra), strict=True)) if extra else {}
    reader = _Reader(path, table)
    columns = table.read(roles.clusterings)
    named = _index(table) if roles.id is None else found[roles.id]
    samples = None if named is None else reader.identifiers(named)
    reader.samples = samples
    names = [table.names[place] for place in roles.clusterings]
    labels, labelled = reader.labels(columns, names)
    y, matched, order = None, "", np.arange(len(labels))
    if dataset is not None:
        order, matched = reader.matched(dataset, name, len(labels))
        y, samples = dataset.y, dataset.samples if samples is None else samples[order]
        labels, labelled = labels[order], labelled[order]
    unlabelled: dict[int, str] = {}
    if not labelled.all():
        samples = _names(samples, len(labels))
        unlabelled = {int(place): samples[place] for place in np.flatnonzero(~labelled)}
        if dataset is not None:
            raise DataError(
                f"{path}: {', '.join(list(unlabelled.values())[:5])} have no label at all, and are "
                f"samples of the data set {name}; leave them out of both."
            )
        labels, samples = labels[labelled], samples[labelled]
    if roles.classes is not None:
        classes = reader.classes(found[roles.classes], table.names[roles.classes])
        y = encode_classes(classes[order][labelled])[0]
    attributes = {
        "made": f"the user's own clusterings, read from {path}",
        "sha256": sha256_of(path),
        "clusterings": names,
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
    draws = settings.make_draws(len(names), name, seed)
    check_labelled(labels, draws, str(path))
    return Pool(labels, y, draws, attributes, samples)


def _index(table: Table) -> Column | None:
    """Names of the samples that are no column."""
    if table.samples is None:
        return None
    values, codes = np.unique(table.samples, return_inverse=True)
    return Column(codes, values.tolist())


def _names(samples: NDArray | None, n: int) -> NDArray:
    """(n,) names of the samples; their numbers from 1 where they have none."""
    return np.arange(1, n + 1).astype(str).astype(object) if samples is None else samples


class _Reader:
    """Makes labels, names and classes of columns; messages name the row."""

    def __init__(self, path: Path, table: Table) -> None:
        self._path = path
        self._first_row = table.first_row
        self.samples: NDArray | None = None

    def labels(
        self, columns: list[Column], names: Sequence[str]
    ) -> tuple[NDArray, NDArray[np.bool_]]:
        """Labels in the smallest integers, and which samples have any.

        (n, M) clusters 0 … k−1 of each column, −1 where there is no label; (n,) booleans.
        """
        n = len(columns[0].codes)
        if n == 0:
            raise DataError(f"{self._path}: there is no row of labels.")
        numbered = []
        labelled = np.zeros(n, dtype=bool)
        for name in names:
            codes = self._numbered(columns.pop(0), name)
            labelled |= codes >= 0
            numbered.append(codes)
        labels = np.empty((n, len(names)), dtype=np.result_type(*numbered), order="F")
        for j in range(len(names)):
            labels[:, j] = numbered.pop(0)
        return labels, labelled

    def identifiers(self, column: Column) -> NDArray:
        """(n,) names of the samples."""
        values = np.array([str(value) for value in column.values], dtype=object)
        missing = np.array([_is_missing(value) for value in column.values])[column.codes]
        if missing.any():
            raise DataError(f"{self._row(int(missing.argmax()))} has no id.")
        # Values that differ in the file may be the same text.
        codes = np.unique(values, return_inverse=True)[1][column.codes]
        order = np.argsort(codes, kind="stable")
        again = np.flatnonzero(codes[order][1:] == codes[order][:-1])
        if len(again):
            first, second = order[again[0]], order[again[0] + 1]
            raise DataError(
                f"{self._row(second)} has the id {values[column.codes[second]]!r} of row "
                f"{first + self._first_row} again."
            )
        return np.asarray(values[column.codes])

    def matched(self, dataset: Dataset, name: str, n: int) -> tuple[NDArray[np.intp], str]:
        """Where in the file each sample of a data set is, and how that is known."""
        given, known = self.samples, dataset.samples
        if given is not None and known is not None:
            order = self._order(given, known, name)
            moved = "" if (order == np.arange(n)).all() else ", and put in its order"
            return order, f"The rows are matched with the data set {name} by their ids{moved}."
        if dataset.X.shape[0] != n:
            raise DataError(
                f"{self._path}: there are {n} samples, and the data set {name} has "
                f"{dataset.X.shape[0]}."
            )
        which = "neither has" if given is None and known is None else "only one of them has"
        return np.arange(n), (
            f"The rows are taken for those of the data set {name} in its order, since {which} ids."
        )

    def _order(self, given: NDArray, known: NDArray, name: str) -> NDArray[np.intp]:
        """Place in the file of each sample of the data set; both must have the same ids."""
        places = {sample: place for place, sample in enumerate(given)}
        there = set(known)
        strange = next((sample for sample in given if sample not in there), None)
        if strange is not None:
            raise DataError(
                f"{self._path}: row {places[strange] + self._first_row} has the id {strange!r}; "
                f"the data set {name} has no such sample."
            )
        absent = next((k for k, sample in enumerate(known) if sample not in places), None)
        if absent is not None:
            raise DataError(
                f"{self._path}: no row has the id {known[absent]!r}, that of sample {absent + 1} "
                f"of the data set {name}."
            )
        return np.array([places[sample] for sample in known], dtype=np.intp)

    def classes(self, column: Column, name: str) -> NDArray[np.int64]:
        """(n,) classes in order of first appearance."""
        missing = np.array([_is_missing(value) for value in column.values])[column.codes]
        if missing.any():
            raise DataError(
                f"{self._row(int(missing.argmax()))} has no class in column {name!r}; fill it in, "
                "or leave out the key classes."
            )
        return encode_classes(column.codes)[0]

    def _numbered(self, column: Column, name: str) -> NDArray:
        """Clusters 0 … k−1 in increasing order of their labels, −1 where there is no label."""
        there = [k for k, value in enumerate(column.values) if not _is_missing(value)]
        labels = self._comparable([column.values[k] for k in there], there, column, name)
        number = np.full(len(column.values), -1)
        number[there] = np.unique(labels, return_inverse=True)[1] if there else -1
        numbered = number.astype(np.min_scalar_type(-1 - len(there)))[column.codes]
        if not (numbered >= 0).any():
            raise DataError(f"{self._path}: column {name!r} has no label at all; leave it out.")
        return np.asarray(numbered)

    def _comparable(
        self, values: list[Any], places: list[int], column: Column, name: str
    ) -> NDArray:
        """Labels as numbers if all are numbers, and as texts if not."""
        kinds = {type(value).__name__ for value in values}
        if kinds - {"str", "int", "float", "bool"} and not _are_numbers(values):
            raise DataError(
                f"{self._path}: column {name!r} has values of type {', '.join(sorted(kinds))}; a "
                "label is an integer or a text."
            )
        if not all(_as_number(value) is not None for value in values):
            return np.array([str(value) for value in values])
        numbers = np.array([float(value) for value in values])
        bad = np.flatnonzero((numbers != np.floor(numbers)) | (numbers < 0) | np.isinf(numbers))
        if len(bad):
            row = int(np.argmax(np.isin(column.codes, [places[k] for k in bad])))
            value = column.values[column.codes[row]]
            raise DataError(
                f"{self._row(row)}, column {name!r}, is {value}; a label is a non-negative integer "
                "or a text, and nothing, NA, NaN or -1 where it is missing."
            )
        return numbers

    def _row(self, sample: int) -> str:
        """The file and the row of a sample, as the beginning of a sentence."""
        called = "" if self.samples is None else f" ({self.samples[sample]})"
        return f"{self._path}: row {sample + self._first_row}{called}"


def _is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, str) and value in _NO_LABEL):
        return True
    number = _as_number(value)
    return number is not None and (math.isnan(number) or number == -1)


def _as_number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, (int, float, np.generic)) for value in values)
