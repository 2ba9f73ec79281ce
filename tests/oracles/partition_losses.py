"""Losses between two partitions from their definitions, pair by pair and cluster by cluster."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, log2


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """All partitions of n items, as labels by first appearance."""

    def longer(labels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(labels) == n:
            yield labels
            return
        for label in range(max(labels, default=-1) + 2):
            yield from longer((*labels, label))

    yield from longer(())


def entropy(labels: Sequence[object]) -> float:
    """In bits."""
    shares = [count / len(labels) for count in Counter(labels).values()]
    return -sum(p * log2(p) for p in shares)


def losses(truth: Sequence[int], estimate: Sequence[int], a: float = 1.0) -> dict[str, float]:
    """Every loss by its name; Binder and VI with the cost a of what the estimate parts."""
    n, b = len(truth), 2 - a
    pairs = list(combinations(range(n), 2))
    parted = sum(truth[i] == truth[j] and estimate[i] != estimate[j] for i, j in pairs)
    joined = sum(truth[i] != truth[j] and estimate[i] == estimate[j] for i, j in pairs)
    H_S, H_T = entropy(truth), entropy(estimate)
    H_ST = entropy(list(zip(truth, estimate, strict=True)))
    information = H_S + H_T - H_ST
    return {
        "Binder": 2 * (a * parted + b * joined) / n**2,
        "VI": a * (H_ST - H_S) + b * (H_ST - H_T),
        "NVI": 1 - information / H_ST if H_ST > 1e-12 else 0.0,
        "ID": max(H_S, H_T) - information,
        "NID": 1 - information / max(H_S, H_T) if max(H_S, H_T) > 1e-12 else 0.0,
        "omARI": 1 - adjusted_rand(truth, estimate),
    }


def adjusted_rand(x: Sequence[int], y: Sequence[int]) -> float:
    """Hubert & Arabie's index."""
    index = sum(comb(count, 2) for count in Counter(zip(x, y, strict=True)).values())
    of_x = sum(comb(count, 2) for count in Counter(x).values())
    of_y = sum(comb(count, 2) for count in Counter(y).values())
    expected = of_x * of_y / max(comb(len(x), 2), 1)
    largest = (of_x + of_y) / 2
    return 1.0 if largest == expected else (index - expected) / (largest - expected)


def omari_approx(draws: Sequence[Sequence[int]], estimate: Sequence[int]) -> float:
    """Fritsch & Ickstadt's: expectations of the similarities in place of those of the index."""
    n = len(estimate)
    pairs = list(combinations(range(n), 2))
    similarity = [sum(draw[i] == draw[j] for draw in draws) / len(draws) for i, j in pairs]
    inside = [estimate[i] == estimate[j] for i, j in pairs]
    index = sum(p for p, together in zip(similarity, inside, strict=True) if together)
    expected = sum(inside) * sum(similarity) / max(len(pairs), 1)
    largest = (sum(inside) + sum(similarity)) / 2
    return 0.0 if largest == expected else 1 - (index - expected) / (largest - expected)
