"""What the class of a method declares: its parameters and its cost.

A method declares each parameter once, as an attribute with its default, its bounds and the grid of
its paper. ``__init__`` and ``get_params`` follow from these attributes. ``fit`` and the
configuration of experiments are checked against them, and experiments tune over the grid::

    class LWEA(ConsensusClusterer):
        theta: float = number(0.4, above=0, grid=(0.1, 0.2, 0.4))
"""

import inspect
import math
from dataclasses import Field, dataclass, field, replace
from numbers import Integral, Real
from typing import Any, Literal, Self, dataclass_transform

import numpy as np

from coassoc.errors import ConfigError


@dataclass(frozen=True)
class Parameter:
    """The values that a parameter may have, and the grid over which the paper tunes it.

    Parameters
    ----------
    kind : {"number", "integer", "boolean", "choice"}
        Numbers are finite. "choice" is one of `choices`.
    default : object
        If it is None, None is allowed in addition to the values of `kind`.
    minimum, maximum : number, optional
        Smallest and largest value.
    above : number, optional
        Exclusive lower bound.
    choices : tuple
        All values of a "choice".
    grid : tuple
        Values over which the paper of the method tunes the parameter.
    """

    kind: Literal["number", "integer", "boolean", "choice"]
    default: Any
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    choices: tuple[Any, ...] = ()
    grid: tuple[Any, ...] = ()

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
        if not isinstance(value, Integral if self.kind == "integer" else Real):
            return False
        number = float(value)
        return (
            math.isfinite(number)
            and (self.minimum is None or number >= self.minimum)
            and (self.above is None or number > self.above)
            and (self.maximum is None or number <= self.maximum)
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


def number(default: float | None, **limits: Any) -> Any:
    """Declare a number; `limits` are attributes of :class:`Parameter`, such as ``above=0``."""
    return _declaration(Parameter("number", default, **limits))


def integer(default: int | None, **limits: Any) -> Any:
    """Declare an integer; `limits` are attributes of :class:`Parameter`, such as ``minimum=1``."""
    return _declaration(Parameter("integer", default, **limits))


def boolean(default: bool) -> Any:
    """Declare a Boolean parameter."""
    return _declaration(Parameter("boolean", default))


def choice(default: Any, choices: tuple[Any, ...], *, grid: tuple[Any, ...] = ()) -> Any:
    """Declare a parameter that has one of several values."""
    return _declaration(Parameter("choice", default, choices=choices, grid=grid))


def _declaration(parameter: Parameter) -> Any:
    return field(default=parameter.default, metadata={"parameter": parameter})


@dataclass_transform(
    kw_only_default=True,
    eq_default=False,
    field_specifiers=(field, number, integer, boolean, choice),
)
class Estimator:
    """Base class of clusterers whose ``__init__`` stores the attributes that a class annotates.

    A class with its own ``__init__`` keeps it, and so do its subclasses. The other methods
    implement the interface of scikit-learn without importing it, because the import takes a second,
    longer than most fits, and few methods need it. ``clone``, pipelines, searches and
    ``check_is_fitted`` accept any object with this interface.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        init: Any = cls.__init__  # type: ignore[misc]
        generated = init is object.__init__ or hasattr(init, "__signature__")
        dataclass(kw_only=True, eq=False, repr=False, init=generated)(cls)
        if generated:
            # The attributes of the base come first, but readers look for the seed at the end.
            init = vars(cls)["__init__"]
            taken = inspect.signature(init).parameters.values()
            arguments = sorted(taken, key=lambda argument: argument.name == "random_state")
            init.__signature__ = inspect.Signature(arguments, return_annotation=None)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values. `deep` has no effect: no parameter is an estimator."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters. An unknown name raises a ValueError that lists the valid names."""
        parameters = self._parameters()
        for name, value in params.items():
            if name not in parameters:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: "
                    f"{list(parameters)!r}."
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


def declared_parameters(estimator: type) -> dict[str, Parameter]:
    """Parameters that a class declares, with the defaults of its ``__init__``.

    Raises
    ------
    ConfigError
        If ``__init__`` does not take one of them, or the default or the grid has a value that is
        not allowed.
    """
    arguments = inspect.signature(estimator).parameters
    declared = {}
    # Fields of a dataclass, or of a plain class with its own __init__.
    fields = dict(getattr(estimator, "__dataclass_fields__", {}))
    fields |= {
        name: value
        for base in reversed(estimator.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, Field)
    }
    for name, attribute in fields.items():
        if "parameter" not in attribute.metadata:
            continue
        if name not in arguments or arguments[name].default is inspect.Parameter.empty:
            raise ConfigError(
                f"{estimator.__name__} declares {name!r}, but __init__ has no such argument with "
                "a default. Add the argument."
            )
        # A class with its own __init__ may have a different default from its base class.
        parameter = replace(attribute.metadata["parameter"], default=arguments[name].default)
        declared[name] = parameter
        tuned = (("grid", "has", value) for value in parameter.grid)
        for what, verb, value in (("default", "is", parameter.default), *tuned):
            if not parameter.accepts(value):
                raise ConfigError(
                    f"{estimator.__name__}: the {what} of {name} {verb} {value!r}. It must be "
                    f"{parameter.allowed}."
                )
    return declared


@dataclass(frozen=True)
class Cost:
    """Time and memory of a fit.

    The objects of a fit are the q distinct rows of labels, or the samples if the method uses
    features or depends on the order of the samples. The m base clusterings have L clusters in
    total. The defaults are for a method that was not measured.

    Parameters
    ----------
    seconds, power : number
        Processor seconds with q = 1000, and the power of q with which they grow.
    grows_with_features : bool
        Whether the seconds are for 1000 features and also grow with the number of features.
    squares, tables, cluster_squares, link_squares : number
        Arrays of q × q, q × L, L × L and p × p floating-point numbers at the peak of a fit, with p
        = min(q, L).
    squares_each, tables_each : number
        Arrays of q × q and q × L numbers for each base clustering.
    links_labels : {"", "complete", "any"}
        Whether the method is a linkage that needs no squares if there are many rows: for complete
        labels only, or for any labels.
    """

    seconds: float = 10
    power: float = 3
    grows_with_features: bool = False
    squares: float = 8
    tables: float = 0
    cluster_squares: float = 0
    link_squares: float = 0
    squares_each: float = 0
    tables_each: float = 0
    links_labels: Literal["", "complete", "any"] = ""

    def megabytes(self, q: int, m: int, L: int, links_rows: bool = False) -> float:
        """Peak of a fit, in addition to the ensemble and the features.

        It includes three q × m arrays for the rows and their Z. `links_rows` says whether a linkage
        needs no squares.
        """
        squares = (0 if links_rows else self.squares) + m * self.squares_each
        tables = self.tables + m * self.tables_each
        links = self.cluster_squares * L**2 + self.link_squares * min(q, L) ** 2
        return 8e-6 * (squares * q**2 + tables * q * L + links + 3 * q * m)
