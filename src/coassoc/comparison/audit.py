"""What a method reads and what it survives: the order of samples, seeds, threads, odd inputs.

:func:`audit` takes any function from labels to labels; :func:`audit_entrant` a class, as
:mod:`coassoc.comparison.entrants` names it. Both fit the shipped ensembles of small data sets, each
in several forms that say the same, and ensembles that are odd or large.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from coassoc.comparison.entrants import Entrant
from coassoc.comparison.kept import Kept
from coassoc.comparison.variants import SIZES, Case, cases, odd_ensembles, planted
from coassoc.ensemble import Ensemble
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.numerics.threads import use_threads
from coassoc.running.fits import partition
from coassoc.running.limits import Limits, limited
from coassoc.running.repeats import run_repeat
from coassoc.storage.records import RepeatResult

#: What one fit may take.
LIMITS = Limits(minutes=1, memory_mb=4000)
#: A change of the score, and its p-value over the data sets that are tried, from which a method is
#: told to read the order; it must also be larger than the changes between two shuffles.
_LEAST, _LEVEL = 0.01, 0.05
#: Partitions that agree so far beyond those of two seeds depend on nothing but the seed.
_TOLERANCE = 0.02
_THREADS = 4


class Finding(NamedTuple):
    """One question, its answer in a word or two, and what shows it."""

    question: str
    answer: str
    evidence: str
    #: Whether the answer is one to worry about.
    worry: bool


@dataclass
class Audit:
    """What was found of a method.

    Attributes
    ----------
    name : str
    findings : list of Finding
    growth : list of dict
        n, seconds, peak_mb and status of fits of growing ensembles.
    """

    name: str
    findings: list[Finding] = field(default_factory=list)
    growth: list[dict[str, Any]] = field(default_factory=list)

    @property
    def reads_order(self) -> bool:
        """Whether its scores depend on the order of the samples."""
        (answer,) = (each.answer for each in self.findings if each.question == _ORDER)
        return answer == "yes"

    def __str__(self) -> str:
        lines = [f"{each.question} {each.answer}. {each.evidence}" for each in self.findings]
        return "\n".join([self.name, *lines])

    def write(self, folder: str | Path) -> None:
        """Write ``audit.html``, ``audit.csv`` and ``audit_growth.csv`` to a folder."""
        from coassoc.comparison.pages import write_audit

        write_audit(Path(folder), self)


_ORDER = "Does it read the order of the samples?"
_OTHER_STATE = "a random state that is not its own"


def audit(
    function: Callable[..., Any],
    *,
    name: str = "",
    limits: Limits = LIMITS,
    sizes: Sequence[int] = SIZES,
    report: Callable[[str], None] = lambda line: None,
) -> Audit:
    """Audit a function from base clusterings to a consensus, of any library.

    Parameters
    ----------
    function : callable
        Called with an (n, m) array of integer labels, −1 where one is missing, it returns n labels.
        Where it has arguments of these names it is also given ``n_clusters`` and ``random_state``
        (or ``seed``).
    name : str
        Of the method, in messages.
    limits : Limits
        What one fit may take; by default a minute and 4 GB.
    sizes : sequence of int
        Numbers of samples on which time and memory are measured, the smallest first.
    report : callable
        Takes one line of progress.

    Returns
    -------
    Audit

    Examples
    --------
    >>> print(audit(lambda labels: labels[:, 0]).findings[0].answer)
    yes
    """
    named = name or getattr(function, "__name__", "the function")
    taken = inspect.signature(function).parameters
    offered = {"n_clusters": "n_clusters", "random_state": "seed", "seed": "seed"}
    passed = {argument: what for argument, what in offered.items() if argument in taken}

    def make(labels: NDArray, n_clusters: int, seed: int) -> Any:
        values = {"n_clusters": n_clusters, "seed": seed}
        return _Called(function, labels, {key: values[what] for key, what in passed.items()})

    return _audited(named, make, limits, sizes, report)


def audit_entrant(
    entrant: Entrant,
    *,
    limits: Limits = LIMITS,
    sizes: Sequence[int] = SIZES,
    report: Callable[[str], None] = lambda line: None,
) -> Audit:
    """Audit a class; see :func:`audit`."""
    return _audited(entrant.row, _maker(entrant), limits, sizes, report)


def reads_order(entrant: Entrant, limits: Limits = LIMITS) -> Finding:
    """Whether a class reads the order of the samples, as its audit says."""
    with limited(_Fits(_maker(entrant)), limits) as fit:
        return _Questions(fit, list(cases(Kept()))).order()


def _maker(entrant: Entrant) -> Callable[..., Any]:
    def make(labels: NDArray, n_clusters: int, seed: int) -> Any:
        return entrant.method.factory(n_clusters=n_clusters, random_state=seed, **entrant.values)

    return make


@dataclass
class _Called:
    """A function as an estimator."""

    function: Callable[..., Any]
    labels: NDArray
    keywords: dict[str, Any]

    def fit(self, ensemble: Any) -> _Called:
        self.labels_ = self.function(self.labels, **self.keywords)
        return self


class _Fits:
    """Fits, in the process that makes them; the global random state differs at each call."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._calls = 0

    def __call__(self, labels: NDArray, c: int, seed: int = 0, threads: int = 1) -> RepeatResult:
        self._calls += 1
        before = np.random.get_state()  # noqa: NPY002
        np.random.seed(self._calls)  # noqa: NPY002
        try:
            if threads > 1:
                return _on_threads(self._make(labels, c, seed), labels, threads)
            return run_repeat(lambda: self._make(labels, c, seed), labels, None)
        finally:
            np.random.set_state(before)  # noqa: NPY002


