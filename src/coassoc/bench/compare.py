"""The steps of the command ``coassoc compare``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.audit import order_finding
from coassoc.bench.benchmark import Benchmark
from coassoc.bench.comparison import Comparison
from coassoc.bench.exchange import read_labels
from coassoc.bench.fits import Task
from coassoc.bench.fitting import Fit, data_of, fits_of, score_fits
from coassoc.bench.own_methods import OwnMethod, own_methods
from coassoc.bench.pages import write_comparison
from coassoc.bench.shipped import Shipped
from coassoc.bench.timing import measure_run
from coassoc.methods import METHODS

#: Methods whose times on this machine are shown for comparison.
_TIMED = ("LWEA", "CA-SC", "EC-CMS")


def compare(
    benchmark: Benchmark, methods: Sequence[str], processes: int | None = None
) -> Comparison:
    """Fit a user's methods on a benchmark, and write the comparison to its folder.

    Parameters
    ----------
    benchmark : Benchmark
    methods : sequence of str
        Methods as :func:`~coassoc.bench.own_methods.own_method` reads them.
    processes : int, optional
        Number of fits to run at a time. Default: one per core.

    Raises
    ------
    ConfigError
        If a method is not found.
    """
    contenders = own_methods(methods, benchmark.tuned)
    see_features = any(contender.method.uses_features for contender in contenders)
    benchmark = replace(benchmark, see_features=see_features)
    contenders = [
        replace(contender, row=_unique_name(contender.row, benchmark.shipped))
        for contender in contenders
    ]
    fits = fits_of(contenders, benchmark)
    scores = score_fits(fits, benchmark, processes)
    comparison = Comparison(
        benchmark, scores, {contender.row: _facts(contender, benchmark) for contender in contenders}
    )
    benchmark.report("Measuring times of single fits on this machine")
    write_comparison(benchmark.folder, comparison, _times(fits, benchmark))
    return comparison


def compare_labels(benchmark: Benchmark, folders: Mapping[str, Path]) -> Comparison:
    """Compare labels that other programs computed from exported ensembles (row → folder).

    Raises
    ------
    DataError
        As for :func:`~coassoc.bench.exchange.read_labels`.
    """
    rows = {_unique_name(row, benchmark.shipped): folder for row, folder in folders.items()}
    title = "labels from another program, samples in random order"
    facts = {"title": title, "tuned": False, "reads_order": False, "order": None}
    comparison = Comparison(benchmark, read_labels(rows, benchmark), dict.fromkeys(rows, facts))
    write_comparison(benchmark.folder, comparison, pd.DataFrame())
    return comparison


def _unique_name(row: str, shipped: Shipped) -> str:
    """A name that no shipped row has."""
    return f"{row} (own)" if row in shipped.rows else row


def _facts(own_method: OwnMethod, benchmark: Benchmark) -> dict[str, Any]:
    """Facts about a row of the user; its dependence on sample order is measured."""
    benchmark.report(f"{own_method.row}: testing whether it depends on the order of the samples")
    finding, method = order_finding(own_method, benchmark.limits), own_method.method
    facts = {"title": method.location, "tuned": own_method.tuned, "code": method.code}
    return {**facts, "reads_order": finding.worry, "order": finding}


def _times(fits: Sequence[Fit], benchmark: Benchmark) -> pd.DataFrame:
    """Seconds and megabytes of own methods and three others, one at a time, on this machine.

    The data sets are the smallest, the middle and the largest one.
    """
    sets = list(dict.fromkeys(task.dataset for _, task in fits))
    sets = list(dict.fromkeys([sets[0], sets[len(sets) // 2], sets[-1]]))
    measure = partial(measure_run, repeats=3, stop_after=60, limits=benchmark.limits)
    lines = []
    for dataset in sets:
        of_dataset = [fit for fit in fits if fit[1].dataset == dataset]
        _, first = of_dataset[0]
        measured = {name: (_reference(name, first), benchmark.pools[dataset]) for name in _TIMED}
        for fit in of_dataset:
            task, *data = data_of(fit, benchmark)
            measured[fit[0].row] = (replace(task, points=task.points[:1]), *data)
        for row, given in measured.items():
            times = measure(*given)
            lines += [{"row": row, "dataset": dataset, **line} for line in times]
    return pd.DataFrame(lines)


def _reference(name: str, task: Task) -> Task:
    return replace(task, method=name, estimator=METHODS.method(name).record(), points=[{}], code="")
