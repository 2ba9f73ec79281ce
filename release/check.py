"""Compare what `make` gave with the numbers that codecheck.yml asks for.

    make check

Each file of the manifest that has an expected one in codecheck/ must have the same lines, the same
texts, and the same numbers to within the tolerance. Versions and times are not compared; files of
times need only be there. The expected files were made by one processor's kernels, which `make` asks
for where they can run; the first lines say by which this ran, and what to set.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import yaml

from coassoc.bench.provenance import kernel
from reproduction.running.kernels import PINNED, VARIABLE, can_run_pinned

ROOT = Path(__file__).parents[1]
#: Columns that tell who made a number, and numbers as a text.
_NOT_COMPARED = ["commit", "code", "by_repeat"]


def mistakes(made: Path, expected: Path, tolerance: float) -> list[str]:
    """What is not as expected in a CSV file, a sentence each; none for a file of times."""
    if not made.is_file():
        return ["file not found"]
    if not expected.is_file():
        return []
    first, second = (
        pd.read_csv(path).drop(columns=_NOT_COMPARED, errors="ignore") for path in (made, expected)
    )
    if list(first) != list(second) or len(first) != len(second):
        return [f"expected {second.shape} rows and columns, found {first.shape}"]
    found = []
    for name in first:
        values, known = first[name], second[name]
        if known.dtype.kind in "if" and values.dtype.kind in "if":
            same = (values - known).abs() <= tolerance
        else:
            same = values.astype(str) == known.astype(str)
        far = ~same & ~(values.isna() & known.isna())
        found += [
            f"line {k + 2}, {name}: expected {known[k]}, found {values[k]}" for k in far[far].index
        ]
    return found


def about_kernels(present: str, can_run: bool) -> str:
    """By which kernels this ran, and what to do where they are not those of the expected files.

    Parameters
    ----------
    present : str
        As :func:`coassoc.bench.provenance.kernel` has them.
    can_run : bool
        Whether the pinned ones can run here.
    """
    known = f"The expected numbers were computed with the OpenBLAS kernels for {PINNED}"
    if present == PINNED:
        return f"{known}. Your numbers were computed with the same kernels."
    said = (
        f"{known}. Your numbers were computed with the kernels for {present}. Numbers of methods "
        "that have not converged may differ."
    )
    if can_run:
        return f"{said} Set {VARIABLE}={PINNED}, and run `make clean` and `make check`."
    more = "See docs/howto/troubleshooting.md."
    return f"{said} The kernels for {PINNED} cannot run on this machine. {more}"


def main() -> int:
    """Say what differs; 1 if anything does."""
    print(about_kernels(kernel(), can_run_pinned()))
    asked = yaml.safe_load((ROOT / "codecheck.yml").read_text(encoding="utf-8"))
    differs = False
    for entry in asked["manifest"]:
        path = entry["file"]
        found = mistakes(ROOT / path, ROOT / "codecheck" / path, asked["tolerance"])
        differs |= bool(found)
        compared = (ROOT / "codecheck" / path).is_file()
        word = "as expected" if compared else "found, but not compared"
        print(f"{path}: {'' if found else word}", *found, sep="\n  " if found else "")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
