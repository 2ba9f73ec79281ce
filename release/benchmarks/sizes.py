"""Time and memory of every method by the number of distinct rows, up to the limits.

    cd release && python -m benchmarks.sizes

writes ``results-published/sizes.csv`` and ``grouping.csv``, the figure ``docs/sizes.png``, and the
tables of ``docs/results/performance.md`` that are made of them.

A thousand to a million distinct rows of m = 20 clusterings of 20 clusters each. Each fit has one
thread of a process of its own. A fit beyond the limits is named so, and those of more rows are not
tried; neither are they where ten times the time, which all methods take for ten times the rows at
least, is beyond. Times are given as ratios too: to reading the same labels once, which is what a
sum over an array of bytes takes. What was measured on the same day is not measured again.

    cd release && python -m benchmarks.sizes --spread 5

fits the methods of the article's figure that often again, and writes how far the times of one fit
scatter to ``results-published/sizes_spread.csv``.

The grouping is what the number of samples adds: that of samples of ten thousand distinct rows.
"""

import argparse
import datetime
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from benchmarks.fresh import LABELS_ONLY, PAGE, SOURCE, fit, measure, store
from coassoc import Ensemble, use_threads
from coassoc.bench.provenance import commit
from coassoc.bench.runs import peak_memory, reset_peak_memory
from generated import write_into_page
from reproduction.pages import write_numbers

M = 20
N_CLUSTERS = 10
SIZES = tuple(10**k for k in range(3, 7))
#: Samples that are grouped.
SAMPLES = tuple(10**k for k in range(3, 8))
#: What a fit may take: processor seconds, and gigabytes.
SECONDS, GIGABYTES = 10, 6
ROOT = SOURCE.parent
KEPT, GROUPING, SPREAD = (
    ROOT / "results-published" / f"{name}.csv" for name in ("sizes", "grouping", "sizes_spread")
)
#: Methods of the article's figure.
SHOWN = ("U-SENC", "LWGP", "VOTE", "EAC-AL", "CSPA", "LTA-EA", "EC-CMS")


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
    before, seconds = reset_peak_memory(), []
    for _ in range(3):  # the first one loads kernels
        start = time.process_time()
        with use_threads(1):
            count = Ensemble(labels).microclusters.count
        seconds.append(time.process_time() - start)
    taken, megabytes = min(seconds), peak_memory() - before
    return {"n": n, "rows": count, "seconds": taken, "ratio": taken / reading, "MB": megabytes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=LABELS_ONLY)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--gigabytes", type=float, default=GIGABYTES)
    parser.add_argument("--spread", type=int)
    options = parser.parse_args()
    if options.spread:
        return spread(options.spread)
    today = str(datetime.datetime.now(datetime.UTC).date())
    few = distinct_rows(10**4)
    groups = pd.DataFrame([grouping(few, n) for n in SAMPLES])
    write_numbers(GROUPING, groups)
    print(groups.to_string(), flush=True)
    cells = pd.read_csv(KEPT, dtype={"commit": str})
    cells = cells[cells["date"] == today]
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
                cell = {"date": today, "size": size, "rows": len(rows), "method": method}
                cell["commit"] = commit()
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
                write_numbers(KEPT, cells)
    draw(cells, options.seconds, options.gigabytes).savefig(ROOT / "docs/sizes.png", dpi=150)
    write_into_page(PAGE, "grouping", table_of_groups(groups))
    if options.methods == LABELS_ONLY:
        write_into_page(PAGE, "sizes", table_of_methods(cells, options.seconds, options.gigabytes))


def spread(fits: int) -> None:
    """Write mean and standard deviation of the times of several fits of each point shown."""
    cells = pd.read_csv(KEPT).dropna(subset="seconds")
    lines = []
    for size, own in cells[cells["method"].isin(SHOWN)].groupby("size"):
        rows = distinct_rows(size)
        for method in own["method"]:
            fit(method, N_CLUSTERS, rows[:60], None)  # loads kernels
            taken = []
            for _ in range(fits):
                start = time.process_time()
                with use_threads(1):
                    fit(method, N_CLUSTERS, rows, None)
                taken.append(time.process_time() - start)
            line = {"size": size, "method": method, "fits": fits, "seconds": np.mean(taken)}
            lines.append(line | {"deviation": np.std(taken, ddof=1)})
            print(lines[-1], flush=True)
    write_numbers(SPREAD, pd.DataFrame(lines))


def power(size: int) -> str:
    """A power of ten as it is written."""
    return "10" + str(len(str(size)) - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def digits(x: float) -> str:
    """A number with two digits, or as many as it has before the point."""
    return f"{float(f'{x:.2g}'):,g}" if x < 100 else f"{float(f'{x:.2g}'):,.0f}"


def table_of_groups(groups: pd.DataFrame) -> str:
    """Grouping as Markdown."""
    lines = [
        "| samples × clusterings | distinct rows | seconds | ratio to summing the labels "
        "| MB in addition to the labels |",
        "|---|---:|---:|---:|---:|",
    ]
    for line in groups.itertuples():
        numbers = (digits(line.seconds), digits(line.ratio), f"{max(line.MB, 0):,.0f}")
        lines.append(f"| {power(line.n)} × {M} | {line.rows:,} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def table_of_methods(cells: pd.DataFrame, seconds: float, gigabytes: float) -> str:
    """Seconds of all methods, and their ratios, as Markdown; who comes furthest first."""
    done = cells.dropna(subset="seconds")
    last = done.groupby("method").last().sort_values(["size", "seconds"], ascending=[False, True])
    sizes = sorted(done["size"].unique())
    stopped = [method for method in dict.fromkeys(cells["method"]) if method not in last.index]
    named = (
        f" The following methods exceeded a limit at {power(min(sizes))} distinct rows: "
        f"{', '.join(stopped)}."
    )
    lines = [
        f"The fits were measured on {cells['date'].iloc[0]}, with limits of {seconds:.0f} s and "
        f"{gigabytes:.0f} GB for each fit.{named if stopped else ''}",
        "",
        f"| method | {' | '.join(f'{power(size)} rows' for size in sizes)} |",
        "|---|" + "---:|" * len(sizes),
    ]
    told = {
        (line.method, line.size): f"{digits(line.seconds)} ({digits(line.ratio)})"
        for line in done.itertuples()
    }
    for method in last.index:
        row = " | ".join(told.get((method, size), "") for size in sizes)
        lines.append(f"| {method} | {row} |")
    return "\n".join(lines)


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
