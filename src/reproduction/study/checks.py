"""Checks of studies and cells, which report a mistake in one sentence before anything runs."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from coassoc.bench.datasets.parsers import check_arguments
from coassoc.bench.datasets.registry import DatasetEntry
from coassoc.bench.pools.draws import size_name
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.records import TIMES
from coassoc.errors import ConfigError, check_known
from coassoc.methods.registry import Method
from coassoc.metrics import METRICS
from coassoc.pools.base_clusterings import check_recipes
from reproduction.study.catalogues import Catalogues
from reproduction.study.kinds import KINDS, SCORES, TUNING_SCORES
from reproduction.study.paths import stored_pool
from reproduction.study.words import Target

_PARTS = ("method", "dataset", "metric")


def check_entries(catalogues: Catalogues, datasets: Iterable[str], pools: Iterable[str]) -> None:
    """Raise a ConfigError for the first mistake in a user's data sets and pools.

    Tests check those of the project, because loading the clusterers takes a second.
    """
    for dataset in map(catalogues.datasets.__getitem__, datasets):
        check_arguments(dataset)
    for pool in map(catalogues.pools.__getitem__, pools):
        if any(not recipe.is_plain or recipe.parameters for recipe in pool.recipes):
            check_recipes(f"pools: {pool.name}", pool.recipes)


def check_targets(
    targets: Mapping[str, Target], columns: Mapping[str, Iterable[str]], catalogues: Catalogues
) -> None:
    """Raise a ConfigError for the first mistake in the options of a target.

    `columns` has the columns of the scores that each target shows.
    """
    printed: dict[str, set[str]] = {}
    for number in catalogues.published:
        printed.setdefault(number["paper"], set()).add(number["table"])
    for path, target in targets.items():
        check_known(path, "kind", [target.kind], KINDS)
        if not target.title:
            raise ConfigError(
                f"{path}: the function has no docstring. Write a docstring whose first line is "
                "the title."
            )
        compared = target.options.get("compared_with", [])
        check_known(path, "compared_with", compared, printed.get(path.split("/")[0], ()))
        allowed = list(METRICS if KINDS[target.kind].by_classes else SCORES)
        times = TIMES if target.kind in ("times", "ranking") else ()
        check_known(path, "metric", columns[path], [*allowed, *times])
        if target.kind in ("table", "times"):
            down = target.options.get("down", ["method"])
            across = target.options.get("across", ["dataset"])
            check_known(path, "layout", [*down, *across], _PARTS)
            for part in {*down} & {*across}:
                raise ConfigError(
                    f"{path}: {part!r} is both down (by default 'method') and across (by default "
                    "'dataset'). Remove it from one of the two."
                )


def check_references(targets: Mapping[str, Target], cells: pd.DataFrame) -> None:
    """Raise a ConfigError if a row with which the others are compared is left out."""
    for path, own in cells[cells["not_run"].eq("")].groupby("target", sort=False):
        label = targets[path].options.get("relative_to")
        lacking = {*own["dataset"]} - {*own["dataset"][own["label"].eq(label)]}
        if label and lacking:
            raise ConfigError(
                f"{path}: the row {label!r}, with which other rows are compared, is left out on "
                f"{', '.join(sorted(lacking))}. Keep this row, or leave out the other rows too."
            )


def check_names(cells: pd.DataFrame, catalogues: Catalogues) -> None:
    """Raise a ConfigError for the first unknown name in some cells."""
    for target, own in cells.groupby("target", sort=False):
        for column, known in (
            ("method", ["", *catalogues.methods]),
            ("dataset", catalogues.datasets),
            ("pool", catalogues.pools),
            ("tune", ["", *TUNING_SCORES]),
        ):
            names = own[column].map(stored_pool) if column == "pool" else own[column]
            check_known(target, column, names.unique(), known)


def check_cells(cells: pd.DataFrame, catalogues: Catalogues) -> None:
    """Raise a ConfigError for the first mistake in the cells of a configuration."""
    check_names(cells, catalogues)
    for target, own in cells.groupby("target", sort=False):
        rows = own[own["method"].ne("")].drop_duplicates(["label", "variant"])
        for c in rows.itertuples():
            _check_row(f"{target}: {c.label}", c, catalogues.methods[c.method])
    place = cells.assign(x=cells["x"].map(str))
    columns = ["target", "label", "dataset", "x", "variant", "pool"]
    for c in cells[place.duplicated(columns)].itertuples():
        raise ConfigError(
            f"{c.target}: two rows on {c.dataset} are called {c.label!r}. Give one of the two rows "
            "a different label."
        )
    run_cells = cells[cells["not_run"].eq("")]
    by_repeat = [name for name, kind in KINDS.items() if kind.by_repeat]
    whole = run_cells["kind"].isin(by_repeat) & run_cells["reference"].isin(["mean", "best"])
    for c in run_cells[whole].itertuples():
        raise ConfigError(
            f"{c.target}: {c.label} has no repeats. Use the reference 'ensemble-{c.reference}'."
        )
    for c in run_cells.drop_duplicates(["kind", "pool", "dataset", "m", "repeats"]).itertuples():
        _check_pool(c, catalogues.pool(c.pool), catalogues.datasets[c.dataset])


def _check_row(place: str, c: Any, method: Method) -> None:
    method.check_parameters(place, c.fixed)
    for name, values in c.grid.items():
        check_known(place, "grid", [name], method.parameters)
        for value in values:
            method.check_parameters(place, {name: value})
    if c.tune and c.reads != "scores":
        raise ConfigError(
            f"{place} is tuned, but targets of this kind have no tuned rows. Remove 'tune'."
        )
    flaws = [f"whose fit does not set {x}" for x in KINDS[c.kind].shows if x not in method.offers]
    if method.n_clusters_is == "chosen":
        flaws.append("which chooses the number of clusters itself")
    if method.uses_features and (c.reads == "selection" or c.kind == "order"):
        flaws.append("which uses features, but targets of this kind use only labels")
    for flaw in flaws:
        raise ConfigError(f"{place} has {method.name}, {flaw}. Choose another method.")


def _check_pool(c: Any, pool: PoolSettings, dataset: DatasetEntry) -> None:
    names = [pool.dataset] if pool.kind == "labels" else pool.files
    k = max((recipe.k for recipe in pool.recipes if isinstance(recipe.k, int)), default=0)
    flaw = ""
    if c.method and c.m not in pool.sizes:
        flaw = f"has no ensembles of {size_name(c.m)} base clusterings"
    elif pool.for_each_k and c.reads != "selection":
        flaw = "has separate ensembles for each k, which only targets of the kind n_clusters use"
    elif pool.kind != "generated" and dataset.name not in names:
        flaw = f"does not contain {dataset.name}"
    elif pool.kind == "generated" and not dataset.has_features:
        flaw = f"cannot be generated, because the features of {dataset.name} have no source"
    elif dataset.n and k > dataset.n:
        flaw = f"has k = {k}, but {dataset.name} has only {dataset.n} samples"
    if flaw:
        raise ConfigError(f"{c.target}: the pool {pool.name} {flaw}. Choose another pool.")
    if c.repeats > pool.repeats:
        raise ConfigError(
            f"config: edits: {c.target}: {c.label} on {dataset.name} has {c.repeats} repeats, but "
            f"the pool {pool.name} has {pool.repeats}. Request fewer repeats."
        )
    in_pool = pool.kind == "published" or (pool.labels is not None and bool(pool.labels.classes))
    has_classes = in_pool or dataset.may_have_classes
    if not has_classes and (dataset.classes is None or KINDS[c.kind].by_classes):
        raise ConfigError(
            f"datasets: {dataset.name} has no column of classes, and {c.target} needs the classes "
            "or their number. Add a column of classes, or, if the number is enough, "
            f"'{dataset.name}: {{classes: 3}}' to a file listed under the key datasets."
        )
