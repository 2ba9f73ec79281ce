"""Benchmark: is a consensus better than the clusterings that it combines?

this project, on data and results of Gagolewski (2022), SoftwareX 20, 101270
"""

from reproduction.study.ranking import ranked_methods
from reproduction.study.suite import ALL, RANKED, SMALL, TWICE
from reproduction.study.words import cross, row, target

MEMBERS = [
    row("picked member", reference="ensemble-picked"),
    row("best member", reference="ensemble-best"),
]
SLOW = """
    HGPA PTGP ECPCS-HC SPCE SCCBG SCCABG CESHL BCE RMSC RSEC-H RSEC-Z EC-CMS LTA-EA LTA-SC RCE SDGCA
    CEAM AWEC GTLEC HCLCE
""".split()


def every_method(but=()):
    """Ranked methods that use only labels, except ACMK-Fix, whose graph is that of CA-SC."""
    return [x for x in ranked_methods(labels_only=True) if x.method not in ("ACMK-Fix", *but)]


@target("arena", metrics=["ARI", "NMI", "ACC", "NCA"])
def main():
    """Is a consensus of different algorithms better than the algorithms?

    The members of an ensemble are its base clusterings. Each member is the result of one algorithm
    with its first setting in the files of the suite, and has as many clusters as there are classes.
    An author of the suite is also an author of Genie, GenieIc, IcA and the optim_cvi searches. LTA
    and GTLEC depend on sample order, and many files of the suite are sorted by class.
    """
    return cross([*MEMBERS, *every_method()], ALL, "suite-main", 0)


@target("arena", metrics=["ARI", "NMI", "ACC", "NCA"])
def every():
    """The benchmark with every setting of every algorithm

    Members are the results of all settings of all algorithms in the files of the suite, 112 to 230
    for each data set. Usually more than half of the members belong to three families of optim_cvi
    searches. For the median member, each of these families and each other algorithm counts once,
    with the median of its settings. GP-MGLA is left out because it compares every pair of clusters,
    which takes too long. The data sets have up to 1,000 samples.
    """
    return cross([*MEMBERS, *every_method(but=[*SLOW, "GP-MGLA"])], SMALL, "suite-all", 0)


@target("arena", metrics=["ARI", "NMI", "ACC", "NCA"])
def twice():
    """The benchmark with twice as many clusters

    Each member is the result of one algorithm with one setting. Only the clusterings of the suite
    with twice as many clusters as classes are used. The consensus has as many clusters as there are
    classes.
    """
    return cross([*MEMBERS, *every_method(but=SLOW)], TWICE, "suite-2k", 0)


@target("arena", metrics=["ARI", "NMI", "ACC"])
def kmeans():
    """The benchmark with k-means members only

    Members are k-means runs with random numbers of clusters up to the square root of n. Each
    ensemble contains 20 of the 100 runs on a data set. The consensus has as many clusters as there
    are classes. Few members have this number of clusters, so the consensus has an advantage. The
    median member is the median of the 100 runs, whereas the picked member and the best member are
    chosen among the 20 runs of the ensemble. The data sets are the ranked data sets of the suite
    with up to 3,000 samples.
    """
    return cross([*MEMBERS, *every_method(but=SLOW)], RANKED, "kmeans-sqrt", 20)
