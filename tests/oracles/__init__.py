"""Plain dense transcriptions of the methods' formulas: slow, n × n, and independent of the library.

They are what the compressed methods are tested and benchmarked against. Each module defines
``ORACLES``: table name → function of (labels, n_clusters) that returns labels; those of methods
that see the samples' features take them as a third argument X.
"""