def _on_threads(estimator: Any, labels: NDArray, threads: int) -> RepeatResult:
    """A fit outside a run, which would give the numerical libraries one thread each."""
    try:
        with use_threads(threads), threadpool_limits(threads):
            found = estimator.fit(Ensemble.of(labels)).labels_
    except Exception as error:
        return RepeatResult(None, status=f"failed: {type(error).__name__}: {error}")
    return RepeatResult(partition(found))


def _audited(
    name: str,
    make: Callable[..., Any],
    limits: Limits,
    sizes: Sequence[int],
    report: Callable[[str], None],
) -> Audit:
    found = Audit(name)
    with limited(_Fits(make), limits) as fit:
        questions = _Questions(fit, list(cases(Kept())))
        for finding in questions.all():
            found.findings.append(finding)
            report(f"{finding.question} {finding.answer}")
        for n in sizes:
            found.growth.append(_grown(fit, n))
            status, seconds = found.growth[-1]["status"], found.growth[-1]["seconds"]
            report(f"n = {n}: {f'{seconds:.2g} s' if status == 'ok' else status}")
            if status != "ok":
                break
        if sizes:
            found.findings.append(_growth(found.growth, sizes[-1]))
    return found


def _agreement(first: NDArray, second: NDArray) -> float:
    return adjusted_rand_index(contingency_table(first, second))


