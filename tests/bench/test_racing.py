"""A race over the points of a grid: what it spends, and whom it keeps."""

from coassoc.bench.racing import race, rounds


def test_better_points_get_more_repeats():
    assert rounds(70, 20) == [(70, 2), (35, 4), (18, 8), (9, 16), (5, 20)]
    assert rounds(7, 20) == [(7, 2), (4, 4), (3, 20)]
    assert rounds(3, 20) == [(3, 20)]
    assert rounds(70, 1) == [(70, 1)]


def test_of_equal_points_the_first_stay_and_unknown_scores_go_first():
    scored = race(9, 8, lambda p, r: [float("nan") if p < 2 else 0.5])
    assert [p for p, r in scored.items() if r == 8] == [2, 3, 4]


def test_a_point_stays_while_any_score_keeps_it():
    scored = race(12, 16, lambda p, r: [p, -p])
    assert [p for p, r in scored.items() if r == 16] == [0, 1, 2, 9, 10, 11]
