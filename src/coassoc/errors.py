"""The errors a user can cause, each a single sentence that says what to change."""

from __future__ import annotations

__all__ = ["CoassocError", "ConfigError", "DataError", "MethodError", "TooLargeError"]


class CoassocError(Exception):
    """Base class: the message is complete and needs no traceback to be understood."""


class ConfigError(CoassocError, ValueError):
    """A key of a configuration file or a parameter of a method has a forbidden value."""


class DataError(CoassocError, ValueError):
    """A file or an array does not hold what it should."""


class MethodError(CoassocError, RuntimeError):
    """A method cannot give a partition of this ensemble; tables show the message as the reason."""


class TooLargeError(CoassocError, MemoryError):
    """A fit would take more memory than the machine has."""


def message_of(error: Exception) -> str:
    """What an error says, as part of a sentence."""
    said = getattr(error, "strerror", None) or str(error)
    return " ".join(said.split()).rstrip(".")
