"""Archived results that are still valid and can be used instead of being recomputed.

Each line in the files ``*scores*.parquet`` of an archive contains its origin in ``made_by``: the
revisions of the method and of successive halving, and hashes of the settings of the method and of
the pool with its data. The lines of a source are valid if all of them have the origin that new
lines would have. Other inputs, such as parameters and repeats, are part of the run's name.
Measurements are archived in the same way, and their source is their file.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from coassoc.bench.storage.records import Outcome, hash_of
from coassoc.errors import DataError
from reproduction.study.catalogues import Catalogues
from reproduction.study.kinds import WHOLE
from reproduction.study.paths import RANKING, Source, stored_pool
from reproduction.study.revisions import RACES, STEPS, code_of_pools

#: The archived results of the project.
KEPT = Path("results-published/kept")
#: File of the lines behind the ranking. These lines lack some scores, so no table may use them.
_OF_RANKING = "ranking_scores.parquet"
#: Archive of the lines of all files of measurements.
MEASUREMENTS = "measurements.parquet"
#: Number of repeats of a run whose name does not state it.
_REPEATS = 20
#: Settings of a pool that do not affect its labels.
_PROSE = {"title", "papers", "citation"}


class Present:
    """Current inputs of results: the code of methods, and hashes of settings.

    `options` are the keys of the configuration that concern a kind of measurements, such as
    "selection", and `methods` the names of the methods that a kind of measurements fits to each
    data set.
    """

    def __init__(
        self,
        catalogues: Catalogues,
        seed: int,
        options: Mapping[str, Any] = MappingProxyType({}),
        methods: Mapping[str, Iterable[str]] = MappingProxyType({}),
    ) -> None:
        self._catalogues, self._options, self._methods = catalogues, options, methods
        self._hash = cache(lambda settings, *names: hash_of([settings(*names), seed]))
        self._code = cache(lambda name: catalogues.methods[name].code)

    def made_by(self, source: str) -> str:
        """The origin that new lines of a source would have, such as "LWEA 3 | 0123… | 89ab…"."""
        run = Source.parse(source)
        of_pool = self._hash(self._of_pool, run.pool, run.dataset)
        if not run.block:
            return f" | {of_pool} | "
        return f"{self.code(run)} | {of_pool} | {self._hash(self._of_method, run.method)}"

    def code(self, run: Source) -> str:
        """Identity of the code behind a run, such as "LWEA 1, race by ARI 1"."""
        code = self._code(run.method)
        return f"{code}, {RACES[run.race]}" if run.race else code

    def codes(self) -> list[str]:
        """All identities of current code, including those of runs with successive halving."""
        codes = [method.code for method in self._catalogues.methods.values()]
        return [*codes, *(f"{code}, {race}" for code in codes for race in RACES.values())]

    def codes_measured(self, kind: str) -> list[str]:
        """Identities of the current code of the methods that a kind of measurements fits."""
        return [self._code(name) for name in self._methods.get(kind, ())]

    def measured_by(self, file: str) -> str:
        """The origin of a new file of measurements, given its path below the workflow's folder."""
        kind, pool, *place = Path(file).with_suffix("").parts[1:]
        steps = {"revision": STEPS.get(kind), "options": self._options.get(kind)}
        if codes := self.codes_measured(kind):
            steps["methods"] = codes
        if kind in WHOLE:  # of a run
            return f"{self.made_by('/'.join((pool, *place)))} | {hash_of(steps)}"
        return f"{self._hash(self._of_pool, pool, place[-1])} | {hash_of(steps)}"

    def _of_method(self, name: str) -> dict[str, Any]:
        method = self._catalogues.methods[name]
        return {"fixed": dict(method.fixed), "features": method.uses_features}

    def _of_pool(self, name: str, dataset: str) -> dict[str, Any]:
        pool = self._catalogues.pools[stored_pool(name)]
        kinds = [pool.kind] if name == pool.name else [pool.kind, "shuffled"]
        entry = self._catalogues.datasets[dataset]
        return {
            "pool": pool.model_dump(mode="json", exclude=_PROSE),
            "code": list(map(code_of_pools, kinds)),
            "files": pool.files[dataset].model_dump() if pool.files else None,
            # If the fingerprint is known, the data set either has this content or is rejected.
            "data": entry.fingerprint or entry.model_dump(mode="json")["sources"],
            "classes": entry.classes,
        }


