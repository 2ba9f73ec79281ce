"""Which method for which ensemble?

this project
"""

from reproduction.study.suite import CHOICE
from reproduction.study.words import alone, target

#: Kinds of ensembles, with the pool of each.
ENSEMBLES = {
    "11 algorithms, k of the classes": "algorithms-c",
    "20 of four algorithms, random k": "algorithms-sqrt",
    "20 k-means, random k": "kmeans-choice",
    "20 of HDBSCAN and Leiden, noise": "noise",
    "20 of three algorithms on 80 %, random k": "subsampled",
}
#: Methods that use only labels and fit 1,000 distinct rows in about ten seconds at most.
COMPARED_METHODS = (
    *("EAC-AL", "EAC-CL", "CA-SC", "CSPA", "MCLA", "MDEC-HC", "MDEC-SC", "MDEC-BG", "CEHM", "HBGF"),
    *("U-SENC", "VOTE", "CVote", "K-modes", "KCC-Uc", "KCC-UH", "WEAC", "GP-MGLA", "LCE-CTS"),
    *("LCE-ASRS", "SEC", "KC", "NMFC", "GWCA", "PTA-AL", "PTA-CL", "LWEA", "LWGP", "LWSC", "DREC"),
    *("ECPCS-HC", "ECPCS-MC", "SPCE", "TRCE", "CDEC", "AWEC", "HCLCE", "EC-CMS", "LEADERS"),
)
#: Compared methods that fit 4,000 distinct rows in seconds.
SCALING = (
    *("EAC-AL", "EAC-CL", "CA-SC", "MDEC-HC", "MDEC-BG", "HBGF", "U-SENC", "VOTE", "CVote"),
    *("K-modes", "KCC-Uc", "KCC-UH", "WEAC", "GP-MGLA", "SEC", "LWEA", "LWGP", "DREC"),
    *("ECPCS-HC", "ECPCS-MC"),
)
#: Data sets on which the design of auto was chosen; auto is evaluated on the other families.
DESIGN = """
    fcps-twodiamonds graves-line graves-ring graves-ring_outliers-K5 graves-zigzag-K3 other-iris
    other-chameleon_t5_8k other-chameleon_t7_10k sipu-a1 sipu-a3 sipu-compound-K6 sipu-d31
    sipu-flame sipu-pathbased-K3 sipu-r15-K15 sipu-s4 sipu-spiral sipu-unbalance uci-sonar
    uci-statlog wut-cross wut-mk3 wut-twosplashes wut-x2-K3 wut-z2 wut-z3
""".split()
#: Methods that may, or must, choose the number of clusters.
CHOOSING = (
    *("BALLS", "AGGLOMERATIVE", "FURTHEST", "LOCALSEARCH", "PIVOT"),
    *("EAC-AL", "EAC-CL", "WEAC", "LWEA", "MDEC-HC"),
)


@target("choice", methods=tuple(dict.fromkeys((*COMPARED_METHODS, *CHOOSING))))
def methods():
    """Which method suits which ensemble?

    The table shows the mean ARI against the classes. The best fixed method of each column and the
    best method of each ensemble are oracles. The method of the best mean is chosen on the other
    families of data sets. The design of auto was chosen on some of these families.
    """
    return [cell for label, pool in ENSEMBLES.items() for cell in alone(label, CHOICE, pool, 0)]
