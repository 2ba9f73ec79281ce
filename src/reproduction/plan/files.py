"""The plan as files below ``results/plan``: written once by the main process, read by every job.

=======================  ==========================================================================
file                     content
=======================  ==========================================================================
index.json               settings of the configuration, targets by kind, pools by kind, names
targets/{target}.json    of a table, figure or analysis: entry, cells, published numbers, and files
                         of each of its sources, such as runs, or with its kept lines of scores
cards/{card}.json        printed numbers, tables and reasons of a scorecard
claims.json              what the claims are judged by
methods/{method}.json    class, fixed parameters, revision and cost of a method
datasets/{dataset}.json  entry of the catalogue
pools/{pool}.json        entry of the catalogue, and the source of each data set's pool
inputs.json              hashes of the settings behind pools and methods, for kept lines of scores
limits.json              runs with fits that a limit ended, and the limits that allow more
cells.csv                a line for each cell of each target and what it is made from
=======================  ==========================================================================

A file is written only where its content changed, so that nothing else is made again.
"""

import json
import re
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from coassoc.errors import ConfigError
from coassoc.methods.registry import Method
from coassoc.storage.records import Cell
from reproduction.plan.keys import Source, below_prefix, dataset_file, stored_pool

FOLDER = below_prefix("results/plan")


