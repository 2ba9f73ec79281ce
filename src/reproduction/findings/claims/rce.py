"""Claims of the paper of RCE."""

from reproduction.findings.claims.checks import above, near_best
from reproduction.findings.claims.words import AT_DEFAULT, claim
from reproduction.study.rce import BCE, CSPA, DEFAULT, GWCA, HGPA, KC, KM, MCLA, NMFC, RCE, RMSC

ENSEMBLES = [KC, CSPA, HGPA, MCLA, NMFC, GWCA, BCE, RMSC]


@claim(
    "Section 4.4, Table 2",
    needs="most",
    headline=True,
    also={
        "against one method at a time": above("rce_table2", [RCE], over="others", each=True),
        AT_DEFAULT: [DEFAULT],
        "over plain co-association": above("rce_table2", [RCE], over=["CA"]),
        "over plain co-association, at its default": above("rce_table2", [DEFAULT], over=["CA"]),
    },
)
def superior(rows=(RCE,)):
    """RCE, tuned against the classes, is superior to the other methods in ACC and NMI on most of
    the 11 data sets.
    """
    return above("rce_table2", rows, over="others", but=[RCE])


@claim("Section 4.4", needs="most", also={"with RCE at its default": DEFAULT})
def ensembles_beat_k_means(own=RCE):
    """Most ensemble methods perform better than k-means.

    (RCE is tuned against the classes, as in the paper.)
    """
    return above("rce_table2", [*ENSEMBLES, own], over=[KM])


@claim("Section 4.4", also={AT_DEFAULT: [DEFAULT]})
def over_rmsc(rows=(RCE,)):
    """RCE is better than RMSC, whose error matrix is sparse but neither symmetric nor bounded."""
    return above("rce_table2", rows, over=[RMSC])


@claim("Section 4.5, Fig. 1")
def stable():
    """The performance of RCE is stable across a wide range of both parameters (for half of the
    grid, the score is within 0.05 of the best score).
    """
    return near_best("rce_figure1", [DEFAULT], by=0.05, share=0.5)


@claim("Section 3.3, Theorem 2")
def descends():
    """Block coordinate descent never increases the objective."""
    return "tested: tests/methods/test_rce.py::test_objective_never_increases"
