"""Time and memory of every method by the number of distinct rows, up to the limits, and a figure.

    cd tests && python -m benchmarks.sizes --output sizes.csv --figure ../docs/sizes.png

    cd tests && python -m benchmarks.sizes --samples 1000 1000000 100000000

prints what the number of samples adds, their grouping, for ten thousand distinct rows.

One hundred to ten million distinct rows of m = 20 clusterings of 20 clusters each. Each fit has one
thread of a process of its own. A fit beyond the limits is named so, and those of more rows are not
tried; neither are they where ten times the time, which all methods take for ten times the rows at
least, is beyond. Times are given as ratios too: to reading the same labels once, which is what a
sum over an array of bytes takes. What the output has already is not measured again.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from benchmarks.fresh import LABELS_ONLY, measure, store
from coassoc import Ensemble, use_threads
from coassoc.bench.runs import peak_memory, reset_peak_memory

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


def grouping(rows: np.ndarray, n: int) -> dict[str, float]:
    """What it takes to find the distinct rows of n samples, which are drawn from `rows`."""
    labels = rows[np.random.default_rng(0).integers(0, len(rows), n, dtype=np.int32)]
    reading = seconds_of_reading(labels)
    Ensemble(labels[:60]).microclusters  # noqa: B018  # loads kernels
    before, start = reset_peak_memory(), time.process_time()
    with use_threads(1):
        count = Ensemble(labels).microclusters.count
    taken, megabytes = time.process_time() - start, peak_memory() - before
    return {"n": n, "rows": count, "seconds": taken, "ratio": taken / reading, "MB": megabytes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=LABELS_ONLY)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--samples", nargs="+", type=int, help="group so many, and measure no fits")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--gigabytes", type=float, default=GIGABYTES)
    parser.add_argument("--output", default="sizes.csv")
    parser.add_argument("--figure", help="PNG; the table is drawn as it stands")
    options = parser.parse_args()
    for n in options.samples or ():
        print(grouping(distinct_rows(10**4), n), flush=True)
    if options.samples:
        return
    cells = pd.DataFrame(columns=["size", "rows", "method", "beyond", "seconds", "ratio"])
    if Path(options.output).exists():
        cells = pd.read_csv(options.output)
    limits = (N_CLUSTERS, 1, options.seconds, options.gigabytes)
    for size in options.sizes:
        known = set(cells.loc[cells["size"] == size, "method"])
        wanted = [method for method in options.methods if method not in known]
        if not wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows = distinct_rows(size)
            path, reading = store(Path(folder, "rows.npz"), rows), seconds_of_reading(rows)
            for method in wanted:
                cell = {"size": size, "rows": len(rows), "method": method}
                beyond = known_beyond(cells, method, options.seconds)
                measurement = {"beyond": beyond} if beyond else measure(path, method, *limits)
                if "beyond" in measurement:
                    cell |= measurement
                else:
                    seconds = measurement["cpu_seconds"]
                    cell |= {"seconds": seconds, "ratio": seconds / reading}
                    cell["megabytes"] = measurement["megabytes"]
                print(cell, flush=True)
                cells = pd.concat([cells, pd.DataFrame([cell])], ignore_index=True)
                cells.to_csv(options.output, index=False)
    if options.figure:
        figure = draw(cells, options.seconds, options.gigabytes)
        figure.savefig(options.figure, dpi=150)


def known_beyond(cells: pd.DataFrame, method: str, limit: float) -> str | None:
    """Why more rows than those that were tried are beyond the limits, if they are."""
    own = cells[cells["method"] == method]
    if own.empty:
        return None
    last = own.iloc[-1]
    if isinstance(last["beyond"], str):
        return last["beyond"]
    if 10 * last["seconds"] > limit:
        return f"ten times {last['seconds']:.1f} s for a tenth of the rows"
    return None


def draw(cells: pd.DataFrame, seconds: float, gigabytes: float) -> Figure:
    """Seconds and gigabytes over the number of rows, a line for each method, and the limits.

    Methods that stop below a hundred thousand rows have no names, and are grey.
    """
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
            far = line["rows"].max() > 5e4
            colour, marker = colormaps["tab20"](number % 20), "osD^vPX"[number % 7]
            if not far:
                colour, marker = "0.8", ","
            values = np.maximum(line[column] * unit, 1e-3)
            style = {"marker": marker, "ms": 4, "lw": 1, "color": colour}
            axes.plot(line["rows"], values, **style, label=method if far else None)
        axes.axhline(limit, color="black", ls="--", lw=1)
        axes.annotate(said, (cells["rows"].min(), limit), (0, 3), textcoords="offset points")
        axes.set(xscale="log", yscale="log", xlabel="distinct rows of labels, n'", ylabel=label)
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", fontsize=7, ncols=1 + len(names) // 30)
    return figure


if __name__ == "__main__":
    main()
