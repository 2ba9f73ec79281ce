"""Names of what lines of scores are of."""

import pytest

from coassoc.plan.keys import POOL, RUN
from coassoc.plan.sources import ScoreSource, stem_of


@pytest.mark.parametrize(
    ("stem", "source"),
    [
        ("published/Ecoli/base", ScoreSource("published", "Ecoli")),
        ("kmeans-c/Glass/m10/reference", ScoreSource("kmeans-c", "Glass", 10, "reference")),
        (
            "kmeans-c/Glass/m10/LWEA/theta=0.2",
            ScoreSource("kmeans-c", "Glass", 10, "LWEA", "theta=0.2"),
        ),
    ],
)
def test_sources_to_and_from_their_stems(stem, source):
    assert ScoreSource.of(stem) == source and source.stem == stem
    assert source.path(POOL) == f"data/pools/{source.pool}/{source.dataset}.h5"


def test_a_run_has_its_file_and_what_is_none_has_not():
    run = ScoreSource("kmeans-c", "Glass", 10, "LWEA", "default")
    assert stem_of(run.path(RUN)) == run.stem
    with pytest.raises(KeyError):
        ScoreSource("kmeans-c", "Glass").path(RUN)
