"""Forms of configuration files: what their keys may be, declared once and checked by pydantic.

A :class:`Form` gives each key of one place its type, and says by rules which keys go together.
:func:`validate` holds content against it without converting anything: 10.0 is no integer (it would
make another name in a path), True is no number. A mistake is one sentence with file, key and value.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Union

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from coassoc.errors import ConfigError
from coassoc.storage.names import choices

#: What is wrong with the keys of one place, or nothing.
Rule = Callable[[Mapping[str, Any]], str | None]
#: Anything that pydantic takes for a type; mypy does not, as forms are objects.
Type = Any


@dataclass
class must:
    """The type of a key that has to be there."""

    type: Type


class Keys(BaseModel):
    """Keys of one place, and their types; no others are allowed."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    #: Which keys go together.
    rules: ClassVar[tuple[Rule, ...]] = ()

    @classmethod
    def known(cls) -> list[str]:
        """Names of the keys."""
        return list(cls.model_fields)

    @model_validator(mode="before")
    @classmethod
    def _check(cls, given: Any) -> Any:
        if isinstance(given, dict):
            for problem in (cls._unknown(given), *(rule(given) for rule in cls.rules)):
                if problem:
                    raise mistake(problem)
        return given

    @classmethod
    def _unknown(cls, given: dict[Any, Any]) -> str | None:
        known = cls.known()
        unknown = next((key for key in given if key not in known), None)
        if unknown is None:
            return None
        kind = f" for kind {given['kind']}" if isinstance(given.get("kind"), str) else ""
        return f"has the unknown key {unknown!r}; {choices(unknown, known, kind)}"


def Form(*parts: Type | Rule, **types: Type) -> Type:
    """The keys of other forms, further ones, and rules on all of them."""
    forms: Any = tuple(part for part in parts if isinstance(part, type))
    rules = (part for part in parts if not isinstance(part, type))
    fields: Any = {
        key: (declared.type, ...) if isinstance(declared, must) else (declared, None)
        for key, declared in types.items()
    }
    made = create_model("Form", __base__=forms or (Keys,), **fields)
    made.rules = (*(rule for form in forms for rule in form.rules), *rules)
    return made


# -- rules on the keys of one place ---------------------------------------------------------------


def exactly_one(*names: str) -> Rule:
    """One of some keys, which exclude one another."""

    def rule(given: Mapping[str, Any]) -> str | None:
        there = [name for name in names if name in given]
        if len(there) == 1:
            return None
        has = " and ".join(there) or "none"
        return f"must have exactly one of the keys {', '.join(names)}, and has {has}"

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


def some_of(*names: str, sentence: str) -> Rule:
    """At least one of some keys."""
    return lambda given: None if any(name in given for name in names) else sentence


# -- types ----------------------------------------------------------------------------------------


def number(**bounds: Any) -> Type:
    """A finite number; bounds are ``gt``, ``ge`` and ``le``."""
    return Annotated[float, Field(allow_inf_nan=False, **bounds)]


def integer(**bounds: Any) -> Type:
    """An integer; bounds are ``ge`` and ``le``."""
    return Annotated[int, Field(**bounds)]


def several(item: Type, least: int = 1, most: int | None = None) -> Type:
    """A list."""
    return Annotated[list[item], Field(min_length=least, max_length=most)]


def listed(item: Type, least: int = 1, most: int | None = None) -> Type:
    """A list in which nothing stands twice."""
    return Annotated[several(item, least, most), once]


def mapping(value: Type, key: Type = str, least: int = 0) -> Type:
    """A dictionary."""
    return Annotated[dict[key, value], Field(min_length=least)]


def either(*types: Type) -> Type:
    """One of several types; None is null."""
    return Union[types]  # noqa: UP007 - of any number


def told(sentence: str, *types: Type) -> Type:
    """Types of which the sentence says what is allowed, where not the type alone is wrong."""
    return Annotated[either(*types), says(sentence)]


def text(pattern: str, sentence: str, of: Type = str) -> Type:
    """A string of some pattern, which the sentence says."""
    return told(sentence, Annotated[of, Field(pattern=pattern)])


def named(catalogue: str, of: Type = str) -> Type:
    """A name, or a list of names, that a catalogue has where :func:`validate` is told its names."""

    def check(value: Any, info: ValidationInfo) -> Any:
        catalogues = info.context or {}
        for name in ([value] if isinstance(value, str) else value) if catalogues else []:
            known = list(catalogues[catalogue])
            if name not in known:
                raise mistake(f"names {name!r}; {choices(name, known)}")
        return value

    return Annotated[of, AfterValidator(check)]


# -- what stands beside a type in Annotated -------------------------------------------------------


def says(sentence: str) -> WrapValidator:
    """The sentence says what is allowed, where not the type alone is wrong."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError as error:
            types = {detail["type"] for detail in error.errors()}
            if "mistake" in types or types <= _TYPES.keys():
                raise
            raise mistake(f"is {value!r}; {sentence}") from None

    return WrapValidator(check)


def _once(values: Any) -> Any:
    for place, value in enumerate(values if isinstance(values, list) else []):
        if value in values[:place]:
            raise mistake(f"lists {value!r} twice")
    return values


def _true(value: bool) -> bool:
    if not value:
        raise mistake("is False; allowed are True")
    return value


#: Nothing stands twice in a list.
once = BeforeValidator(_once)
Text = text(r"\S", "it must not be blank")
#: Names of entries of catalogues, which become parts of paths.
ItemName = text("^[A-Za-z0-9][A-Za-z0-9_.-]*$", "it must consist of letters, digits, dots, _ and -")
Names = listed(str)
Count = Annotated[int, Field(ge=1)]
Counts = listed(Count)
#: Of an ensemble; "all" base clusterings of a pool.
Size = told("allowed are all and a whole number from 1", Literal["all"], Count)
Parameters = mapping(Any, least=1)
#: A key that is there or not, and switches nothing off.
Yes = Annotated[bool, AfterValidator(_true)]


class ByKind:
    """One of several forms: the one that the key ``kind`` names."""

    def __init__(self, forms: Mapping[str, Type]) -> None:
        self.forms = forms

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        made = {kind: handler.generate_schema(form) for kind, form in self.forms.items()}
        return core_schema.tagged_union_schema(made, discriminator="kind")


# -- checking, and what is said of mistakes -------------------------------------------------------


def mistake(problem: str) -> PydanticCustomError:
    """An error whose message is what to say after the key."""
    return PydanticCustomError("mistake", problem)


def validate(
    content: Any,
    form: Type,
    source: str,
    catalogues: Mapping[str, Iterable[str]] | None = None,
) -> Any:
    """Hold content against a form, and names in it against catalogues; what pydantic makes of it.

    The deepest mistake is a ConfigError of one sentence.
    """
    try:
        return _adapter(form).validate_python(content, strict=True, context=catalogues)
    except ValidationError as error:
        raise ConfigError(f"{source}: {_sentence(error.errors(), content)}.") from None


_adapter = cache(TypeAdapter)

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
    return re.findall("'([^']*)'", expected)
