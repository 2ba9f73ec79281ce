"""The survey of 71 variants of methods on 86 data sets

A comprehensive survey of ensemble clustering, 2026
"""

# The numbers come from the survey's data,
# https://github.com/xuz2019/ensemble-clustering-survey-interactive-explorer. Of the survey's 71
# variants of methods and 86 data sets, this study contains those that coassoc has, with base
# clusterings published by authors.

from reproduction.study.words import cross, methods, row, target, ways

# The survey's data state neither the source of the base clusterings nor their number. Twenty
# published base clusterings reproduce its numbers (protocol_size).
HERE = {"pool": "published", "m": 20}
SMALL = "GLIOMA Orlraws Lung Ecoli UMIST Aggregation".split()
ALL = [*SMALL, *"Semeion SPF MF Caltech20 FCT MNIST5000 Texture LS ISOLET Pendigit USPS".split()]
SCORECARD = "scorecard_leaders"

EAC, LCE, WEAC = row("EAC", "EAC-AL"), row("LCE", "LCE-SRS"), row("WEAC (1)", "WEAC")
LWEA, LWGP, GTLEC = methods("LWEA LWGP GTLEC")
ECCMS, LTA, CA = row("ECCMS", "EC-CMS"), row("CELTA (2)", "LTA-EA"), row("CA", "CA-SC")
ROWS = [
    *(EAC, *methods("HBGF"), row("KCC", "KCC-Uc"), LCE, WEAC, row("WEAC (2)", "GP-MGLA")),
    *(LWEA, LWGP, row("USENC", "U-SENC"), ECCMS, *methods("SCCABG CEAM")),
    *(row("TBAWEC", "CDEC"), LTA, row("AWEC (2)", "AWEC"), *methods("SDGCA"), GTLEC, CA),
    *(x.but(label=f"{x.label} (shuffled samples)", shuffled=100) for x in (GTLEC, LTA, CA)),
]


@target("table", metrics=["NMI"], down=["dataset"], across=["method"])
def nmi():
    """NMI

    All methods run with default parameters, although the survey tuned some of them. Unless a column
    says otherwise, the samples are in their stored order. If a program returns two results,
    "(1)" and "(2)" distinguish the survey's numbers, in the program's order. CA, which is not in
    the survey, is plain spectral clustering of the co-association matrix. Other columns repeat
    GTLEC, CELTA and CA on shuffled samples, which should not change the scores.
    """
    return cross(ROWS, ALL, **HERE)


@target("table", nmi.caption, metrics=["ARI"], down=["dataset"], across=["method"])
def ari():
    """ARI"""
    return cross(ROWS, ALL, **HERE)


@target("table", nmi.caption, metrics=["ACC"], down=["dataset"], across=["method"])
def acc():
    """Accuracy"""
    return cross(ROWS, ALL, **HERE)


AGAINST_PRINT = {"compared_with": ["nmi", "ari", "acc"], "metrics": ["NMI", "ARI", "ACC"]}


@target("protocol", **AGAINST_PRINT)
def protocol_size():
    """How many base clusterings did the survey combine?

    The survey's data do not state the number of base clusterings.
    """
    sizes = {f"m = {m}": {"m": m} for m in (20, 10, 40)}
    return ways([EAC, WEAC, LWEA, LWGP], SMALL, sizes, **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_endings():
    """Which final step of LTA gives the survey's second number?

    The survey's data do not state the final step. LTA's program offers average linkage and spectral
    clustering.
    """
    endings = {"linkage": {}, "spectral clustering": {"method": "LTA-SC"}}
    return ways([LTA], ["GLIOMA", "Orlraws", "Lung", "Ecoli"], endings, **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_tuned():
    """Did the survey tune methods that have parameters?

    The survey gives standard deviations for other methods, but not for methods with parameters.
    """
    tuned = {"default": {}, "tuned by the classes": {"tune": "ARI"}}
    return ways([LWEA, LWGP, ECCMS], SMALL, tuned, **HERE)


@target("protocol", **AGAINST_PRINT)
def protocol_lce():
    """Which similarity of LCE did the survey use?

    The survey's data do not state which similarity was used. All variants use average linkage.
    """
    datasets = ["GLIOMA", "Ecoli", "UMIST", "Aggregation", "Semeion"]
    similarities = {"SRS": {}, "CTS": {"method": "LCE-CTS"}, "ASRS": {"method": "LCE-ASRS"}}
    return ways([LCE], datasets, similarities, **HERE)
