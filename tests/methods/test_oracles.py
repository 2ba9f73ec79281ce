"""Labels of every method without outputs of its authors, on ensembles without decisive ties."""

from __future__ import annotations

import numpy as np
import pytest

from coassoc.methods import METHODS
from ensembles import asked, groups, noisy_copies, same_partition, with_missing
from goldens import FOLDER
from oracles import all_oracles

ORACLES = all_oracles()
#: Transcriptions that take missing labels.
WITH_MISSING = (
    "ACMK-Fix",
    "AGGLOMERATIVE",
    "BALLS",
    "CA-SC",
    "FURTHEST",
    "HBGF",
    "HCLCE",
    "KC",
    "LWSC",
)
WITH_MISSING += ("U-SENC", "VOTE")


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_labels_are_those_of_the_transcription(name):
    labels, _ = noisy_copies(90, 12, 3, 0.15, seed=1)
    X = groups()[0] if METHODS[name](3).uses_features else None
    partition = METHODS[name](asked(name, 3), random_state=0).fit_predict(labels, X=X)
    expected = ORACLES[name](labels, 3) if X is None else ORACLES[name](labels, 3, X)
    assert same_partition(partition, expected)


@pytest.mark.parametrize("name", WITH_MISSING)
def test_labels_where_some_are_missing(name):
    labels = with_missing(noisy_copies(40, 7, 4, 0.1, seed=2)[0], 0.25, seed=5)
    X = groups(40)[0] if METHODS[name](4).uses_features else None
    partition = METHODS[name](asked(name, 4), random_state=0).fit_predict(labels, X=X)
    assert same_partition(partition, ORACLES[name](labels, 4))


@pytest.mark.parametrize("name", ["RMSC", "RSEC-H"])
def test_labels_where_nearly_all_rows_differ(name):
    """Of a part of Digits; the kept labels of all of its samples take long of these methods."""
    with np.load(FOLDER / "cases.npz") as cases:
        labels = cases["Digits, a part/labels"][::5]
    partition = METHODS[name](10, random_state=0).fit_predict(labels)
    assert same_partition(partition, ORACLES[name](labels, 10))
