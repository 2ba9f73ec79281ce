"""Time and memory of every method by the number of distinct rows, up to the limits, and a figure.

    cd tests && python -m benchmarks.sizes --output sizes.csv --figure ../docs/sizes.png

What the number of samples adds, their grouping, is in docs/performance.md.

One hundred to ten million distinct rows of m = 20 clusterings of 20 clusters each. Each fit has one
thread of a fresh process. A fit beyond the limits is named so, and those of more rows are not
tried; neither are they where ten times the time, which all methods take for ten times the rows at
least, is beyond. Times are given as ratios too: to reading the same labels once, which is what a
sum over an array of bytes takes.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from benchmarks.fresh import measure
from coassoc import Ensemble
from coassoc.methods import METHODS

M = 20
N_CLUSTERS = 10
SIZES = tuple(10**k for k in range(2, 8))
#: What a fit may take: processor seconds, and gigabytes.
SECONDS, GIGABYTES = 600, 16


def distinct_rows(count: int) -> np.ndarray:
    """(about `count`, M) distinct rows: halves of ten clusters, a tenth of the labels elsewhere."""
    random = np.random.default_rng(0)
    truth = random.integers(0, N_CLUSTERS, (count, 1), dtype=np.uint8)
    labels = 2 * truth + random.integers(0, 2, (count, M), dtype=np.uint8)
    other = random.random((count, M), dtype=np.float32) < 0.1
    labels[other] = random.integers(0, 2 * N_CLUSTERS, int(other.sum()), dtype=np.uint8)
    micro = Ensemble(labels).microclusters
    return labels[micro.representatives]


def seconds_of_reading(labels: np.ndarray) -> float:
    """Of the fastest of five sums over the labels, repeated where one is too short."""
    repeats = max(1, 10**7 // labels.size)
    taken = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(repeats):
            labels.sum()
        taken.append((time.process_time() - start) / repeats)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    labels_only = [name for name in METHODS if not name.startswith("ACMK") and name != "SC"]
    parser.add_argument("--methods", nargs="+", default=labels_only)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--gigabytes", type=float, default=GIGABYTES)
    parser.add_argument("--output", default="sizes.csv")
    parser.add_argument("--figure", help="PNG; the table is drawn as it stands")
    options = parser.parse_args()
    cells, over = [], dict[str, str]()
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            rows = distinct_rows(size)
            path = Path(folder, "rows.npz")
            np.savez(path, labels=rows)
            reading = seconds_of_reading(rows)
            for method in options.methods:
                cell = {"rows": len(rows), "method": method, "beyond": over.get(method)}
                if method not in over:
                    found = measure(
                        *(path, method, N_CLUSTERS, 1),
                        limit=options.seconds,
                        gigabytes=options.gigabytes,
                    )
                    if isinstance(found, str):
                        cell["beyond"] = over[method] = found
                    else:
                        seconds = found["cpu_seconds"]
                        cell |= {"seconds": seconds, "ratio": seconds / reading}
                        cell["megabytes"] = found["megabytes"]
                        if 10 * seconds > options.seconds:
                            over[method] = f"ten times {seconds:.0f} s for a tenth of the rows"
                cells.append(cell)
                print(cell, flush=True)
                pd.DataFrame(cells).to_csv(options.output, index=False)
    if options.figure:
        draw(pd.DataFrame(cells), options.seconds, options.gigabytes).savefig(
            options.figure, dpi=150
        )


def draw(cells: pd.DataFrame, seconds: float, gigabytes: float) -> Figure:
    """Seconds and gigabytes over the number of rows, a line for each method, and the limits."""
    figure = Figure(figsize=(10, 5), layout="constrained")
    done = cells.dropna(subset="seconds")
    panels = (
        ("seconds", 1, seconds, "processor seconds", f"{seconds:.0f} s"),
        ("megabytes", 1e-3, gigabytes, "gigabytes that the fit adds", f"{gigabytes:.0f} GB"),
    )
    # Who comes furthest, and is fastest there, stands last.
    reached = (
        done.groupby("method").last().sort_values(["rows", "seconds"], ascending=[True, False])
    )
    left, right = figure.subplots(1, 2)
    for axes, (column, unit, limit, label, said) in zip((left, right), panels, strict=True):
        for number, method in enumerate(reached.index):
            line = done[done["method"] == method]
            colour, marker = colormaps["tab20"](number % 20), "osD^v"[number % 5]
            values = np.maximum(line[column] * unit, 1e-3)
            axes.plot(line["rows"], values, marker=marker, ms=4, lw=1, color=colour, label=method)
        axes.axhline(limit, color="black", ls="--", lw=1)
        axes.annotate(said, (cells["rows"].min(), limit), (0, 3), textcoords="offset points")
        axes.set(xscale="log", yscale="log", xlabel="distinct rows of labels, n'", ylabel=label)
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", fontsize=7, ncols=1 + len(names) // 30)
    return figure


if __name__ == "__main__":
    main()
