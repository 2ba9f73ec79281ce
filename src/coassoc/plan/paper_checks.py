"""What a paper's file may say beyond its form: names that exist, keys that go together.

A mistake is a :class:`~coassoc.errors.ConfigError` of one sentence with file, key, value and what
is allowed, and is found before anything runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from coassoc.errors import ConfigError
from coassoc.methods import Method
from coassoc.metrics import METRICS
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.columns import SCORES, TIMES, TUNING_SCORES
from coassoc.plan.grids import can_race, tuned_over
from coassoc.plan.kinds import KINDS
from coassoc.plan.methods import check_parameters
from coassoc.plan.papers import Entry, Paper, varied
from coassoc.storage.configuration import check_known

__all__ = ["check_paper"]

#: Keys of a row that have a use in curves and surfaces.
_SWEPT_ROW = ("method", "parameters", "label")

#: A key of an entry, and what is wrong with it.
_Mistakes = Iterator[tuple[str, str]]


def check_paper(paper: Paper, catalogues: Catalogues) -> None:
    """Check a paper's file against the catalogues, and its entries against its rows."""
    rows = dict.fromkeys((*paper.rows, *catalogues.methods))
    named: list[tuple[str, Iterable[str], Iterable[str]]] = [
        ("pool", [paper.pool], catalogues.pools),
        ("pools", paper.pools, catalogues.datasets),
        ("pools", paper.pools.values(), catalogues.pools),
        ("aliases", paper.aliases.values(), catalogues.datasets),
        ("metrics", paper.metrics.values(), dict.fromkeys((*SCORES, *TIMES))),
        ("own", paper.own, rows),
        *((f"datasets.{key}", names, catalogues.datasets) for key, names in paper.datasets.items()),
    ]
    for key, names, known in named:
        check_known(paper.source, key, names, known)
    for key, row in paper.rows.items():
        if "same_as" in row:
            check_known(paper.source, f"rows.{key}.same_as", [row["same_as"]], rows)
        _check_row(paper.source, f"rows.{key}", row, catalogues)
    for entry in paper.entries:
        check = _EntryCheck(entry, catalogues)
        check.check_names(rows)
        for key, what in check.mistakes():
            raise ConfigError(f"{paper.source}: {entry.key(key)} {what}.")


def _check_row(source: str, key: str, row: Mapping[str, Any], catalogues: Catalogues) -> None:
    """Check a row, as it is or as a variant makes it; `key` is its place in the file."""
    check_known(source, f"{key}.pool", [row["pool"]] if "pool" in row else [], catalogues.pools)
    if "method" not in row:
        return
    check_known(source, f"{key}.method", [row["method"]], catalogues.methods)
    method, fixed = catalogues.methods[row["method"]], row.get("parameters", {})
    place, tune = f"{source}: {key}", row.get("tune")
    check_parameters(place, method, fixed)
    for name, values in row.get("among", {}).items():
        for value in values:
            check_parameters(place, method, {name: value})
        if fixed.get(name) not in values:
            raise ConfigError(
                f"{place} sets {name} to {fixed.get(name)!r}, which the key 'among' of the row "
                "does not list."
            )
    if not tune:
        return
    check_known(source, f"{key}.tune.score", [tune["score"]], TUNING_SCORES)
    over = tuned_over(method, tune, fixed)
    check_known(source, f"{key}.tune.over", over, method.parameters)
    _check_free(f"{place}.tune.over", over, fixed)
    if tune.get("race") and not can_race(tune):
        raise ConfigError(
            f"{place}.tune.race needs a score that each repeat has by itself, one of "
            f"{', '.join(METRICS)}, and tune.score is {tune['score']!r}."
        )
    if not over:
        raise ConfigError(
            f"{place}.tune has nothing to tune: {method.name} has no grid that is free."
        )


def _check_free(where: str, over: Iterable[str], fixed: Mapping[str, Any]) -> None:
    for name in over:
        if name in fixed:
            raise ConfigError(f"{where} has {name!r}, which the row sets to {fixed[name]!r}.")


