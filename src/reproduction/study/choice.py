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


@target("choice")
def methods():
    """Which method suits which ensemble?

    The table shows the mean ARI against the classes. The best fixed method of each column and the
    best method of each ensemble are oracles. The learned rule (one method for each kind of
    ensemble), the regression tree and the method with the best mean are chosen on one part of the
    data and evaluated on another part.
    """
    return [cell for label, pool in ENSEMBLES.items() for cell in alone(label, CHOICE, pool, 0)]
