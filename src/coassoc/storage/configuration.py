"""Checking the YAML files; messages name file, key, value and what is allowed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from coassoc.errors import ConfigError
from coassoc.storage.yaml_files import load_yaml

__all__ = ["catalogue_entries", "check_known", "load_yaml", "shown", "validate", "validated_yaml"]


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


#: Rules of a schema whose violation its description says better.
_DESCRIBED = ("pattern", "not", "anyOf", "oneOf")


@cache
def _validator(schema: Path) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    types = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            # 10.0 is equal to 10, but makes another name in a path.
            "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
            "number": lambda _, value: (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and math.isfinite(value)
            ),
        }
    )
    return extend(Draft202012Validator, type_checker=types)(load_yaml(schema))


def _sentence(error: Any, source: str) -> str:
    """A violation of a schema in one sentence."""
    key = ".".join(map(str, error.absolute_path)) or "the top level"
    say = _SENTENCES.get(error.validator, lambda error: _value_and(error, f"but {error.message}"))
    if "description" in error.schema and error.validator in _DESCRIBED:
        return f"{source}: {key} {_value_and(error, error.schema['description'])}."
    return f"{source}: {key} {say(error)}."


def _value_and(error: Any, rest: str) -> str:
    joint = "," if rest.startswith("but") else ";"
    return f"is {error.instance!r}{joint} {rest}"


def _unknown_key(error: Any) -> str:
    allowed = list(error.schema.get("properties", {}))
    unknown = next(name for name in error.instance if name not in allowed)
    return f"has the unknown key {unknown!r}; {_choices(unknown, allowed)}"


def _missing_key(error: Any) -> str:
    missing = next(name for name in error.validator_value if name not in error.instance)
    return f"lacks the key {missing!r}"


def _missing_companion(error: Any) -> str:
    """A key that is of use only beside another one."""
    key, missing = next(
        (key, name)
        for key, names in error.validator_value.items()
        if key in error.instance
        for name in names
        if name not in error.instance
    )
    return f"has the key {key!r}, which needs {missing!r} beside it"


def _not_one_of(error: Any) -> str:
    """None or several of keys that exclude one another."""
    keys = [branch["required"][0] for branch in error.validator_value if "required" in branch]
    if not keys:
        return _value_and(error, f"but {error.message}")
    found = [name for name in keys if name in error.instance]
    return (
        f"must have exactly one of the keys {', '.join(keys)}, and has "
        f"{' and '.join(found) or 'none'}"
    )


def _wrong_type(error: Any) -> str:
    wanted = error.validator_value
    wanted = wanted if isinstance(wanted, str) else " or ".join(wanted)
    return _value_and(error, f"it must be of type {wanted}")


def _listed_twice(error: Any) -> str:
    twice = next(each for i, each in enumerate(error.instance) if each in error.instance[:i])
    return f"lists {twice!r} twice"


_SENTENCES = {
    "additionalProperties": _unknown_key,
    "required": _missing_key,
    "dependentRequired": _missing_companion,
    "oneOf": _not_one_of,
    "enum": lambda error: _value_and(error, _choices(error.instance, error.validator_value)),
    "type": _wrong_type,
    "uniqueItems": _listed_twice,
    "minProperties": lambda error: "is empty",
    "minItems": lambda error: (
        "is empty"
        if not error.instance
        else _value_and(error, f"it must have at least {error.validator_value} items")
    ),
}


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


def catalogue_entries(paths: Iterable[str | Path], schema: Path) -> Iterator[tuple[Path, str, Any]]:
    """File, name and content of each entry in several files of one form.

    Raises
    ------
    ConfigError
        If a file breaks the schema, or has an entry that an earlier file has.
    """
    files: dict[str, Path] = {}
    for path in map(Path, paths):
        for name, content in validated_yaml(path, schema).items():
            if name in files:
                raise ConfigError(
                    f"{shown(path)}: {name} is in {shown(files[name])} already; an own entry needs "
                    "a name of its own."
                )
            files[name] = path
            yield path, name, content


def shown(path: str | Path) -> str:
    """The path from the config folder on, as users know it."""
    parts = Path(path).parts
    return "/".join(parts[parts.index("config") :]) if "config" in parts else str(path)
