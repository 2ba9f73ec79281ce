"""Batches: runs of many methods on one data set, computed by one job, each in its own file.

A job takes a second or more to start, whereas many fits take only a moment. The file of a batch
lists the runs that its job computed. Its name depends on the methods: a different selection of
methods is a different batch, whose job reuses the existing runs.
"""

from collections.abc import Collection, Mapping

import pandas as pd

from coassoc.bench.storage.records import hash_of
from coassoc.methods.registry import Method
from reproduction.study.paths import BATCH, Source, below_prefix


def batches_of(
    lines: pd.DataFrame, methods: Mapping[str, Method], pools: Collection[str]
) -> pd.Series:
    """The file of the batch that computes the run of each line, or "".

    In the given pools, a batch contains all methods that work on distinct rows of labels, at their
    defaults. The other methods may take minutes, whereas these methods take moments.
    """
    wanted = lines["pool"].isin(pools) & lines["run_file"].ne("") & lines["archive"].eq("")
    wanted &= lines["reads"].eq("scores") & lines["not_run"].eq("")
    names = lines["method"][wanted].unique()
    of_rows = [name for name in names if not methods[name].works_on_samples]
    runs = lines[wanted & lines["method"].isin(of_rows)]
    is_default = runs["source"].map(lambda source: Source.parse(source).is_default)
    runs = runs[is_default.astype(bool)]
    place = runs["source"].map(lambda source: Source.parse(source)._replace(method=""))
    names = runs.groupby(place.map(str))["method"].transform(
        lambda names: BATCH + hash_of(sorted({*names}))[:8]
    )
    files = pd.Series(map(Source.batch_file, place, names), runs.index, dtype=object)
    return files.reindex(lines.index, fill_value="")


def remove_incomplete(lines: pd.DataFrame) -> None:
    """Delete the files of batches if the file of one of their runs is missing."""
    in_batch = lines[lines["batch"].ne("")]
    for batch, files in in_batch.groupby("batch")["run_file"]:
        path = below_prefix(str(batch))
        if path.exists() and not all(below_prefix(file).exists() for file in files):
            path.unlink()