class _EntryCheck:
    """Checks of one table, figure or audit."""

    def __init__(self, entry: Entry, catalogues: Catalogues) -> None:
        self._entry = entry
        self._spec = entry.spec
        self._paper = entry.paper
        self._catalogues = catalogues
        self._source = entry.paper.source

    def check_names(self, rows: Iterable[str]) -> None:
        """Raise for a name that does not exist."""
        entry, spec, paper, there = self._entry, self._spec, self._paper, self._catalogues
        for key in ("datasets", "mean"):
            if isinstance(spec.get(key), str):
                self._known(key, [spec[key]], paper.datasets)
        pools = spec.get("pools", {})
        for key, names, known in (
            ("rows", entry.rows, rows),
            ("swept", entry.swept, rows),
            ("metrics", entry.metrics, paper.metrics),
            ("datasets", entry.datasets, there.datasets),
            ("mean", [x for name in self._listed("mean") for x in paper.datasets[name]],
             entry.datasets),
            ("pool", self._listed("pool"), there.pools),
            ("pools", pools, entry.datasets),
            ("pools", pools.values(), there.pools),
            ("relative_to", self._listed("relative_to"), entry.rows),
        ):  # fmt: skip
            self._known(key, names, known)
        columns: Iterable[str] = METRICS if KINDS[entry.kind].by_classes else SCORES
        columns = TIMES if spec.get("timed") else columns
        for metric in entry.metrics:
            self._known(f"metrics: {metric}", [paper.metrics[metric]], columns)

    def _listed(self, key: str) -> list[str]:
        """The names that a key has: several, one or none."""
        named = self._spec.get(key, [])
        return [named] if isinstance(named, str) else named

    def mistakes(self) -> _Mistakes:
        """What does not go together."""
        yield from self._labels()
        for key in self._entry.rows:
            yield from self._row(key, self._paper.rows[key])
        for key in self._entry.swept:
            yield from self._swept(key, self._paper.rows[key])
        yield from self._variants()
        numbers = (x for x in self._catalogues.published if x["paper"] == self._paper.name)
        printed = sorted({x["table"] for x in numbers})
        for key in ("published", "compared_with"):
            self._known(key, self._listed(key), printed)
        if "shuffled" in self._spec:
            yield from self._shuffled()
        if "layout" in self._spec:
            yield from self._layout()
        if len(self._entry.rows) < 2:
            if self._entry.kind == "significance":
                yield "rows", "has one row only; others are compared with it"
            if "difference" in self._spec.get("panels", []):
                yield "panels", "has 'difference', which needs two rows at least"

    def _labels(self) -> _Mistakes:
        rows: dict[str, str] = {}
        for key in [*self._entry.rows, *self._entry.swept]:
            label = self._paper.label(key)
            if rows.setdefault(label, key) != key:
                yield "rows", f"has two rows called {label!r}, {rows[label]} and {key}"
        for key in self._spec.get("baselines", []):
            if key in self._entry.swept:
                yield "baselines", f"has {key!r}, which is swept already"

    def _row(self, key: str, row: Mapping[str, Any]) -> _Mistakes:
        kind = KINDS[self._entry.kind]
        if kind.fits_alone or kind.measures or self._spec.get("timed"):
            if "method" not in row or "tune" in row:
                yield "rows", f"has {key!r}; it may have rows of methods that are not tuned"
            method = self._catalogues.methods[row["method"]]
            if kind.needs == "selection" and method.uses_features:
                yield "rows", f"has {key!r}, whose method needs the samples' features"
            if kind.fits_alone and "among" in row:
                yield "rows", f"has {key!r}, whose run covers several values"
            yield from self._offered(key, method.method)
        elif kind.by_repeat and row.get("base") in ("mean", "best"):
            yield "rows", f"has {key!r}, which has no repeats; 'base: ensemble-{row['base']}' has"

    def _offered(self, key: str, method: Method) -> _Mistakes:
        """A figure of what a fit leaves behind needs methods that leave it."""
        for name in KINDS[self._entry.kind].shows:
            if name not in method.offers:
                able = self._methods_with("offers", name)
                yield "rows", f"has {key!r}, whose method has no {name} after fit; {able} have"
        quantity = self._spec.get("quantity")
        if quantity is not None and quantity not in method.records:
            recorded = ", ".join(method.records) or "nothing"
            what = f"is {quantity!r}; the method of {key!r} records {recorded}, and {quantity!r} is"
            yield "quantity", f"{what} recorded by {self._methods_with('records', quantity)}"

    def _methods_with(self, attribute: str, name: str) -> str:
        methods = self._catalogues.methods
        able = [key for key in methods if name in getattr(methods[key].method, attribute)]
        return ", ".join(able) or "no methods"

    def _swept(self, key: str, row: Mapping[str, Any]) -> _Mistakes:
        over = self._entry.over
        if "method" not in row:
            yield "swept", f"has {key!r}, which is no row of a method"
        method, fixed = self._catalogues.methods[row["method"]], row.get("parameters", {})
        unused = [name for name in row if name not in _SWEPT_ROW]
        # A row that is tuned over the same parameters is shown at all points, not at the best.
        if "tune" in unused and set(tuned_over(method, row["tune"], fixed)) <= set(over):
            unused.remove("tune")
        if unused:
            yield "swept", f"has {key!r}, whose {unused[0]!r} has no use there"
        self._known("over", over, method.parameters)
        _check_free(f"{self._source}: {self._entry.key('over')}", over, fixed)

    def _variants(self) -> _Mistakes:
        variants = self._spec.get("variants", [])
        for one, other in itertools.combinations(variants, 2):
            if {**one, "label": ""} == {**other, "label": ""} and one != other:
                same = f"{one['label']!r} and {other['label']!r}"
                yield "variants", f"has {same}, which are the same"
        for variant, key in itertools.product(variants, self._entry.rows):
            row, metrics = self._paper.rows[key], variant.get("metrics", {})
            self._known("variants.metrics", metrics, self._entry.metrics)
            self._known("variants.metrics", metrics.values(), SCORES)
            if "tune" in variant and ("method" not in row or "among" in row):
                yield "rows", f"has {key!r}, which has nothing to tune"
            if "method" not in row and {"method", "parameters"} & variant.keys():
                yield "variants", f"varies a method, and {key!r} is no row of one"
            _check_row(
                self._source, self._entry.key("variants"), varied(row, variant), self._catalogues
            )

    def _shuffled(self) -> _Mistakes:
        """Percentages of shuffled samples; rows must leave the order of the samples to them."""
        for end in (0, 100):
            if end not in self._spec["shuffled"]:
                yield "shuffled", f"lacks {end}; it must have 0 and 100"
        for key in self._entry.rows:
            row = self._paper.rows[key]
            if "samples" in row:
                yield "rows", f"has {key!r}, which has 'samples' of its own"
            if "method" in row and self._catalogues.methods[row["method"]].uses_features:
                yield "rows", f"has {key!r}, whose features would stay in order"

    def _layout(self) -> _Mistakes:
        down, across = self._spec["layout"]["down"], self._spec["layout"]["across"]
        counts = {
            "method": len(self._entry.rows),
            "dataset": len(self._entry.datasets) + ("mean" in self._spec),
            "metric": len(self._entry.metrics),
        }
        for part in down:
            if part in across:
                yield "layout", f"has {part!r} both down and across"
        for part, count in counts.items():
            if count > 1 and part not in (*down, *across):
                yield "layout", f"lacks {part!r}, of which the table has {count}"

    def _known(self, key: str, names: Iterable[str], known: Iterable[str]) -> None:
        check_known(self._source, self._entry.key(key), names, known)
