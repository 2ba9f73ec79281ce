"""The questions of an audit, and their answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coassoc.bench.audit_ensembles import FEW, Case, coarse_cases, new_cases, odd_cases
from coassoc.bench.statistics import signed_rank_p
from coassoc.bench.storage.records import Outcome, RepeatResult
from coassoc.bench.survival import score_variances
from coassoc.methods import METHODS
from coassoc.metrics import adjusted_rand_index, contingency_table

ORDER = "Does the method depend on the order of the samples?"
#: Smallest change of a score that shows a dependence on sample order, and significance level of the
#: change. The change must also be larger than the difference between two shuffles.
LEAST, LEVEL = 0.01, 0.05
#: Partitions depend on the seed or on other random numbers alone if their mean ARI is at most this
#: much below the mean ARI of two seeds or of two equal fits.
_TOLERANCE = 0.02
_THREADS = 4
#: Method with which an audited method is compared on new base clusterings.
_RIVAL = "LWEA"


class Finding(NamedTuple):
    """A question, a short answer, and the evidence."""

    question: str
    answer: str
    evidence: str
    #: Whether the answer needs attention.
    worry: bool

    def __str__(self) -> str:
        return f"{self.question} {self.answer}. {self.evidence}"


class Shuffles(NamedTuple):
    """Two fits of the shuffled samples of an ensemble, compared with the samples by class."""

    #: Number of the two partitions that are the same as that of the sorted samples.
    same: int
    #: Score of the sorted samples minus the mean score of the shuffles.
    drop: float
    #: Difference between the scores of the shuffles.
    spread: float


class Questions:
    """The questions of an audit about a function that fits a case with a seed and threads."""

    def __init__(
        self, fit: Callable[..., RepeatResult], cases: Mapping[str, Sequence[Case]]
    ) -> None:
        self.fit = fit
        self._cases = cases
        self._few = [case for draws in cases.values() for case in draws[:FEW]]
        self._plain = cache(lambda case: fit(case, case.number))
        self._shuffles = cache(self._shuffle)

    def all(self) -> Iterator[Finding]:
        """The answers, one after another."""
        yield self.order()
        yield from self.dependences()
        yield self.clusters()
        yield self.new_pools()
        yield from map(self.survives, odd_cases())

    def order(self) -> Finding:
        """Whether the scores depend on the order of the samples.

        If shuffling changes a partition, all draws are fitted, because ties between equally good
        partitions may also depend on the order.
        """
        coarse = filter(None, map(self._shuffle, coarse_cases()))
        few = [*map(self._shuffles, self._few), *coarse]
        if all(pair is not None and pair.same == 2 for pair in few):
            sentence = "Shuffling the samples leaves the partition unchanged in all"
            return Finding(ORDER, "no", f"{sentence} {2 * len(few)} fits.", False)
        tests = {}
        for name, draws in self._cases.items():
            pairs = [self._shuffles(case) for case in draws]
            if None not in pairs:
                tests[name] = order_test(pairs, len(self._cases))
        if not tests:
            sentence = "On every data set, some fits gave no labels."
            return Finding(ORDER, "unknown", sentence, True)
        name, test = max(tests.items(), key=lambda item: (item[1]["reads"], abs(item[1]["drop"])))
        n_fits, more = 2 * len(self._cases[name]), "higher" if test["drop"] > 0 else "lower"
        evidence = (
            f"On {name} shuffling the samples leaves the partition unchanged in {test['same']} of "
            f"{n_fits} fits. The ARI against the classes is {abs(test['drop']):.3f} "
            f"{more} if the samples are sorted by class (p = {test['p']:.2g}). The standard "
            f"deviation of the ARI difference between two shuffles is {test['spread']:.3f}."
        )
        answer = "yes" if test["reads"] else "no more than on ties or seeds"
        return Finding(ORDER, answer, evidence, test["reads"])

    def _shuffle(self, case: Case) -> Shuffles | None:
        """An ensemble sorted by class, and shuffled twice; None if a fit gave no labels."""
        partitions = [self._plain(case).labels]
        for order in map(case.shuffle, (0, 1)):
            labels = self.fit(case.ordered(order), case.number).labels
            partitions.append(None if labels is None else labels[np.argsort(order)])
        if any(labels is None for labels in partitions):
            return None
        score, *others = (_agreement(case.y, labels) for labels in partitions)
        same = sum(_agreement(partitions[0], labels) == 1 for labels in partitions[1:])
        return Shuffles(same, score - float(np.mean(others)), others[0] - others[1])

    def dependences(self) -> Iterator[Finding]:
        """Invariances that a method should have, and its dependence on the seed."""

        def with_columns(case: Case) -> RepeatResult:
            columns = np.random.default_rng(case.number).permutation(case.labels.shape[1])
            return self.fit(replace(case, labels=case.labels[:, columns]), case.number)

        def with_names(case: Case) -> RepeatResult:
            names = np.random.default_rng(case.number).permutation(1 + case.labels.max())
            return self.fit(replace(case, labels=names[case.labels]), case.number)

        seeds = self._agreements(lambda case: self.fit(case, case.number + 1000))
        refits = self._agreements(lambda case: self.fit(case, case.number))
        threads = self._agreements(lambda case: self.fit(case, case.number, _THREADS))
        of_seeds, of_refits = ("the seed", seeds), ("other random numbers", refits)
        columns, names = self._agreements(with_columns), self._agreements(with_names)
        yield _dependence("the order of the base clusterings", columns, *of_seeds)
        yield _dependence("the numbering of the clusters", names, *of_seeds)
        yield _dependence("random numbers that random_state does not control", refits)
        yield _dependence("the number of threads", threads, *of_refits)
        finding = _dependence("the seed", seeds, *of_refits)
        yield finding._replace(worry=finding.answer == "unknown")

    def _agreements(self, again: Callable[[Case], RepeatResult]) -> list[float]:
        """ARI of the partition of each case with that of another fit, if both gave labels."""
        pairs = [(self._plain(case).labels, again(case).labels) for case in self._few]
        return [_agreement(*pair) for pair in pairs if pair[0] is not None and pair[1] is not None]

    def clusters(self) -> Finding:
        """Whether ordinary fits succeed and give the requested number of clusters."""
        question = "Does the method give the requested number of clusters?"
        flaws = list(filter(None, map(self._flaw, self._few)))
        n = len(self._few)
        evidence = f"The number of clusters is right in {n - len(flaws)} of {n} fits."
        if flaws:
            evidence += f" Other fits: {', '.join(dict.fromkeys(flaws))}."
        return Finding(question, "no" if flaws else "yes", evidence, bool(flaws))

    def _flaw(self, case: Case) -> str:
        """The wrong number of clusters of a case, or why there are no labels."""
        result = self._plain(case)
        if result.labels is None:
            return result.status.rstrip(".")
        found = len(np.unique(result.labels))
        return "" if found == case.n_clusters else f"{found} instead of {case.n_clusters} clusters"

    def new_pools(self) -> Finding:
        """Whether an advantage over a fast method stays on new base clusterings."""
        question = f"Does the difference from {_RIVAL} stay on new base clusterings?"
        cubes = [new_cases(draws[0]) for draws in self._cases.values()]
        cases = [case for cube in cubes for case in cube.flat]
        fits = [self.fit(case, case.number).labels for case in cases]
        if any(labels is None for labels in fits):
            return Finding(question, "unknown", "Some fits gave no labels.", True)
        rivals = (METHODS[_RIVAL](n_clusters=x.n_clusters, random_state=x.number) for x in cases)
        differences = np.reshape(
            [
                _agreement(case.y, labels) - _agreement(case.y, rival.fit(case.labels).labels_)
                for case, labels, rival in zip(cases, fits, rivals, strict=True)
            ],
            (len(cubes), *cubes[0].shape),
        )
        of_pools = differences.mean(axis=3)
        mean = of_pools.mean(axis=(1, 2), keepdims=True)
        kept = int((np.sign(of_pools) == np.sign(mean)).sum())
        by_set = pd.DataFrame(map(score_variances, differences)).mean()
        deviations = ", ".join(f"{name} {np.sqrt(value):.3f}" for name, value in by_set.items())
        evidence = (
            f"The mean ARI minus that of {_RIVAL} is {mean.mean():+.3f}. Its sign on a data set is "
            f"that of the mean over all pools there in {kept} of {of_pools.size} pools. Standard "
            f"deviations of the difference: {deviations}."
        )
        return Finding(question, f"in {kept} of {of_pools.size} pools", evidence, False)

    def survives(self, case: Case) -> Finding:
        """Whether a degenerate ensemble gives labels, a clear error, or a failure."""
        question = f"Does the method handle {case.name}?"
        result = self.fit(case)
        if result.labels is not None:
            evidence = f"Clusters: {len(np.unique(result.labels))}, requested: {case.n_clusters}."
            return Finding(question, "yes", evidence, False)
        refused = result.outcome is Outcome.REFUSED
        answer = "no, the method rejects this case" if refused else "no"
        return Finding(question, answer, result.reason, not refused)


def _agreement(first: Any, second: Any) -> float:
    return adjusted_rand_index(contingency_table(first, second))


def _dependence(
    on: str, agreements: Sequence[float], reason: str = "", usual: Sequence[float] = ()
) -> Finding:
    """Whether partitions change, and more than they usually vary for another reason."""
    question = f"Does the method depend on {on}?"
    if not agreements:
        return Finding(question, "unknown", "No fit finished.", True)
    same, mean = sum(agreement == 1 for agreement in agreements), float(np.mean(agreements))
    evidence = f"The partition is unchanged in {same} of {len(agreements)} refits"
    if same == len(agreements):
        return Finding(question, "no", f"{evidence}.", False)
    evidence += f". The mean ARI between the original and the refitted partition is {mean:.3f}."
    level = float(np.mean(usual or 1))
    if level == 1:
        return Finding(question, "yes", evidence, True)
    more = mean < level - _TOLERANCE
    evidence += f" With a change of {reason} alone, it is {level:.3f}."
    return Finding(question, "yes" if more else f"no more than on {reason}", evidence, more)


def order_test(pairs: Sequence[Any], tests: int) -> dict[str, Any]:
    """Test on the ensembles of one data set, one of several `tests`, for an effect of sample order.

    The method depends on the order if the mean drop is significant and larger than the difference
    between shuffles.
    """
    same, drops, spreads = np.array(pairs, dtype=float).T
    drop, spread = float(np.mean(drops)), float(np.sqrt(np.mean(spreads**2)))
    p = signed_rank_p(pd.Series(drops))
    reads = bool(abs(drop) >= max(LEAST, spread) and p * tests < LEVEL)
    return {"same": int(same.sum()), "drop": drop, "spread": spread, "p": p, "reads": reads}


def growth(lines: Sequence[Mapping[str, Any]], n: int) -> Finding:
    """Time and memory of n samples, or of the last fit if it gave no labels."""
    question, last = f"Can the method handle {n:,} samples?", lines[-1]
    if last["status"] == "ok":
        evidence = f"A fit takes {last['seconds']:.2g} s and {last['peak_mb']:.0f} MB."
        return Finding(question, "yes", evidence, False)
    evidence = f"The fit to {last['n']:,} samples gave no labels ({last['status'].rstrip('.')})."
    return Finding(question, "no", evidence, True)