class _Questions:
    """The questions of an audit, put to a function that fits."""

    def __init__(self, fit: Callable[..., RepeatResult], cases: Sequence[Case]) -> None:
        self._fit = fit
        self._cases = cases
        self._usual = [n for n, case in enumerate(cases) if case.is_usual]
        self._plain: dict[tuple[int, int], RepeatResult] = {}

    def all(self) -> Iterator[Finding]:
        """The answers, one after another."""
        yield self.order()
        yield from self.dependences()
        yield self.clusters()
        for odd in odd_ensembles():
            yield self.survives(*odd)

    def order(self) -> Finding:
        """Samples sorted by class against shuffled ones."""
        found = [self._reordered(number) for number in range(len(self._cases))]
        pairs = [each for each in found if each is not None]
        if not pairs:
            return Finding(_ORDER, "unknown", "No fit came to an end.", True)
        lost = len(found) - len(pairs)
        note = f" {lost} of {len(found)} ensembles gave no labels." if lost else ""
        same = sum(each.same for each in pairs)
        if same == 2 * len(pairs):
            told = f"The labels of shuffled samples are the shuffled labels, in all {same} fits."
            return Finding(_ORDER, "no", told + note, False)
        names = dict.fromkeys(each.dataset for each in pairs)
        tests = [_OrderTest.of([p for p in pairs if p.dataset == name]) for name in names]
        reads = [each for each in tests if each.reads(len(tests))]
        most = max(reads or tests, key=lambda each: abs(each.drop))
        evidence = (
            f"{same} of {2 * len(pairs)} fits of shuffled samples give the same partition. The "
            f"ARI with the classes is {most.drop:+.3f} on {most.dataset} where its samples lie "
            f"sorted by class; two shuffles differ by {most.spread:.3f} (standard deviation), "
            f"p = {most.p:.2g}.{note}"
        )
        return Finding(
            _ORDER, "yes" if reads else "no more than ties or seeds", evidence, bool(reads)
        )

    def _reordered(self, number: int) -> _Pair | None:
        """One ensemble sorted by class, and shuffled twice."""
        case = self._cases[number]
        orders = [case.shuffled(0), case.shuffled(1)]
        plain = self._in_place(number)
        first, second = (self._ordered(number, order) for order in orders)
        if plain is None or first is None or second is None:
            return None
        sorted_score, *scores = (_agreement(case.y, each) for each in (plain, first, second))
        same = sum(_agreement(plain, each) == 1 for each in (first, second))
        drop = sorted_score - float(np.mean(scores))
        return _Pair(case.dataset, same, drop, scores[0] - scores[1])

    def dependences(self) -> Iterator[Finding]:
        """What should not change the partition, and the seed."""

        def with_columns(number: int, case: Case) -> RepeatResult:
            columns = np.random.default_rng(number).permutation(case.labels.shape[1])
            return self._fit(case.labels[:, columns], case.c, number)

        def with_names(number: int, case: Case) -> RepeatResult:
            names = np.random.default_rng(number).permutation(1 + case.labels.max())
            return self._fit(names[case.labels], case.c, number)

        yield self._depends("the order of the base clusterings", with_columns, beside_seeds=True)
        yield self._depends("the numbers of the clusters", with_names, beside_seeds=True)
        yield self._depends(
            _OTHER_STATE, lambda number, case: self._fit(case.labels, case.c, number)
        )
        yield self._depends(
            "the number of threads",
            lambda number, case: self._fit(case.labels, case.c, number, _THREADS),
        )
        seeds = self._depends("the seed", lambda number, case: self._result(number, 1))
        yield seeds._replace(worry=seeds.answer == "unknown")

    def _depends(
        self, on: str, again: Callable[[int, Case], RepeatResult], beside_seeds: bool = False
    ) -> Finding:
        """Whether partitions change, and (`beside_seeds`) more than from one seed to another."""
        question = f"Does it depend on {on}?"
        agreements, between_seeds = [], []
        for number in self._usual:
            plain, other = self._in_place(number), again(number, self._cases[number]).labels
            if plain is not None and other is not None:
                agreements.append(_agreement(plain, other))
            seeded = self._in_place(number, 1) if beside_seeds else None
            if plain is not None and seeded is not None:
                between_seeds.append(_agreement(plain, seeded))
        if not agreements:
            return Finding(question, "unknown", "No fit came to an end.", True)
        same, mean = sum(each == 1 for each in agreements), float(np.mean(agreements))
        evidence = f"The same partition in {same} of {len(agreements)} fits"
        if same == len(agreements):
            return Finding(question, "no", f"{evidence}.", False)
        evidence += f", mean ARI between the two {mean:.3f}"
        usual = float(np.mean(between_seeds)) if between_seeds else 1.0
        if usual == 1:
            return Finding(question, "yes", f"{evidence}.", True)
        more = mean < usual - _TOLERANCE
        evidence += f", between two seeds {usual:.3f}."
        return Finding(question, "yes" if more else "no more than on the seed", evidence, more)

    def clusters(self) -> Finding:
        """Whether ordinary fits end, and with the number of clusters that was asked for."""
        question = "Does it give the number of clusters that is asked for?"
        results = [self._result(number) for number in range(len(self._cases))]
        bad = [result.status for result in results if result.labels is None]
        found = [
            (case.c, len(np.unique(result.labels)))
            for case, result in zip(self._cases, results, strict=True)
            if result.labels is not None
        ]
        wrong = [f"{got} for {asked}" for asked, got in found if got != asked]
        evidence = f"{len(found) - len(wrong)} of {len(results)} fits."
        if wrong:
            evidence += f" Otherwise: {', '.join(dict.fromkeys(wrong))}."
        if bad:
            evidence += f" {len(bad)} gave no labels: {bad[0]}."
        return Finding(question, "no" if wrong or bad else "yes", evidence, bool(wrong or bad))

    def survives(self, what: str, labels: NDArray, c: int) -> Finding:
        """An odd ensemble: labels, a refusal in a sentence, or a failure."""
        question = f"Does it survive {what}?"
        result = self._fit(labels, c, 0)
        if result.labels is not None:
            found = len(np.unique(result.labels))
            clusters = "cluster" if found == 1 else "clusters"
            return Finding(question, "yes", f"It gives {found} {clusters}, asked for {c}.", False)
        refused = result.status.startswith("skipped: ")
        told = result.status.partition(": ")[2]
        return Finding(question, "it refuses" if refused else "no", told, not refused)

    def _result(self, number: int, other: int = 0) -> RepeatResult:
        """A case as it is, sorted by class, by its own seed or another one."""
        if (number, other) not in self._plain:
            case = self._cases[number]
            self._plain[number, other] = self._fit(case.labels, case.c, number + 1000 * other)
        return self._plain[number, other]

    def _in_place(self, number: int, other: int = 0) -> NDArray | None:
        return self._result(number, other).labels

    def _ordered(self, number: int, order: NDArray) -> NDArray | None:
        """The partition of samples in another order, brought back."""
        case = self._cases[number]
        found = self._fit(case.labels[order], case.c, number).labels
        return None if found is None else found[np.argsort(order)]


