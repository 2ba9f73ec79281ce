"""Kept results: which of them still hold, and are taken over instead of being made again.

Each line in the files ``*scores*.parquet`` of a folder of kept results says in ``made_by`` what it
was made by: the revision of the method and of its race, and hashes of the settings of the pool with
its data and of the method. Lines of a source hold if all of them say what they would be made by
now. The rest of what decides them, such as parameters and repeats, is in the run's name. Files of
measurements are kept as the lines of one file in the same way.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from coassoc.errors import DataError
from coassoc.storage.records import Outcome, hash_of
from reproduction.running.choosing import CHOOSING, COMPARED_METHODS
from reproduction.scores.files import read_measurements, read_texts
from reproduction.study.catalogues import Catalogues
from reproduction.study.paths import CLOUDS, Source, stored_pool
from reproduction.study.revisions import RACES, STEPS, code_of_pools

#: The archived results of the project.
KEPT = Path("results-published/kept")
#: File of the lines behind the ranking. They lack some scores, so no table may use them.
_OF_RANKING = "ranking_scores.parquet"
#: Archived files of measurements, one in a line.
MEASUREMENTS = "measurements.parquet"
#: Number of repeats of a run whose name does not state it.
_REPEATS = 20
#: Settings of a pool that are only for readers.
_PROSE = {"title", "papers", "citation"}
#: Outcomes of repeats that another machine, or a later version of a method, may not have.
_MAY_BE_MENDED = (Outcome.TOO_SLOW, Outcome.TOO_LARGE, Outcome.OUT_OF_MEMORY, Outcome.REFUSED)


class Present:
    """What results are made from now: the code of methods, and hashes of settings.

    `options` are the keys of the configuration that concern a measurement, such as "selection".
    """

    def __init__(
        self,
        catalogues: Catalogues,
        seed: int,
        options: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._catalogues = catalogues
        self._seed = seed
        self._options = options
        self._hash = cache(self._hash_of)
        self._code = cache(lambda name: catalogues.methods[name].code)

    def made_by(self, source: str) -> str:
        """What lines of a source would be made by, such as "LWEA 3 | 0123… | 89ab…"."""
        run = Source.parse(source)
        of_pool = self._hash(self._of_pool, run.pool, run.dataset)
        if not run.block:
            return f" | {of_pool} | "
        code = run.code(self._code(run.method), RACES)
        return f"{code} | {of_pool} | {self._hash(self._of_method, run.method)}"

    def measured_by(self, file: str) -> str:
        """What a file of measurements would be made by, a path below the folder of the workflow."""
        kind, pool, *place = Path(file).with_suffix("").parts[1:]
        steps = {"revision": STEPS.get(kind), "options": self._options.get(kind)}
        if kind not in ("null", "choice"):
            return f"{self.made_by('/'.join((pool, *place)))} | {hash_of(steps)}"
        if kind == "choice":
            steps["methods"] = self.compared()
        return f"{self._hash(self._of_pool, pool, place[-1])} | {hash_of(steps)}"

    def compared(self) -> list[str]:
        """Identities of the present code of the methods that are compared on such ensembles."""
        return [self._code(name) for name in dict.fromkeys([*COMPARED_METHODS, *CHOOSING])]

    def _hash_of(self, settings: Callable[..., dict[str, Any]], *names: str) -> str:
        return hash_of([settings(*names), self._seed])

    def _of_method(self, name: str) -> dict[str, Any]:
        method = self._catalogues.methods[name]
        return {"fixed": method.record()["fixed"], "features": method.uses_features}

    def _of_pool(self, name: str, dataset: str) -> dict[str, Any]:
        pool = self._catalogues.pools[stored_pool(name)]
        kinds = [pool.kind] if name == pool.name else [pool.kind, "shuffled"]
        made = {
            "pool": pool.model_dump(mode="json", exclude=_PROSE),
            "code": list(map(code_of_pools, kinds)),
        }
        if dataset == CLOUDS:
            return made
        entry = self._catalogues.datasets[dataset]
        return made | {
            "files": pool.files[dataset].model_dump() if pool.files else None,
            # A data set whose fingerprint is known comes out the same, or not at all.
            "data": entry.fingerprint or entry.model_dump(mode="json")["sources"],
            "classes": entry.classes,
        }


def kept_runs(
    folder: Path, present: Present, sources: Iterable[str], ranking: bool = False
) -> dict[str, str]:
    """Those sources whose kept lines hold, with the file that has them.

    Lines with a failure that may be mended do not hold.

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
    unique = list(dict.fromkeys(sources))
    made_by = pd.Series([present.made_by(x) for x in unique], unique, dtype=object)
    archived: dict[str, str] = {}
    for file in [file for file in files if file.is_file()]:
        recorded = _read_made_by(file).reindex(made_by.index)
        same = recorded.index[recorded.eq(made_by)]
        archived = dict.fromkeys(same, str(file)) | archived
    return archived


