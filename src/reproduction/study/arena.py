"""The arena: is a consensus better than the clusterings it is made of?

this project, on data and results of Gagolewski (2022), SoftwareX 20, 101270
"""

from reproduction.study.suite import ALL, RANKED, SMALL, TWICE
from reproduction.study.words import cross, methods, row, target

MEMBERS = [
    row("picked member", reference="ensemble-picked"),
    row("best member", reference="ensemble-best"),
]
EVERY = """
    EAC-AL EAC-SL EAC-CL CA-SC CSPA HGPA MCLA MDEC-HC MDEC-SC MDEC-BG CEHM HBGF U-SENC VOTE CVote
    K-modes FMM KCC-Uc KCC-UH WEAC GP-MGLA LCE-CTS LCE-SRS LCE-ASRS SEC KC NMFC PTA-AL PTA-CL PTA-SL
    PTGP LWEA LWGP LWSC DREC ECPCS-HC ECPCS-MC SPCE TRCE SCCBG SCCABG CESHL GWCA BCE RMSC RSEC-H
    RSEC-Z EC-CMS LTA-EA LTA-SC RCE SDGCA CEAM CDEC AWEC GTLEC HCLCE
"""
SLOW = """
    HGPA PTGP ECPCS-HC SPCE SCCBG SCCABG CESHL BCE RMSC RSEC-H RSEC-Z EC-CMS LTA-EA LTA-SC RCE SDGCA
    CEAM AWEC GTLEC HCLCE
""".split()
FAST = [x for x in methods(EVERY) if x.method not in SLOW]


@target("arena", metrics=["ARI", "NMI", "ACC", "NCA"])
def main():
    """Is a consensus of different algorithms better than they are?

    Members are the first setting of each algorithm in the files, with as many clusters as classes.
    The author of the suite is an author of Genie, GenieIc, IcA and of the searches optim_cvi. LTA
    and GTLEC read the order of the samples, which lie sorted in many of these files.
    """
    return cross([*MEMBERS, *methods(EVERY)], ALL, "suite-main", 0)


@target("arena", metrics=["ARI", "NMI", "ACC", "NCA"])
def every():
    """The arena with every setting of every algorithm

    Members are all settings of each algorithm in the files, 112 to 230, mostly more than half of
    them of the three families optim_cvi. For the median member an algorithm counts once, by the
    median of its settings, and so does each of these families. GP-MGLA, which compares all clusters
    of so many members, is left out. Data sets are those of up to 1,000 samples.
    """
    rows = [x for x in FAST if x.method != "GP-MGLA"]
    return cross([*MEMBERS, *rows], SMALL, "suite-all", 0)


@target("arena", metrics=["ARI", "NMI", "ACC", "NCA"])
def twice():
    """The arena with twice as many clusters

    Members are all settings of each algorithm in the files with twice as many clusters as classes;
    the consensus has as many clusters as classes.
    """
    return cross([*MEMBERS, *FAST], TWICE, "suite-2k", 0)


@target("arena", metrics=["ARI", "NMI", "ACC"])
def kmeans():
    """The arena of k-means alone

    Members are k-means with random numbers of clusters up to the root of n, 20 at a time of 100 of
    each data set; the consensus has as many clusters as classes, which members rarely have, and
    which counts in its favour. The median member is that of the 100, the picked one and the best
    are those of the 20. Data sets are the suite's in the ranking with up to 3,000 samples.
    """
    return cross([*MEMBERS, *FAST], RANKED, "kmeans-sqrt", 20)