def read_plan(path: str | Path) -> dict[str, Any]:
    """One file of the plan."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def read_target(path: str | Path) -> dict[str, Any]:
    """The file of a target, with its cells as :class:`~coassoc.storage.records.Cell`."""
    target = read_plan(path)
    return {**target, "cells": [Cell(**cell) for cell in target["cells"]]}


class PlanFiles:
    """The plan, as rules and scripts look things up in it.

    Methods that take wildcards read the file of what these name.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._read = cache(read_plan)

    @property
    def index(self) -> dict[str, Any]:
        """Settings and names."""
        return self._read(self._folder / "index.json")

    def target(self, path: str) -> dict[str, Any]:
        """What a target such as "eccms/table4" shows; a ConfigError if it cannot be made."""
        return self._sound(self._folder / "targets" / f"{path}.json")

    def card(self, name: str) -> dict[str, Any]:
        """What a scorecard is made from."""
        return self._read(self._folder / "cards" / f"{name}.json")

    @property
    def claims(self) -> dict[str, Any]:
        """What the claims are judged by."""
        return self._read(self._folder / "claims.json")

    def method(self, name: str) -> dict[str, Any]:
        """A method of the catalogue."""
        return self._read(self._folder / "methods" / f"{name}.json")

    def dataset(self, name: str) -> dict[str, Any]:
        """A data set; a ConfigError if there is none of the name."""
        return self._entry("datasets", name)

    def pool(self, name: str) -> dict[str, Any]:
        """A pool, or that whose samples were shuffled; a ConfigError if there is none."""
        return self._entry("pools", stored_pool(name))

    def _entry(self, catalogue: str, name: str) -> dict[str, Any]:
        path = self._folder / catalogue / f"{name}.json"
        if not path.is_file():
            known = ", ".join(sorted(other.stem for other in path.parent.glob("*.json")))
            raise ConfigError(f"config/{catalogue}.yaml: there is no {name!r}; it has {known}.")
        return self._sound(path)

    def _sound(self, path: Path) -> dict[str, Any]:
        entry = self._read(path)
        if entry["mistake"]:
            raise ConfigError(entry["mistake"])
        return entry

    # -- targets --------------------------------------------------------------------------------

    def targets(self, **wanted: Any) -> list[str]:
        """Paths of the targets with some properties, such as ``section="tables"``.

        Properties are name, section, kind, made_from and wanted; a list means any of them.
        """
        return [
            path
            for path, known in self.index["targets"].items()
            if all(
                known[key] in value if isinstance(value, list) else known[key] == value
                for key, value in wanted.items()
            )
        ]

    def pattern(self, **wanted: Any) -> str:
        """Pattern of these targets for a wildcard."""
        return _either(self.targets(**wanted))

    def wanted_files(self) -> list[str]:
        """What is made unless something is named."""
        return [
            file
            for target in self.targets(wanted=True)
            for file in self.index["targets"][target]["files"]
        ]

    def files_by_name(self, rules: Collection[str]) -> dict[str, list[str]]:
        """Files by the names that one gives to Snakemake: targets, studies, groups and cards.

        A name that is that of a rule too is a ConfigError.
        """
        for name, mistake in self.index["clashes"].items():
            if name in rules:
                raise ConfigError(mistake)
        cards = {
            f"{card}{part}": [f"results/{card}{part}.csv"]
            for card in [*self.index["cards"], "claims"]
            for part in ("", "_so_far")
        }
        return {**self.index["names"], **cards}

    def files(self, target: str, kind: str) -> list[str]:
        """Files of a kind that a target is made from, such as "run" or "kept", each once."""
        sources = self.target(target)["sources"].values()
        return list(dict.fromkeys(files[kind] for files in sources if kind in files))

    def sources(self, path: str) -> list[Source]:
        """What a target is made from, such as runs."""
        return [Source.parse(text) for text in self.target(path)["sources"]]

    # -- runs, or those of the wildcards of a job -------------------------------------------------

    def runs(self, w: Any) -> list[Source]:
        """The runs that one file has: of one method, or of all that end one refinement."""
        return [
            Source(w.pool, w.dataset, int(w.m), method, w.parameters)
            for method in w.method.split("+")
        ]

    def features(self, runs: Iterable[Source]) -> list[str]:
        """Data sets that the methods of some runs see besides the base clusterings."""
        seen = (run.dataset for run in runs if self.method(run.method)["uses_features"])
        return list(map(dataset_file, dict.fromkeys(seen)))

    def task(self, run: Source) -> dict[str, Any]:
        """What a run is, as the fields of a :class:`~coassoc.bench.fits.Task`."""
        method = self.method(run.method)
        estimator = {"location": method["location"], "fixed": method["fixed"]}
        return {
            "method": run.method,
            "estimator": estimator,
            "points": run.parameter_points(Method(run.method, **estimator).parameters),
            "pool": run.pool,
            "dataset": run.dataset,
            "m": run.m,
            "n_clusters": self.dataset(run.dataset)["classes"],
            "seed": self.index["settings"]["seed"],
            "race": run.race,
            "repeats": run.repeats,
            "code": self.code(run),
        }

    def code(self, run: Source) -> str:
        """Identity of the code behind a run."""
        return run.code(self.method(run.method)["code"], self.index["races"])

    def present_codes(self) -> list[str]:
        """Every identity of present code, of raced runs too."""
        codes = [self.method(name)["code"] for name in self.index["methods"]]
        races = self.index["races"].values()
        return [*codes, *(f"{code}, {race}" for code in codes for race in races)]

    def identity(self, w: Any) -> str:
        """What a run file depends on besides other files and its name, as a text."""
        given = {"seed": self.index["settings"]["seed"]}
        given["n_clusters"] = self.dataset(w.dataset)["classes"]
        methods = [
            [self.code(run), method["location"], method["fixed"]]
            for run in self.runs(w)
            for method in [self.method(run.method)]
        ]
        raised = self._read(self._folder / "limits.json")
        again = [raised[run] for run in map(str, self.runs(w)) if run in raised]
        return json.dumps([methods, given, *again])

    # -- data sets and pools ----------------------------------------------------------------------

    def pools(self, *kinds: str) -> str:
        """Pattern of the names of the pools of some kinds, or of all."""
        named = self.index["pools"].items()
        return _either(name for name, kind in named if kind in kinds or not kinds)

    def source_of_pool(self, w: Any) -> dict[str, Any]:
        """Where the pool of a data set is published; a ConfigError where there is none."""
        sources = self.pool(w.pool)["sources"]
        if w.dataset not in sources:
            known = ", ".join(sources) or "none"
            raise ConfigError(f"pools: {w.pool} has no pool of {w.dataset}; it has {known}.")
        return sources[w.dataset]

    def features_of_dataset(self, name: str) -> list[str]:
        """The data set where its features are known."""
        return [dataset_file(name)] * self.dataset(name)["has_features"]


def _either(names: Iterable[str]) -> str:
    """Pattern of some names; of none, one that fits nothing."""
    return "|".join(map(re.escape, names)) or "(?!)"
