"""Forms of configuration files: what their keys may be, declared once and checked by pydantic.

A form is a typed dictionary under the decorator :func:`keys`. Its annotations are the types, bounds
and words that are allowed, its rules say which keys go together. Content is held against a form by
:func:`validate`, is never converted, and a mistake is one sentence with file, key and value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from coassoc.errors import ConfigError
from coassoc.storage.names import choices

__all__ = [
    "Count",
    "Counts",
    "Distinct",
    "Grids",
    "ItemName",
    "Names",
    "Parameters",
    "Strings",
    "Text",
    "Yes",
    "ByKind",
    "exactly_one",
    "keys",
    "needs",
    "not_both",
    "some_of",
    "told",
    "validate",
]

#: What is wrong with some keys of one place, or nothing.
Rule = Callable[[Mapping[str, Any]], str | None]
Form = TypeVar("Form", bound=type)


def keys(*rules: Rule) -> Callable[[Form], Form]:
    """Make a typed dictionary a form: no other keys, exact types, finite numbers, and some rules.

    10.0 is not an integer (it would make another name in a path), and True is no number.
    """

    def decorate(form: Form) -> Form:
        known = list(form.__annotations__)

        def check(given: Any) -> Any:
            if isinstance(given, dict):
                problems = (rule(given) for rule in (_only(known), *rules))
                for problem in filter(None, problems):
                    raise _mistake(problem)
            return given

        def schema(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
            return core_schema.no_info_before_validator_function(check, handler(source))

        form.__pydantic_config__ = ConfigDict(strict=True, allow_inf_nan=False)
        form.__get_pydantic_core_schema__ = schema
        return form

    return decorate


# -- rules on the keys of one place ---------------------------------------------------------------


def _only(known: list[str]) -> Rule:
    def rule(given: Mapping[str, Any]) -> str | None:
        unknown = next((key for key in given if key not in known), None)
        if unknown is None:
            return None
        kind = f" for kind {given['kind']}" if isinstance(given.get("kind"), str) else ""
        return f"has the unknown key {unknown!r}; {choices(unknown, known, kind)}"

    return rule


def exactly_one(*names: str) -> Rule:
    """One of some keys, which exclude one another."""

    def rule(given: Mapping[str, Any]) -> str | None:
        there = [name for name in names if name in given]
        if len(there) == 1:
            return None
        return (
            f"must have exactly one of the keys {', '.join(names)}, and has "
            f"{' and '.join(there) or 'none'}"
        )

    return rule


def needs(key: str, *others: str) -> Rule:
    """A key that is of use only beside others."""

    def rule(given: Mapping[str, Any]) -> str | None:
        missing = next((name for name in others if name not in given), None)
        if key not in given or missing is None:
            return None
        return f"has the key {key!r}, which needs {missing!r} beside it"

    return rule


def not_both(one: str, other: str) -> Rule:
    """Two keys of which there may be one."""
    wrong = f"may have {one!r} or {other!r}, not both"
    return lambda given: wrong if one in given and other in given else None


def some_of(names: tuple[str, ...], sentence: str) -> Rule:
    """At least one of some keys."""
    return lambda given: None if any(name in given for name in names) else sentence


# -- types ----------------------------------------------------------------------------------------


def told(sentence: str) -> WrapValidator:
    """Say in these words what is allowed, unless the type is wrong or more was said already."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError as error:
            types = {each["type"] for each in error.errors()}
            if "mistake" in types or types <= _TYPES.keys():
                raise
            raise _mistake(f"is {value!r}; {sentence}") from None

    return WrapValidator(check)


def _mistake(problem: str) -> PydanticCustomError:
    """An error whose message is what to say after the key."""
    return PydanticCustomError("mistake", problem)


def _distinct(values: list[Any]) -> list[Any]:
    twice = next((value for i, value in enumerate(values) if value in values[:i]), None)
    if twice is not None:
        raise _mistake(f"lists {twice!r} twice")
    return values


def _true(value: bool) -> bool:
    if not value:
        raise _mistake("is False; allowed are True")
    return value


