"""Columns of the files of scores, from which the metrics of tables are chosen."""

from coassoc.bench.storage.hdf5 import MEASURES
from coassoc.bench.storage.records import LABEL_FREE
from coassoc.metrics import METRICS

#: Quantities for which smaller values are better.
LOWER_IS_BETTER = ("seconds", "cpu_seconds", "peak_mb", "between")

#: Columns of a run's scores.
SCORES = (*METRICS, *LABEL_FREE, *MEASURES)

#: Scores that can choose the best point of a grid. For each of them, more is better.
TUNING_SCORES = (*METRICS, "ANMI", "stability")
