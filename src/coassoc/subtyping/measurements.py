"""Measurements of samples: reading a table, checks, and preprocessing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from coassoc.errors import ConfigError, DataError
from coassoc.io.features import check_features, warn_of_classes
from coassoc.io.table import listed

#: Largest number whose squares and sums stay within the floating-point range.
_FAR = 1e150


class Measurements(NamedTuple):
    """Features of samples.

    Attributes
    ----------
    X : (n, d) array or CSR array
    samples : (n,) array or None
        Names of the samples.
    features : (d,) array or None
        Names of the features.
    """

    X: Any
    samples: NDArray | None = None
    features: NDArray | None = None

    @property
    def T(self) -> Measurements:
        """The transposed measurements, with features as samples."""
        X = csr_array(self.X.T) if issparse(self.X) else self.X.T
        return Measurements(X, self.features, self.samples)

    @property
    def names(self) -> tuple[NDArray, NDArray]:
        """Names of the samples and features, or their numbers from 1."""
        given = zip((self.samples, self.features), self.X.shape, strict=True)
        samples, features = (np.arange(1, n + 1) if x is None else x for x, n in given)
        return samples, features

    @classmethod
    def of(cls, X: Any, what: str = "X") -> Measurements:
        """Read an array, a sparse matrix, a data frame or an AnnData object with samples in rows.

        Raises
        ------
        DataError
            If it is not a table of numbers. Missing numbers remain NaN.
        """
        if isinstance(X, Measurements):
            return X
        samples = features = None
        if hasattr(X, "obs_names"):
            samples, features, X = X.obs_names, X.var_names, X.X
        elif hasattr(X, "columns"):
            if hasattr(X, "to_pandas"):  # polars, Arrow
                X = X.to_pandas()
            features, samples = X.columns, getattr(X, "index", None)
            if not features.is_unique:
                twice = features[features.duplicated()][0]
                raise DataError(
                    f"{what}: two features are called {twice!r}. Rename one of the two features."
                )
            for name, column in X.items():
                if column.dtype.kind not in "iufb":
                    raise DataError(
                        f"{what}: column {name!r} is not numeric (for example {column.iloc[0]!r}). "
                        "Remove the column or convert it to numbers."
                    )
            check_features(what, X.items())
            warn_of_classes(what, X.items())
            X = X.to_numpy(dtype=np.float64, na_value=np.nan)
        if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "iufb":
            X = np.ma.filled(X.astype(np.float64), np.nan)
        X = csr_array(X) if issparse(X) else np.asarray(X)
        if X.ndim != 2 or X.dtype.kind not in "iufb" or 0 in X.shape:
            raise DataError(
                f"{what} has the shape {X.shape} and values of type {X.dtype}. Pass a table of "
                "numbers, samples by features."
            )
        names = (
            None if given is None else np.asarray(given, dtype=object)
            for given in (samples, features)
        )
        return cls(X.astype(np.float64), *names)

    def check_finite(self, what: str = "X") -> None:
        """Raise a DataError if a number is missing, infinite, or outside the supported range."""
        if issparse(self.X):
            X = self.X.tocoo()
            wrong = np.column_stack(X.coords)[~np.isfinite(X.data)]
        else:
            wrong = np.argwhere(~np.isfinite(self.X))
        if len(wrong):
            i, j = wrong[0]
            sample, feature = (names[at] for names, at in zip(self.names, (i, j), strict=True))
            n, n_features = len(wrong), len(np.unique(wrong[:, 1]))
            raise DataError(
                f"{what}: sample {sample!s} has a missing or infinite number in feature "
                f"{feature!s} ({n} such numbers in {n_features} features). Leave out samples or "
                "features, or choose an imputation (--impute median, mean or knn)."
            )
        largest = np.abs(self.X.data if issparse(self.X) else self.X).max(initial=0.0)
        if largest > _FAR or 0 < largest < 1 / _FAR:
            raise DataError(
                f"{what}: the largest absolute value is {largest:.3g}, but squares need values "
                f"between {1 / _FAR:g} and {_FAR:g}. Use a different unit."
            )

    def preprocess(
        self,
        *,
        drop_empty: bool = False,
        impute: str | None = None,
        log: bool = False,
        most_variable: int | None = None,
        centre: str | None = None,
        z_scores: bool = False,
    ) -> Measurements:
        """Preprocess the features by these steps, in this order.

        Parameters
        ----------
        drop_empty : bool
            Whether to leave out features that are missing in all samples.
        impute : {"median", "mean", "knn"}, optional
            How to replace the missing numbers of a feature: by the median or mean of its other
            numbers, or by the mean over the five nearest samples.
        log : bool
            Whether to transform x to log₂(x + 1), which negative numbers do not allow.
        most_variable : int, optional
            Number of features to keep, those with the largest median absolute deviation.
        centre : {"median", "mean"}, optional
            Shift each feature so that its median or mean is 0.
        z_scores : bool
            Whether to scale each feature to mean 0 and standard deviation 1. Constant features
            become 0.

        Raises
        ------
        DataError
            If the logarithm of a negative number is required, or a feature has no numbers.
        """
        X, features = self.X, self.features
        dense = impute is not None or most_variable is not None or centre is not None or z_scores
        if issparse(X) and dense:
            X = X.toarray()
        names = self.names[1]
        if drop_empty and not issparse(X):
            kept = ~np.isnan(X).all(axis=0)
            X, features, names = X[:, kept], None if features is None else names[kept], names[kept]
        if impute is not None:
            X = _imputed(X, impute, names)
        if log:
            if (X.data if issparse(X) else X).min() < 0:
                raise DataError(
                    "X: some numbers are negative, which log2(x + 1) does not allow. Shift the "
                    "features with negative numbers, or leave them out."
                )
            X = X.log1p() / np.log(2) if issparse(X) else np.log2(X + 1)
        if most_variable is not None:
            if most_variable < 1:
                raise ConfigError(f"most_variable is {most_variable!r}. It must be at least 1.")
            deviation = np.median(np.abs(X - np.median(X, axis=0)), axis=0)
            kept = np.sort(np.argsort(-deviation, kind="stable")[:most_variable])
            X, features = X[:, kept], None if features is None else features[kept]
        if centre is not None:
            average: Any = {"median": np.median, "mean": np.mean}[centre]
            X = X - average(X, axis=0)
        if z_scores:
            from sklearn.preprocessing import scale

            X = scale(X)
        return Measurements(X, self.samples, features)


def _imputed(X: NDArray, how: str, names: NDArray) -> NDArray:
    if np.isinf(X).any():
        i, j = np.argwhere(np.isinf(X))[0]
        raise DataError(
            f"X: sample {i + 1} has {X[i, j]} in feature {names[j]}. Imputation fills in only "
            f"missing numbers, so mark this value as missing (for a file, --missing {X[i, j]})."
        )
    empty = names[np.isnan(X).all(axis=0)]
    if len(empty):
        raise DataError(
            f"X: {listed(empty)} has no number in any sample. Leave out such features "
            "(drop_empty=True, --drop-empty)."
        )
    from sklearn.impute import KNNImputer, SimpleImputer

    imputer = KNNImputer() if how == "knn" else SimpleImputer(strategy=how)
    return np.asarray(imputer.fit_transform(X))
