"""Keep the labels of new revisions, methods and parameters: ``make revisions``.

    make revisions                 all methods, races and pools
    make revisions NAMES="LWEA"    these

Nothing is kept where labels moved and the class has the same number: raise its ``revision`` if they
are right, and mend the code if not.
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from revisions import (
    NAMES,
    Kept,
    is_kept,
    made_now,
    moved,
    present_revision,
    read_kept,
    write_kept,
)


def keep(names: Iterable[str], kept: Kept) -> list[str]:
    """Bring what is kept up to date; a sentence for each fit that moved without a new revision."""
    refused = []
    for name in names:
        revision, made, wrong = present_revision(name), {}, []
        same = revision in kept.revisions
        for slow in (False, True):
            part = dict(made_now(name, slow))
            wrong += moved(name, part, kept, slow) if same else []
            made |= part
        said = f"{len(wrong)} moved" if wrong else "as before" if same else "kept anew"
        print(f"{revision}: {len(made)} of its kind, {said}", flush=True)
        if wrong:
            refused += wrong
            continue
        old = {key: kept.ways.pop(key) for key in [*kept.ways] if key.partition("|")[0] == name}
        for key, array in made.items():
            ways = old.get(key, []) if same else []
            kept.ways[key] = ways if is_kept(array, ways) else [*ways, array]
        others = {other for other in kept.revisions if other.rpartition(" ")[0] == name}
        kept.revisions.difference_update(others)
        kept.revisions.add(revision)
    return refused


def main() -> None:
    """Keep what is new, or write what the code that is imported makes to a file."""
    parser = argparse.ArgumentParser(description=__doc__, prog="make revisions")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the arrays of one name")
    parser.add_argument("--slow", action="store_true", help="those of its slow fits")
    chosen = parser.parse_args()
    if chosen.write:
        (name,) = chosen.names
        np.savez_compressed(chosen.write, **dict(made_now(name, chosen.slow)))
        return
    kept = read_kept()
    refused = keep(chosen.names or NAMES, kept)
    write_kept(kept)
    if refused:
        print("\nThese moved, and their revision is the same:", *refused, sep="\n  ")
        sys.exit("Raise the number on the class if the new labels are right.")


if __name__ == "__main__":
    main()
