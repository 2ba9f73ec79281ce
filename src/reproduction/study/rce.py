"""RCE: a robust consensus matrix by Kullback-Leibler divergence minimization

Zhou, Du, Wang, Shi & Shen, IJCAI 2015
"""

from reproduction.study.variants import NMI_DENOMINATORS, SCALES_AND_STARTS
from reproduction.study.words import CONTROLS, cross, methods, row, sweep, target, ways

# The paper says neither how the features were scaled nor how k-means started. Of four combinations,
# raw features with random starts fit the paper's k-means scores best (protocol_kmeans).
HERE = {"pool": "kmeans-c-200", "pools": {"Yale": "published-c"}, "m": 20}
ALL = "Yale Tr23 JAFFE Glass ORL Medical Coil20 Wap Hitech K1b MNIST4000".split()
METRICS = {"NMI": "NMI-max"}

KM = row("K-means", reference="mean")
BEST = row("Best base clustering", reference="ensemble-best")
KC = row("KC", "KC", init="random", n_init=1)  # protocol_kc
NMFC = row("NMFC", "NMFC", init="k-means", n_init=1)  # protocol_nmfc
BCE = row("BCE", "BCE", init="random", n_init=1)  # protocol_bce
GWCA = row("GWCA", "GWCA", eta=0.01)  # protocol_gwca
RCE = row("RCE", "RCE", "ACC", ["lam1", "lam2"])
DEFAULT = row("RCE (default)", "RCE")
CSPA, HGPA, MCLA, RMSC = methods("CSPA HGPA MCLA RMSC")
COMPARED = [KM, KC, CSPA, HGPA, MCLA, NMFC, GWCA, BCE, RMSC, RCE]

OWN = [RCE]
YARDSTICK = {"repeats": 10, "stated": True, "tables": ["table2"], "single": []}


@target("table", metrics=["ACC", "NMI"], down=["dataset", "metric"], across=["method"])
def table2():
    """Clustering results on eleven data sets

    The column RCE uses the best grid point on each data set, chosen against the classes as in the
    paper. The column RCE (default) uses the default parameters. CA, which is not in the paper, is
    spectral clustering of the co-association matrix that RCE refines, with the same final step. The
    last columns are controls: random labels and the true classes.
    """
    return cross([*COMPARED, DEFAULT, row("CA", "CA-SC"), BEST, *CONTROLS], ALL, **HERE)


@target("surface", metrics=["ACC", "NMI"], over=["lam1", "lam2"], group="sensitivity")
def figure1():
    """Sensitivity of RCE to both parameters

    The surfaces show the scores over the grid of lambda1 and lambda2. Look at the size of the
    region with good scores.
    """
    return sweep([DEFAULT], ["lam1", "lam2"], ["JAFFE", "ORL"], **HERE)


AGAINST_PRINT = {"compared_with": ["table2"], "metrics": ["ACC", "NMI"]}


