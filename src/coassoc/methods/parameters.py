"""What the parameters of a method may be.

A method declares them once, on its class; ``fit`` and the experiments' configuration are checked
against the same declaration, and the experiments take the paper's grid from it::

    class LWEA(ConsensusClusterer):
        parameters = {"theta": Parameter("number", above=0, grid=(0.1, 0.2, 0.4))}

        def __init__(self, n_clusters, *, theta=0.4, random_state=None): ...
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from coassoc.errors import ConfigError

__all__ = ["Parameter", "declared_parameters"]

_KINDS = ("number", "integer", "boolean", "choice")


@dataclass(frozen=True)
class Parameter:
    """What one parameter may be, and the values that its paper tunes over.

    Parameters
    ----------
    kind : {"number", "integer", "boolean", "choice"}
        Numbers are finite. "choice" is one of `choices`.
    minimum, maximum : number, optional
        Smallest and largest value.
    above : number, optional
        A bound that is not allowed itself.
    choices : tuple
        All values of a "choice".
    grid : tuple
        The values that the method's paper tunes over.
    default : object
        Never given in a declaration: :func:`declared_parameters` takes it from ``__init__``. Where
        it is None, None is allowed besides the values of `kind`.

    Raises
    ------
    ConfigError
        If the declaration contradicts itself.
    """

    kind: str
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    choices: tuple[Any, ...] = ()
    grid: tuple[Any, ...] = ()
    default: Any = None

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ConfigError(f"kind is {self.kind!r}; it must be one of {', '.join(_KINDS)}.")
        if (self.kind == "choice") != bool(self.choices):
            raise ConfigError(f"choices are {self.choices!r}, and the kind is {self.kind!r}.")
        for value in self.grid:
            if not self.accepts(value):
                raise ConfigError(f"grid has {value!r}; it must be {self.allowed}.")

    def accepts(self, value: Any) -> bool:
        """Whether the parameter may have this value."""
        if value is None:
            return self.default is None
        if self.kind == "boolean":
            return isinstance(value, (bool, np.bool_))
        if isinstance(value, (bool, np.bool_)):
            return False
        if self.kind == "choice":
            return value in self.choices
        number = Integral if self.kind == "integer" else Real
        return isinstance(value, number) and self._within_bounds(float(value))

    def _within_bounds(self, value: float) -> bool:
        return (
            math.isfinite(value)
            and (self.minimum is None or value >= self.minimum)
            and (self.above is None or value > self.above)
            and (self.maximum is None or value <= self.maximum)
        )

    @property
    def allowed(self) -> str:
        """The allowed values in words, to follow "it must be"."""
        if self.kind == "boolean":
            words = "true or false"
        elif self.kind == "choice":
            words = f"one of {', '.join(map(str, self.choices))}"
        else:
            words = " ".join(("an integer" if self.kind == "integer" else "a number", self._range))
        return f"{words.strip()}, or None" if self.default is None else words.strip()

    @property
    def _range(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f"from {self.minimum:g} to {self.maximum:g}"
        bounds = {
            "greater than": self.above,
            "of at least": self.minimum,
            "of at most": self.maximum,
        }
        return " and ".join(f"{word} {at:g}" for word, at in bounds.items() if at is not None)


def declared_parameters(estimator: type) -> dict[str, Parameter]:
    """Parameters that a class declares as ``parameters``, with their defaults from ``__init__``.

    Raises
    ------
    ConfigError
        If ``__init__`` does not take one of them, or has a default that is not allowed.
    """
    declared: Mapping[str, Parameter] = getattr(estimator, "parameters", {})
    arguments = inspect.signature(estimator).parameters
    found = {}
    for name, parameter in declared.items():
        if name not in arguments or arguments[name].default is inspect.Parameter.empty:
            raise ConfigError(
                f"{estimator.__name__}.parameters declares {name!r}, for which __init__ has no "
                "argument with a default."
            )
        found[name] = replace(parameter, default=arguments[name].default)
        if not found[name].accepts(found[name].default):
            raise ConfigError(
                f"{estimator.__name__}: the default of {name} is {found[name].default!r}; it must "
                f"be {found[name].allowed}."
            )
    return found
