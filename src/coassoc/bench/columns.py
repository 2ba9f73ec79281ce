"""Columns of the files of scores and of measured times: what a metric of a table can be."""

from coassoc.metrics import METRICS
from coassoc.storage.hdf5 import MEASURES

#: Scores that need no classes. The silhouette is taken only where the classes are unknown.
LABEL_FREE = ("ANMI", "stability", "silhouette")

#: What made a run: the version of the software, and the fingerprint of the code behind the run,
#: which is the same in all versions whose changes do not concern it.
MADE_BY = ("commit", "code")

#: Columns of a run's scores.
SCORES = (*METRICS, *LABEL_FREE, *MEASURES)

#: Columns of a run's measured times.
TIMES = ("seconds", "cpu_seconds", "peak_mb", "n_iter")

#: Scores by which the best point of a grid can be chosen: of each, more is better.
TUNING_SCORES = (*METRICS, "ANMI", "stability")