@target("protocol", **AGAINST_PRINT)
def protocol_kmeans():
    """Which k-means did the paper run?

    The paper states neither the scaling of the features nor the initialisation of k-means. Each
    variant uses twenty k-means runs.
    """
    started = {
        "raw, random start": {"pool": "probe-raw"},
        "unit rows, random start": {"pool": "probe-unit"},
        "raw, k-means++": {"pool": "probe-raw-plus"},
        "unit rows, k-means++": {"pool": "probe-unit-plus"},
    }
    return ways([KM], ALL, started, **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_standardised():
    """Did the paper standardise its features?

    The table shows the data sets with dense features. Data sets of word counts are left out because
    standardising them would make them dense.
    """
    scaled = {
        "raw": {"pool": "probe-raw"},
        "unit rows": {"pool": "probe-unit"},
        "standardised features": {"pool": "probe-standardised"},
    }
    dense = ["Yale", "JAFFE", "Glass", "ORL", "Coil20", "MNIST4000"]
    return ways([KM], dense, scaled, **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_consensus():
    """Does the scaling affect the consensus as it affects k-means?

    The methods combine k-means runs on raw features, or on rows of unit length. The rows of K-means
    show how far the base clusterings themselves are from the published numbers.
    """
    scaled = {"raw": {"pool": "kmeans-c-200"}, "unit rows": {"pool": "kmeans-c-unit"}}
    return ways([KM, KC, CSPA, MCLA, NMFC, BCE], ["JAFFE", "ORL"], scaled, **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_gwca():
    """Which penalty (eta) did the paper use for GWCA?

    On seven of the eleven data sets, the published scores of GWCA are within 0.025 of those of
    k-means. Such scores are expected if one base clustering has most of the weight, which is the
    case for a small eta.
    """
    weights = {f"eta = {eta:g}": {"eta": eta} for eta in (0.01, 1, 0.1, 0.001)}
    return ways([GWCA], ALL, weights, **HERE)


def starts(usual, other):
    """Variants with one or ten starts, from the row's initialisation or another."""
    return {
        f"{n} start{'s' if n > 1 else ''}, {label}": {"n_init": n, **init}
        for label, init in ((usual, {}), (other, {"init": other}))
        for n in (1, 10)
    }


@target("protocol", **AGAINST_PRINT)
def protocol_kc():
    """How did the k-means of KC start?

    The paper says only that the k-means is randomly initialised.
    """
    return ways([KC], ALL, starts("drawn samples", "k-means++"), **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_nmfc():
    """How did NMFC start?

    The variants start from uniform random numbers, or from k-means on the rows of the
    co-association matrix. The k-means itself starts at random samples.
    """
    return ways([NMFC], ALL, starts("k-means", "uniform"), **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_bce():
    """How did BCE start?

    The variants start once or ten times, either from random alpha and beta or from k-means on the
    cluster indicators. The program of BCE's authors starts once from random values.
    """
    return ways([BCE], ALL, starts("drawn", "k-means"), **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_tuning():
    """Was RCE tuned separately for each score?

    The variants use the grid point with the best ACC or the best NMI. Compare the published ACC
    with the first variant and the published NMI with the second.
    """
    tuned = {"tuned by ACC": {}, "tuned by NMI": {"tune": "NMI-max"}}
    return ways([RCE], ["Yale", "JAFFE", "Glass", "Tr23"], tuned, **HERE)


ON_BASE = [KM, KC, CSPA, MCLA, GWCA, RCE]


@target("protocol", **AGAINST_PRINT)
def protocol_base():
    """How were the base clusterings generated?

    The variants are common choices in papers that use k-means. They differ in the scale of the
    features, in the initialisation, and in the number of k-means starts (one, or the best of five).
    The data sets have up to 500 samples. ORL is left out because its k-means runs take longest.
    """
    pools = {"as in the tables": {}, "unit rows": {"pool": "kmeans-c-unit"}, **SCALES_AND_STARTS}
    return ways(ON_BASE, ["Glass", "JAFFE", "Tr23"], pools, **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_base_dense():
    """How were the base clusterings of dense features generated?

    The alternative setting standardises the features and runs k-means once from random centres.
    Data sets of word counts are left out because standardising them would make them dense.
    """
    pools = {"as in the tables": {}, "standardised": {"pool": "base-standardised"}}
    return ways(ON_BASE, ["Glass", "JAFFE"], pools, **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_tfidf():
    """Were words weighted before clustering?

    The word counts are either raw or weighted by (1 + ln tf) ln(N / df) and scaled to unit length.
    """
    pools = {"as in the tables": {}, "tf-idf, unit rows": {"pool": "base-tfidf"}}
    return ways(ON_BASE, ["Tr23", "Wap"], pools, **HERE)


@target("protocol", compared_with=["table2"], metrics=["NMI"])
def protocol_nmi():
    """Which NMI did the paper compute?

    The NMI of the same partitions is computed with three denominators. The paper does not say which
    denominator it uses.
    """
    return ways(COMPARED, ALL, NMI_DENOMINATORS, **HERE)
