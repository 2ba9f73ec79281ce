"""Analyses that the papers do not include

this project
"""

from itertools import product

from reproduction.study.words import cross, methods, row, target, ways

POOLS = {"Yale": "published-c", "JAFFE": "published-c100", "AR": "published-c-standardised"}
HERE = {"pool": "published", "pools": POOLS, "m": 20}
SORTED = "GLIOMA Orlraws Yale Lung JAFFE Ecoli UMIST Aggregation AR BinAlpha Semeion".split()
GENERATED = "GLIOMA Orlraws Ecoli UMIST Aggregation BinAlpha Semeion SPF MF".split()
SMALL = "GLIOMA Orlraws Yale Lung Ecoli UMIST Aggregation BinAlpha Semeion SPF MF".split()
#: Data sets of up to 600 samples.
FEW = """
    CSTR Glass GLIOMA Ecoli JAFFE Tr12 UMIST Wine Yale fcps-hepta fcps-lsun graves-dense graves-line
    graves-zigzag-K3 graves-zigzag_noisy-K3 graves-zigzag_outliers-K3 other-iris other-iris5
    sipu-flame sipu-jain sipu-pathbased-K3 sipu-spiral uci-sonar wut-mk1 wut-mk3 wut-twosplashes
    wut-x1 wut-x2-K3 wut-x3-K4 wut-z1
""".split()
#: Data sets in published pools, whose numbers of clusters do not reveal the number of classes.
OF_AUTHORS = """
    Aggregation Ecoli UMIST GLIOMA Lung Orlraws BinAlpha Caltech20 Semeion MF SPF Texture FCT
    MNIST5000 LS ISOLET Pendigit USPS
""".split()
OTHERS = """
    Prostate Yale Wine JAFFE Tr23 Glass Tr12 ORL Tr11 CSTR BreastCancer Medical AR Tr41 Tr31 Coil20
    Wap Digits Hitech K1b MNIST4000 20NG
""".split()

# LTA is shown with its default lambda, which suits thousands of samples, and with a lambda for a
# few hundred samples.
LTA_SC = row("LTA-SC (lambda=0.02)", "LTA-SC", lam=0.02)
FIRST = methods("""
    EAC-AL CA-SC PTA-AL PTA-CL PTA-SL PTGP LWEA LWGP LWSC ECPCS-HC ECPCS-MC CSPA HGPA MCLA NMFC SEC
    KC RSEC-H RSEC-Z DREC SPCE TRCE SCCBG SCCABG
""")
LATER = methods("""
    HBGF U-SENC VOTE KCC-Uc KCC-UH WEAC GP-MGLA LCE-CTS LCE-SRS LCE-ASRS CEHM SDGCA AWEC
""")
LAST = methods("GTLEC EAC-SL EAC-CL GWCA BCE RMSC MDEC-HC MDEC-SC MDEC-BG")
LTA = [*methods("HCLCE LTA-EA LTA-SC"), LTA_SC, *methods("EC-CMS")]


@target("order", metric="ACC", relative_to="CA-SC")
def order():
    """How much of a method's gain survives shuffling the samples?

    The published base clusterings are sorted by class, except for a few samples of Semeion. A
    growing percentage of the samples, chosen at random, is shuffled, and the other samples keep
    their positions. The order should not matter.
    If the gain of a method falls, the method exploits the information about classes in the order of
    the file. Look at the gain of each method over plain spectral clustering when all samples are
    shuffled. LTA is shown with its default lambda, which suits thousands of samples, and with a
    lambda that suits a few hundred samples.
    """
    rows = [*FIRST, *methods("CEAM CDEC CESHL RCE"), *LTA, *LATER, *LAST]
    cells = []
    for x, percent in product(rows, (0, 10, 25, 50, 100)):
        cells += cross([x], SORTED, **{**HERE, "m": 10}, x=percent, shuffled=percent)
    return cells


TUNED = {
    "default": {},
    "tuned by the classes": {"tune": "ARI"},
    "tuned by agreement": {"tune": "ANMI"},
    "tuned by stability": {"tune": "stability"},
}


@target("comparison", metric="ARI")
def tuning():
    """How much does tuning against the classes gain?

    The parameters are the defaults, the best grid point judged by the classes, or the best grid
    point judged by a measure that needs no classes. The papers tuned parameters against the
    classes, which are unknown in practice. "Agreement" is the mean NMI between the result and the
    base clusterings. "Stability" is the mean ARI between the results on different ensembles. Look
    at how much of the gain remains if the classes are not used.
    """
    rows = methods("LWEA LWGP LWSC DREC SPCE TRCE CESHL RCE LTA-EA LTA-SC EC-CMS")
    return ways(rows, SMALL, TUNED, **HERE)


@target("comparison", metric="ARI")
def pool():
    """Does the pool of base clusterings matter?

    The same methods combine the authors' base clusterings and four pools of this project: similar
    k-means runs, k-means on random halves of the features, k-means on random projections, and a
    mixture of k-means with other algorithms. Look for methods whose rank changes with the pool.
    """
    pools = ("kmeans-sqrt", "subspaces", "projections", "mixture")
    variants = {"pool {pool}": {}, **{f"pool {name}": {"pool": name} for name in pools}}
    rows = methods("EAC-AL CA-SC PTA-AL LWEA LWGP ECPCS-HC DREC EC-CMS")
    return ways(rows, GENERATED, variants, **HERE)


@target("scaling", group="runtime")
def scaling():
    """How do time and memory grow with the number of samples?

    Methods are fitted to growing random subsets of one data set with no other job running. Methods
    measured on the most samples come first. After a slow fit, the method is not fitted to larger
    subsets. With the exponent b, time or memory grows in proportion to n^b.
    """
    rows = [*FIRST, *methods("CESHL RCE"), *LTA, *LATER, *methods("CEAM CDEC"), *LAST]
    return cross([*rows, *methods("ACMK-SC ACMK-KM")], ["LS"], **HERE)


@target("n_clusters")
def n_clusters():
    """Can the number of clusters be found without classes?

    Each row is a criterion for the number of clusters, with the method that computes the
    partitions. The columns show how often a criterion chooses the number of classes, and by how
    much it misses this number. Look for a criterion that is right more often than not.
    """
    rows = methods("EAC-AL LWEA ECPCS-HC")
    datasets, generated = [*OF_AUTHORS, *OTHERS], dict.fromkeys(OTHERS, "kmeans-sqrt")
    return cross(rows, datasets, HERE["pool"], HERE["m"], generated)


@target("n_clusters")
def n_clusters_each():
    """Do separate ensembles for each k help to find the number of clusters?

    The table shows the criteria of the analysis n_clusters under the protocol of Monti et al.
    (2003). This protocol uses a separate ensemble for each number of clusters k: 50 k-means runs
    with k clusters on 80 % of the samples. In n_clusters, a single ensemble mixes runs with
    different numbers of clusters. The data sets have up to 600 samples.
    """
    return cross(methods("EAC-AL"), FEW, "each-k", 50)
