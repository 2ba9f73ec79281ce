"""Majority vote: an invented paper

The published numbers are invented. They show how a paper is compared with its reproduction.
"""

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
