"""What a paper's file may say beyond its schema: names that exist, keys that go together.

Every mistake is a :class:`~coassoc.errors.ConfigError` of one sentence with file, key, value and
what is allowed, and is found before anything runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from coassoc.errors import ConfigError
from coassoc.methods import Method
from coassoc.metrics import METRICS
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.checks import BY_CLASSES
from coassoc.plan.columns import SCORES, TIMES, TUNING_SCORES
from coassoc.plan.grids import can_race, tuned_over
from coassoc.plan.methods import MethodEntry, check_parameters
from coassoc.plan.papers import Entry, Paper
from coassoc.storage.configuration import check_known

__all__ = ["check_paper"]

#: Kinds that show one fit of each row.
_SHOWN = ("convergence", "matrices", "before_after", "embedding")
#: What they show of it, as attributes of the fitted estimator; "convergence" shows its history.
_SHOWN_ATTRIBUTES = {
    "matrices": ("affinity_",),
    "before_after": ("initial_labels_", "refined_labels_"),
    "embedding": ("embedding_",),
}
#: Kinds that look at a method as it is, in other ways than by scores.
_OF_A_RUN = ("scaling", "n_clusters")
#: Kinds that look at single repeats, which the base clusterings of a whole pool do not have.
_BY_REPEAT = ("base_quality", "comparison", "order", "significance")
#: What a row may say that is shown for each point of a grid.
_SWEPT_ROW = ("method", "parameters", "label")


def check_paper(paper: Paper, catalogues: Catalogues) -> None:
    """Check a paper's file against the catalogues, and its entries against its rows."""
    _check_names(paper, catalogues)
    for key in paper.rows:
        _RowCheck(paper, key, catalogues).check()
    for entry in paper.entries:
        _EntryCheck(entry, catalogues).check()


def _check_names(paper: Paper, catalogues: Catalogues) -> None:
    """Data sets, pools and columns that the file names at its top."""
    listed: dict[str, tuple[Iterable[str], Iterable[str]]] = {
        "pool": ([paper.pool], catalogues.pools),
        "pools": (paper.pools, catalogues.datasets),
        "pools ": (paper.pools.values(), catalogues.pools),
        "aliases": (paper.aliases.values(), catalogues.datasets),
        "metrics": (paper.metrics.values(), dict.fromkeys((*SCORES, *TIMES))),
    }
    for key, (names, known) in listed.items():
        check_known(paper.source, key.strip(), names, known)
    check_known(paper.source, "own", paper.own, paper.rows)
    for name, datasets in paper.datasets.items():
        check_known(paper.source, f"datasets.{name}", datasets, catalogues.datasets)


class _RowCheck:
    """Checks of one row."""

    def __init__(self, paper: Paper, key: str, catalogues: Catalogues) -> None:
        self._source = paper.source
        self._key = f"rows.{key}"
        self._row = paper.rows[key]
        self._catalogues = catalogues

    def check(self) -> None:
        if "pool" in self._row:
            self._known("pool", [self._row["pool"]], self._catalogues.pools)
        if "method" in self._row:
            self._known("method", [self._row["method"]], self._catalogues.methods)
            self._check_parameters(self._catalogues.methods[self._row["method"]])

    def _check_parameters(self, method: MethodEntry) -> None:
        fixed = self._row.get("parameters", {})
        source = f"{self._source}: {self._key}"
        check_parameters(source, method, fixed)
        for name, values in self._row.get("among", {}).items():
            for value in values:
                check_parameters(source, method, {name: value})
            if fixed.get(name) not in values:
                raise ConfigError(
                    f"{source}.among lists values of {name} without {fixed.get(name)!r}, which is "
                    "the row's own."
                )
        tune = self._row.get("tune")
        if tune:
            self._known("tune.score", [tune["score"]], TUNING_SCORES)
            over = tuned_over(method, tune, fixed)
            self._known("tune.over", over, method.parameters)
            _check_free(f"{source}.tune.over", over, fixed)
            if tune.get("race") and not can_race(tune):
                raise ConfigError(
                    f"{source}.tune.race needs a score that each repeat has by itself, one of "
                    f"{', '.join(METRICS)}, and tune.score is {tune['score']!r}."
                )
            if not over:
                raise ConfigError(
                    f"{source}.tune has nothing to tune: {method.name} has no grid that is free."
                )

    def _known(self, key: str, names: Iterable[str], known: Iterable[str]) -> None:
        check_known(self._source, f"{self._key}.{key}", names, known)


