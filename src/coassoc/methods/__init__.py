"""All consensus methods by the names used in the tables.

``METHODS[name](n_clusters=..., ...)`` creates an estimator. names.py lists the names, so that the
module of a method is imported on first use only.

The module of a method says what its paper leaves open, and what was taken from the authors'
program.
"""

from collections.abc import Callable
from typing import Any

from coassoc.errors import ConfigError, nearest_name
from coassoc.methods.parameters import Cost as Cost
from coassoc.methods.parameters import Parameter as Parameter
from coassoc.methods.parameters import boolean as boolean
from coassoc.methods.parameters import choice as choice
from coassoc.methods.parameters import integer as integer
from coassoc.methods.parameters import number as number
from coassoc.methods.registry import METHODS as METHODS
from coassoc.methods.registry import Method as Method


def resolve_method(method: str | Callable[..., Any]) -> Callable[..., Any]:
    """Callable that creates an estimator from ``n_clusters``, ``random_state`` and parameters.

    Parameters
    ----------
    method : str or callable
        A name in :data:`METHODS`, "auto" for the choice of
        :func:`~coassoc.methods.auto.choose_method`, or a callable that creates estimators, such as
        a class.

    Raises
    ------
    ConfigError
        If no method has this name.
    """
    if callable(method):
        return method
    if method == "auto":
        from coassoc.methods.auto import auto

        return auto
    if not isinstance(method, str):
        raise ConfigError(f"method is {method!r}. It must be a name or a class, not an estimator.")
    if method not in METHODS:
        near = nearest_name(method, METHODS)
        hint = f"Did you mean {near!r}? " if near else ""
        raise ConfigError(f"Unknown method {method!r}. {hint}`coassoc methods` lists all methods.")
    return METHODS[method]
