"""What a method is called in messages: as in tables."""

from importlib import import_module
from typing import Any


def name_of(estimator: Any) -> str:
    """Key of an estimator in :data:`coassoc.methods.METHODS`; of other classes their name."""
    # Imported by name, so that the registry is not part of each method's fingerprint
    # (reproduction.plan.closure).
    methods, own = import_module("coassoc.methods").METHODS, type(estimator).__name__
    for name in methods:
        method = methods.method(name)
        fixed = method.fixed.items()
        if method.location.endswith(f":{own}") and all(
            getattr(estimator, key) == value for key, value in fixed
        ):
            return str(name)
    return own
