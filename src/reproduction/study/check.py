"""Checks of studies and cells, which report a mistake in one sentence before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from coassoc.datasets.registry import DatasetEntry
from coassoc.errors import ConfigError, check_known
from coassoc.methods.registry import Method
from coassoc.metrics import METRICS
from coassoc.pools.draws import size_name
from coassoc.pools.settings import PoolSettings
from coassoc.storage.records import TIMES
from reproduction.scores.columns import SCORES, TUNING_SCORES
from reproduction.study.catalogues import Catalogues
from reproduction.study.kinds import MADE_FROM
from reproduction.study.paths import stored_pool

if TYPE_CHECKING:
    from reproduction.study.plan import Plan

#: Kinds that need the classes themselves and not only scores.
_BY_CLASSES = ("reliability", "base_quality", "before_after", "arena", "choice")
#: Kinds that use single repeats, which the base clusterings of a whole pool do not have.
_BY_REPEAT = ("base_quality", "comparison", "order", "significance", "arena")
#: Attributes of a fitted estimator that a kind shows.
_SHOWS = {
    "before_after": ("initial_labels_", "refined_labels_"),
    "matrices": ("affinity_",),
    "embedding": ("embedding_",),
}
_PARTS = ("method", "dataset", "metric")


def check_targets(plan: Plan) -> None:
    """Raise a ConfigError for the first mistake in the options of a target."""
    printed: dict[str, set[str]] = {}
    for number in plan.catalogues.published:
        printed.setdefault(number["paper"], set()).add(number["table"])
    for path, target in plan.targets.items():
        check_known(path, "kind", [target.kind], MADE_FROM)
        if not target.title:
            raise ConfigError(
                f"{path}: the function has no docstring. Write a docstring whose first line is "
                "the title."
            )
        options, paper = target.options, path.split("/")[0]
        check_known(path, "compared_with", options.get("compared_with", []), printed.get(paper, ()))
        allowed: Iterable[str] = METRICS if target.kind in _BY_CLASSES else SCORES
        if target.kind in ("times", "ranking"):
            allowed = [*SCORES, *TIMES]
        columns = plan.columns(path)
        check_known(path, "metrics", columns.values(), allowed)
        if target.kind in ("table", "times"):
            _check_layout(path, options, len(columns))


def _check_layout(path: str, options: Any, n_metrics: int) -> None:
    down, across = options.get("down", ["method"]), options.get("across", ["dataset"])
    check_known(path, "layout", [*down, *across], _PARTS)
    for part in down:
        if part in across:
            raise ConfigError(
                f"{path}: {part!r} is listed under both down and across. Remove it from one of the "
                "two."
            )
    if n_metrics > 1 and "metric" not in (*down, *across):
        raise ConfigError(f"{path}: there are {n_metrics} metrics. Add 'metric' to down or across.")


def check_cells(cells: pd.DataFrame, catalogues: Catalogues) -> None:
    """Raise a ConfigError for the first mistake in the cells of a configuration."""
    methods, pools = catalogues.methods, catalogues.pools
    stored = {name: stored_pool(name) for name in cells["pool"].unique()}
    for target, of_target in cells.groupby("target", sort=False):
        check_known(target, "methods", sorted({*of_target["method"]} - {""}), methods)
        check_known(target, "datasets", of_target["dataset"].unique(), catalogues.datasets)
        check_known(target, "pools", {stored[name] for name in of_target["pool"].unique()}, pools)
        check_known(target, "tune", {*of_target["tune"]} - {""}, TUNING_SCORES)
        rows = of_target[of_target["method"].ne("")].drop_duplicates(["label", "variant"])
        for c in rows.to_dict("records"):
            _check_row(f"{target}: {c['label']}", c, methods[c["method"]])
        for part, whole in {
            (repr(p), repr(g)): (p, g)
            for p, g in zip(of_target["part"], of_target["grid"], strict=True)
        }.values():
            for name, values in part.items():
                check_known(
                    f"config: edits: {target}", f"grid of {name}", values, whole.get(name, values)
                )
    _check_places(cells)
    run_cells = cells[cells["not_run"].eq("")]
    for c in run_cells.drop_duplicates(["kind", "pool", "dataset", "m", "repeats"]).itertuples():
        _check_pool(c, pools[stored[c.pool]], catalogues.datasets[c.dataset])
    _check_references(run_cells)


def _check_places(cells: pd.DataFrame) -> None:
    place = cells.assign(x=cells["x"].map(str))
    twice = place[place.duplicated(["target", "label", "dataset", "x", "variant", "pool"])]
    if len(twice):
        first = twice.iloc[0]
        raise ConfigError(
            f"{first['target']}: two rows on {first['dataset']} are called {first['label']!r}. "
            "Give one of the two rows a different label."
        )


def _check_row(place: str, c: Any, method: Method) -> None:
    method.check_parameters(place, c["fixed"])
    for name, values in c["grid"].items():
        check_known(place, "grid", [name], method.parameters)
        for value in values:
            method.check_parameters(place, {name: value})
    made_from, kind = c["made_from"], c["kind"]
    if made_from in ("fits", "runs", "timing", "scaling", "selection") and c["tune"]:
        raise ConfigError(
            f"{place} is tuned, but targets of this kind have no tuned rows. Remove 'tune'."
        )
    flaws = [f"whose fit does not set {x}" for x in _SHOWS.get(kind, ()) if x not in method.offers]
    if method.n_clusters_is == "chosen":
        flaws.append("which chooses the number of clusters itself")
    if made_from == "selection" and method.uses_features:
        flaws.append("which needs the features of the samples")
    if kind == "order" and method.uses_features:
        flaws.append("which uses features, but only labels can be shuffled")
    for flaw in flaws:
        raise ConfigError(f"{place} has {method.name}, {flaw}. Choose another method.")


def _check_pool(c: Any, pool: PoolSettings, dataset: DatasetEntry) -> None:
    if c.method and c.m not in pool.sizes:
        sizes = ", ".join(map(size_name, pool.sizes))
        raise ConfigError(
            f"{c.target}: the pool {pool.name} has ensembles of {sizes} base clusterings, but the "
            f"target needs {size_name(c.m)}. Add this size to the pool."
        )
    if pool.for_each_k and c.made_from != "selection":
        raise ConfigError(
            f"{c.target}: the pool {pool.name} has separate ensembles for each k. Choose "
            "another pool, because only targets of the kind n_clusters can use such a pool."
        )
    if c.repeats > pool.repeats:
        raise ConfigError(
            f"config: edits: {c.target}: {c.label} on {dataset.name} has {c.repeats} repeats, but "
            f"{pool.name} has {pool.repeats}. Request fewer repeats."
        )
    if wrong := _wrong_pool(pool, dataset):
        raise ConfigError(f"{c.target}: the pool {pool.name} of {dataset.name} {wrong}.")
    if c.kind in _BY_REPEAT and c.reference in ("mean", "best"):
        raise ConfigError(
            f"{c.target}: {c.label} has no repeats. Use the reference 'ensemble-{c.reference}'."
        )
    if c.kind in _BY_CLASSES and not _has_classes(pool, dataset):
        raise ConfigError(
            f"datasets: {dataset.name} has no column of classes, which {c.target} needs. Add a "
            "column of classes, or leave out the data set."
        )
    if dataset.classes is None and not _has_classes(pool, dataset):
        raise ConfigError(
            f"datasets: {dataset.name} has neither the key 'classes' nor a column of classes, and "
            f"{c.target} needs the number of clusters. Add a column of classes, or "
            f"'{dataset.name}: {{classes: 3}}', with the right number, to a file listed "
            "under the key datasets."
        )


def _wrong_pool(pool: PoolSettings, dataset: DatasetEntry) -> str:
    """Reason why a pool cannot be built for a data set; empty if it can."""
    if pool.kind != "generated":
        given = [str(pool.dataset)] if pool.kind == "labels" else [*pool.files]
        return "" if dataset.name in given else f"does not exist. Choose from {', '.join(given)}"
    if not dataset.has_features:
        return (
            "cannot be generated without a source of the features. Leave out the data set, or "
            "choose another pool"
        )
    k = max((recipe.k for recipe in pool.recipes if isinstance(recipe.k, int)), default=0)
    if dataset.n and k > dataset.n:
        return f"has k = {k}, but there are only {dataset.n} samples. Choose another pool"
    return ""


def _has_classes(pool: PoolSettings, dataset: DatasetEntry) -> bool:
    """Whether the classes of a pool are known, as far as this can be checked in advance."""
    in_pool = pool.kind == "published" or (pool.labels is not None and bool(pool.labels.classes))
    return in_pool or dataset.may_have_classes


def _check_references(run_cells: pd.DataFrame) -> None:
    """Raise an error if rows are compared with a reference that the edits leave out."""
    order = run_cells[run_cells["kind"].eq("order")]
    for target, of_target in order.groupby("target"):
        plain = {*of_target["dataset"][of_target["method"].eq("CA-SC")]}
        if missing := {*of_target["dataset"]} - plain:
            raise ConfigError(
                f"config: edits leave out the reference row of {target} on "
                f"{', '.join(sorted(missing))}. Keep the reference row, or leave out the other "
                "rows too."
            )
