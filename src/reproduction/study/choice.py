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

    Mean ARI with the classes. The best fixed method of each column and the best method of each
    ensemble are known in hindsight only. A rule by kinds of ensembles and a regression tree are
    learned on what they are not judged on, as is the one method of best mean.
    """
    return [cell for label, pool in ENSEMBLES.items() for cell in alone(label, CHOICE, pool, 0)]
