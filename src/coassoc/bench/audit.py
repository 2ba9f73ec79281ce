"""Audits of a method: its dependence on sample order, seeds and threads, and degenerate inputs.

:func:`audit` accepts any function from labels to labels, and :func:`audit_method` a class named as
in :mod:`coassoc.bench.own_methods`. Both fit the shipped ensembles of small data sets, each in
several equivalent forms, and ensembles that are degenerate or large.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from coassoc.bench.audit_ensembles import (
    BASE_CLUSTERINGS,
    DATASETS,
    DRAWS,
    POOL_DRAWS,
    POOLS,
    SIZES,
    Case,
    cases,
    planted,
)
from coassoc.bench.audit_questions import LEAST, LEVEL, ORDER, Finding, Questions, growth
from coassoc.bench.benchmark import Benchmark
from coassoc.bench.limits import Limits, limited
from coassoc.bench.own_methods import OwnMethod
from coassoc.bench.runs import run_repeat
from coassoc.bench.storage.records import RepeatResult
from coassoc.errors import CoassocError
from coassoc.numerics.threads import use_threads

#: Limits of one fit.
LIMITS = Limits(minutes=1, memory_mb=4000)


@dataclass
class Audit:
    """Result of an audit.

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
        """Whether the scores of the method depend on the order of the samples."""
        (answer,) = (finding.answer for finding in self.findings if finding.question == ORDER)
        return answer == "yes"

    def __str__(self) -> str:
        return "\n".join([self.name, *map(str, self.findings)])

    def write(self, folder: str | Path) -> None:
        """Write ``audit.html``, ``audit.csv`` and ``audit_growth.csv`` to a folder."""
        import pandas as pd

        from coassoc.pages.rendering import write_lines
        from coassoc.pages.report import Section, write_report

        folder = Path(folder)
        findings, growth = pd.DataFrame(self.findings), pd.DataFrame(self.growth)
        write_lines(folder / "audit.csv", findings)
        write_lines(folder / "audit_growth.csv", growth)
        summary = f"{findings['worry'].sum()} of {len(findings)} answers need attention."
        sections = [
            Section(summary, findings.rename(columns={"worry": "needs attention"})),
            Section(table=growth, heading="Time and memory"),
            Section(
                f"Each ensemble contains {BASE_CLUSTERINGS} base clusterings of "
                f"{', '.join(DATASETS)}, with the samples sorted by class. Fits ran one at a time, "
                "on one thread unless noted. A method depends on sample order if sorting the "
                "samples changes its ARI against the classes of a data set by at least "
                f"{LEAST}, by more than two shuffles differ, and significantly (exact signed-rank "
                f"test of {DRAWS} ensembles at {LEVEL} with Bonferroni's correction). New base "
                f"clusterings come from {POOLS} pools of k-means with random and {POOLS} with "
                f"k-means++ starts, with {POOL_DRAWS} draws from each. Time and memory were "
                "measured on data sets of points in the plane that form eight groups."
                f"\ncoassoc {version('coassoc')}. The numbers are in audit.csv and "
                "audit_growth.csv.",
                heading="How the method was tested",
            ),
        ]
        write_report(folder / "audit.html", f"Audit of {self.name}", sections)


def audit(
    function: Callable[..., Any],
    *,
    limits: Limits = LIMITS,
    sizes: Sequence[int] = SIZES,
) -> Audit:
    """Audit a function, from any library, that computes a consensus from base clusterings.

    Parameters
    ----------
    function : callable
        Function that maps an (n, m) array of integer labels, with −1 for missing labels, to n
        labels. Arguments named ``n_clusters``, ``random_state`` (or ``seed``) or ``X`` receive the
        number of clusters, a seed or the (n, d) features. The function rejects a degenerate
        ensemble by a ValueError, a NotImplementedError or an error of coassoc. Any other error
        needs attention.
    limits : Limits
        Limits for one fit; by default a minute and 4 GB.
    sizes : sequence of int
        Numbers of samples for measuring time and memory, the smallest first.

    Returns
    -------
    Audit

    Examples
    --------
    >>> print(audit(lambda labels: labels[:, 0], sizes=()).findings[0].answer)
    no
    """
    taken = inspect.signature(function).parameters
    name = getattr(function, "__name__", "the function")

    def make(case: Case, seed: int) -> Any:
        offered = {"n_clusters": case.n_clusters, "random_state": seed, "seed": seed, "X": case.X}
        given = {argument: value for argument, value in offered.items() if argument in taken}

        def fit(estimator: Any, ensemble: Any) -> None:
            estimator.labels_ = function(case.labels.copy(), **given)

        return type(name, (), {"fit": fit})()  # its name is in messages about the labels

    return _audited(name, _questions(make, False, limits), sizes)


