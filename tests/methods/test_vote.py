"""Plurality voting against loops over samples and base clusterings."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coassoc import Ensemble
from coassoc.methods.vote import aligned, votes
from ensembles import label_matrices_with_gaps
from oracles import bipartite as oracle


@given(labels=label_matrices_with_gaps(), data=st.data())
def test_votes_are_those_of_the_plain_loop(labels, data):
    ensemble = Ensemble(labels)
    labels, micro = ensemble.labels, ensemble.microclusters
    c = data.draw(st.integers(1, micro.count))
    draws = st.lists(st.integers(0, c - 1), min_size=micro.count, max_size=micro.count)
    partition = np.array(data.draw(draws))
    name = aligned(ensemble, partition, c)
    ballot = micro.expand(votes(ensemble, name, c))
    expected = oracle.ballot(labels, micro.expand(partition), c)
    np.testing.assert_array_equal(ballot.sum(axis=1), (labels >= 0).sum(axis=1))
    # Among equal overlaps either alignment is right: the samples that agree are as many.
    own = micro.expand(partition)
    items = np.arange(len(labels))
    assert ballot[items, own].sum() == expected[items, own].sum()


def test_alignment_is_one_to_one_where_it_can_be():
    ensemble = Ensemble(np.column_stack([[0, 0, 0, 1, 1], [0, 1, 2, 3, 3]]))
    name = aligned(ensemble, np.zeros(ensemble.microclusters.count, dtype=int), 2)
    assert sorted(name[:2]) == [0, 1]
    np.testing.assert_array_equal(name[2:], 0)
