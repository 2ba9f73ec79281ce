"""One answer from measurements against single algorithms: docs/results/answer.md.

    make answer
    cd release && COASSOC_MIRROR=… python -m benchmarks.answer [--only wut] [--again answers]

Data sets are the batteries of Gagolewski's benchmark, with their first reference labelling, and the
papers' data sets with features, at most 1,000 samples of each drawn at random. Each algorithm is
run at its defaults in every scaling; its number of clusters is that of the classes. The script
measures what results-published/answer.csv lacks; stopped, it goes on where it was.
"""

import argparse
import time
import warnings
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

from benchmarks.pools import PROJECT, fetched
from coassoc import Ensemble, EnsembleClusterer, find_consensus
from coassoc.answer.choosing import choose
from coassoc.answer.clusterer import NUMBERS
from coassoc.answer.finding import find_candidates
from coassoc.answer.views import views_of
from coassoc.bench.datasets.batteries import load_batteries
from coassoc.bench.datasets.prepare import prepare, prepare_local
from coassoc.bench.datasets.registry import load_datasets
from coassoc.bench.provenance import commit
from coassoc.bench.statistics import family
from coassoc.errors import CoassocError
from coassoc.io.atomic import write_text
from coassoc.methods.base import random_state_of
from coassoc.numerics.seeds import seed_from_names
from coassoc.pools.generation import generate_pool
from generated import write_into_page
from reproduction.scores.families import drawn_times, half_width

PAGE = PROJECT / "docs/results/answer.md"
LINES = PROJECT / "results-published/answer.csv"
#: Sets of the benchmark with at most this many samples, and these others, were looked at during
#: design. Nothing was chosen on the other sets.
SEEN_SAMPLES = 1200
SEEN = (
    *("Digits", "Yale", "ORL", "MF", "20NG", "Tr11", "Wap", "ISOLET", "Prostate", "LS", "Semeion"),
    *("SPF", "Texture", "Aggregation", "Ecoli", "Glass", "Iris", "Wine"),
    # the samples of wdbc, ORL and Wap under other names
    *("BreastCancer", "Orlraws", "K1b"),
)
#: Domains of the real data that were not looked at.
DOMAINS = {
    "faces": ("AR", "JAFFE", "UMIST"), "handwriting": ("MNIST", "USPS", "Pendigit", "BinAlpha"),
    "objects": ("Coil20",), "forest cover": ("FCT",), "gene expression": ("GLIOMA",),
    "clinical texts": ("Medical",), "abstracts": ("CSTR",), "newspapers": ("Hitech",),
    "TREC documents": ("Tr",),
}  # fmt: skip
#: Single algorithms of the second table, by their names in the lines.
NAMED = {
    "k-means": "k-means", "Gaussian mixture": "full mixture", "Ward": "Ward",
    "average linkage": "average linkage", "Genie": "Genie 0.3", "Lumbermark": "Lumbermark",
    "spectral": "spectral, 10 neighbours", "HDBSCAN": "HDBSCAN",
    "consensus of k-means": "consensus of k-means", "medoid": "medoid",
}  # fmt: skip
#: Samples of a data set with measurements of papers.
MOST = 1000
#: Bins of the mean ARI of an answer with the algorithms, and ARI of right and of wrong answers.
BINS, RIGHT, LOW = (-1, 0.4, 0.55, 0.7, 0.85, 0.95, 1.01), 0.8, 0.5
#: Samples from which silhouette widths and gap statistics are computed.
FEW = 1000
ANSWERS = ("medoid", "consensus of k-means")
BATTERIES = ("fcps-", "graves-", "other-", "sipu-", "uci-", "wut-")


#: Labels, and what the line says of them.
Line = tuple[np.ndarray, dict[str, object]]


def data_sets() -> dict[str, object]:
    """Entries of the catalogues by names; those of a battery have the battery's name first."""
    return {
        **load_batteries(PROJECT / "config/batteries.yaml"),
        **load_datasets(PROJECT / "config/datasets.yaml"),
    }