def kept_runs(folder: Path, made_by: Mapping[str, str], ranking: bool = False) -> dict[str, str]:
    """The sources whose archived lines are valid, with the files of these lines.

    `made_by` has the origin that new lines of each source would have (:class:`Present`). Lines with
    a failure that another machine or version may avoid are not valid.

    Raises
    ------
    DataError
        If the folder lacks a file, or one of them is damaged.
    """
    files = [folder / _OF_RANKING] if ranking else sorted(folder.glob("scores*.parquet"))
    if not files:
        raise DataError(
            f"config: kept: the folder {str(folder)!r} has no scores.parquet. Correct the path, or "
            "set kept to null."
        )
    archived: dict[str, str] = {}
    for file in files:
        archived = _valid(file, made_by) | archived
    return archived


def _valid(file: Path, made_by: Mapping[str, str]) -> dict[str, str]:
    """The sources with these origins in an archive, if there is one, each with its file.

    All lines of a source must have this origin, and none an avoidable failure.
    """
    if not file.is_file():
        return {}
    try:
        columns = ["source", "made_by", "status"]
        lines = pd.read_parquet(file, columns=columns, page_checksum_verification=True)
    except (ValueError, OSError, KeyError) as error:
        raise DataError(f"{file}: cannot read the scores. Fetch the file again.") from error
    statuses = lines["status"].dropna().unique()
    failures = [x for x in statuses if Outcome.of(x).may_be_mended]
    pairs = lines[["source", "made_by"]].drop_duplicates()
    broken = {*lines["source"][lines["status"].isin(failures)]}
    once = pairs.drop_duplicates("source", keep=False).set_index("source")["made_by"]
    origins = pd.Series(made_by, dtype=object)
    same = once[~once.index.isin(broken)].reindex(origins.index).eq(origins)
    return dict.fromkeys(origins.index[same], str(file))


def archives_of(folder: Path, lines: pd.DataFrame) -> pd.Series:
    """The file with the archived lines of each planned line's source, or ""."""
    files = pd.Series("", lines.index, dtype=object)
    scored = lines["made_by"].ne("")
    for ranking, part in ((True, scored & lines["target"].eq(RANKING)), (False, scored)):
        made_by = lines[part].set_index("source")["made_by"].to_dict()
        archived = lines["source"].map(kept_runs(folder, made_by, ranking))
        files = files.mask(part & archived.notna(), archived)
    return files


def minutes_of_runs(folder: Path) -> Callable[[Source], float]:
    """Estimate processor minutes of runs from archived runs of any revision.

    The returned function gives 0 if no similar run is archived.
    """
    files = sorted(folder.glob("scores*.parquet"))
    if not files:
        raise DataError(
            f"{folder}: scores.parquet not found. Restore scores.parquet, which is the source "
            "of estimated run times."
        )
    # As dictionaries, the strings take 60 MB less.
    fitted = {"read_dictionary": ["source"], "filters": [("status", "==", Outcome.OK.value)]}
    columns = ["source", "cpu_seconds"]
    frames = [pd.read_parquet(x, columns=columns, **fitted) for x in files]
    fits = (x.groupby("source", observed=True)["cpu_seconds"] for x in frames)
    runs = pd.concat(x.agg(["sum", "count"]) for x in fits).groupby(level=0).sum()
    fits_of = runs.groupby(runs.index.str.rpartition("/").get_level_values(0)).sum()
    of_run, of_fit = runs["sum"].to_dict(), (fits_of["sum"] / fits_of["count"]).to_dict()

    def minutes(run: Source) -> float:
        source = str(run)
        fits = of_fit.get(source.rpartition("/")[0], 0.0) * run.size * (run.repeats or _REPEATS)
        return of_run.get(source, fits) / 60

    return minutes


def kept_measurements(folder: Path, present: Present, files: Iterable[str]) -> dict[str, str]:
    """The files of measurements that are archived and valid, with their archive."""
    return _valid(folder / MEASUREMENTS, {file: present.measured_by(file) for file in files})
