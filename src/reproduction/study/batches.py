"""Batches: runs of many methods on one data set, computed by one job, each in its own file.

A job takes a second or more to start, whereas many fits take only a moment. The file of a batch
lists the runs that its job computed. Its name depends on the methods: a different selection of
methods is a different batch, whose job reuses the existing runs.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

import pandas as pd

from coassoc.methods.registry import Method
from coassoc.storage.records import hash_of
from reproduction.study.paths import BATCH, Source, below_prefix


def batches_of(
    lines: pd.DataFrame, methods: Mapping[str, Method], pools: Collection[str]
) -> pd.Series:
    """The file of the batch that computes the run of each line, or "".

    In the given pools, a batch contains all methods that work on distinct rows of labels, at their
    defaults. The other methods may take minutes, whereas these methods take moments.
    """
    wanted = lines["pool"].isin(pools) & lines["run_file"].ne("") & lines["kept"].eq("")
    wanted &= lines["made_from"].eq("scores") & lines["not_run"].eq("")
    of_rows = {
        name
        for name, method in methods.items()
        if not method.uses_features and method.cost.get("grows_with") != "samples"
    }
    sources = {text: Source.parse(text) for text in lines.loc[wanted, "source"].unique()}
    places = {
        text: run._replace(method="")
        for text, run in sources.items()
        if run.is_default and run.method in of_rows
    }
    methods_at: defaultdict[Source, set[str]] = defaultdict(set)
    for text, place in places.items():
        methods_at[place].add(sources[text].method)
    names = {place: BATCH + hash_of(sorted(at))[:8] for place, at in methods_at.items()}
    files = {
        text: f"results/runs/{place._replace(method=names[place])}.txt"
        for text, place in places.items()
    }
    return lines["source"].where(wanted).map(files).astype(object).fillna("")


def remove_incomplete(lines: pd.DataFrame) -> None:
    """Delete the files of batches if the file of one of their runs is missing."""
    in_batch = lines[lines["batch"].ne("")]
    for batch, files in in_batch.groupby("batch")["run_file"]:
        path = below_prefix(str(batch))
        if path.exists() and not all(below_prefix(file).exists() for file in files):
            path.unlink()
