"""Names that must exist, and the one that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from coassoc.errors import ConfigError

__all__ = ["check_known", "choices"]


def choices(value: Any, allowed: Iterable[Any], where: str = "") -> str:
    """What is allowed in place of a value, with the nearest name."""
    names = [str(name) for name in allowed]
    close = difflib.get_close_matches(str(value), names, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"allowed{where} are {', '.join(names)}{hint}"


def check_known(source: str, key: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise a ConfigError for the first name that is not known."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ConfigError(f"{source}: {key} names {name!r}; {choices(name, known)}.")
