"""Tables of cases, and of mistakes: each call raises an error, whose message is one line."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest


def cases(names: str, *rows: Any, **options: Any) -> Any:
    """Parametrize a test: names with commas, then a row of values for each case."""
    return pytest.mark.parametrize(names, rows, **options)


def refuses(error: Any, said: str, call: Callable[..., Any], /, *args: Any, **options: Any) -> None:
    """A call raises this error, whose message is one line with this pattern in it."""
    with pytest.raises(error, match=said) as caught:
        call(*args, **options)
    assert "\n" not in str(caught.value), caught.value


def refused(error: Any, *cases: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Any]:
    """Turn a call into a test: with the arguments of each case it raises this error.

    A case holds the first arguments of the call, then a pattern of the message. Further arguments
    are fixtures.
    """

    def as_test(call: Callable[..., Any]) -> Any:
        parameters = [*inspect.signature(call).parameters.values()]
        names = [parameter.name for parameter in parameters[: len(cases[0]) - 1]]

        @wraps(call)
        def test(said: str, **given: Any) -> None:
            refuses(error, said, call, **given)

        said = inspect.Parameter("said", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        vars(test)["__signature__"] = inspect.Signature([*parameters, said])
        return pytest.mark.parametrize([*names, "said"], cases)(test)

    return as_test
