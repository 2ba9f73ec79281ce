"""The consensus of hierarchies: dendrograms, Newick trees and nested columns of labels.

In a hierarchy, the height at which two samples join is their *cophenetic distance*. The consensus
is the average linkage of the mean or median of these distances over the hierarchies; average
linkage gives each merge the height with the least squared error. The *majority-rule tree* contains
the clusters that occur in more than half of the hierarchies (Margush & McMorris 1981).

References
----------
T. Margush, F. R. McMorris, "Consensus n-trees", Bulletin of Mathematical Biology 43(2), 1981.

K. Hornik, "A CLUE for CLUster Ensembles", Journal of Statistical Software 14(12), 2005.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cophenet, is_valid_linkage, linkage
from scipy.spatial.distance import squareform

from coassoc.errors import ConfigError, DataError
from coassoc.io.display import count_of
from coassoc.numerics.arrays import plain_array

Array = NDArray[np.float64]
#: Largest relative difference of heights that count as equal.
_EQUAL = 1e-9
#: Newick: white space and comments; a quoted name, a mark, or a word; any other character.
_TOKEN = re.compile(r"(\s+|\[[^\[\]]*\])|('(?:[^']|'')+'|[(),:;]|[^\s(),:;\[\]']+)|.")
_LENGTH = re.compile(r"(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
#: Largest length of a branch, so that sums and squares are finite.
_LONGEST = 1e100


@dataclass(frozen=True, eq=False)
class ConsensusHierarchy:
    """The result of :func:`consensus_hierarchy`.

    Attributes
    ----------
    names : list of str
        Names of the n samples.
    distances : (n, n) array
        Mean or median cophenetic distances.
    linkage : (n − 1, 4) array
        Average linkage of the distances, in SciPy's format.
    clusters : list of (list of int, float)
        The majority-rule tree: its clusters of at least two samples, the largest first, each with
        the fraction of the hierarchies that contain it.
    """

    names: list[str]
    distances: Array
    linkage: Array
    clusters: list[tuple[list[int], float]]

    def __repr__(self) -> str:
        samples = count_of(len(self.names), "sample")
        clusters = count_of(len(self.clusters), "cluster")
        return f"Consensus of hierarchies of {samples}: {clusters} in most hierarchies"

    @property
    def newick(self) -> str:
        """The majority-rule tree, with the fractions as names of its clusters."""
        texts = {i: _quoted(name) for i, name in enumerate(self.names)}
        for members, share in reversed(self.clusters):
            inside = dict.fromkeys(texts[i] for i in members)
            text = f"({','.join(inside)}){share:.4g}"
            texts |= dict.fromkeys(members, text)
        return ",".join(dict.fromkeys(texts.values())) + ";"


def consensus_hierarchy(
    hierarchies: Sequence[Any], average: Literal["mean", "median"] = "mean"
) -> ConsensusHierarchy:
    """The consensus of hierarchies of the same samples.

    Parameters
    ----------
    hierarchies : sequence
        SciPy linkage matrices, Newick trees, trees of :func:`read_newick`, or (n, levels) integer
        arrays or data frames of labels with nested columns, the coarsest first. Trees and data
        frames are matched by sample names.
    average : {"mean", "median"}
        How to average the cophenetic distances.

    Raises
    ------
    ConfigError, DataError
        If an argument is not as described, or the samples differ.

    Examples
    --------
    >>> found = consensus_hierarchy(["((a,b),(c,d));", "((a,b),c,d);", "(((a,b),c),d);"])
    >>> found.newick
    '((a,b)1,c,d)1;'
    """
    if average not in ("mean", "median"):
        raise ConfigError(f"average is {average!r}. It must be 'mean' or 'median'.")
    if not len(hierarchies):
        raise DataError("hierarchies is empty. Pass at least one hierarchy.")
    read = [cophenetic_distances(each) for each in hierarchies]
    names = read[0][0]
    for k, (others, _) in enumerate(read):
        if len({*others}) < len(others) or {*others} != {*names}:
            odd = next((a for a in [*names, *others] if (a in names) != (a in others)), others[0])
            raise DataError(
                f"hierarchies: sample {odd!r} does not occur exactly once in each of the "
                f"hierarchies 1 and {k + 1}. Pass hierarchies of the same samples."
            )
    at = [[others.index(name) for name in names] for others, _ in read]
    stack = np.stack([D[np.ix_(order, order)] for order, (_, D) in zip(at, read, strict=True)])
    distances = getattr(np, average)(stack, axis=0)
    counts = Counter(cluster for D in stack for cluster in _clusters(D))
    majority = [(c, k / len(stack)) for c, k in counts.items() if 2 * k > len(stack)]
    majority.sort(key=lambda each: (-len(each[0]), each[0]))
    tree = linkage(squareform(distances, checks=False), "average")
    return ConsensusHierarchy(names, distances, tree, [([*c], share) for c, share in majority])


def cophenetic_distances(hierarchy: Any) -> tuple[list[str], Array]:
    """Sample names of a hierarchy, and the heights at which each pair of samples joins.

    A branch without a length has length 1. The height of a node is the largest distance to a sample
    below it. In nested columns, the height is the number of columns that separate two samples.
    """
    if isinstance(hierarchy, tuple):
        return hierarchy
    if isinstance(hierarchy, str):
        trees = read_newick(hierarchy)
        if len(trees) != 1:
            raise DataError(
                f"hierarchies: a text has {len(trees)} Newick trees. Pass each tree as a text of "
                "its own, or the trees of read_newick(text)."
            )
        return trees[0]
    array = plain_array("hierarchies", hierarchy)
    if array.ndim != 2 or array.size == 0:
        raise DataError(
            f"hierarchies: a hierarchy has the shape {array.shape}. Pass a table with rows and "
            "columns."
        )
    if array.dtype.kind == "f":
        if not is_valid_linkage(array):
            raise DataError(
                "hierarchies: an array of floats is not a SciPy linkage matrix. Correct the "
                "matrix, or pass nested columns as integers."
            )
        return [*map(str, range(len(array) + 1))], squareform(cophenet(array))
    apart = np.stack([column[:, None] != column for column in array.T])
    nested = np.logical_or.accumulate(apart)
    if (nested != apart).any():
        level, i, j = np.argwhere(nested != apart)[0]
        raise DataError(
            f"hierarchies: samples {i} and {j} share a cluster in column {level} but not in a "
            "coarser column. Pass nested columns, the coarsest first."
        )
    names = hierarchy.index if hasattr(hierarchy, "iloc") else range(len(array))
    return [*map(str, names)], apart.sum(axis=0, dtype=np.float64)


def _clusters(D: Array) -> set[tuple[int, ...]]:
    """The clusters of an ultrametric with at least two samples."""
    tree, n = linkage(squareform(D, checks=False), "single"), len(D)
    members: dict[int, tuple[int, ...]] = {i: (i,) for i in range(n)}
    above = np.full(2 * n - 1, np.inf)
    for t, (a, b, height, _) in enumerate(tree):
        members[n + t] = tuple(sorted(members[int(a)] + members[int(b)]))
        above[[int(a), int(b)]] = height
    tall = tree[:, 2] * (1 + _EQUAL) < above[n:]
    return {members[n + t] for t in np.flatnonzero(tall).tolist()}


def read_newick(text: str) -> list[tuple[list[str], Array]]:
    """The names of each of several Newick trees, and the heights at which each pair joins.

    Each tree ends with a semicolon. Names with spaces, brackets or punctuation are quoted, as in
    ``'it''s; here'``. Comments in brackets are skipped.

    Raises
    ------
    DataError
        If the text does not follow this grammar. The error gives the line and the character.
    """
    trees: list[tuple[list[str], Array]] = []
    names: dict[str, int] = {}
    pairs: list[tuple[list[int], list[int], float]] = []
    # Open nodes: for each, the samples of its children with the heights above them.
    open_nodes: list[list[tuple[list[int], float]]] = []
    # The last node: its samples, its height, and the length above it, if it was read.
    members, height = [0], 0.0
    length: float | None = None
    begins = ["(", "a name"]
    expected, last = begins, ""
    for match in _TOKEN.finditer(text):
        token, at = match[0], match.start()
        if match[1]:
            continue
        kind = token if token in "(),:;" else "a name" if match[2] else token
        if last == ":":
            if not _LENGTH.fullmatch(token) or float(token) > _LONGEST:
                message = f"the branch length {token!r} is not a number from 0 to 1e100"
                raise _not_newick(text, at, message)
            length, kind = float(token), "length"
        elif kind not in expected:
            raise _not_newick(text, at, f"{token!r} stands where {' or '.join(expected)} must be")
        elif kind == "(":
            open_nodes.append([])
        elif kind == "a name" and last != ")":
            name = token[1:-1].replace("''", "'") if token[0] == "'" else token
            if name in names:
                raise _not_newick(text, at, f"the name {name!r} occurs twice")
            members, height, length = [len(names)], 0.0, None
            names[name] = len(names)
        elif kind in ",)":
            open_nodes[-1].append((members, height + (1.0 if length is None else length)))
        if kind == ")":
            children = open_nodes.pop()
            height = max(h for _, h in children)
            pairs += [(a, b, height) for (a, _), (b, _) in combinations(children, 2)]
            members, length = [i for child, _ in children for i in child], None
        elif kind == ";":
            D = np.zeros((len(names), len(names)))
            for a, b, height in pairs:
                D[np.ix_(a, b)] = D[np.ix_(b, a)] = height
            if len(names) < 2:
                raise _not_newick(text, at, "the tree has fewer than two samples")
            trees.append(([*names], D))
            names, pairs = {}, []
        ends = [",", ")"] if open_nodes else [";"]
        expected = [*(["a name"] * (kind == ")")), *([":"] * (length is None)), *ends]
        expected = begins if kind in "(,;" else expected
        last = kind
    if last != ";":
        raise _not_newick(text, len(text), f"the text ends where {' or '.join(expected)} must be")
    return trees


def _not_newick(text: str, at: int, message: str) -> DataError:
    line, character = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return DataError(
        f"Newick tree: line {line}, character {character}: {message}. Correct the tree, and quote "
        "names with spaces or punctuation."
    )


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[^\s(),:;\[\]']+", name) else "'" + name.replace("'", "''") + "'"
