"""Claims of the paper of HCLCE."""

from functools import partial

from reproduction.findings.claims import checks
from reproduction.findings.claims.words import claim
from reproduction.study.hclce import COMPARABLE, HCLCE, LWEA, RSEC, VIEWS

*ORDERS, FUSED = VIEWS
M1, M2, M3, M4 = ORDERS
TABLES = "hclce_table2 hclce_table3"
AGAINST_BEST = {"against the best compared method": False}
above, gain = (partial(check, datasets=COMPARABLE) for check in (checks.above, checks.gain))


@claim(
    "Section 3.4, Tables 2 and 3",
    needs="most",
    headline=True,
    also={
        **AGAINST_BEST,
        "reproduced HCLCE against the published numbers of the compared methods": above(
            TABLES, [HCLCE], over="others", printed_rivals=True
        ),
    },
)
def mostly_best(each=True):
    """HCLCE is mostly better than the compared methods. (Each method is compared separately.)"""
    return above(TABLES, [HCLCE], over="others", each=each)


@claim("Section 3.4, Tables 2 and 3", headline=True)
def best_on_average():
    """The mean ACC and NMI of HCLCE over all data sets are above those of all compared methods.

    (Prostate is left out, because the paper's Prostate is a different data set.)
    """
    return above(TABLES, [HCLCE], over="others", averaged=True)


@claim("Section 3.4")
def over_rsec():
    """HCLCE is better than the robust method RSEC."""
    return above(TABLES, [HCLCE], over=[RSEC])


@claim("Abstract, Section 3.4")
def gain_acc():
    """The mean ACC of HCLCE is 7.22 % above the mean ACC of LWEA.

    (Checked on the seven data sets without Prostate. The published means include the paper's
    Prostate, which is a different data set.)
    """
    return gain("hclce_table2", [HCLCE], over=[LWEA], by={"ACC": 0.0722}, mean="scores")


@claim("Abstract, Section 3.4")
def gain_nmi():
    """The mean NMI of HCLCE is 9.19 % above the mean NMI of LWEA. (Checked on the seven data sets
    without Prostate.)
    """
    return gain("hclce_table3", [HCLCE], over=[LWEA], by={"NMI": 0.0919}, mean="scores")


@claim("Section 3.4", needs="most", also=AGAINST_BEST)
def steadier(each=True):
    """The ACC of HCLCE has a smaller standard deviation than the ACC of each compared method."""
    return above("hclce_table2", [HCLCE], over="others", of="std", each=each)


SINGLE = {"against the best single order": False}


@claim("Section 3.4, Table 4", needs="most", headline=True, also=SINGLE)
def fusion(each=True):
    """The fusion of all orders is mostly better than any single order.

    (Each order is compared separately.)
    """
    return above("hclce_table4", [FUSED], over=ORDERS, each=each)


@claim("Section 3.4, Tables 2 and 4", needs="most", also=AGAINST_BEST)
def first_order_over_rivals(each=True):
    """M¹, the information of the first order alone, gives better results than the compared methods.

    (Each method is compared separately.)
    """
    both = {"together": True, "metrics": ["ACC"], "but": [M2, M3, M4, FUSED, HCLCE]}
    return above("hclce_table4 hclce_table2", [M1], over="others", each=each, **both)


@claim("Section 3.4, Table 4")
def m4_worst():
    """The fourth order (M⁴), with the information of all base clusterings at once, is the worst
    single order.
    """
    return above("hclce_table4", [M1, M2, M3], over=[M4])


LESS_WELL = checks.above("hclce_figure5", [M1], over=[M2], metrics=["AUC"])


@claim("Section 3.4, Fig. 5", also={"separates classes less well than M¹": LESS_WELL})
def second_order_redundant():
    """The matrix of the second order (M²) is redundant, because it makes many pairs similar. (That
    is, pairs between classes have a higher mean similarity than in M¹, M³ and M⁴. Checked on the
    first ensemble of CSTR.)
    """
    return checks.above("hclce_figure5", [M1, M3, M4], over=[M2], metrics=["between"])


@claim("Section 3.4, Fig. 5")
def all_at_once_sparse():
    """The information of all base clusterings at once (M⁴) is reliable, but very sparse."""
    return (
        "cannot be tested: the paper does not state the value above which it calls a pair similar. "
        "In the reproduction, 2 to 25 of 112,575 pairs reach 0.8 of the largest similarity."
    )


@claim("Section 3.4, Fig. 5")
def first_order_undecided():
    """In the structured matrix of the first order (M¹) a large number of pairs have a similarity of
    0.5 to 0.6.
    """
    return (
        "cannot be tested: the paper does not say on which scale it draws the matrices, whose "
        "rows sum to 1 in its model"
    )
