"""Names that must exist, the one that was probably meant, and the place of a mistake."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from coassoc.errors import ConfigError, did_you_mean


def choices(value: Any, allowed: Iterable[Any], where: str = "") -> str:
    """What is allowed in place of a value, with the nearest name."""
    names = [str(name) for name in allowed]
    return f"allowed{where} are {', '.join(names)}{did_you_mean(value, names)}"


def check_known(source: str, key: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise a ConfigError for the first name that is not known."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ConfigError(f"{source}: {key} names {name!r}; {choices(name, known)}.")


@contextmanager
def errors_begin_with(place: str) -> Iterator[None]:
    """Have the message of a ConfigError begin with its place."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from error
