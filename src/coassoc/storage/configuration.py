"""Reading and checking the YAML files; messages name file, key, value and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from coassoc.errors import ConfigError

__all__ = ["check_known", "load_yaml", "shown", "validate", "validated_yaml"]


def load_yaml(path: str | Path) -> Any:
    """Read one YAML file."""
    try:
        return yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_fast_loader())
    except OSError as error:
        raise ConfigError(f"{path}: cannot read this file: {error.strerror}.") from error
    except yaml.YAMLError as error:
        where = " ".join(str(error).split())
        raise ConfigError(f"{path}: not valid YAML: {where}.") from error


def _fast_loader() -> type:
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def validated_yaml(path: str | Path, schema: Path) -> Any:
    """Read a YAML file and check it against a schema, itself a YAML file."""
    content = load_yaml(path)
    validate(content, schema, shown(path))
    return content


def validate(content: Any, schema: Path, source: str) -> None:
    """Check configuration against a JSON schema.

    Parameters
    ----------
    content : object
        What was read.
    schema : path
        Schema file, JSON schema in YAML.
    source : str
        Name of the file, for the message.

    Raises
    ------
    ConfigError
        For the deepest violation, in one sentence.
    """
    errors = sorted(_validator(schema).iter_errors(content), key=lambda e: len(e.absolute_path))
    if errors:
        raise ConfigError(_sentence(errors[-1], source))


@cache
def _validator(schema: Path) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(load_yaml(schema))


def _sentence(error: Any, source: str) -> str:
    key = ".".join(map(str, error.absolute_path)) or "the top level"
    value = error.instance
    if error.validator == "additionalProperties":
        allowed = list(error.schema.get("properties", {}))
        unknown = [name for name in value if name not in allowed]
        return (
            f"{source}: {key} has the unknown key {unknown[0]!r}; {_choices(unknown[0], allowed)}."
        )
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in value]
        return f"{source}: {key} lacks the key {missing[0]!r}."
    if error.validator == "enum":
        return f"{source}: {key} is {value!r}; {_choices(value, error.validator_value)}."
    if error.validator == "type":
        wanted = error.validator_value
        wanted = wanted if isinstance(wanted, str) else " or ".join(wanted)
        return f"{source}: {key} is {value!r}; it must be of type {wanted}."
    return f"{source}: {key} is {value!r}, but {error.message}."


def _choices(value: Any, allowed: Iterable[Any]) -> str:
    names = [str(name) for name in allowed]
    close = difflib.get_close_matches(str(value), names, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"allowed are {', '.join(names)}{hint}"


def check_known(source: str, key: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise a ConfigError for the first name that is not known."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ConfigError(f"{source}: {key} names {name!r}; {_choices(name, known)}.")


def shown(path: str | Path) -> str:
    """The path from the config folder on, as users know it."""
    parts = Path(path).parts
    return "/".join(parts[parts.index("config") :]) if "config" in parts else str(path)
