"""Show that the present code makes the numbers of its revision, and write that down.

    make same-numbers                      all methods whose code is not known, and new pools
    make same-numbers ALL=1                known ones too
    make same-numbers ACCEPT="TRCE SCCBG"  new labels of these become a revision of their own
    make same-numbers PROCESSOR=1          other labels by known code are ways of this processor

Code is added to ``src/coassoc/plan/revisions.csv`` where every label is the same, and else nothing.
Of the fingerprints of earlier code those stay that published results carry.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import coassoc
from coassoc.methods import METHODS
from coassoc.metrics import METRICS, adjusted_rand_index, contingency_table
from evidence import (
    LABELS,
    cases,
    fits_of,
    generated_pools,
    is_kept,
    keep_labels,
    kept_labels,
    known_processors,
    made_by,
    pools_made,
    processor,
    races_by,
)

ROOT = Path(__file__).parents[2]

Ways = list[np.ndarray]


@dataclass
class Outcome:
    """What became of the fits of one method, of races by one metric or of a kind of pools."""

    made: dict[str, np.ndarray] = field(default_factory=dict)
    #: A sentence for each array that is not as kept.
    moved: list[str] = field(default_factory=list)
    #: Keys of which nothing is kept.
    new: list[str] = field(default_factory=list)

    def add(self, key: str, made: np.ndarray, kept: Ways | None, y: np.ndarray) -> None:
        """Compare one array with what is kept of it."""
        self.made[key] = made
        if kept is None:
            self.new.append(key)
        elif not is_kept(made, kept):
            self.moved.append(f"{key}: {_difference(made, kept[0], y)}")


def _difference(made: np.ndarray, kept: np.ndarray, y: np.ndarray) -> str:
    if len(made) != len(y):
        return "scores or stays differ"
    ari = adjusted_rand_index
    now, before = (ari(contingency_table(y, labels)) for labels in (made, kept))
    return (
        f"ARI with the classes {before:.6f} → {now:.6f}, between the two "
        f"{ari(contingency_table(kept, made)):.6f}"
    )


def main() -> None:
    """Gather the evidence for code that is not known, and say what it shows."""
    parser = argparse.ArgumentParser(description=__doc__, prog="make same-numbers")
    parser.add_argument("--all", action="store_true", help="also for known code")
    parser.add_argument("--accept", nargs="*", default=[], metavar="METHOD")
    parser.add_argument("--processor", action="store_true", help="keep the ways of known code here")
    chosen = parser.parse_args()
    lines, kept = read_lines(), kept_labels() if LABELS.exists() else {}
    present = present_lines(lines)
    if chosen.processor:
        _keep_ways([name for name, line in present.items() if line in lines], kept)
        return
    unknown = [name for name, line in present.items() if chosen.all or line not in lines]
    if any(f"pools generated|{name}" not in kept for name in generated_pools()):
        unknown.append("pools generated")  # The code is known, and a pool is new.
    unknown = list(dict.fromkeys([*unknown, *chosen.accept]))
    if not unknown:
        print("The code of every method, race and pool is known; nothing was fitted.")
        return
    moved: list[str] = []
    for name in unknown:
        start = time.perf_counter()
        outcome = evidence_of(name, kept)
        accepted = name in chosen.accept and outcome.moved
        if accepted:
            line = present[name]
            present[name] = Line(name, line.revision + 1, line.fingerprint)
            same_code = (name, line.fingerprint)
            lines = [other for other in lines if (other.name, other.fingerprint) != same_code]
        if outcome.moved and not accepted:
            moved += outcome.moved
        else:
            kept |= {
                key: [made] for key, made in outcome.made.items() if accepted or key not in kept
            }
            lines.append(present[name])
        said = "a new revision" if accepted else "moved" if outcome.moved else "the same numbers"
        count = f"{len(outcome.made)} fits, {len(outcome.new)} of them new"
        print(f"{name}: {said} ({count}; {time.perf_counter() - start:.1f} s)", flush=True)
    # Of a new revision only what this processor makes is kept.
    keep_labels(kept, {processor()} if chosen.accept else known_processors())
    write_lines(_still_of_use(lines, present))
    if moved and processor() not in known_processors():
        print(
            f"\nNo labels are kept of a processor such as {processor()}, whose rounding may decide "
            "otherwise: run 'make same-numbers PROCESSOR=1' on the code before the edit."
        )
    if moved:
        print("\nThese numbers moved, and their code was not added:", *moved, sep="\n  ")
        sys.exit(1)
    goldens = [sys.executable, "-m", "pytest", "-q", "tests/methods", "tests/numerics"]
    if not chosen.accept and subprocess.run(goldens, cwd=ROOT, check=False).returncode:
        sys.exit("The labels are the same, and tests of the methods fail: mend that first.")


def _keep_ways(known: Iterable[str], kept: dict[str, Ways]) -> None:
    """Keep other labels of known code: rounding, which this processor does its own way, decides."""
    for name in known:
        outcome = evidence_of(name, kept)
        moved = [key for key, made in outcome.made.items() if not is_kept(made, kept[key])]
        for key in moved:
            kept[key].append(outcome.made[key])
        print(f"{name}: {len(moved)} of {len(outcome.made)} fits go their own way here", flush=True)
    keep_labels(kept, known_processors() | {processor()})


def evidence_of(name: str, kept: Mapping[str, Ways]) -> Outcome:
    """The evidence for a method, a race or a kind of pools."""
    outcome = Outcome()
    for key, made, y in _made_for(name):
        outcome.add(key, made, kept.get(key), y)
    return outcome


def _made_for(name: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Keys, arrays, and the classes of the samples."""
    if name.startswith("race by "):
        for case in cases().values():
            for key, made in races_by(name.removeprefix("race by "), case):
                yield key, made, case.y
    elif name.startswith("pools "):
        kind = name.removeprefix("pools ")
        case = cases()["Wine, labels missing" if kind == "labels" else "Glass"]
        with TemporaryDirectory() as folder:
            for pool, made in pools_made(kind, case, Path(folder)):
                yield f"{name}|{pool}", made, case.y
    else:
        for key, case, point in fits_of(name, cases()):
            yield key, made_by(name, case, point), case.y


