"""Pools of base clusterings: generated, published by the papers' authors, or a user's own.

The papers generate their pools by k-means. Recipes for other pools can use any scikit-learn
clusterer, on all samples and features or on random subsets.

A pool holds M base clusterings of one data set and the *draws*: for each ensemble size m and each
repeat, which m of them form the ensemble. The draws are computed once and shared by all methods.
``config/pools.yaml`` lists the pools.

Seeds depend on the names of the pool, the data set and the base clustering, and every clusterer
runs on one thread. A pool is therefore the same however many clusterers run in parallel, and its
first base clusterings do not depend on the size of the pool.

The published pools show facts that the papers do not state. The base clusterings in the pools of
LWEA and EC-CMS (except Ecoli) cannot be improved by moving single samples, so their k-means ended
with such moves. The k-means of coassoc ends when every sample is nearest to its own centroid. Its
agreement with the classes is the same, but its ensembles have up to a fifth more microclusters. In
the published pool of UMIST, k goes up to 30, beyond ⌊√n⌋ = 23.
"""