def load(name: str, entry) -> tuple[object, np.ndarray]:
    """Features and classes (−1 for noise points)."""
    data = (
        prepare_local(entry, PROJECT)
        if entry.is_local
        else prepare(entry, *fetched(name, entry.sources))
    )
    X, y = data.X, np.asarray(data.y)
    if not name.startswith(BATTERIES) and X.shape[0] > MOST:
        rng = np.random.default_rng(seed_from_names(0, "answer", name))
        rows = np.sort(rng.choice(X.shape[0], MOST, replace=False))
        X, y = X[rows], y[rows]
    return X, y


def single_lines(X: np.ndarray, k: int) -> Iterator[Line]:
    """The members and consensus partitions in every scaling, and HDBSCAN."""
    views = views_of(X)
    found = find_candidates(views, np.arange(len(X)), k, 0, {view: {} for view in views})
    for one in found.each:
        view = one.view if one.kind != "consensus" else ""
        yield one.labels, {"way": one.name, "view": view, "k": k}
    for view, V in views.items():
        yield HDBSCAN(copy=True).fit(V).labels_, {"way": "HDBSCAN", "view": view, "k": k}


def answer_lines(X: np.ndarray, k: int) -> Iterator[Line]:
    """The answer of ``EnsembleClusterer(k)`` and a consensus of k-means, with their seconds."""
    start = time.process_time()
    one = EnsembleClusterer(k, random_state=0).fit(X)
    about = {"seconds": time.process_time() - start, "agreement": one.candidates_[0].agreement}
    yield one.labels_, {"way": "medoid", "k": k, **about}
    start = time.process_time()
    seed = int(random_state_of(0).randint(2**31 - 1))
    pool = Ensemble.from_clusterings(generate_pool(X, size=20, random_state=seed))
    labels = find_consensus(pool, k, random_state=seed).labels
    about = {"seconds": time.process_time() - start}
    yield labels, {"way": "consensus of k-means", "k": k, **about}


def number_lines(X: np.ndarray, k: int) -> Iterator[Line]:
    """Ways that choose the number of clusters among 2 to 15, for shapes with such a number."""
    if k not in NUMBERS:
        return
    several = [n for n in NUMBERS if n < len(X)]
    chosen = choose(X, several, 0)
    yield chosen.labels, {"way": "medoid, k chosen", "k": chosen.candidates[0].k}
    V = views_of(X)["standardised"]
    labels = {n: KMeans(n, n_init=3, random_state=0).fit_predict(V) for n in several}
    some = np.sort(np.random.default_rng(0).permutation(len(V))[:FEW])
    widths = {n: silhouette_score(V[some], each[some]) for n, each in labels.items()}
    n = max(widths, key=widths.__getitem__)
    yield labels[n], {"way": "k-means, k by silhouette", "k": n}
    n = gap_number(V[some], several)
    yield labels.get(n, np.zeros(len(V))), {"way": "k-means, k by gap", "k": n}
    found = HDBSCAN(copy=True).fit(V).labels_
    yield found, {"way": "HDBSCAN, k of its own", "k": len({*found} - {-1})}


PARTS = {"singles": single_lines, "answers": answer_lines, "numbers": number_lines}


def part_of(way: str) -> str:
    """The part with a way."""
    return "answers" if way in ANSWERS else "numbers" if ", k " in way else "singles"


