"""Audits: what cheats give themselves away by, and what an honest method is told."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import coassoc
from coassoc.bench import audit as auditing
from coassoc.bench import check_method
from coassoc.bench.audit import audit_method
from coassoc.bench.audit_ensembles import odd_cases
from coassoc.bench.audit_questions import Finding, Questions, Shuffles, order_test
from coassoc.bench.own_methods import own_method
from coassoc.errors import MethodError
from coassoc.methods import METHODS
from refusals import cases

CHEATS = Path(__file__).with_name("cheats.py")


@pytest.fixture(autouse=True, scope="module")
def small_datasets():
    """Fits are made in forks of this process, which has imported what they need."""
    import_module("sklearn.utils")
    METHODS["LWEA"](2).fit([[0, 1], [1, 1], [1, 0]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auditing, "DATASETS", ("Wine", "Glass"))
        yield


def answers(name: str) -> dict[str, str]:
    """Question → answer, of a class among the cheats."""
    told: list[Finding] = []
    audit = audit_method(own_method(f"{CHEATS}:{name}"), sizes=(), report=told.append)
    assert told == audit.findings
    return {finding.question: finding.answer for finding in told}


@pytest.fixture(scope="module")
def honest(small_datasets):
    return audit_method(own_method(f"{CHEATS}:Honest"), sizes=(200, 400, 800))


@pytest.fixture
def quick(honest, monkeypatch):
    """No new base clusterings, which take longest; the honest method has them."""
    monkeypatch.setattr(Questions, "new_pools", lambda self: Finding("", "", "", False))


ORDER = "Does the method depend on the order of the samples?"
STATE = "Does the method depend on random numbers that random_state does not control?"
CLUSTERS = "Does the method give the requested number of clusters?"


def test_an_honest_method_has_nothing_to_worry_about(honest):
    assert [finding for finding in honest.findings if finding.worry] == []
    assert not honest.reads_order and [line["n"] for line in honest.growth] == [200, 400, 800]


CAUGHT = {"ByIndex": ORDER, "KnowsTheClasses": ORDER, "GlobalSeed": STATE, "FailsOnThird": CLUSTERS}


@pytest.mark.parametrize("cheat", CAUGHT)
def test_a_cheat_is_caught(cheat, quick):
    assert answers(cheat)[CAUGHT[cheat]] == ("no" if cheat == "FailsOnThird" else "yes")


def test_a_check_in_a_test_fails_with_what_a_cheat_does(quick):
    too_few = own_method(f"{CHEATS}:TooFew").method.factory
    with pytest.raises(AssertionError, match=r"requested number of clusters.*\? no\."):
        check_method(too_few, sizes=())
    check_method(too_few, accept=["number of clusters"], sizes=())


def test_noise_from_the_seed_is_not_taken_for_reading_the_order(quick):
    def noisy(labels, n_clusters, seed):
        random = np.random.default_rng(seed)
        clean = METHODS["EAC-AL"](n_clusters).fit_predict(labels)
        return np.where(random.random(len(clean)) < 0.8, clean, random.integers(0, 2, len(clean)))

    audit = coassoc.audit(noisy, sizes=())
    assert not audit.reads_order
    assert {finding.question: finding.answer for finding in audit.findings}[STATE] == "no"


def test_too_few_fits_for_a_test_are_no_sign_that_the_order_is_not_read(quick):
    few, many = (order_test([Shuffles(0, 0.3, 0.0)] * n, 3) for n in (3, 10))
    assert many["reads"] and not few["reads"]

    def dies_mostly(labels, n_clusters, seed):
        if seed:
            raise RuntimeError("no")
        return np.arange(len(labels)) * n_clusters // len(labels)

    assert coassoc.audit(dies_mostly, sizes=()).findings[0].answer == "unknown"


def test_features_are_shuffled_with_their_samples(quick):
    def halves(labels, X):
        return (X[:, 0] > np.median(X[:, 0])).astype(int)

    assert coassoc.audit(halves, sizes=()).findings[0].answer == "no"


def test_a_function_that_dies_is_a_finding(quick):
    def dies(labels):
        raise RuntimeError("no")

    audit = coassoc.audit(dies, sizes=(100, 200))
    assert audit.findings[0].answer == "unknown" and "RuntimeError: no" in str(audit)
    assert len(audit.growth) == 1


@pytest.fixture
def on_missing_labels(monkeypatch):
    """The answer to this question alone."""
    monkeypatch.setattr(Questions, "all", lambda self: map(self.survives, odd_cases()))

    def finding(method):
        findings = coassoc.audit(method, sizes=()).findings
        return next(found for found in findings if "missing labels" in found.question)

    return finding


def test_labels_of_a_wrong_form_are_no_rejection(on_missing_labels):
    def ignores_missing(labels):
        return np.where((labels < 0).any(axis=1), -1, labels[:, 0])

    missing = on_missing_labels(ignores_missing)
    assert missing.answer == "no" and missing.worry
    assert missing.evidence.startswith("ignores_missing.labels_ has the value -1. Set one")


@cases(
    "error, rejects",
    (MethodError("boom"), True),
    (ValueError("boom"), True),
    (NotImplementedError("boom"), True),
    (ZeroDivisionError("boom"), False),
    (np.linalg.LinAlgError("boom"), False),
    (IndexError("boom"), False),
)
def test_only_a_deliberate_error_is_a_rejection(error, rejects, on_missing_labels):
    def fails_on_gaps(labels):
        if (labels < 0).any():
            raise error
        return labels[:, 0]

    missing = on_missing_labels(fails_on_gaps)
    assert missing.answer == ("no, the method rejects this case" if rejects else "no")
    assert missing.worry != rejects
    assert missing.evidence == ("boom" if rejects else f"{type(error).__name__}: boom")


def test_other_random_numbers_are_not_taken_for_threads_or_seeds(quick):
    """The class draws from `random`, ignores its seed, and its fit returns nothing."""
    found = answers("OwnRandomNumbers")
    assert found[STATE] == "yes"
    for on in ("the number of threads", "the seed"):
        assert found[f"Does the method depend on {on}?"] == "no more than on other random numbers"


def test_a_method_does_not_differ_from_itself_on_new_base_clusterings(honest):
    (found,) = (x for x in honest.findings if "new base clusterings" in x.question)
    assert found.evidence.startswith("The mean ARI minus that of LWEA is +0.000")
    assert "recipe 0.000, pool 0.000, draw 0.000" in found.evidence


def test_the_page_has_all_findings(honest, tmp_path):
    honest.write(tmp_path)
    page = (tmp_path / "audit.html").read_text()
    assert all(finding.question in page for finding in honest.findings)
    assert (tmp_path / "audit.csv").read_text().count("\n") == 1 + len(honest.findings)
    assert (tmp_path / "audit_growth.csv").read_text().count("\n") == 4
