"""What new samples are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.subtyping.measurements import Measurements
from coassoc.subtyping.protocol import Protocol


@dataclass(frozen=True, eq=False)
class Model:
    """The samples that were clustered, and the protocol.

    Attributes
    ----------
    data : Measurements
    protocol : Protocol
    method : str or callable
        What made a consensus of the draws.
    """

    data: Measurements
    protocol: Protocol
    method: Any

    def predict(self, X: Any, draws: NDArray, labels: NDArray[np.intp]) -> NDArray[np.intp]:
        """Clusters of new samples; see :meth:`coassoc.subtyping.Subtypes.predict`.

        Parameters
        ----------
        X : (n_new, d) array, sparse matrix or table
        draws : (n, B) array
            Labels of the draws at k clusters.
        labels : (n,) integer array
            The k clusters.
        """
        new = self._checked(X)
        names = np.unique(labels)
        members = np.equal.outer(labels, names).astype(np.float64)
        together = np.zeros((new.shape[0], len(names)))
        common = np.zeros(len(names))
        for b, column in enumerate(draws.T):
            there = np.flatnonzero(column >= 0)
            if not len(there):
                continue
            features = self.protocol.features_of(b, new.shape[1])
            nearest = self.protocol.algorithm.nearest(
                self.data.X[there][:, features], column[there], new[:, features]
            )
            shares = np.zeros((column.max() + 1, len(names)))
            np.add.at(shares, column[there], members[there])
            together += shares[nearest]
            common += members[there].sum(axis=0)
        return names[(together / common).argmax(axis=1)]

    def _checked(self, X: Any) -> Any:
        given, fitted = Measurements.of(X), self.data
        given.check_finite()
        if given.features is not None and fitted.features is not None:
            missing = [name for name in fitted.features if name not in set(given.features)]
            if missing:
                raise DataError(f"X: there is no feature {missing[0]!s} ({len(missing)} missing).")
            place = {name: j for j, name in enumerate(given.features)}
            return given.X[:, [place[name] for name in fitted.features]]
        if given.X.shape[1] != fitted.X.shape[1]:
            raise DataError(
                f"X has {given.X.shape[1]} features; {fitted.X.shape[1]} were clustered."
            )
        return given.X
