"""Pools of base clusterings: generated, published by the papers' authors, or a user's own.

The papers generate theirs by k-means. Recipes for other pools take any clusterer of scikit-learn,
on all samples and features or on random parts of them.

A pool holds M base clusterings of one data set and the *draws*: for each ensemble size m and each
repeat, which m of them form the ensemble. The draws are made once and shared by every method.
Which pools there are is data: ``config/pools.yaml``.

Seeds depend on the names of pool, data set and base clustering, and every clusterer runs on one
thread, so a pool is the same however many run side by side, and its first base clusterings do not
depend on how many follow.

What the published pools show and the papers do not say: those of LWEA and EC-CMS (Ecoli excepted)
are optimal under moves of single samples as well, that is, their k-means ended with such moves.
Ours ends when every sample is nearest to its own centroid. The agreement with the classes is the
same, but ensembles of ours have up to a fifth more microclusters. In the published pool of UMIST k
goes up to 30, beyond ⌊√n⌋ = 23.
"""
