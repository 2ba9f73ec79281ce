"""My method beside two of the library's

me
"""

from reproduction.study.words import cross, methods, row, target

HERE = {"pool": "few-clusters", "m": 10}
TUNED = row("MajorityVote (tuned)", "MajorityVote", tune="ARI", over=["share"])
ROWS = [*methods("EAC-AL LWEA MajorityVote"), TUNED]


@target("table", metrics=["ARI", "NMI"], down=["dataset", "metric"], across=["method"])
def comparison():
    """My method beside two of the library's

    Tuned chooses the share by the classes, so that it shows what is possible.
    """
    return cross(ROWS, ["Three", "Wine"], **HERE)