class _EntryCheck:
    """Checks of one table, figure or audit."""

    def __init__(self, entry: Entry, catalogues: Catalogues) -> None:
        self._entry = entry
        self._spec = entry.spec
        self._paper = entry.paper
        self._catalogues = catalogues

    def check(self) -> None:
        self._known("rows", self._entry.rows, self._paper.rows)
        self._known("swept", self._entry.swept, self._paper.rows)
        self._known("metrics", self._entry.metrics, self._paper.metrics)
        self._check_datasets()
        self._check_pools()
        self._check_labels()
        self._check_columns()
        self._check_rows()
        self._check_swept()
        self._check_variants()
        if "relative_to" in self._spec:
            self._known("relative_to", [self._spec["relative_to"]], self._entry.rows)
        if "shuffled" in self._spec:
            self._check_shuffled()
        if self._entry.kind == "significance" and len(self._entry.rows) < 2:
            raise self._mistake("rows", "has one row only; others are compared with it")
        if "layout" in self._spec:
            self._check_layout()
        if "published" in self._spec:
            self._known("published", [self._spec["published"]], self._printed_tables())
        if "compared_with" in self._spec:
            self._known("compared_with", self._spec["compared_with"], self._printed_tables())
        if "difference" in self._spec.get("panels", []) and len(self._entry.rows) < 2:
            raise self._mistake("panels", "has 'difference', which needs two rows at least")

    def _printed_tables(self) -> list[str]:
        """Tables of the paper that have published numbers."""
        numbers = self._catalogues.published
        return sorted({each["table"] for each in numbers if each["paper"] == self._paper.name})

    def _check_datasets(self) -> None:
        for key in ("datasets", "mean"):
            if isinstance(self._spec.get(key), str):
                self._known(key, [self._spec[key]], self._paper.datasets)
        datasets = self._entry.datasets
        self._known("datasets", datasets, self._catalogues.datasets)
        if "mean" in self._spec:
            self._known("mean", self._paper.datasets[self._spec["mean"]], datasets)

    def _check_pools(self) -> None:
        if "pool" in self._spec:
            self._known("pool", [self._spec["pool"]], self._catalogues.pools)
        pools = self._spec.get("pools", {})
        self._known("pools", pools, self._entry.datasets)
        self._known("pools", pools.values(), self._catalogues.pools)

    def _check_labels(self) -> None:
        rows: dict[str, str] = {}
        for key in [*self._entry.rows, *self._entry.swept]:
            label = self._paper.label(key)
            if rows.setdefault(label, key) != key:
                raise self._mistake(
                    "rows", f"has two rows called {label!r}, {rows[label]} and {key}"
                )
        both = set(self._spec.get("baselines", [])) & set(self._entry.swept)
        if both:
            raise self._mistake("baselines", f"has {min(both)!r}, which is swept already")

    def _check_columns(self) -> None:
        columns: Iterable[str] = SCORES
        if self._spec.get("timed"):
            columns = TIMES
        elif self._entry.kind in BY_CLASSES:
            columns = METRICS
        for metric in self._entry.metrics:
            check_known(
                self._paper.source,
                f"{self._entry.key('metrics')}: {metric}",
                [self._paper.metrics[metric]],
                columns,
            )

    def _check_rows(self) -> None:
        measured = self._spec.get("timed") or self._entry.kind in _OF_A_RUN
        for key in self._entry.rows:
            row = self._paper.rows[key]
            if self._entry.kind in _SHOWN or measured:
                if "method" not in row or "tune" in row:
                    raise self._mistake(
                        "rows", f"has {key!r}; it may have rows of methods that are not tuned"
                    )
                self._check_features(key, row["method"])
                if self._entry.kind in _SHOWN and "among" in row:
                    raise self._mistake("rows", f"has {key!r}, whose run covers several values")
                self._check_shown(key, self._catalogues.methods[row["method"]].method)
            elif self._entry.kind in _BY_REPEAT and row.get("base") in ("mean", "best"):
                raise self._mistake(
                    "rows",
                    f"has {key!r}, which has no repeats; 'base: ensemble-{row['base']}' has",
                )

    def _check_shown(self, key: str, method: Method) -> None:
        """A figure of what a fit leaves behind needs methods whose classes say that they do."""
        shown = _SHOWN_ATTRIBUTES.get(self._entry.kind, ())
        missing = next((each for each in shown if each not in method.offers), None)
        if missing is not None:
            able = self._methods_that(lambda each: missing in each.offers)
            raise self._mistake(
                "rows", f"has {key!r}, whose method has no {missing} after fit; {able} have"
            )
        quantity = self._spec.get("quantity")
        if quantity is not None and quantity not in method.records:
            recorded = ", ".join(method.records) or "nothing"
            able = self._methods_that(lambda each: quantity in each.records)
            raise self._mistake(
                "quantity",
                f"is {quantity!r}; the method of {key!r} records {recorded}, and {quantity!r} is "
                f"recorded by {able}",
            )

    def _methods_that(self, can: Callable[[Method], bool]) -> str:
        names = [name for name, entry in self._catalogues.methods.items() if can(entry.method)]
        return ", ".join(names) or "no methods"

    def _check_features(self, key: str, method: str) -> None:
        if self._entry.kind == "n_clusters" and self._catalogues.methods[method].uses_features:
            raise self._mistake("rows", f"has {key!r}, whose method needs the samples' features")

    def _check_swept(self) -> None:
        over = self._entry.over
        for key in self._entry.swept:
            row = self._paper.rows[key]
            if "method" not in row:
                raise self._mistake("swept", f"has {key!r}, which is no row of a method")
            unused = [name for name in row if name not in _SWEPT_ROW]
            # A row that is tuned over the same parameters is shown at all points, not at the best.
            method, fixed = self._catalogues.methods[row["method"]], row.get("parameters", {})
            if "tune" in unused and set(tuned_over(method, row["tune"], fixed)) <= set(over):
                unused.remove("tune")
            if unused:
                raise self._mistake("swept", f"has {key!r}, whose {unused[0]!r} has no use there")
            self._known("over", over, method.parameters)
            where = f"{self._paper.source}: {self._entry.key('over')}"
            _check_free(where, over, fixed)

    def _check_variants(self) -> None:
        self._check_variants_differ()
        for variant in self._spec.get("variants", []):
            if "pool" in variant:
                self._known("variants.pool", [variant["pool"]], self._catalogues.pools)
            if "tune" in variant:
                self._known("variants.tune.score", [variant["tune"]["score"]], TUNING_SCORES)
                for key in self._entry.rows:
                    self._check_tunable(key)
            self._known("variants.metrics", variant.get("metrics", {}), self._entry.metrics)
            self._known("variants.metrics", variant.get("metrics", {}).values(), SCORES)
            if "method" in variant or "parameters" in variant:
                for key in self._entry.rows:
                    self._check_varied(key, variant)

    def _check_variants_differ(self) -> None:
        for one, other in itertools.combinations(self._spec.get("variants", []), 2):
            if {**one, "label": ""} == {**other, "label": ""} and one != other:
                raise self._mistake(
                    "variants", f"has {one['label']!r} and {other['label']!r}, which are the same"
                )

    def _check_varied(self, key: str, variant: Mapping[str, Any]) -> None:
        """Check a variant's method and parameters on one row."""
        row = self._paper.rows[key]
        if "method" not in row:
            raise self._mistake("variants", f"varies a method, and {key!r} is no row of one")
        method, parameters = variant.get("method", row["method"]), variant.get("parameters", {})
        self._known("variants.method", [method], self._catalogues.methods)
        where = f"{self._paper.source}: {self._entry.key('variants')}"
        check_parameters(where, self._catalogues.methods[method], parameters)
        _check_free(f"rows.{key}.tune.over", row.get("tune", {}).get("over", []), parameters)
        for name, values in row.get("among", {}).items():
            if parameters.get(name, values[0]) not in values:
                raise self._mistake(
                    "variants",
                    f"sets {name} to {parameters[name]!r}, which is not among those of {key!r}",
                )

    def _check_tunable(self, key: str) -> None:
        row = self._paper.rows[key]
        if "method" not in row or "among" in row:
            raise self._mistake("rows", f"has {key!r}, which has nothing to tune")

    def _check_shuffled(self) -> None:
        """Percentages of shuffled samples; rows must leave the order of the samples to them."""
        for end in (0, 100):
            if end not in self._spec["shuffled"]:
                raise self._mistake("shuffled", f"lacks {end}; it must have 0 and 100")
        for key in self._entry.rows:
            if "samples" in self._paper.rows[key]:
                raise self._mistake("rows", f"has {key!r}, which has 'samples' of its own")
            method = self._paper.rows[key].get("method")
            if method and self._catalogues.methods[method].uses_features:
                raise self._mistake("rows", f"has {key!r}, whose features would stay in order")

    def _check_layout(self) -> None:
        layout = self._spec["layout"]
        parts = [*layout["down"], *layout["across"]]
        counts = {
            "method": len(self._entry.rows),
            "dataset": len(self._entry.datasets) + ("mean" in self._spec),
            "metric": len(self._entry.metrics),
        }
        for part in layout["down"]:
            if part in layout["across"]:
                raise self._mistake("layout", f"has {part!r} both down and across")
        for part, count in counts.items():
            if count > 1 and part not in parts:
                raise self._mistake("layout", f"lacks {part!r}, of which the table has {count}")

    def _known(self, key: str, names: Iterable[str], known: Iterable[str]) -> None:
        check_known(self._paper.source, self._entry.key(key), names, known)

    def _mistake(self, key: str, what: str) -> ConfigError:
        return ConfigError(f"{self._paper.source}: {self._entry.key(key)} {what}.")


def _check_free(where: str, over: Iterable[str], fixed: Mapping[str, Any]) -> None:
    for name in over:
        if name in fixed:
            raise ConfigError(f"{where} has {name!r}, which the row sets to {fixed[name]!r}.")