def _read_made_by(file: Path) -> pd.Series:
    """What the lines of each source were made by, where all say the same and none failed."""
    try:
        lines = pd.read_parquet(file, columns=["source", "made_by", "status"])
    except (ValueError, OSError, KeyError) as error:
        raise DataError(
            f"{file}: this file of scores is truncated. Fetch the file again."
        ) from error
    statuses = lines["status"].dropna().unique()
    failures = list(filter(_may_be_mended, statuses))
    pairs = lines[["source", "made_by"]].drop_duplicates()
    broken = {*lines["source"][lines["status"].isin(failures)]}
    once = pairs.drop_duplicates("source", keep=False)
    return once[~once["source"].isin(broken)].set_index("source")["made_by"]


def minutes_of_runs(folder: Path) -> Callable[[Source], float]:
    """Processor minutes of a run by those that were kept, whatever revision they are of.

    The function returns 0 where nothing like the run was kept.
    """
    columns = ["source", "status", "cpu_seconds"]
    files = sorted(folder.glob("scores*.parquet"))
    if not files:
        raise DataError(
            f"{folder}: scores.parquet not found. Restore scores.parquet, which is the source "
            "of estimated run times."
        )
    lines = pd.concat([pd.read_parquet(file, columns=columns) for file in files])
    fits = lines[lines["status"].eq(Outcome.OK.value)].groupby("source")["cpu_seconds"]
    runs = fits.agg(["sum", "count"])
    fits_of = runs.groupby(runs.index.str.rpartition("/").get_level_values(0)).sum()
    of_run, of_fit = runs["sum"].to_dict(), (fits_of["sum"] / fits_of["count"]).to_dict()

    def minutes(run: Source) -> float:
        source = str(run)
        fits = of_fit.get(source.rpartition("/")[0], 0.0) * run.size * (run.repeats or _REPEATS)
        return of_run.get(source, fits) / 60

    return minutes


def kept_measurements(folder: Path, present: Present, files: Iterable[str]) -> dict[str, str]:
    """Those files of measurements that are archived and hold, with the archive."""
    archive = folder / MEASUREMENTS
    if not archive.is_file():
        return {}
    lines = pd.read_parquet(archive, columns=["file", "made_by"])
    kept = dict(lines.itertuples(index=False, name=None))
    return {x: str(archive) for x in files if kept.get(x) == present.measured_by(x)}


def collect_measurements(present: Present, files: Mapping[str, str]) -> pd.DataFrame:
    """Files of measurements as lines of one table: file, made_by and text.

    Left out are files with a failure that may be mended. The files are as for
    :func:`~reproduction.scores.files.read_texts`.
    """
    texts = read_texts(files)
    measured = {file: read_measurements(file, text) for file, text in texts.items()}
    lines = [
        (file, present.measured_by(file), texts[file])
        for file, frame in measured.items()
        if "status" not in frame or not any(map(_may_be_mended, frame["status"].dropna()))
    ]
    return pd.DataFrame(lines, columns=["file", "made_by", "text"])


def _may_be_mended(status: str) -> bool:
    return Outcome.of(status) in _MAY_BE_MENDED
