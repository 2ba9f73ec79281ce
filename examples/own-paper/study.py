"""Majority vote: an invented paper

The published numbers are invented. They show how a paper is compared with its reproduction.
"""

from reproduction.findings.claims.checks import above
from reproduction.findings.claims.words import claim
from reproduction.study.words import cross, methods, row, target

HERE = {"pool": "few-clusters", "m": 10}
TUNED = row("MajorityVote (tuned)", "MajorityVote", tune="ARI", over=["share"])
ROWS = [*methods("FirstColumn EAC-AL LWEA MajorityVote"), TUNED]

OWN = [TUNED]
YARDSTICK = {"repeats": 10, "stated": False, "tables": ["table1"], "single": []}


@target("table", metrics=["ARI", "NMI"], down=["dataset", "metric"], across=["method"])
def table1():
    """Majority vote and two methods of the library

    The row "tuned" uses the share that scores best against the classes, the best possible tuning.
    """
    return cross(ROWS, ["Three", "Wine"], **HERE)


@claim("Section 4", needs="all")
def beats_both():
    """Tuned against the classes, majority vote scores above EAC-AL and LWEA."""
    return above("own-paper_table1", [TUNED], over=["EAC-AL", "LWEA"])
