"""Sources of lines of scores and parameters of runs, to and from texts; points of a run."""

import pytest

from coassoc.errors import ConfigError
from coassoc.methods import METHODS
from reproduction.study.paths import Source, block_of

DECLARED = METHODS.method("EC-CMS").parameters


@pytest.mark.parametrize("name", ["race", "repeats", "points"])
def test_a_parameter_with_the_name_of_what_shortens_a_run_is_refused(name):
    with pytest.raises(ConfigError, match=f"the parameter {name!r} cannot be set"):
        block_of({name: [1, 2]}, {name: DECLARED["alpha"]})


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("p/A/base", Source("p", "A")),
        ("p/A/m20/reference", Source("p", "A", 20, "reference")),
        ("p/A/m20/LWEA/theta=0.2", Source("p", "A", 20, "LWEA", "theta=0.2")),
        ("p-shuffled-25/A/m20/LWEA/default", Source("p-shuffled-25", "A", 20, "LWEA", "default")),
    ],
)
def test_a_source_is_read_from_its_text(text, source):
    assert Source.parse(text) == source and str(source) == text
    assert source.pool_file == f"data/pools/{source.pool}/A.h5"


def test_points_have_the_types_of_the_parameters():
    values = {"alpha": (0.7, 0.75), "lam": (0.001, 1000.0), "lock": (False,), "similarity": ("ca",)}
    block = block_of(values, DECLARED, repeats=5)
    assert block == "alpha=0.7+0.75~lam=0.001+1000~lock=no~similarity=ca~repeats=5"
    run = Source("p", "A", 20, "EC-CMS", block)
    points = run.parameter_points(DECLARED)
    assert len(points) == run.size == 4
    assert points[0] == {"alpha": 0.7, "lam": 0.001, "lock": False, "similarity": "ca"}


@pytest.mark.parametrize("block", ["beta=1", "alpha", "alpha=big", "lock=maybe"])
def test_a_path_of_no_run_is_told(block):
    with pytest.raises(ConfigError, match=f"{block}: these are not parameters of EC-CMS"):
        Source("p", "A", 20, "EC-CMS", block).parameter_points(DECLARED)
