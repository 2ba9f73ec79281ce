"""Columns of scores and of measured times that methods are compared by."""

#: Scores that need no classes. The silhouette is taken only where the classes are unknown.
LABEL_FREE = ("ANMI", "stability", "silhouette")

#: What made a run: the version of the software, and the revision of the code behind the run,
#: which is the same in all versions whose changes do not concern it.
MADE_BY = ("commit", "code")

#: Columns of a run's measured times.
TIMES = ("seconds", "cpu_seconds", "peak_mb", "n_iter")