#: For lists: no item twice.
Distinct = AfterValidator(_distinct)
Text = Annotated[str, Field(pattern=r"\S"), told("it must not be blank")]
#: Of entries of catalogues, which become parts of paths.
ItemName = Annotated[
    str,
    Field(pattern="^[A-Za-z0-9][A-Za-z0-9_.-]*$"),
    told("it must consist of letters, digits, dots, _ and -"),
]
Names = Annotated[list[str], Field(min_length=1), Distinct]
#: Names that may stand twice.
Strings = Annotated[list[str], Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
Counts = Annotated[list[Count], Field(min_length=1), Distinct]
Parameters = Annotated[dict[str, Any], Field(min_length=1)]
#: Values of parameters by their names.
Grids = dict[str, Annotated[list[Any], Field(min_length=1), Distinct]]
#: A key that is there or not, and switches nothing off.
Yes = Annotated[bool, AfterValidator(_true)]


class ByKind:
    """One of several forms: the one that the key ``kind`` names."""

    def __init__(self, forms: Mapping[str, type]) -> None:
        self._forms = forms

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        made = {kind: handler.generate_schema(form) for kind, form in self._forms.items()}
        return core_schema.tagged_union_schema(made, discriminator="kind")


# -- checking, and what is said of mistakes -------------------------------------------------------


def validate(content: Any, form: Any, source: str) -> None:
    """Hold content against a form.

    Parameters
    ----------
    content : object
        What was read.
    form : type
        A form, or a list or dictionary of forms.
    source : str
        Name of the file, for the message.

    Raises
    ------
    ConfigError
        For the deepest mistake, in one sentence.
    """
    try:
        _adapter(form).validate_python(content)
    except ValidationError as error:
        raise ConfigError(f"{source}: {_sentence(error.errors(), content)}.") from None


@cache
def _adapter(form: Any) -> TypeAdapter[Any]:
    return TypeAdapter(form)


#: Errors of pydantic that mean another type, and how the type is called.
_TYPES = {
    "int_type": "integer",
    "float_type": "number",
    "finite_number": "number",
    "string_type": "string",
    "bool_type": "boolean",
    "list_type": "list",
    "dict_type": "mapping",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "greater than"),
    "less_than_equal": ("le", "at most"),
}


def _sentence(errors: list[ErrorDetails], content: Any) -> str:
    """The deepest mistake; where several types were tried, what all of them say."""
    places = [_place(error, content) for error in errors]
    deepest = max(places, key=len)
    here = [error for error, place in zip(errors, places, strict=True) if place == deepest]
    here.sort(key=lambda error: (error["type"] in _TYPES, error["type"] != "mistake"))
    key = ".".join(map(str, deepest)) or "the top level"
    if here[0]["type"] in _TYPES:
        wanted = " or ".join(dict.fromkeys(_TYPES[error["type"]] for error in here))
        return f"{key} is {here[0]['input']!r}; it must be of type {wanted}"
    return f"{key} {_predicate(here[0])}"


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


def _predicate(error: ErrorDetails) -> str:
    """What is said of a place after its key."""
    kind, value, more = error["type"], error["input"], error.get("ctx", {})
    if kind == "mistake":
        return error["msg"]
    if kind == "missing":
        return f"lacks the key {error['loc'][-1]!r}"
    if kind == "union_tag_not_found":
        return "lacks the key 'kind'"
    if kind == "union_tag_invalid":
        return f"is {more['tag']!r}; {choices(more['tag'], _quoted(more['expected_tags']))}"
    if kind == "literal_error":
        return f"is {value!r}; {choices(value, _quoted(more['expected']))}"
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"is {value!r}; it must be {words} {more[name]}"
    if kind == "too_short" and not value:
        return "is empty"
    if kind in ("too_short", "too_long"):
        name, words = ("min", "at least") if kind == "too_short" else ("max", "at most")
        return f"is {value!r}; it must have {words} {more[f'{name}_length']} items"
    return f"is {value!r}, but {error['msg'][0].lower()}{error['msg'][1:]}"


def _quoted(expected: str) -> list[str]:
    """The words in pydantic's list of them."""
    return re.findall("'([^']*)'", expected)
