"""Keys of runs and of lines of scores, to and from paths, and the points of a run."""

from dataclasses import replace

import pytest

from coassoc.errors import ConfigError
from coassoc.methods import METHODS
from reproduction.plan import keys
from reproduction.plan.keys import RunKey, percent_shuffled, shuffled_pool, stored_pool
from coassoc.bench.sources import ScoreSource, stem_of

RUN = RunKey("p", "A", 20, "EC-CMS")
DECLARED = METHODS.method("EC-CMS").parameters


@pytest.mark.parametrize(
    ("run", "stem"),
    [
        (RUN, "p/A/m20/EC-CMS/default"),
        (replace(RUN, pool="p-shuffled"), "p-shuffled/A/m20/EC-CMS/default"),
        (replace(RUN, pool="p-shuffled-25", repeats=5), "p-shuffled-25/A/m20/EC-CMS/repeats=5"),
        (RUN.at({"lam": [0.1, 1], "alpha": [0.8]}), "p/A/m20/EC-CMS/alpha=0.8~lam=0.1+1"),
        (replace(RUN, n_clusters=7), "p/A/m20/EC-CMS/n_clusters=7"),
        (
            replace(RUN, n_clusters=3, race="ARI", repeats=5, points=(2, 70)).at({"lam": [0.1, 1]}),
            "p/A/m20/EC-CMS/lam=0.1+1~n_clusters=3~race=ARI~repeats=5~points=2of70",
        ),
    ],
)
def test_a_run_is_read_from_its_path(run, stem):
    assert run.stem == stem and RunKey.from_stem(stem) == run
    assert run.path() == f"results/runs/{stem}.h5"
    assert run.path(keys.TIMED, measured="scaling") == f"results/scaling/{stem}.csv"
    assert run.path(keys.SELECTION) == f"results/selection/{stem}.csv"
    assert len({run, RunKey.from_stem(stem)}) == 1


SHUFFLED = [(0, "p"), (10, "p-shuffled-10"), (100, "p-shuffled")]


@pytest.mark.parametrize(("percent", "name"), SHUFFLED)
def test_shares_of_shuffled_samples_are_in_the_name_of_the_pool(percent, name):
    assert shuffled_pool("p", percent) == name
    assert (stored_pool(name), percent_shuffled(name)) == ("p", percent)


def test_points_have_the_types_of_the_parameters():
    values = {"alpha": (0.7, 0.75), "lam": (0.001, 1000.0), "lock": (False,), "similarity": ("ca",)}
    run = RUN.at(values)
    assert run.parameters == "alpha=0.7+0.75~lam=0.001+1000~lock=no~similarity=ca"
    for points in (key.parameter_points(DECLARED) for key in (run, RunKey.from_stem(run.stem))):
        assert len(points) == 4
        assert points[0] == {"alpha": 0.7, "lam": 0.001, "lock": False, "similarity": "ca"}
    # The number of clusters is no parameter of the method.
    assert replace(RUN, n_clusters=7).parameter_points({}) == [{}]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("beta=1", "'beta' is not a parameter"),
        ("alpha", "'alpha' is not a parameter"),
        ("alpha=big", "alpha is 'big'; it must be a number from 0 to 1"),
        ("lock=maybe", "lock is 'maybe'; it must be"),
    ],
)
def test_a_path_of_no_run_is_told(parameters, message):
    with pytest.raises(ConfigError, match=message):
        RunKey.from_stem(f"p/A/m20/EC-CMS/{parameters}").parameter_points(DECLARED)


@pytest.mark.parametrize(
    ("stem", "source"),
    [
        ("p/A/base", ScoreSource("p", "A")),
        ("p/A/m20/reference", ScoreSource("p", "A", 20, "reference")),
        ("p/A/m20/LWEA/theta=0.2", ScoreSource("p", "A", 20, "LWEA", "theta=0.2")),
    ],
)
def test_sources_to_and_from_their_stems(stem, source):
    assert ScoreSource.of(stem) == source and source.stem == stem
    assert source.path(keys.POOL) == "data/pools/p/A.h5"
    # Base clusterings and references are no runs, and have no file of one.
    if source.block:
        assert RunKey.from_stem(stem).method == "LWEA"
        assert stem_of(source.path(keys.RUN)) == stem
    else:
        assert RunKey.from_stem(stem) is None


def test_all_base_clusterings_of_a_pool_have_no_file_of_a_run():
    with pytest.raises(KeyError):
        ScoreSource("p", "A").path(keys.RUN)
