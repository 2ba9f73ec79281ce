"""What a method is called in messages: as in tables."""

from typing import Any

from coassoc.methods import METHODS


def name_of(estimator: Any) -> str:
    """Key of an estimator in :data:`coassoc.methods.METHODS`; of other classes their name."""
    own = type(estimator).__name__
    for name in METHODS:
        method = METHODS.method(name)
        fixed = method.fixed.items()
        if method.location.endswith(f":{own}") and all(
            getattr(estimator, key) == value for key, value in fixed
        ):
            return name
    return own