class _Pair(NamedTuple):
    """What one ensemble shows of the order of its samples."""

    dataset: str
    #: How many of two shuffles gave the same partition.
    same: int
    #: By how much the score of sorted samples is above the mean of the two shuffles.
    drop: float
    #: Difference of the two shuffles' scores.
    spread: float


class _OrderTest(NamedTuple):
    """What the ensembles of a data set show."""

    dataset: str
    drop: float
    spread: float
    p: float

    @classmethod
    def of(cls, pairs: Sequence[_Pair]) -> _OrderTest:
        import pandas as pd

        from coassoc.results.audits.statistics import signed_rank_p

        drops = [each.drop for each in pairs]
        spread = float(np.sqrt(np.mean([each.spread**2 for each in pairs])))
        return cls(pairs[0].dataset, float(np.mean(drops)), spread, signed_rank_p(pd.Series(drops)))

    def reads(self, tests: int) -> bool:
        """Whether the drop is none of chance: tested, and larger than shuffles differ."""
        large = abs(self.drop) >= max(_LEAST, self.spread)
        return large and self.p * tests < _LEVEL


def _grown(fit: Callable[..., RepeatResult], n: int) -> dict[str, Any]:
    """A fit of a large ensemble."""
    labels, c = planted(n)
    result = fit(labels, c, 0)
    return {
        "n": n,
        "seconds": result.seconds,
        "peak_mb": result.peak_mb,
        "status": result.status,
    }


def _growth(lines: Sequence[dict[str, Any]], n: int) -> Finding:
    """What becomes of time and memory as n grows."""
    question = f"Does it take {n:,} samples?"
    last = lines[-1]
    powers = "".join(_power(lines, what) for what in ("seconds", "peak_mb"))
    if last["status"] == "ok":
        evidence = f"{last['seconds']:.2g} s and {last['peak_mb']:.0f} MB.{powers}"
        return Finding(question, "yes", evidence, False)
    reason = last["status"].partition(": ")[2]
    return Finding(question, "no", f"With {last['n']:,} samples: {reason}.{powers}", True)


def _power(lines: Sequence[dict[str, Any]], what: str) -> str:
    """The power with which a measure grows, from the last three sizes that tell something."""
    least = {"seconds": 0.01, "peak_mb": 1.0}[what]
    known = [(each["n"], each[what]) for each in lines if each["status"] == "ok"]
    known = [(n, value) for n, value in known if value > least][-3:]
    if len(known) < 2:
        return ""
    logarithms = np.log(known).T
    slope = np.polyfit(logarithms[0], logarithms[1], 1)[0]
    return f" {'Time' if what == 'seconds' else 'Memory'} grows like n^{slope:.1f}."