def audit_method(
    own_method: OwnMethod,
    *,
    limits: Limits = LIMITS,
    sizes: Sequence[int] = SIZES,
    report: Callable[[Finding], object] = lambda finding: None,
) -> Audit:
    """Audit a class, and call `report` with each answer; see :func:`audit`."""
    return _audited(own_method.row, _own_questions(own_method, limits), sizes, report)


def check_method(
    method: Callable[..., Any],
    *,
    accept: Sequence[str] = (),
    limits: Limits = LIMITS,
    sizes: Sequence[int] = (500,),
) -> None:
    """Raise an error if an answer in the audit of a method needs attention, in tests of your
    package.

    Parameters
    ----------
    method : callable
        A class, or a callable that returns an estimator, with the arguments ``n_clusters`` and
        ``random_state``. Estimators have ``fit(labels)``, or ``fit(labels, X=X)`` if
        ``uses_features`` is True, and ``labels_``.
    accept : sequence of str
        Questions, or parts of questions, whose answers are not failures, such as "number of
        clusters" for a method that chooses this number.
    limits : Limits
        Limits for one fit; by default a minute and 4 GB.
    sizes : sequence of int
        Numbers of samples for measuring time and memory.

    Raises
    ------
    AssertionError
        With the questions, the answers and the evidence.

    Examples
    --------
    >>> from coassoc.methods import METHODS
    >>> check_method(METHODS["LWEA"], sizes=())
    """
    name = getattr(method, "__name__", "the method")
    see_features = getattr(method, "uses_features", False)
    audited = _audited(name, _questions(_maker(method), see_features, limits), sizes)
    worries = [
        str(finding)
        for finding in audited.findings
        if finding.worry and not any(text in finding.question for text in accept)
    ]
    if worries:
        raise AssertionError("\n".join([name, *worries]))


def order_finding(own_method: OwnMethod, limits: Limits = LIMITS) -> Finding:
    """Whether a class depends on the order of the samples, according to its audit."""
    with _own_questions(own_method, limits) as questions:
        return questions.order()


def _own_questions(own_method: OwnMethod, limits: Limits) -> AbstractContextManager[Questions]:
    method = own_method.method
    make = _maker(method.factory, **own_method.values)
    return _questions(make, method.uses_features, limits)


def _maker(factory: Callable[..., Any], **values: Any) -> Callable[..., Any]:
    return lambda case, seed: factory(n_clusters=case.n_clusters, random_state=seed, **values)


@contextmanager
def _questions(make: Callable[..., Any], see_features: bool, limits: Limits) -> Iterator[Questions]:
    """The questions about fits, each with a different global random state."""
    calls = count(1)

    def is_deliberate(error: Exception) -> bool:
        rejects = isinstance(error, CoassocError | ValueError | NotImplementedError)
        return rejects and not isinstance(error, np.linalg.LinAlgError)  # a ValueError by NumPy 2

    def fit(case: Case, seed: int = 0, threads: int = 1) -> RepeatResult:
        before = np.random.get_state()  # noqa: NPY002
        np.random.seed(next(calls))  # noqa: NPY002
        X = case.X if see_features else None
        try:
            with use_threads(threads):
                make_one = partial(make, case, seed)
                return run_repeat(make_one, case.labels, X, threads, is_deliberate)
        finally:
            np.random.set_state(before)  # noqa: NPY002

    with limited(fit, limits) as limited_fit:
        yield Questions(limited_fit, cases(Benchmark(DATASETS, DRAWS, see_features=True)))


def _audited(
    name: str,
    asked: AbstractContextManager[Questions],
    sizes: Sequence[int],
    report: Callable[[Finding], object] = lambda finding: None,
) -> Audit:
    audit = Audit(name)
    with asked as questions:
        for finding in questions.all():
            audit.findings.append(finding)
            report(finding)
        for n in sizes:
            result = questions.fit(planted(n))
            measured = {"n": n, "seconds": result.seconds, "peak_mb": result.peak_mb}
            audit.growth.append({**measured, "status": result.reason or result.status})
            if result.labels is None:
                break
    if sizes:
        audit.findings.append(growth(audit.growth, sizes[-1]))
        report(audit.findings[-1])
    return audit
