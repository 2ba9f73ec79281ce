"""Registration of methods, from the library and from users."""

import hashlib
import inspect
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from coassoc.errors import ConfigError, check_known
from coassoc.methods.names import CLASSES, FIXED, TEXTS
from coassoc.methods.parameters import Cost, Parameter, declared_parameters
from coassoc.numerics.integers import is_integer

#: What a class may declare as :class:`~coassoc.methods.base.ConsensusClusterer` does, and what a
#: class declares that does not say it.
DECLARED = {
    **dict.fromkeys(("uses_features", "takes_missing", "depends_on_sample_order"), False),
    **{"n_clusters_is": "given", "offers": (), "title": "", "paper": ""},
}


@dataclass(frozen=True)
class Method:
    """The name of a method in tables: a class, and the parameters that the name fixes.

    The class is imported on first use.

    Parameters
    ----------
    name : str
        Name in tables.
    location : str
        "module:Class", importable as it is or from the working directory, or "file.py:Class".
    fixed : mapping
        Parameters that the name stands for, such as a linkage.
    entry : mapping
        The title and paper in place of those of the class.
    place : str
        Where a user named the method, for messages; empty for methods of the library.

    Raises
    ------
    ConfigError
        On first use, if the class cannot be imported, has no ``fit``, or cannot be created from
        ``n_clusters``, ``random_state`` and its parameters.
    """

    name: str
    location: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    entry: Mapping[str, Any] = field(default_factory=dict)
    place: str = ""

    @cached_property
    def estimator(self) -> Any:
        """The class."""
        place, _, name = self.location.rpartition(":")
        file = Path(place).resolve() if place.endswith(".py") else None
        directory = str(file.parent) if file else os.getcwd()
        sys.path.append(directory)  # the last place to search, so that it hides no other module
        try:
            module = import_module(file.stem if file else place)
            if file and Path(module.__file__ or "").resolve() != file:
                raise ImportError(f"another module is called {file.stem!r}. Rename the file")
            estimator = getattr(module, name)
        except Exception as error:
            raise self._unusable(
                f"which cannot be imported ({error}). Correct the name or the module"
            ) from error
        finally:
            del sys.path[-1 - sys.path[::-1].index(directory)]
        if not inspect.isclass(estimator) or not callable(getattr(estimator, "fit", None)):
            raise self._unusable("which is not a class with a fit method. Name such a class")
        return estimator

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Parameters of the class that the name does not fix."""
        estimator = self.estimator
        try:
            declared = declared_parameters(estimator)
        except ConfigError as error:
            raise self._mistake(str(error)) from error
        for name, value in self.fixed.items():
            if name in declared and not declared[name].accepts(value):
                raise self._mistake(
                    f"fixed.{name} is {value!r}. It must be {declared[name].allowed}."
                )
        names = {**declared, **self.fixed}
        try:
            inspect.signature(estimator).bind(n_clusters=2, random_state=0, **names)
        except TypeError as error:
            raise self._unusable(
                "whose __init__ must take n_clusters, random_state and its parameters by name, "
                f"and nothing else without a default ({error})"
            ) from error
        return {name: parameter for name, parameter in declared.items() if name not in self.fixed}

    def check_parameters(self, place: str, values: Mapping[str, Any]) -> None:
        """Raise a ConfigError for an unknown parameter or a value that is not allowed.

        Parameters
        ----------
        place : str
            Beginning of the message, such as the name of the file with the values.
        values : mapping
            Parameter → value. A class that cannot be used is reported even without values.
        """
        declared = self.parameters
        if values and not declared:
            name = next(iter(values))
            raise ConfigError(f"{place}: {self.name} has no parameters. Remove {name!r}.")
        check_known(place, f"parameter of {self.name}", values, declared)
        for name, value in values.items():
            if not declared[name].accepts(value):
                raise ConfigError(
                    f"{place}: {name} of {self.name} is {value!r}. "
                    f"It must be {declared[name].allowed}."
                )

    @property
    def code(self) -> str:
        """Identity of the code behind fits, such as "LWEA 1" or "Mine 1 0f3c5a7e".

        Name and revision. A class outside the library also gets a hash of its file, because its
        author may not use revisions.
        """
        number = getattr(self.estimator, "revision", 1)
        if not is_integer(number):
            raise self._unusable(f"whose revision is {number!r}. It must be an integer")
        identity = f"{self.name} {number}"
        if self.estimator.__module__.partition(".")[0] == __name__.partition(".")[0]:
            return identity
        try:
            source = Path(inspect.getfile(self.estimator)).read_bytes()
        except (TypeError, OSError) as error:
            raise self._unusable(
                "a class without a source file, which must identify its results. Define the class "
                "in a file"
            ) from error
        return f"{identity} {hashlib.sha256(source).hexdigest()[:8]}"

    def __getattr__(self, name: str) -> Any:
        """What the class declares (:data:`DECLARED`), or the entry in its place."""
        if name not in DECLARED:
            raise AttributeError(f"Method has no attribute {name!r}")
        value = self.entry.get(name, getattr(self.estimator, name, DECLARED[name]))
        is_text = isinstance(DECLARED[name], str)
        return DECLARED[name] if is_text and not isinstance(value, str) else value

    @property
    def works_on_samples(self) -> bool:
        """Whether a fit works on the samples, and not on distinct rows of labels."""
        return bool(self.uses_features or self.depends_on_sample_order)

    @property
    def cost(self) -> Cost:
        """Time and memory of a fit."""
        declared = getattr(self.estimator, "cost", None)
        return declared if isinstance(declared, Cost) else Cost()

    @property
    def needs(self) -> list[str]:
        """Inputs that the method needs: features, complete labels, both or neither."""
        needed = {"features": self.uses_features, "complete labels": not self.takes_missing}
        return [what for what, is_needed in needed.items() if is_needed]

    @property
    def refinement(self) -> str | None:
        """Identity of a refinement, which methods that differ only in their ending share.

        None if the class has no :meth:`~coassoc.methods.base.RefiningClusterer.fit_refined`,
        or if the name does not fix the ending.
        """
        if "ending" not in self.fixed or not hasattr(self.estimator, "fit_refined"):
            return None
        others = {name: value for name, value in self.fixed.items() if name != "ending"}
        return f"{self.location} {sorted(others.items())}"

    @property
    def factory(self) -> Callable[..., Any]:
        """Callable that creates estimators from ``n_clusters``, ``random_state`` and parameters."""
        return partial(self.estimator, **self.fixed) if self.fixed else self.estimator

    def __call__(self, *arguments: Any, **parameters: Any) -> Any:
        """Create an estimator."""
        return self.factory(*arguments, **parameters)

    def record(self) -> dict[str, Any]:
        """Plain values for the ``params`` of a workflow; ``Method(name, **record)`` reads them."""
        return {"location": self.location, "fixed": dict(self.fixed)}

    def _unusable(self, reason: str) -> ConfigError:
        return self._mistake(f"estimator is {self.location!r}, {reason}.")

    def _mistake(self, sentence: str) -> ConfigError:
        return ConfigError(f"{self.place}: {sentence}" if self.place else sentence)


#: The methods of the library by their names in tables.
METHODS: Mapping[str, Method] = {
    name: Method(name, f"coassoc.methods.{at}", FIXED.get(name, {}), TEXTS.get(name, {}))
    for name, at in CLASSES.items()
}


def name_of(estimator: Any) -> str:
    """Name of an estimator in tables, or the name of its class."""
    cls = type(estimator)
    location = f"{cls.__module__}:{cls.__name__}".removeprefix("coassoc.methods.")
    for name in (name for name, at in CLASSES.items() if at == location):
        if all(getattr(estimator, key) == value for key, value in FIXED.get(name, {}).items()):
            return name
    return cls.__name__


def endings_of_one_refinement(methods: Mapping[str, Method]) -> list[tuple[str, ...]]:
    """Groups of two or more methods that differ only in how they end a refinement."""
    sharing = defaultdict(list)
    for name, method in methods.items():
        if method.refinement is not None:
            sharing[method.refinement].append(name)
    return [tuple(names) for names in sharing.values() if len(names) > 1]
