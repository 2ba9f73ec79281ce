"""What is said of a mistake in a configuration file."""

import pytest

from coassoc.bench.storage.configuration import validate
from coassoc.errors import ConfigError
from reproduction.study.configuration import Configuration


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"theads": 2}, "the top level has the unknown key 'theads'. Did you mean 'threads'"),
        ({"limits": {"minute": 3}}, "limits has the unknown key 'minute'. Did you mean 'minutes'"),
        ({True: 2}, "the unknown key True .YAML reads yes, no, on and off as Booleans"),
        ({"prefix": " "}, "prefix is ' '. It must match pattern"),
        (
            {"edits": [{"of": {"target": "*"}, "repeats": 0}]},
            "edits.0.repeats is 0. It must be greater than",
        ),
    ],
)
def test_a_mistake_is_told_with_what_is_allowed(settings, sentence):
    with pytest.raises(ConfigError, match=f"config: .*{sentence}"):
        validate({"seed": 0, "threads": 1, **settings}, Configuration, "config")
