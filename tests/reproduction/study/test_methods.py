"""The catalogue of methods: what is read from their classes, and what is said of unusable ones."""

import subprocess
import sys

import pytest

from coassoc.bench.catalogue import load_methods
from coassoc.errors import ConfigError
from coassoc.methods import METHODS

CLASS = """
from coassoc.methods import number

class Mine:
    beta: float = number(1.0, above=0, grid=(0.1, 1))

    def __init__(self, n_clusters=2, *, beta=1.0, random_state=None):
        self.n_clusters = n_clusters

    def fit(self, labels):
        return self
"""


def method_of(folder, monkeypatch, text, more=""):
    """The only entry of a catalogue, its class in a module of this name alone."""
    module = f"own_{abs(hash(folder))}"
    (folder / f"{module}.py").write_text(text)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (folder / "methods.yaml").write_text(
        f"Mine: {{title: Own, paper: none, estimator: '{module}:Mine'{more}}}\n"
    )
    return load_methods(folder / "methods.yaml")["Mine"]


def test_own_methods_are_added_to_those_of_the_library(tmp_path, monkeypatch):
    assert set(load_methods()) == set(METHODS)
    method = method_of(tmp_path, monkeypatch, CLASS)
    assert (method.title, method.paper) == ("Own", "none")
    (tmp_path / "methods.yaml").write_text("LWEA: {estimator: 'own:Mine'}\n")
    with pytest.raises(ConfigError, match=r"methods.yaml: LWEA is a method of coassoc\. Choose"):
        load_methods(tmp_path / "methods.yaml")


def test_a_plain_class_declares_its_parameters_like_the_library(tmp_path, monkeypatch):
    method = method_of(tmp_path, monkeypatch, CLASS)
    assert method.parameters["beta"].grid == (0.1, 1) and method.parameters["beta"].default == 1.0
    assert not method.uses_features
    method.check_parameters("here.yaml", {"beta": 2})
    with pytest.raises(ConfigError, match=r"here.yaml: beta of Mine is 0. It must be a number"):
        method.check_parameters("here.yaml", {"beta": 0})
    with pytest.raises(ConfigError, match=r"of .* 'bet'\. Did you mean 'beta'\? Choose from beta"):
        method.check_parameters("here.yaml", {"bet": 0})


def test_what_a_name_fixes_cannot_be_set(tmp_path, monkeypatch):
    method = method_of(tmp_path, monkeypatch, CLASS, ", fixed: {beta: 3}")
    assert method.factory(n_clusters=4).n_clusters == 4
    assert method.factory.keywords == {"beta": 3}
    with pytest.raises(ConfigError, match=r"Mine has no parameters\. Remove 'beta'"):
        method.check_parameters("here.yaml", {"beta": 2})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("class Mine", "class Other", "which cannot be imported"),
        ("class Mine", "class Mine(", "which cannot be imported"),
        ("class Mine", "import absent_module\nclass Mine", "No module named 'absent_module'"),
        ("def fit", "def fitt", "not a class with a fit method"),
        ("n_clusters=2, *", "*", "must take n_clusters, random_state and its parameters by name"),
        (", random_state=None", "", "must take n_clusters, random_state"),
        ("n_clusters=2, *", "path, n_clusters=2, *", "nothing else without a default"),
        ("beta=1.0", "gamma=1.0", "declares 'beta', but __init__ has no such argument"),
        ("beta=1.0", "beta=0.0", "the default of beta is 0.0. It must be a number greater than 0"),
        ("number(1.0", "numbr(1.0", "name 'numbr' is not defined"),
        ("above=", "abve=", "unexpected keyword argument 'abve'"),
        ("(0.1, 1)", "(0.1, -1)", "the grid of beta has -1. It must be a number greater than 0"),
    ],
)
def test_an_unusable_class_is_told_before_anything_runs(tmp_path, monkeypatch, old, new, message):
    assert old in CLASS
    method = method_of(tmp_path, monkeypatch, CLASS.replace(old, new))
    with pytest.raises(ConfigError, match=message) as raised:
        method.check_parameters("here.yaml", {})
    assert str(raised.value).count("methods.yaml: Mine: ") == 1 and "\n" not in str(raised.value)


def test_reading_declarations_loads_neither_compilers_nor_clusterers():
    code = (
        "import sys; from coassoc.methods import METHODS\n"
        "for name in METHODS: METHODS.method(name).parameters\n"
        "loaded = {'numba', 'sklearn.cluster', 'matplotlib', 'pymetis', 'mtkahypar'}\n"
        "print(sorted(loaded & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
