"""Own methods as a command names them."""

from pathlib import Path

import pytest

from coassoc.bench.own_methods import own_method, tuned
from coassoc.errors import ConfigError
from refusals import refused

FOLDER = Path(__file__).parent
CHEATS = FOLDER / "cheats.py"


@pytest.mark.parametrize(
    ("text", "row", "name", "values"),
    [
        ("LWEA", "LWEA", "LWEA", {}),
        ("LWEA(theta=0.2)", "LWEA(theta=0.2)", "LWEA", {"theta": 0.2}),
        ("mine=LWEA", "mine", "mine", {}),
        (f"{CHEATS}:Honest", "Honest", "Honest", {}),
        (f"a = {CHEATS}:Tunable( theta = 2 )", "a", "a", {"theta": 2}),
        ("coassoc.methods.lwe:LWEA", "LWEA", "LWEA", {}),
    ],
)
def test_a_method_is_a_class_or_a_name_with_its_parameters(text, row, name, values):
    own = own_method(text)
    assert (own.row, own.method.name, own.values) == (row, name, values)
    assert own.method.factory(n_clusters=2, random_state=0, **own.values)


@refused(
    ConfigError,
    ("LWEE", "neither a method of coassoc .* Write it as mymethod.py:MyMethod"),
    ("nowhere.py:Mine", "file nowhere.py not found"),
    (f"{CHEATS}:Nobody", "cannot be imported"),
    ("LWEA(theta=0)", "theta of LWEA is 0. It must be a number greater than 0"),
    ("LWEA(alpha=1)", "unknown parameter of LWEA 'alpha'. Choose from theta"),
    ("LWEA(theta=x)", "Write them as"),
    ("LWEA(0.4)", "Write them as"),
)
def test_a_mistake_is_one_sentence(text):
    own_method(text)


def test_a_file_is_not_taken_for_a_module_of_the_same_name(tmp_path):
    (tmp_path / "random.py").write_text("class Mine:\n    def fit(self, labels): ...\n")
    with pytest.raises(ConfigError, match=r"another module is called 'random'. Rename the file"):
        own_method(f"{tmp_path / 'random.py'}:Mine")


def test_a_grid_leaves_out_what_is_given():
    own = tuned(own_method(f"{CHEATS}:Tunable"))
    assert own.grid == [{"theta": theta} for theta in (0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4)]
    with pytest.raises(ConfigError, match="none of the parameters declares a grid"):
        tuned(own_method(f"{CHEATS}:Tunable(theta=1)"))
