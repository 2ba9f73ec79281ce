"""Configuration files, read into models and checked.

A file is read into pydantic models without type conversion: 10.0 is not an integer (it would change
the name of a path), and True is not a number. The message of an error has the file, the key, the
value and the allowed values.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from coassoc.errors import ConfigError, message_of, names_allowed

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
K = TypeVar("K")
V = TypeVar("V")


def mistake(problem: str) -> PydanticCustomError:
    """An error whose message follows the name of the key."""
    return PydanticCustomError("mistake", problem)  # type: ignore[arg-type]  # no literal


class Model(BaseModel):
    """Keys at one level of a file. Other keys are not allowed."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @classmethod
    def known_keys(cls) -> list[str]:
        """Names of the keys in files."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, given: Any) -> Any:
        keys = cls.known_keys()
        for key in given if isinstance(given, dict) else ():
            if key not in keys:
                name = f"{key!r}{_read_by_yaml(key)}"
                raise mistake(f"has the unknown key {name}. {names_allowed(key, keys)}")
        return given


# -- types of fields ------------------------------------------------------------------------------


def _once(values: Any) -> Any:
    for place, value in enumerate(values if isinstance(values, list) else []):
        if value in values[:place]:
            raise mistake(f"lists {value!r} twice. Remove one of the two")
    return values


#: A list without repeated items.
once = BeforeValidator(_once)
NonEmptyList = Annotated[list[V], Field(min_length=1)]
DistinctList = Annotated[list[V], Field(min_length=1), once]
NonEmptyDict = Annotated[dict[K, V], Field(min_length=1)]
Text = Annotated[str, Field(pattern=r"\S")]
#: Names of entries of catalogues, which become parts of paths.
ItemName = Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
Names = DistinctList[str]
#: An integer stays an integer, because strings and paths write a float differently.
Number = int | Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[Number, Field(gt=0)]
#: In (0, 1].
Share = Annotated[Number, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]
AtLeastTwo = Annotated[int, Field(ge=2)]
Counts = DistinctList[Count]


# -- checks and their messages -------------------------------------------------------


def validate(content: Any, model: Any, source: str) -> Any:
    """Read content into a model or another type.

    The most deeply nested error is raised as a ConfigError.
    """
    try:
        return _adapter(model).validate_python(content, strict=True)
    except ValidationError as error:
        raise ConfigError(f"{source}: {_sentence(error.errors(), content)}.") from None


_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def _sentence(errors: list[ErrorDetails], content: Any) -> str:
    """The deepest mistake; if several types were tried, all of them."""
    places = [_place(error, content) for error in errors]
    deepest = max(places, key=len)
    here = [error for error, place in zip(errors, places, strict=True) if place == deepest]
    # A check of this project says more than a type that was tried.
    mistakes = [error for error in here if error["type"] == "mistake"]
    return f"{'.'.join(map(str, deepest)) or 'the top level'} {_predicate(mistakes or here)}"


def _predicate(errors: list[ErrorDetails]) -> str:
    error = errors[0]
    kind, value = error["type"], error["input"]
    if kind == "mistake":
        return error["msg"]
    if kind in ("missing", "union_tag_not_found"):
        return f"lacks the key {error['loc'][-1] if kind == 'missing' else 'kind'!r}"
    if kind in ("union_tag_invalid", "literal_error") and len(errors) == 1:
        context = error["ctx"]
        value = context.get("tag", value)
        names = re.findall("'([^']*)'", context.get("expected_tags", context.get("expected", "")))
        return f"is {value!r}. {names_allowed(value, names)}"
    allowed = ", or ".join(dict.fromkeys(error["msg"] for error in errors))
    allowed = allowed.replace(", or Input should be", ", or")
    allowed = re.sub("(Input|String|List|Dictionary) should", "It must", allowed)
    return f"is {value!r}. {allowed}{_read_by_yaml(value)}"


def _read_by_yaml(value: Any) -> str:
    """What YAML makes of a value that a user may have meant otherwise, in brackets."""
    if isinstance(value, bool):
        return " (YAML reads yes, no, on and off as Booleans, so put names in quotation marks)"
    if isinstance(value, str) and re.fullmatch(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+", value):
        return " (YAML reads 1e3 as a string, so write 1.0e+3)"
    return ""


def _place(error: ErrorDetails, content: Any) -> tuple[int | str, ...]:
    """Keys and numbers of items that lead to a mistake, without the types that were tried."""
    place: list[int | str] = []
    steps = error["loc"][:-2] if error["loc"][-1:] == ("[key]",) else error["loc"]
    for step in (*steps, "kind") if error["type"] == "union_tag_invalid" else steps:
        try:
            content = content[step]
        except (KeyError, IndexError, TypeError):
            continue
        place.append(step)
    return tuple(place)


# -- files -----------------------------------------------------------------------------------------


def load_yaml(path: str | Path) -> Any:
    """Read a YAML file. Invalid YAML or a duplicate key raises a ConfigError."""
    try:
        loader = _LOADER(Path(path).read_text(encoding="utf-8"))
        root = loader.get_single_node()
        if root is None:
            return None
        _check_keys(root, path)
        return loader.construct_document(root)
    except ConfigError:
        raise
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(
            f"{path}: cannot read this file ({message_of(error)}). It must be YAML in UTF-8."
        ) from error


def _check_keys(node: yaml.Node, path: str | Path) -> None:
    """Reject a key that occurs twice in one mapping."""
    lines: dict[str, int] = {}
    for item in () if isinstance(node, yaml.ScalarNode) else node.value:
        key, value = item if isinstance(node, yaml.MappingNode) else (None, item)
        _check_keys(value, path)
        if not isinstance(key, yaml.ScalarNode) or key.tag.endswith(":merge"):
            continue
        line = int(key.start_mark.line) + 1
        if key.value in lines:
            raise ConfigError(
                f"{path}: the key {key.value!r} occurs in lines {lines[key.value]} and {line}. "
                "Keep one of the two."
            )
        lines[key.value] = line


def read_model(path: str | Path, model: Any) -> Any:
    """The content of a YAML file, read into a model or another type."""
    return validate(load_yaml(path), model, shown(path))


def catalogue_entries(paths: Iterable[str | Path], model: Any) -> Iterator[tuple[Path, str, Any]]:
    """File, name and model of each entry in several files with entries of the same form.

    An entry of another form, or with the name of an earlier entry, raises a ConfigError.
    """
    files: dict[str, Path] = {}
    for path in map(Path, paths):
        for name, entry in read_model(path, dict[ItemName, model]).items():
            if name in files:
                raise ConfigError(
                    f"{shown(path)}: {name} is already in {shown(files[name])}. Choose another "
                    "name."
                )
            files[name] = path
            yield path, name, entry


def catalogue_folder(path: str | Path) -> Path:
    """The folder of a catalogue, as the beginning of the paths of its files.

    A folder below the working directory is relative, so the working directory can be moved.
    """
    folder = Path(path).parent
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder


def shown(path: str | Path) -> str:
    """The path from the config folder onwards, as users know it."""
    parts = Path(path).parts
    above = len(parts) - 1 - parts[::-1].index("config") if "config" in parts else 0
    return str(Path(*parts[above:]))
