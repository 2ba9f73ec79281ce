"""The questions of an audit, and their answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.bench.audit_ensembles import FEW, Case, coarse_cases, odd_cases
from coassoc.bench.statistics import signed_rank_p, smallest_p
from coassoc.display import count_of
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.storage.records import Outcome, RepeatResult

ORDER = "Does the method depend on the order of the samples?"
#: Smallest change of a score that shows a dependence on sample order, and significance level of the
#: change. The change must also be larger than the difference between two shuffles.
LEAST, LEVEL = 0.01, 0.05
#: Partitions depend on the seed or on other random numbers alone if their mean ARI is at most this
#: much below the mean ARI of two seeds or of two equal fits.
_TOLERANCE = 0.02
_THREADS = 4


#: Number of the two shuffles that leave the partition unchanged, score of the sorted samples minus
#: the mean score of the shuffles, and difference between the scores of the shuffles.
_Pair = tuple[int, float, float]
#: Labels of two fits of a case, None if a fit gave no labels.
_Labels = tuple[NDArray | None, NDArray | None]
#: A reason why partitions vary, a name of such partitions, and their labels.
_Variation = tuple[str, str, Sequence[_Labels]]


class Finding(NamedTuple):
    """A question, a short answer, and the evidence."""

    question: str
    answer: str
    evidence: str
    #: Whether the answer needs attention.
    worry: bool

    def __str__(self) -> str:
        return f"{self.question} {self.answer}. {self.evidence}"


class Questions:
    """The questions of an audit about a function that fits a case with a seed and threads."""

    def __init__(
        self, fit: Callable[..., RepeatResult], cases: Mapping[str, Sequence[Case]]
    ) -> None:
        self.fit = fit
        self._cases = cases
        self._few = [case for draws in cases.values() for case in draws[:FEW]]
        self._plain: dict[tuple[str, int, int], RepeatResult] = {}
        self._pairs: dict[tuple[str, int], _Pair | None] = {}

    def all(self) -> Iterator[Finding]:
        """The answers, one after another."""
        yield self.order()
        yield from self.dependences()
        yield self.clusters()
        for case in odd_cases():
            yield self.survives(case)

    def order(self) -> Finding:
        """Comparison of samples sorted by class with shuffled samples.

        If shuffling the samples leaves the partitions of the first few draws unchanged, small
        ensembles with many equal rows are tested instead of further draws. Otherwise the scores are
        compared on one data set after another, until they differ on one of them.
        """
        pairs = list(map(self._pair, self._few))
        if all(pair is not None and pair[0] == 2 for pair in pairs):
            sentence = (
                f"Shuffling the samples leaves the partition unchanged in all {2 * len(pairs)}"
            )
            coarse = [pair for c in coarse_cases() if (pair := self._pair(c))]
            same, fits = sum(pair[0] for pair in coarse), 2 * len(coarse)
            if same == fits:
                return Finding(
                    ORDER,
                    "no",
                    f"{sentence} fits, and in all {fits} fits of small ensembles.",
                    False,
                )
            sentence += (
                f" fits, but in only {same} of {fits} fits of small ensembles with many equal rows."
            )
            return Finding(ORDER, "no more than on ties or seeds", sentence, False)
        tests: dict[str, dict[str, Any]] = {}
        reads = False
        for name, draws in self._cases.items():
            complete = [pair for case in draws if (pair := self._pair(case)) is not None]
            if complete:
                tests[name] = order_test(complete, len(self._cases))
                if reads := tests[name]["reads"]:
                    break
        if not tests:
            return Finding(ORDER, "unknown", "No fit finished.", True)
        tried = list(self._pairs.values())
        ended = [pair for pair in tried if pair is not None]
        if not reads and not any(test["could_find"] for test in tests.values()):
            sentence = (
                f"The method gave labels for only {len(ended)} of {len(tried)} ensembles, which is "
                "too few for a test."
            )
            return Finding(ORDER, "unknown", sentence, True)
        dataset = [*tests][-1] if reads else max(tests, key=lambda name: abs(tests[name]["drop"]))
        drop, p, spread = (tests[dataset][key] for key in ("drop", "p", "spread"))
        lost = len(tried) - len(ended)
        more = "higher" if drop > 0 else "lower"
        evidence = (
            f"The partition is unchanged in {sum(pair[0] for pair in ended)} of {2 * len(ended)} "
            f"fits of shuffled samples. On {dataset} the ARI against the classes is "
            f"{abs(drop):.3f} {more} if the samples are sorted by class (p = {p:.2g}). The "
            f"standard deviation of the ARI difference between two shuffles is {spread:.3f}."
            + (f" The method gave no labels for {lost} of {len(tried)} ensembles." if lost else "")
        )
        return Finding(ORDER, "yes" if reads else "no more than on ties or seeds", evidence, reads)

    def _pair(self, case: Case) -> _Pair | None:
        """An ensemble sorted by class, and shuffled twice; None if a fit gave no labels."""
        key = case.name, case.number
        if key not in self._pairs:
            plain = self._labels(case)
            shuffled = [self._shuffled(case, which) for which in (0, 1)]
            first, second = shuffled
            if plain is None or first is None or second is None:
                self._pairs[key] = None
            else:
                score, *others = (_agreement(case.y, labels) for labels in (plain, first, second))
                same = sum(_agreement(plain, labels) == 1 for labels in (first, second))
                drop = score - float(np.mean(others))
                self._pairs[key] = same, drop, others[0] - others[1]
        return self._pairs[key]

    def _shuffled(self, case: Case, which: int) -> NDArray | None:
        """The partition of the reordered samples, in the original order."""
        order = case.shuffle(which)
        labels = self.fit(case.ordered(order), case.number).labels
        return None if labels is None else labels[np.argsort(order)]

    def dependences(self) -> Iterator[Finding]:
        """Invariances that a method should have, and its dependence on the seed."""

        def with_columns(case: Case) -> RepeatResult:
            columns = np.random.default_rng(case.number).permutation(case.labels.shape[1])
            return self.fit(replace(case, labels=case.labels[:, columns]), case.number)

        def with_names(case: Case) -> RepeatResult:
            names = np.random.default_rng(case.number).permutation(1 + case.labels.max())
            return self.fit(replace(case, labels=names[case.labels]), case.number)

        seeds = [(self._labels(case), self._labels(case, 1)) for case in self._few]
        of_seeds = "the seed", "the partitions of two seeds", seeds
        yield self._depends("the order of the base clusterings", with_columns, of_seeds)
        yield self._depends("the numbering of the clusters", with_names, of_seeds)
        refits = [(self._labels(case), self.fit(case, case.number).labels) for case in self._few]
        of_refits = "other random numbers", "the partitions of two equal fits", refits
        yield self._finding("random numbers that random_state does not control", refits)
        yield self._depends(
            "the number of threads",
            lambda case: self.fit(case, case.number, _THREADS),
            of_refits,
        )
        finding = self._finding("the seed", seeds, of_refits)
        yield finding._replace(worry=finding.answer == "unknown")

    def _depends(
        self, on: str, again: Callable[[Case], RepeatResult], beside: _Variation
    ) -> Finding:
        pairs = [(self._labels(case), again(case).labels) for case in self._few]
        return self._finding(on, pairs, beside)

    def _finding(
        self, on: str, pairs: Sequence[_Labels], beside: _Variation | None = None
    ) -> Finding:
        """Whether partitions change, and more than they vary for another reason (`beside`)."""
        question = f"Does the method depend on {on}?"
        agreements = _agreements(pairs)
        if not agreements:
            return Finding(question, "unknown", "No fit finished.", True)
        same, mean = sum(agreement == 1 for agreement in agreements), float(np.mean(agreements))
        evidence = f"The partition is unchanged in {same} of {len(agreements)} refits"
        if same == len(agreements):
            return Finding(question, "no", f"{evidence}.", False)
        evidence += f". The mean ARI between the original and the refitted partition is {mean:.3f}"
        reason, partitions, varied = beside or ("", "", [])
        usual = float(np.mean(_agreements(varied) or 1))
        if usual == 1:
            return Finding(question, "yes", f"{evidence}.", True)
        more = mean < usual - _TOLERANCE
        evidence += f", and the mean ARI between {partitions} is {usual:.3f}."
        return Finding(question, "yes" if more else f"no more than on {reason}", evidence, more)

    def clusters(self) -> Finding:
        """Whether ordinary fits succeed and give the requested number of clusters."""
        question = "Does the method give the requested number of clusters?"
        results = [(case.n_clusters, self._result(case)) for case in self._few]
        bad = [result.status for _, result in results if result.labels is None]
        counts = [(c, len(np.unique(fit.labels))) for c, fit in results if fit.labels is not None]
        wrong = [f"{got} instead of {requested}" for requested, got in counts if got != requested]
        evidence = (
            f"The number of clusters is right in {len(counts) - len(wrong)} of {len(results)} fits."
        )
        if wrong:
            evidence += f" The other fits gave {', '.join(dict.fromkeys(wrong))}."
        if bad:
            evidence += f" {count_of(len(bad), 'fit')} gave no labels: {bad[0].rstrip('.')}."
        return Finding(question, "no" if wrong or bad else "yes", evidence, bool(wrong or bad))

    def survives(self, case: Case) -> Finding:
        """Whether a degenerate ensemble gives labels, a clear error, or a failure."""
        question = f"Does the method handle {case.name}?"
        result = self.fit(case)
        if result.labels is not None:
            number = len(np.unique(result.labels))
            clusters = "cluster" if number == 1 else "clusters"
            evidence = f"The fit gives {number} {clusters}, and {case.n_clusters} were requested."
            return Finding(question, "yes", evidence, False)
        refused = result.outcome is Outcome.REFUSED
        return Finding(
            question,
            "no, the method rejects this case" if refused else "no",
            result.reason,
            not refused,
        )

    def _result(self, case: Case, other: int = 0) -> RepeatResult:
        """Fit of an unmodified case, with its own seed or another one."""
        key = case.name, case.number, other
        if key not in self._plain:
            self._plain[key] = self.fit(case, case.number + 1000 * other)
        return self._plain[key]

    def _labels(self, case: Case, other: int = 0) -> NDArray | None:
        return self._result(case, other).labels


def _agreement(first: Any, second: Any) -> float:
    return adjusted_rand_index(contingency_table(first, second))


def _agreements(pairs: Sequence[tuple[Any, Any]]) -> list[float]:
    """ARI of each pair of labels, without pairs that lack labels."""
    return [_agreement(*pair) for pair in pairs if pair[0] is not None and pair[1] is not None]


def order_test(pairs: Sequence[_Pair], tests: int) -> dict[str, Any]:
    """Test on the ensembles of one data set, one of several `tests`, for an effect of sample order.

    The method depends on the order if the mean drop is significant and larger than the difference
    between shuffles. The test could find this if a drop on all ensembles would be significant.
    """
    _, drops, spreads = np.array(pairs, dtype=float).T
    drop, spread = float(np.mean(drops)), float(np.sqrt(np.mean(spreads**2)))
    p = signed_rank_p(pd.Series(drops))
    return {
        "drop": drop,
        "spread": spread,
        "p": p,
        "reads": bool(abs(drop) >= max(LEAST, spread) and p * tests < LEVEL),
        "could_find": smallest_p(len(drops), tests) < LEVEL,
    }


def growth(lines: Sequence[Mapping[str, Any]], n: int) -> Finding:
    """Growth of time and memory up to n samples."""
    question = f"Can the method handle {n:,} samples?"
    last = lines[-1]
    powers = "".join(_power(lines, what) for what in ("seconds", "peak_mb"))
    if last["status"] == "ok":
        megabytes = f"{last['peak_mb']:.0f}" if last["peak_mb"] >= 1 else "less than 1"
        evidence = f"A fit takes {last['seconds']:.2g} s and {megabytes} MB.{powers}"
        return Finding(question, "yes", evidence, False)
    status = last["status"].rstrip(".")
    evidence = f"The fit to {last['n']:,} samples gave no labels ({status}).{powers}"
    return Finding(question, "no", evidence, True)


def _power(lines: Sequence[Mapping[str, Any]], what: str) -> str:
    """Sentence on the power of n with which a measure grows, from the last informative sizes."""
    least = {"seconds": 0.01, "peak_mb": 1.0}[what]
    measured = [(line["n"], line[what]) for line in lines if line["status"] == "ok"]
    measured = [(n, value) for n, value in measured if value > least][-3:]
    if len(measured) < 2:
        return ""
    logarithms = np.log(measured).T
    slope = np.polyfit(logarithms[0], logarithms[1], 1)[0]
    if slope <= 0:  # noise of a busy machine
        return ""
    return f" {'Time' if what == 'seconds' else 'Memory'} grows in proportion to n^{slope:.1f}."
