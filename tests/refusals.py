"""Tables of mistakes: each call raises an error of the library, whose message is one line."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest


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
            with pytest.raises(error, match=said) as caught:
                call(**given)
            assert "\n" not in str(caught.value), caught.value

        said = inspect.Parameter("said", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        vars(test)["__signature__"] = inspect.Signature([*parameters, said])
        return pytest.mark.parametrize([*names, "said"], cases)(test)

    return as_test
