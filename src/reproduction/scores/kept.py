"""Kept lines of scores: which of them still hold, and are taken over instead of being made again.

A folder of kept results has lines of scores in its files ``scores*.parquet``, and in ``inputs.csv``
a hash of the settings of each pool of a data set and of each method. Lines of a run hold if all of
them name the present revision of the method and of its race, and if the hashes are the present
ones. The rest of what decides them, such as parameters and repeats, is in the run's name.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.errors import DataError
from reproduction.plan.catalogues import Catalogues
from reproduction.plan.keys import RANKING, Source, stored_pool
from reproduction.plan.revisions import RACES, STEPS, code_of_pools
from reproduction.running.choosing import CHOOSING, COMPARED_METHODS
from reproduction.scores.files import codes_in, read_hashes

#: File of the lines behind the ranking, which have not all scores: no table may take them.
_OF_RANKING = "ranking_scores.parquet"
#: File of the lines by which methods are chosen.
_OF_CHOICES = "choice.csv"
#: What a pool's settings say for readers alone.
_PROSE = {"title", "papers", "citation"}


class Present:
    """What lines of scores are made from now: the code of methods, and hashes of settings."""

    def __init__(self, catalogues: Catalogues, seed: int) -> None:
        self._catalogues = catalogues
        self._seed = seed
        self._hash = cache(self._hash_of)
        self._code = cache(lambda name: catalogues.methods[name].code)

    def code(self, run: Source) -> str:
        """Identity of the present code of a run."""
        return run.code(self._code(run.method), RACES)

    def all_inputs(self, sources: Iterable[str]) -> dict[str, str]:
        """Hashes of the pools and the methods of all sources."""
        return {k: x for source in filter(None, sources) for k, x in self.inputs(source).items()}

    def inputs(self, source: str) -> dict[str, str]:
        """Hashes of the pool of a source, which is a stem, and of the method of a run."""
        pool, dataset, _, method, block = Source.parse(source)
        hashes = {f"pool {pool}/{dataset}": self._hash(self._of_pool, pool, dataset)}
        if block:
            hashes[f"method {method}"] = self._hash(self._of_method, method)
        return hashes

    def choice(self, pool: str, dataset: str) -> str:
        """Hash of what the line of an ensemble rests on that methods are chosen by."""
        return self._hash(self._of_choice, pool, dataset)

    def compared(self) -> list[str]:
        """Identities of the present code of the methods that are compared on such ensembles."""
        return [self._code(name) for name in dict.fromkeys([*COMPARED_METHODS, *CHOOSING])]

    def _of_choice(self, pool: str, dataset: str) -> dict[str, Any]:
        code = {"revision": STEPS["choice"], "methods": self.compared()}
        return {**self._of_pool(pool, dataset), **code}

    def _hash_of(self, settings: Callable[..., dict[str, Any]], *names: str) -> str:
        text = json.dumps([settings(*names), self._seed], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _of_method(self, name: str) -> dict[str, Any]:
        method = self._catalogues.methods[name]
        return {"fixed": method.record()["fixed"], "features": method.uses_features}

    def _of_pool(self, name: str, dataset: str) -> dict[str, Any]:
        pool, entry = self._catalogues.pools[stored_pool(name)], self._catalogues.datasets[dataset]
        kinds = [pool.kind] if name == pool.name else [pool.kind, "shuffled"]
        return {
            "pool": pool.model_dump(mode="json", exclude=_PROSE),
            "code": list(map(code_of_pools, kinds)),
            "files": pool.source_record(dataset) if pool.files else None,
            # A data set whose fingerprint is known comes out the same, or not at all.
            "data": entry.fingerprint or entry.model_dump(mode="json")["sources"],
            "classes": entry.classes,
        }


class KeptScores:
    """The lines in a folder of kept results that hold; of no folder there are none.

    Raises
    ------
    DataError
        If the folder lacks a file, or one of them is damaged.
    """

    def __init__(self, folder: Path | None, present: Present) -> None:
        self._folder = folder
        #: What lines are made from now.
        self.present = present
        self._files = [] if folder is None else sorted(map(str, folder.glob("scores*.parquet")))
        if folder and not self._files:
            raise DataError(f"config: kept is {str(folder)!r}; it has no scores.parquet.")
        self._codes, self._inputs = cache(codes_in), cache(read_hashes)

    def among(self, sources: Iterable[str], target: str) -> dict[str, str]:
        """Those sources of a target whose kept lines hold, with the file that has them.

        The target is such as "eccms/table4" or "ranking".
        """
        files = [*self._files]
        if self._folder and target == RANKING:
            files += map(str, self._folder.glob(_OF_RANKING))
        first = {
            source: next((file for file in files if self._holds(source, file)), None)
            for source in sources
        }
        return {source: file for source, file in first.items() if file}

    def choices(self, sources: Iterable[str]) -> dict[str, str]:
        """Those ensembles whose kept line among those of choices holds, with the file."""
        file = self._folder and self._folder / _OF_CHOICES
        if not file or not file.is_file():
            return {}
        lines = pd.read_csv(file, usecols=["pool", "problem", "identity"], dtype=str)
        columns = (lines[name] for name in ("pool", "problem", "identity"))
        kept = {(pool, name): known for pool, name, known in zip(*columns, strict=True)}
        places = {source: Source.parse(source)[:2] for source in sources}
        return {
            source: str(file)
            for source, place in places.items()
            if kept.get(place) == self.present.choice(*place)
        }

    def _holds(self, source: str, file: str) -> bool:
        codes = self._codes(file).get(source)
        inputs = self._inputs(Path(file).with_name("inputs.csv"))
        if codes is None or not inputs.items() >= self.present.inputs(source).items():
            return False
        of = Source.parse(source)
        return not of.block or codes == {self.present.code(of)}
