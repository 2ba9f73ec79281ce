"""My method and two methods of the library

me
"""

from reproduction.study.words import cross, methods, row, target

HERE = {"pool": "few-clusters", "m": 10}
TUNED = row("MajorityVote (tuned)", "MajorityVote", tune="ARI", over=["share"])
ROWS = [*methods("EAC-AL LWEA MajorityVote"), TUNED]


@target("table", metrics=["ARI", "NMI"], down=["dataset", "metric"], across=["method"])
def comparison():
    """My method and two methods of the library

    The row "tuned" uses the share that scores best against the classes, the best possible tuning.
    """
    return cross(ROWS, ["Three", "Wine"], **HERE)