def present_lines(lines: Iterable[Line]) -> dict[str, Line]:
    """The latest revision of every method, race and kind of pools, with its present fingerprint."""
    latest: dict[str, int] = {}
    for line in lines:
        latest[line.name] = max(line.revision, latest.get(line.name, 1))
    code = Revisions(SourceCode(Path(coassoc.__file__).parents[1]), lines)
    starts = {name: run_starts(METHODS.method(name).module) for name in METHODS}
    starts |= {f"race by {metric}": race_starts(metric) for metric in METRICS}
    starts |= {f"pools {kind}": (module,) for kind, module in POOL_KINDS.items()}
    return {
        name: Line(name, latest.get(name, 1), code.fingerprint(*modules))
        for name, modules in starts.items()
    }


def _still_of_use(lines: Iterable[Line], present: dict[str, Line]) -> list[Line]:
    """Lines of present code, and of code that published results carry."""
    files = (ROOT / "results-published").glob("*scores*.parquet")
    published = {code for path in files for code in pd.read_parquet(path)["code"].dropna()}
    for path in (ROOT / "results-published").rglob("*.csv"):
        with path.open() as file:
            if "code" in file.readline().strip().split(","):
                published |= set(pd.read_csv(path, usecols=["code"], dtype=str)["code"].dropna())
    # A raced run names the code of its method and that of its race.
    carried = {part for code in published for part in code.split(", ")}
    return [line for line in lines if line.fingerprint in carried or line == present.get(line.name)]


if __name__ == "__main__":
    main()
