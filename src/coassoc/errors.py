"""Errors that a user can cause; each message says what is wrong and what to do."""

from collections.abc import Iterable
from typing import Any

__all__ = ["CoassocError", "ConfigError", "DataError", "MethodError", "TooLargeError"]


class CoassocError(Exception):
    """Base class of all coassoc errors. Their messages are clear without a traceback."""


class ConfigError(CoassocError, ValueError):
    """A configuration key or a parameter has a value that is not allowed."""


class DataError(CoassocError, ValueError):
    """A file or an array has unexpected content."""


class MethodError(CoassocError, RuntimeError):
    """A method cannot partition this ensemble. Tables show the message as the reason."""


class TooLargeError(CoassocError, MemoryError):
    """A fit would need more memory than the machine has."""


#: Number of names to list.
_FEW = 8


def nearest_name(given: object, names: Iterable[object]) -> str:
    """The closest name in letters of any case; empty if no name is close."""
    from difflib import get_close_matches

    folded = {str(name).casefold(): str(name) for name in names}
    close = get_close_matches(str(given).casefold(), folded, n=1)
    return folded[close[0]] if close else ""


def did_you_mean(given: object, names: Iterable[object]) -> str:
    """End of a sentence about a wrong name, with the closest name in letters of any case.

    >>> did_you_mean("lwae", ["EAC-AL", "LWEA"])
    " (did you mean 'LWEA'?)"
    """
    near = nearest_name(given, names)
    return f" (did you mean {near!r}?)" if near else ""


def names_allowed(value: Any, allowed: Iterable[Any]) -> str:
    """Advice for a wrong name: the nearest allowed name, and all or the first of the allowed names.

    >>> names_allowed("lwae", ["EAC-AL", "LWEA"])
    "Did you mean 'LWEA'? Choose from EAC-AL, LWEA"
    """
    names = [str(name) for name in allowed if str(name)]
    near = nearest_name(value, names)
    listed = names[:_FEW]
    rest = f" and {len(names) - len(listed)} more" if len(names) > len(listed) else ""
    beginning = f"Did you mean {near!r}? " if near else ""
    return f"{beginning}Choose from {', '.join(listed)}{rest}" if names else "There are none"


def check_known(source: str, key: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise a ConfigError for the first unknown name."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ConfigError(f"{source}: unknown {key} {name!r}. {names_allowed(name, known)}.")


def message_of(error: Exception) -> str:
    """The message of an error as part of a sentence."""
    reason = getattr(error, "strerror", None) or str(error)
    return " ".join(reason.split()).rstrip(".")
