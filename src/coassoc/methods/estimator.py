"""scikit-learn's interface of a clusterer, without importing scikit-learn.

That takes a second, which is more than most fits, and few methods need anything of it. ``clone``,
pipelines, searches and ``check_is_fitted`` take a clusterer by what it can do.
"""

import inspect
from typing import Any, Self


class Estimator:
    """Base of clusterers: the arguments of ``__init__`` are their parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values; none is an estimator, so that `deep` adds nothing."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a ValueError names those there are where one is unknown."""
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: "
                    f"{list(known)!r}."
                )
            setattr(self, name, value)
        return self

    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(cls).parameters)

    def __repr__(self) -> str:
        given = (
            f"{name}={getattr(self, name)!r}"
            for name, declared in self._parameters().items()
            if getattr(self, name) is not declared.default
        )
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator, ClusterMixin

        return type("Clusterer", (ClusterMixin, BaseEstimator), {})().__sklearn_tags__()
