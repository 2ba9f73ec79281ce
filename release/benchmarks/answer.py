"""One answer from measurements against single algorithms: docs/results/answer.md.

    cd release && COASSOC_MIRROR=… python -m benchmarks.answer FOLDER [--only wut]

Data sets are the batteries of Gagolewski's benchmark, with their first reference labelling, and the
papers' data sets with features, at most 1,000 samples of each drawn at random. Each algorithm is
run at its defaults in every scaling; its number of clusters is that of the classes. A file in
FOLDER holds the scores of one data set; stopped, the script goes on where it was.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

from benchmarks.pools import PROJECT, fetched
from coassoc import EnsembleClusterer
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
from coassoc.numerics.seeds import seed_from_names
from generated import write_into_page
from reproduction.scores.families import drawn_times

PAGE = PROJECT / "docs/results/answer.md"
LINES = PROJECT / "results-published/answer.csv"
#: Sets of the benchmark with at most this many samples, and these others, were looked at during
#: design. Nothing was chosen on the other sets.
SEEN_SAMPLES = 1200
SEEN = (
    *("Digits", "Yale", "ORL", "MF", "20NG", "Tr11", "Wap", "ISOLET", "Prostate", "LS", "Semeion"),
    *("SPF", "Texture", "Aggregation", "Ecoli", "Glass", "Iris", "Wine", "WDBC"),
)
#: Samples of a data set with measurements of papers.
MOST = 1000
BATTERIES = ("fcps-", "graves-", "other-", "sipu-", "uci-", "wut-")


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


def lines_of(name: str, entry) -> list[dict]:
    """A line for each way to cluster a data set."""
    X, y = load(name, entry)
    known = y >= 0
    k = len(np.unique(y[known]))
    lines = []

    def add(way: str, view: str, labels, seconds: float = np.nan, number: int = k) -> None:
        ari = adjusted_rand_score(y[known], np.asarray(labels)[known])
        lines.append({"dataset": name, "way": way, "view": view, "k": number, "ARI": ari,
                      "seconds": seconds})  # fmt: skip

    views = views_of(X)
    rows = np.arange(X.shape[0])
    found = find_candidates(views, rows, k, 0, {view: {} for view in views})
    for one in found.each:
        add(one.name, one.view if one.kind != "consensus" else "", one.labels)
    for view, V in views.items():
        add("HDBSCAN", view, HDBSCAN(copy=True).fit(V).labels_)
    dense = X.toarray() if hasattr(X, "toarray") else X
    for way, given in (
        ("medoid", {"method": "medoid"}),
        ("scorer", {"method": "scorer"}),
        ("consensus of k-means", {"members": "kmeans"}),
    ):
        start = time.process_time()
        one = EnsembleClusterer(k, random_state=0, **given).fit(dense)
        add(way, "", one.labels_, time.process_time() - start)
    second = EnsembleClusterer(k, method="scorer", random_state=0).fit(dense).second_
    if second is not None:
        add("second answer", "", second)
    if X.shape[0] <= SEEN_SAMPLES:
        chosen = choose(
            np.asarray(dense, dtype=float), [n for n in NUMBERS if n < len(y)], "scorer", 0
        )
        add("scorer, k chosen", "", chosen.labels, number=chosen.candidates[0].k)
        scores = {}
        for number in [n for n in NUMBERS if n < len(y)]:
            labels = KMeans(number, n_init=10, random_state=0).fit(views["standardised"]).labels_
            scores[number] = silhouette_score(views["standardised"], labels), labels
        number = max(scores, key=lambda n: scores[n][0])
        add("k-means, k by silhouette", "", scores[number][1], number=number)
        labels = HDBSCAN(copy=True).fit(views["standardised"]).labels_
        add("HDBSCAN, its own k", "", labels, number=len(set(labels) - {-1}))
    for line in lines:
        line |= {"classes": k, "n": X.shape[0], "d": X.shape[1], "commit": commit()}
    return lines


def group_of(line: pd.Series) -> str:
    """Which battery a data set belongs to, and whether it was looked at during design."""
    if line["dataset"].startswith(BATTERIES) and not line["dataset"].startswith("uci"):
        return "shapes, looked at" if line["n"] <= SEEN_SAMPLES else "shapes, not looked at"
    seen = line["dataset"].startswith("uci") or line["dataset"].partition("-")[0] in SEEN
    return "real data, looked at" if seen else "real data, not looked at"


def tables(lines: pd.DataFrame) -> str:
    """Mean ARI of each way by group, and the difference of the answers from the best single one."""
    lines = lines.assign(group=lines.apply(group_of, axis=1))
    ways = ("medoid", "scorer", "consensus of k-means")
    rows, chosen = [], []
    for group, part in lines.groupby("group"):
        single = part[part["view"].isin(["raw", "standardised"])]
        table = single.pivot_table(index="dataset", columns=["way", "view"], values="ARI")
        table = table.reindex(part["dataset"].unique()).fillna(0.0)
        means = table.mean().sort_values(ascending=False)
        best = means.index[0]
        row = {
            "data sets": group,
            "number": len(table),
            "best single algorithm": f"{best[0]} ({best[1]}) {means.iloc[0]:.3f}",
        }
        for way in ways:
            own = part[part["way"] == way].set_index("dataset")["ARI"].reindex(table.index)
            row[way] = f"{own.mean():.3f}"
            if way != "consensus of k-means":
                change = own - table[best]
                families = change.index.map(family)
                sums = change.groupby(families).agg(["sum", "size"])
                times = drawn_times(len(sums), 0)
                ends = np.quantile(
                    (times @ sums["sum"].to_numpy()) / (times @ sums["size"].to_numpy()),
                    [0.025, 0.975],
                )
                row[f"{way} − best"] = f"{change.mean():+.3f} [{ends[0]:+.3f}, {ends[1]:+.3f}]"
        rows.append(row)
        for way in ("scorer, k chosen", "k-means, k by silhouette", "HDBSCAN, its own k"):
            own = part[part["way"] == way]
            if len(own):
                right = (own["k"] == own["classes"]).mean()
                chosen.append(
                    {
                        "data sets": group,
                        "way": way,
                        "number": len(own),
                        "k right": f"{right:.0%}",
                        "mean ARI": f"{own['ARI'].mean():.3f}",
                    }
                )
    parts = [pd.DataFrame(part).to_markdown(index=False) for part in (rows, chosen) if part]
    return "\n\n## Number of clusters unknown\n\n".join(parts)


def main() -> None:
    """Measure what FOLDER lacks, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="beginnings of names")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    for name, entry in data_sets().items():
        path = given.folder / f"{name}.csv"
        if path.exists() or (given.only and not name.startswith(tuple(given.only))):
            continue
        try:
            lines = lines_of(name, entry)
        except CoassocError as error:
            print(f"{name}: {error}", flush=True)
            continue
        write_text(path, pd.DataFrame(lines).to_csv(index=False))
        print(name, flush=True)
    lines = pd.concat([pd.read_csv(path) for path in sorted(given.folder.glob("*.csv"))])
    lines.round(6).to_csv(LINES, index=False, lineterminator="\n")
    write_into_page(PAGE, "generated by release/benchmarks/answer.py", tables(lines))


if __name__ == "__main__":
    main()