def gap_number(V: np.ndarray, numbers: list[int], draws: int = 10) -> int:
    """The gap statistic of Tibshirani, Walther & Hastie (2001), with boxes along the components."""
    numbers = [1, *numbers]
    _, _, axes = np.linalg.svd(V - V.mean(axis=0), full_matrices=False)
    turned, rng = V @ axes.T, np.random.default_rng(0)
    boxes = rng.uniform(turned.min(axis=0), turned.max(axis=0), (draws, *turned.shape))
    logs = np.log(
        [[KMeans(n, random_state=0).fit(x).inertia_ for n in numbers] for x in (V, *boxes)]
    )
    gaps = logs[1:].mean(axis=0) - logs[0]
    least = gaps - logs[1:].std(axis=0) * np.sqrt(1 + 1 / draws)
    enough = [n for i, n in enumerate(numbers[:-1]) if gaps[i] >= least[i + 1]]
    return enough[0] if enough else numbers[-1]


def lines_of(name: str, entry, parts: Iterable[str]) -> list[dict]:
    """A line for each way of some parts to cluster a data set."""
    X, y = load(name, entry)
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    known = y >= 0
    k = len(np.unique(y[known]))
    size = {"classes": k, "n": X.shape[0], "d": X.shape[1], "commit": commit()}
    lines = []
    for part in parts:
        for labels, about in PARTS[part](X, k):
            ari = adjusted_rand_score(y[known], np.asarray(labels)[known])
            lines.append({"dataset": name, "view": "", **about, "ARI": ari, **size})
    return lines


def is_shape(name: str) -> bool:
    """Whether a data set has shapes in two or three dimensions."""
    return name.startswith(BATTERIES) and not name.startswith("uci")


def group_of(line: pd.Series) -> str:
    """Which battery a data set belongs to, and whether it was looked at during design."""
    if is_shape(line["dataset"]):
        return "shapes, looked at" if line["n"] <= SEEN_SAMPLES else "shapes, not looked at"
    seen = line["dataset"].startswith("uci") or line["dataset"].partition("-")[0] in SEEN
    return "real data, looked at" if seen else "real data, not looked at"


def tables(lines: pd.DataFrame) -> str:
    """Mean ARI by group and domain, differences of the answers, and numbers of clusters."""
    lines = lines.assign(group=lines.apply(group_of, axis=1))
    groups = dict([*lines.groupby("group")])
    groups["all, not looked at"] = lines[lines["group"].str.endswith("not looked at")]
    groups["all"] = lines
    unseen = groups["real data, not looked at"]
    domains = {
        name: unseen[unseen["dataset"].str.startswith(sets)] for name, sets in DOMAINS.items()
    }
    parts = {
        "": [comparison(name, part) for name, part in groups.items()],
        "Domains of the real data that were not looked at": [
            comparison(name, part) for name, part in domains.items()
        ],
        "Algorithms": [
            {"algorithm": name} | {group: best_scaling(part, way) for group, part in groups.items()}
            for name, way in NAMED.items()
        ],
        "How often the medoid is right, by the agreement of the algorithms": [
            row
            for name, part in groups.items()
            if name == "all, not looked at"
            for row in calibration(part)
        ],
        "Number of clusters unknown": [
            row
            for name, part in groups.items()
            if name.startswith("shapes")
            for row in numbers(name, part)
        ],
    }
    tables = {
        heading: pd.DataFrame(rows).to_markdown(index=False, disable_numparse=True)
        for heading, rows in parts.items()
    }
    return "\n\n".join(f"## {x}\n\n{table}" if x else table for x, table in tables.items())


def best_scaling(part: pd.DataFrame, way: str) -> str:
    """Mean ARI in the scaling with the larger one, and the scaling."""
    own = part[part["way"] == way].fillna({"view": ""})
    means = own.groupby("view")["ARI"].sum() / part["dataset"].nunique()
    means = means.drop("cosine", errors="ignore")
    return f"{means.max():.3f} {means.idxmax()}".strip()


