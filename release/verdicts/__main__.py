"""Measure how often sentences are false, and write ``docs/results/verdicts.md``.

    cd release && python -m verdicts                        write the page again
    cd release && python -m verdicts subtypes --sets 100    measure one product up to 100 data sets

Data sets that were measured before are not measured again, unless --again is given, as is necessary
after changes of the product. The file is written after each kind. The numbers are in
``docs/results/verdicts.csv``: a line for each sentence and kind of data.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import beta

from coassoc.bench.provenance import commit
from coassoc.numerics.seeds import seed_from_names
from generated import write_into_page
from verdicts import Kind, Product, templates

PAGE = Path(__file__).parents[2] / "docs/results/verdicts.md"
LINES = PAGE.with_suffix(".csv")
#: Modules of this package, in the order of the page.
PRODUCTS = (
    "subtypes",
    "communities",
    "consensus",
    "posterior",
    "memberships",
    "structure",
    "answer",
)
#: Largest fraction of data sets of which a sentence may be false, smallest for plain ones.
FALSE, SAID = 0.05, 0.90
_COLUMNS = ["product", "kind", "sentence", "truth", "sets", "said", "commit"]


def product_of(name: str) -> Product:
    """What a module of this package describes."""
    product: Product = import_module(f"verdicts.{name}").PRODUCT
    return product


def said_of(name: str, kind: str, number: int) -> set[str]:
    """What a product says of one data set; the seed follows from the names."""
    product = product_of(name)
    rng = np.random.default_rng(seed_from_names("verdicts", name, kind, str(number)))
    said = product.said(product.kinds[kind].make(rng))
    if unknown := said - product.sentences.keys():
        raise ValueError(f"{name}, {kind}: sentences without a text: {sorted(unknown)}.")
    return said


def measure(name: str, n_sets: int, jobs: int, only: list[str]) -> None:
    """Measure the sets of each kind that were not measured, and write a line for each sentence."""
    product = product_of(name)
    with ProcessPoolExecutor(jobs) as pool:
        for kind, about in product.kinds.items():
            lines = read_lines()
            here = (lines["product"] == name) & (lines["kind"] == kind)
            old = lines[here].set_index("sentence")
            first = int(old["sets"].max()) if {*old.index} == {*product.sentences} else 0
            if first >= n_sets or (only and kind not in only):
                continue
            numbers = range(product.first + first, product.first + n_sets)
            sets = [*pool.map(partial(said_of, name, kind), numbers)]
            said = {key: sum(key in one for one in sets) for key in product.sentences}
            said = {key: n + (old["said"][key] if first else 0) for key, n in said.items()}
            print(f"{name}, {kind}: {said}", file=sys.stderr)
            new = [
                {"product": name, "kind": kind, "sentence": key, "truth": truth(about, key),
                 "sets": n_sets, "said": said[key], "commit": commit()}
                for key in product.sentences
            ]  # fmt: skip
            write_lines(pd.concat([lines[~here], pd.DataFrame(new)]))


def read_lines() -> pd.DataFrame:
    """The numbers so far."""
    return pd.read_csv(LINES) if LINES.exists() else pd.DataFrame(columns=_COLUMNS)


def write_lines(lines: pd.DataFrame) -> None:
    """Write the numbers, in the order of the products and their kinds."""
    order = [(name, kind) for name in PRODUCTS for kind in product_of(name).kinds]
    place = [order.index(key) for key in zip(lines["product"], lines["kind"], strict=True)]
    lines = lines.assign(place=place).sort_values("place", kind="stable").drop(columns="place")
    lines.to_csv(LINES, index=False, lineterminator="\n")


def truth(kind: Kind, key: str) -> str:
    """Whether a sentence is "false", "true", "plain" (true, and easy to see) or "open"."""
    for name in ("plain", "true", "open"):
        if key in getattr(kind, name):
            return name
    return "false"


def upper_bound(count: int, n: int) -> float:
    """Upper 95 % bound of a fraction (Clopper and Pearson)."""
    return 1.0 if count == n else float(beta.ppf(0.95, count + 1, n - count))


def table(product: Product, lines: pd.DataFrame) -> str:
    """Sentences as lines and kinds as columns, as Markdown."""
    kinds = [kind for kind in product.kinds if (lines["kind"] == kind).any()]
    rows = [["sentence", *kinds], [":--", *(":-:" for _ in kinds)]]
    for key, text in product.sentences.items():
        about = lines[lines["sentence"] == key].set_index("kind")
        rows.append([text, *(cell(about.loc[k]) if k in about.index else "" for k in kinds)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cell(line: pd.Series) -> str:
    """How often a sentence was said of a kind: as errors, or as hits."""
    fraction = f"{line['said'] / line['sets']:.0%}".replace("%", " %")
    if line["truth"] == "false":
        bound = f"{upper_bound(line['said'], line['sets']):.1%}".replace("%", " %")
        text = f"false {fraction} (≤ {bound})"
        return f"**{text}**" if line["said"] > FALSE * line["sets"] else text
    text = f"{ {'open': 'said', 'true': 'true', 'plain': 'plain'}[line['truth']] } {fraction}"
    return (
        f"**{text}**" if line["truth"] == "plain" and line["said"] < SAID * line["sets"] else text
    )


def main() -> None:
    """Measure the products that are named, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("products", nargs="*", help=f"some of: {', '.join(PRODUCTS)}")
    parser.add_argument("--sets", type=int, default=100, help="data sets of a kind")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--kinds", nargs="*", default=[], help="only these kinds")
    parser.add_argument("--again", action="store_true", help="measure all data sets again")
    given = parser.parse_args()
    for name in given.products:
        if given.again:
            lines = read_lines()
            old = (lines["product"] == name) & (lines["kind"].isin(given.kinds) | (not given.kinds))
            write_lines(lines[~old])
        measure(name, given.sets, given.jobs, given.kinds)
    lines, sections = read_lines(), []
    for name in lines["product"].unique():
        about, product = lines[lines["product"] == name], product_of(name)
        sets = "–".join(f"{n:.0f}" for n in sorted({about["sets"].min(), about["sets"].max()}))
        sections.append(
            f"## {product.title}\n\n{sets} data sets of each kind.\n\n{table(product, about)}"
        )
    known = templates.known()
    measured = sum(line["line"] == "measured" for line in known)
    sections.append(
        f"## Which sentences have a line\n\nThe sources of {', '.join(templates.MODULES)} have "
        f"{len(known)} sentences (`release/verdicts/templates.csv`).\n{measured} of them conclude "
        "something, and have lines above. The others state what was counted, or what to do."
    )
    write_into_page(PAGE, "generated by release/verdicts", "\n\n".join(sections))


if __name__ == "__main__":
    main()
