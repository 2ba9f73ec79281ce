"""Recheck a folder of results from its pools to its tables, and write a certificate.

    make verify RESULTS=path/of/the/folder

The folder has `results/`, and as far as they are there, `data/` and the files of the runs. Pools
and runs are read with their checksums. Scores are computed again from the labels of each run and of
the base clusterings, numbers of tables from the scores, and those of scorecards from their tables.
Some repeats are fitted again, and their labels compared. `results/certificate.yml` has the form of
a codecheck.yml, with the checksums of the checked files, the versions behind the numbers, and all
that differs. A folder like `results-published`, with archived scores in place of runs, is checked
from its scores on.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
from collections import Counter
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from coassoc.bench.fits import Task, fit, partition
from coassoc.bench.provenance import commit, kernel, versions
from coassoc.bench.scores import score_run
from coassoc.bench.storage.hdf5 import read_dataset, read_pool, read_run
from coassoc.bench.storage.records import TIMES, Pool, Run
from coassoc.errors import CoassocError
from coassoc.metrics import METRICS
from reproduction.scores.files import AS_TEXT, read_collected, read_scores
from reproduction.scores.references import score_pool
from reproduction.study.paths import Source

#: Number of repeats to fit again, and archived seconds above which a fit is left out.
REFITS, TOO_LONG = 10, 60.0
#: Largest relative difference of scores, and of numbers in tables, which have six digits.
_SCORE, _NUMBER = 1e-12, 1e-5


class Verification:
    """The checks of the working directory: how many of each, and what differs."""

    def __init__(self) -> None:
        self.checked: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.differs: list[str] = []
        #: Commits of all numbers of tables, and of those beside a printed number.
        self.commits: Counter[str] = Counter()
        self.compared: Counter[str] = Counter()
        self._pool = lru_cache(maxsize=4)(read_pool)
        #: Where tables are; in an archive, the folder itself.
        self._results = "results" if Path("results").is_dir() else ""

    def check_all(self, refits: int = REFITS) -> None:
        """Check pools, runs, tables and scorecards, and fit some repeats again."""
        for path in sorted(Path("data/pools").glob("*/*.h5")):
            if self._read(path) is not None:
                self.checked["pools"] += 1
        scores = self._scores()
        runs = self._check_runs(scores)
        self._check_base_clusterings(scores)
        tables = self._check_tables(scores)
        self._check_cards(tables)
        chosen = random.Random(0).sample(runs, min(refits, len(runs)))
        for path, method in chosen:
            self._refit(path, method)

    def _read(self, path: Path) -> Pool | None:
        try:
            return self._pool(path)
        except CoassocError as error:
            self._tell(str(error))
            return None

    def _tell(self, sentence: str) -> None:
        if sentence not in self.differs:
            self.differs.append(sentence)

    def _scores(self) -> dict[str, pd.DataFrame]:
        """Scores by their sources, those of archives too."""
        tables = map(pd.read_csv, Path(self._results, "tables").glob("*/*.csv"))
        shown = {x for table in tables if "run" in table for x in table["run"].dropna()}
        scores: dict[str, pd.DataFrame] = {}
        for path in sorted(Path(self._results, "scores").glob("*/*.parquet")):
            try:
                scores = read_scores(path) | scores
                self.checked["files of scores"] += 1
            except CoassocError as error:
                self._tell(str(error))
        for path in sorted(Path(self._results, "kept").glob("scores*.parquet")):
            names = {*pd.read_parquet(path, columns=["source"])["source"]} & shown
            scores = read_collected(dict.fromkeys(names, path)) | scores
            self.checked["files of scores"] += 1
        return scores

    def _check_runs(self, scores: dict[str, pd.DataFrame]) -> list[tuple[Path, str]]:
        """Compare the scores of each run with its labels; the files and methods that agree."""
        good = []
        for path in sorted(Path("results/runs").glob("*/*/*/*/*.h5")):
            for method in path.parent.name.split("+"):
                try:
                    run = read_run(path, method)
                    source = str(self._source(path, method))
                    pool = self._pool(
                        Path(f"data/pools/{run.attributes['pool']}").joinpath(
                            f"{run.attributes['dataset']}.h5"
                        )
                    )
                    if self._same_scores(source, run, pool, scores.get(source)):
                        good.append((path, method))
                except CoassocError as error:
                    self._tell(str(error))
        return good

    def _check_base_clusterings(self, scores: dict[str, pd.DataFrame]) -> None:
        for text, known in scores.items():
            source = Source.parse(text)
            path = Path(source.pool_file)
            if source.m is not None or not path.is_file() or (pool := self._read(path)) is None:
                continue
            now = pd.DataFrame(score_pool(pool))
            names = [name for name in METRICS if name in known]
            if not np.allclose(known[names], now[names], _SCORE, _SCORE, equal_nan=True):
                self._tell(f"{text}: the scores differ from those of the base clusterings.")
            self.checked["base clusterings of a pool"] += 1

    def _source(self, path: Path, method: str) -> Source:
        pool, dataset, m, _, block = path.with_suffix("").parts[-5:]
        return Source(pool, dataset, int(m.removeprefix("m")), method, block)

    def _same_scores(self, source: str, run: Run, pool: Pool, known: Any) -> bool:
        if known is None:
            self.left_out["runs that no table uses"] += 1
            return True
        features = Path(f"data/datasets/{run.attributes['dataset']}.h5")
        sees = pool.y is None and features.is_file()
        now = pd.DataFrame(score_run(run, pool, read_dataset(features).X if sees else None))
        keys, names = ["point", "repeat"], [name for name in METRICS if name in known]
        both = known.merge(now, on=keys, suffixes=("", " now"))
        far = [
            name
            for name in names
            if not np.allclose(both[name], both[f"{name} now"], _SCORE, _SCORE, equal_nan=True)
        ]
        if far or len(both) != len(known):
            self._tell(
                f"{source}: {', '.join(far) or 'the number of repeats'} of the scores "
                "differ from those of the labels."
            )
            return False
        self.checked["runs"] += 1
        return True

    def _check_tables(self, scores: dict[str, pd.DataFrame]) -> dict[tuple[str, ...], float]:
        """Compare each number of a table with its scores; the numbers by table, cell and metric."""
        numbers: dict[tuple[str, ...], float] = {}
        for path in sorted(Path(self._results, "tables").glob("*/*.csv")):
            lines = pd.read_csv(path, dtype=AS_TEXT)
            if not {"run", "column", "mean"} <= {*lines}:
                self.left_out["tables without the runs of their numbers"] += 1
                continue
            for x in lines[lines["mean"].notna()].to_dict("records"):
                self.commits[_named(x.get("commit"))] += 1
                place = f"{path.parent.name}/{path.stem}", x["label"], x["dataset"], x["metric"]
                if not x.get("variant") or x["variant"] != x["variant"]:
                    numbers[*place] = x["mean"]
                self._check_number(" ".join(place), x, scores.get(x["run"]))
        return numbers

    def _check_number(self, place: str, x: dict[Any, Any], lines: pd.DataFrame | None) -> None:
        if lines is None or x.get("distance") is True or x["column"] not in lines:
            kind = "means over data sets" if x["dataset"] == "mean" else "numbers without scores"
            self.left_out["distances" if x.get("distance") is True else kind] += 1
            return
        if x["column"] in TIMES or ("reference" in lines and "reference" not in x):
            kind = "times" if x["column"] in TIMES else "references that a table does not name"
            self.left_out[kind] += 1
            return
        for key in ("parameters", "reference"):
            if key in lines and isinstance(x.get(key), str):
                lines = lines[lines[key].eq(x[key])]
        values = lines[lines["status"].eq("ok")] if "status" in lines else lines
        values = values[x["column"]]
        now = values.max() if x.get("reference") == "best" else values.mean()
        if not np.isclose(now, x["mean"], _NUMBER, _NUMBER):
            self._tell(f"{place}: the table has {x['mean']:g}, its scores have {now:.6g}.")
        self.checked["numbers of tables"] += 1

    def _check_cards(self, numbers: dict[tuple[str, ...], float]) -> None:
        for path in sorted(Path(self._results).glob("scorecard*.csv")):
            card = pd.read_csv(path, dtype=AS_TEXT, low_memory=False)
            card = card[card["reproduced_mean"].notna()]
            self.compared.update(map(_named, card["commit"]))
            for x in card.to_dict("records"):
                if isinstance(x.get("repeats_cell"), str):  # the number of another cell
                    self.left_out["numbers that a paper prints twice"] += 1
                    continue
                place = f"{x['paper']}/{x['table']}", x["method"], x["dataset"], x["metric"]
                if not np.isclose(numbers.get(place, np.nan), x["reproduced_mean"], _NUMBER):
                    self._tell(f"{path}: {' '.join(place)} differs from its table.")
                self.checked["numbers of scorecards"] += 1

    def _refit(self, path: Path, method: str) -> None:
        """Fit a random repeat of a run again, and compare the labels."""
        run = read_run(path, method)
        fitted = [
            (p, r)
            for p, results in enumerate(run.results)
            for r, result in enumerate(results)
            if result.labels is not None and result.seconds < TOO_LONG
        ]
        if not fitted:
            self.left_out["refits that take too long"] += 1
            return
        p, r = random.Random(str(path)).choice(fitted)
        given = {**run.attributes, "points": run.points}
        for name in ("estimator", "n_clusters", "race", "repeats"):
            given[name] = yaml.safe_load(str(given[name]))
        task = Task(**{field.name: given[field.name] for field in fields(Task)})
        pool = self._pool(Path("data/pools", task.pool, f"{task.dataset}.h5"))
        features = Path(f"data/datasets/{task.dataset}.h5")
        estimator = task.factory()(**task.arguments(p, r, task.clusters(pool)))
        X = read_dataset(features).X if getattr(estimator, "uses_features", False) else None
        labels = partition(fit(estimator, task.ensemble(pool, r), X).labels_)
        if labels.tolist() != np.asarray(run.results[p][r].labels).tolist():
            self._tell(f"{path}: repeat {r} has other labels when it is fitted again.")
        self.checked["refits"] += 1

    def certificate(self) -> dict[str, Any]:
        """The content of the certificate, in the form of a codecheck.yml."""
        files = sorted(
            [*Path(self._results, "tables").glob("*/*.csv"), *Path(self._results).glob("*.csv")]
        )
        manifest = [
            {"file": str(x), "sha256": hashlib.sha256(x.read_bytes()).hexdigest()} for x in files
        ]
        return {
            "version": "https://codecheck.org.uk/spec/config/1.0/",
            "summary": self.summary(),
            "codechecker": [{"name": f"make verify, version {commit()}"}],
            "check_time": datetime.now(UTC).isoformat(timespec="seconds"),
            "environment": {**versions(), "kernel": kernel()},
            "checked": dict(self.checked),
            "left_out": dict(self.left_out),
            "numbers_by_commit": dict(self.commits.most_common()),
            "compared_numbers_by_commit": dict(self.compared.most_common()),
            "differs": self.differs,
            "manifest": manifest,
        }

    def summary(self) -> str:
        """What was checked, in one sentence."""
        counts = ", ".join(f"{n} {what}" for what, n in self.checked.items()) or "nothing"
        return f"Checked {counts}; {len(self.differs)} differ."

    def shares(self) -> str:
        """The commit of most numbers beside a printed one, in one sentence."""
        n = max(self.compared.total(), 1)
        (most, of_most), none = [*self.compared.most_common(1), ("none", 0)][0], self.compared[""]
        return (
            f"Of {self.compared.total()} numbers beside a printed one, {of_most / n:.0%} are of "
            f"the commit {most}, and {none / n:.0%} name no commit."
        )


def _named(commit: Any) -> str:
    """The commit of a number; empty if it has none."""
    return commit if isinstance(commit, str) else ""


def main(folder: str, refits: int = REFITS) -> int:
    """Check a folder; 1 if anything differs or there was nothing to check."""
    os.chdir(folder)
    done = Verification()
    done.check_all(refits)
    text = yaml.safe_dump(done.certificate(), sort_keys=False, allow_unicode=True)
    certificate = Path("results" if Path("results").is_dir() else "", "certificate.yml")
    certificate.write_text(text, encoding="utf-8")
    print(*done.differs, *(f"Not checked: {n} {x}." for x, n in done.left_out.items()), sep="\n")
    print(done.shares(), done.summary(), f"Certificate: {certificate}.", sep="\n")
    return int(bool(done.differs) or not done.checked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
