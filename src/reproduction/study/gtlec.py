"""GTLEC: regularizing multiple clusterings by graph tensor learning

Chen, Lin, Wang, Xi & Huang, ACM Multimedia 2023
"""

from reproduction.study.words import CONTROLS, cross, methods, row, target, ways

# The base clusterings of BinAlpha and Caltech20 come with the paper's program and are in the pool
# `published`. This pool also provides the base clusterings of the other data sets (protocol_size).
HERE = {"pool": "published", "m": 10}
ALL = "BinAlpha Semeion Caltech20 MF MNIST5000 Texture ISOLET".split()
SCORECARD = "scorecard_leaders"

T_AL, T_CL = row("T-AL", "PTA-AL"), row("T-CL", "PTA-CL")
E_HC, E_MC = row("E-HC", "ECPCS-HC"), row("E-MC", "ECPCS-MC")
LWEA, LWGP, GTLEC = methods("LWEA LWGP GTLEC")
CELTA, CA = row("CELTA", "LTA-SC"), row("CA", "CA-SC")
ROWS = [
    *(T_AL, T_CL, *methods("PTGP"), LWEA, LWGP, E_HC, E_MC),
    *methods("DREC SPCE SEC TRCE"),
    *(CELTA, row("ECMS", "EC-CMS"), GTLEC),
]
SHUFFLED = [x.but(label=f"{x.label} (shuffled samples)", shuffled=100) for x in (GTLEC, CELTA, CA)]
BEST = row("Best base clustering", reference="ensemble-best")

OWN = [GTLEC]


@target("table", metrics=["ARI"], down=["dataset"], across=["method"])
def table1():
    """Clustering performance (ARI)

    All methods run with default parameters and on the samples in their stored order, because the
    paper states neither parameters nor the number of repeats. CELTA is LTA with spectral clustering
    as its final step. CA, which is not in the paper, is spectral clustering of the co-association
    matrix that GTLEC refines. Other columns repeat GTLEC, CELTA and CA on shuffled samples, which
    should not change the scores. The last columns are controls: random labels and the true classes.
    """
    return cross([*ROWS, CA, *SHUFFLED, BEST, *CONTROLS], ALL, **HERE)


@target("times", metrics=["seconds"], down=["dataset"], across=["method"], group="runtime")
def table2():
    """Running time

    The table shows the time of one fit in seconds, measured on one machine with no other job
    running. The paper measured its times on another machine, so compare only the ratios within a
    row.
    """
    return cross(ROWS, ALL, **HERE)


@target("protocol", compared_with=["table1"], metrics=["ARI"])
def protocol_size():
    """How many base clusterings did the paper combine?

    The supplement does not state the number of base clusterings. The demonstration in the authors'
    program combines ten of them.
    """
    sizes = {f"m = {m}": {"m": m} for m in (10, 5, 20, 40)}
    return ways([T_AL, T_CL, LWEA, LWGP, E_MC], ALL[:4], sizes, **HERE)
