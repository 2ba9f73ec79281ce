"""Seeds: every published number depends on them, so they are what they always were."""

from coassoc.numerics.seeds import seed_from_names


def test_seeds_stay_and_belong_to_the_names_one_by_one():
    names = ("pool", "set", "m20", 3, "LWEA")
    assert seed_from_names(0, *names) == 2255774221
    others = [(1, *names), (0, "poolset", *names[2:]), (0, "pool,set", *names[2:]), (0, *names[:4])]
    assert 2255774221 not in {seed_from_names(*other) for other in others}