def comparison(group: str, part: pd.DataFrame) -> dict[str, object]:
    """Mean ARI, and the difference of the medoid from the best single algorithm in hindsight."""
    single = part[part["view"].isin(["raw", "standardised"])]
    table = single.pivot_table(index="dataset", columns=["way", "view"], values="ARI")
    table = table.reindex(part["dataset"].unique()).fillna(0.0)
    best = table.mean().idxmax()
    row: dict[str, object] = {
        "data sets": group,
        "number": len(table),
        "best single algorithm": f"{best[0]} ({best[1]}) {table[best].mean():.3f}",
    }
    ari = {way: part[part["way"] == way].set_index("dataset")["ARI"] for way in ANSWERS}
    row["k-means consensus"] = f"{ari['consensus of k-means'].mean():.3f}"
    row["medoid"] = f"{ari['medoid'].mean():.3f}"
    row["medoid − best"] = difference(ari["medoid"] - table[best])
    return row


def difference(change: pd.Series) -> str:
    """The mean, and its 95 % interval over families; by t if they are few.

    The interval of a single family is over its data sets.
    """
    families = change.index.to_series().map(family)
    mean, sums = change.mean(), change.groupby(families).agg(["sum", "size"])
    if len(change) == 1:
        return f"{mean:+.3f}"
    if len(sums) < 5:
        groups = families if len(sums) > 1 else change.index.to_series()
        half = half_width(change.to_frame("ARI"), groups)["ARI"]
        low, high = mean - half, mean + half
    else:
        times = drawn_times(len(sums), 0)
        means = (times @ sums["sum"].to_numpy()) / (times @ sums["size"].to_numpy())
        low, high = np.quantile(means, [0.025, 0.975])
    return f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"


def calibration(part: pd.DataFrame) -> Iterator[dict[str, object]]:
    """How near the medoid is to the classes where the algorithms agree, and where they do not."""
    medoid = part[part["way"] == "medoid"].set_index("dataset")
    for bin, some in medoid.groupby(pd.cut(medoid["agreement"], BINS, right=False), observed=True):
        low = some.index[some["ARI"] < LOW]
        yield {
            "mean ARI with the algorithms": f"{max(bin.left, -1)} to {min(bin.right, 1)}",
            "number": len(some),
            f"ARI with the classes ≥ {RIGHT}": f"{(some['ARI'] >= RIGHT).mean():.0%}",
            "median ARI": f"{some['ARI'].median():.2f}",
            f"ARI < {LOW}": ", ".join(low) if len(low) < 5 else f"{len(low)} sets",
        }  # fmt: skip


def numbers(group: str, part: pd.DataFrame) -> Iterator[dict[str, object]]:
    """How often each way finds the number of classes."""
    own = part[part["way"].map(part_of) == "numbers"]
    for way, of_way in own.groupby("way"):
        yield {
            "data sets": group, "way": way, "number": len(of_way),
            "number of clusters right": f"{(of_way['k'] == of_way['classes']).mean():.0%}",
            "mean ARI": f"{of_way['ARI'].mean():.3f}",
        }  # fmt: skip


def main() -> None:
    """Measure what the archived lines lack, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of names")
    parser.add_argument("--again", nargs="*", default=[], choices=PARTS, help="parts to rerun")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = pd.read_csv(LINES)
    for name, entry in data_sets().items():
        own = lines["dataset"] == name
        there = {*lines["way"][own].map(part_of)}
        parts = [part for part in PARTS if part not in there or part in given.again]
        if not is_shape(name) and "numbers" in parts:
            parts.remove("numbers")
        if not parts or not name.startswith(tuple(given.only)):
            continue
        try:
            found = lines_of(name, entry, parts)
        except CoassocError as error:
            print(f"{name}: {error}", flush=True)
            continue
        again = own & lines["way"].map(part_of).isin(parts)
        lines = pd.concat([lines[~again], pd.DataFrame(found)], ignore_index=True)
        lines = lines.sort_values("dataset", kind="stable")
        write_text(LINES, lines.round(6).to_csv(index=False, lineterminator="\n"))
        print(name, flush=True)
    write_into_page(PAGE, "generated by release/benchmarks/answer.py", tables(lines))


if __name__ == "__main__":
    main()
