"""Analyses: what the papers do not ask

this project
"""

from reproduction.study.words import alone, cross, methods, row, target, ways

HERE = {
    "pool": "published",
    "pools": {"Yale": "published-c", "JAFFE": "published-c100", "AR": "published-c-standardised"},
    "m": 20,
}
SORTED = "GLIOMA Orlraws Yale Lung JAFFE Ecoli UMIST Aggregation AR BinAlpha Semeion".split()
GENERATED = "GLIOMA Orlraws Ecoli UMIST Aggregation BinAlpha Semeion SPF MF".split()
SMALL = "GLIOMA Orlraws Yale Lung Ecoli UMIST Aggregation BinAlpha Semeion SPF MF".split()
WIDE = """
    GLIOMA Orlraws Prostate Yale Wine JAFFE Tr23 Glass Tr12 Ecoli ORL Tr11 CSTR BreastCancer UMIST
    Medical Aggregation AR Tr41 Tr31 BinAlpha Coil20 Wap Semeion Digits SPF MF
""".split()
#: Data sets with classes whose features are available.
FEATURED = """
    Aggregation Ecoli UMIST GLIOMA Orlraws BinAlpha Semeion MF SPF Texture FCT MNIST5000 LS ISOLET
    Pendigit USPS Prostate Yale Wine JAFFE Tr23 Glass Tr12 ORL Tr11 CSTR BreastCancer Medical AR
    Tr41 Tr31 Coil20 Wap Digits Hitech K1b MNIST4000 20NG
""".split()
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

# LTA is shown at its default, made for thousands of samples, and at a lambda for a few hundred.
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


@target("transform")
def transform():
    """What does a transform along the samples do to a sorted file?

    The co-association matrix of one ensemble in the order of the file, sorted by class, and with
    shuffled samples, and the norms of its slices after a Fourier transform along the samples.
    Sorted, most of it lies in a few low frequencies; shuffled, all frequencies have their share.
    The norms that LTA and GTLEC minimise distinguish the two.
    """
    return alone("transform", ["Ecoli"], HERE["pool"], 10)


@target("order", metric="ACC", relative_to="CA-SC")
def order():
    """What is left of a method's gain when the samples are shuffled?

    The base clusterings that authors published are sorted by class. A growing percentage of the
    samples, chosen at random, is shuffled; the others stay where they are. The order should make no
    difference: a method whose curve falls reads the classes from the order of the file. Look at
    its gain over plain spectral clustering when all samples are shuffled. LTA is shown at its
    default, made for thousands of samples, and at a lambda for a few hundred.
    """
    rows = [*FIRST, *methods("CEAM CDEC CESHL RCE"), *LTA, *LATER, *LAST]
    here = {**HERE, "m": 10}
    return [
        cell
        for x in rows
        for percent in (0, 10, 25, 50, 100)
        for cell in cross([x], SORTED, **here, x=percent, shuffled=percent)
    ]


TUNED = {
    "default": {},
    "tuned by the classes": {"tune": "ARI"},
    "tuned by agreement": {"tune": "ANMI"},
    "tuned by stability": {"tune": "stability"},
}


@target("comparison", metric="ARI")
def tuning():
    """What is tuning with the classes worth?

    Parameters at their defaults, at the best point of their grid by the classes (as for the papers'
    tuned numbers, which is impossible without classes), and at the best point by measures that need
    no classes: the mean NMI of the result with the base clusterings (agreement), and the mean ARI
    between the results of different draws (stability). Look at how much of the gain is left without
    classes.
    """
    rows = methods("LWEA LWGP LWSC DREC SPCE TRCE CESHL RCE LTA-EA LTA-SC EC-CMS")
    return ways(rows, SMALL, variants=TUNED, **HERE)


@target("comparison", metric="ARI")
def stability():
    """Can parameters be chosen without classes?

    Parameters at their defaults, at the best point of their grid by the classes, and at the point
    where the results of different draws agree best, which needs no classes; methods that are fast.
    Look for data sets on which the choice by stability is worse than the default.
    """
    chosen = {label: way for label, way in TUNED.items() if label != "tuned by agreement"}
    return ways(methods("LWEA LWGP EC-CMS"), SMALL, variants=chosen, **HERE)


@target("comparison", metric="ARI")
def pool():
    """Does the pool of base clusterings matter?

    The same methods on the authors' base clusterings and on this project's own: k-means like
    theirs, on random halves of the features, on random projections, and in turn with other
    clusterers. Look for methods whose rank changes with the pool.
    """
    pools = ("kmeans-sqrt", "subspaces", "projections", "mixture")
    variants = {"pool {pool}": {}, **{f"pool {name}": {"pool": name} for name in pools}}
    rows = methods("EAC-AL CA-SC PTA-AL LWEA LWGP ECPCS-HC DREC EC-CMS")
    return ways(rows, GENERATED, variants=variants, **HERE)


@target("significance", metric="ARI", relative_to="EC-CMS", rope=0.01)
def significance():
    """Which methods differ, and which only seem to differ?

    Methods by their mean rank over the data sets. Methods that a bar joins do not differ
    significantly on so few data sets (Nemenyi's test); a paper's "best" may be no more than that.
    """
    rows = methods("""
        EAC-AL CA-SC PTA-AL PTGP LWEA LWGP ECPCS-HC ECPCS-MC DREC TRCE HBGF U-SENC MDEC-HC WEAC
        GP-MGLA LCE-CTS CEHM VOTE EC-CMS
    """)
    return cross(rows, WIDE, "kmeans-sqrt", HERE["m"])


@target("scaling", group="runtime")
def scaling():
    """How do time and memory grow with the number of samples?

    Growing random shares of one data set, measured with nothing else running; methods that were
    measured on most samples come first, and after a slow fit no larger share is tried. The number
    at each line is b: time or memory grows like the b-th power of n.
    """
    rows = [*FIRST, *methods("CESHL RCE"), *LTA, *LATER, *methods("CEAM CDEC"), *LAST]
    return cross([*rows, *methods("ACMK-SC ACMK-KM")], ["LS"], **HERE)


@target("n_clusters")
def n_clusters():
    """Is the number of clusters found without classes?

    Criteria for the number of clusters, each with the method that makes the partitions: how often
    they choose the number of classes, and by how much they miss it. Look for a criterion that is
    right more often than not; points left of the line are too few clusters, right of it too many.
    """
    rows = methods("EAC-AL LWEA ECPCS-HC")
    datasets, generated = [*OF_AUTHORS, *OTHERS], dict.fromkeys(OTHERS, "kmeans-sqrt")
    return cross(rows, datasets, HERE["pool"], HERE["m"], generated)


@target("n_clusters")
def n_clusters_each():
    """Is the number of clusters found with a separate ensemble for each candidate number?

    As n_clusters, by the protocol of Monti et al. (2003): for each number of clusters 50 k-means of
    80% of the samples with this number, in place of one ensemble of any numbers for all. Data sets
    of up to 600 samples.
    """
    return cross(methods("EAC-AL"), FEW, "each-k", 50)


@target("null")
def null():
    """Is structure found where it exists, and only there?

    Two tests of whether there are clusters at all, each at the level of 5%. The null from features
    is a Gaussian cloud of the data's mean and covariance, clustered alike; the null from labels is
    that the base clusterings are independent of each other. On Gaussian clouds neither should
    reject more often than in 5%; where the second does, the clusterings agree because they share
    the cloud's geometry. Groups are three Gaussians, whose distance grows.
    """
    return alone("null", FEATURED, "coarse", 18)
