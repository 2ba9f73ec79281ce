"""Ranking

this project
"""

from coassoc.methods import METHODS
from reproduction.study.suite import BATTERIES
from reproduction.study.words import Row, cross, row, target

#: All data sets except Yale-standardised, which duplicates Yale.
DATASETS = """
    Glass Digits Wine BreastCancer Caltech20 Ecoli LS FCT Aggregation Texture UMIST SPF ISOLET USPS
    20NG Lung Orlraws Pendigit Tr11 Tr12 Tr23 Tr31 Tr41 Wap Hitech K1b Yale ORL JAFFE AR Coil20
    GLIOMA Prostate CSTR Medical MNIST4000 BinAlpha MF MNIST5000 Semeion
""".split()
#: Data sets of the batteries, and Aggregation, in which 90 % of the samples are nearest to the mean
#: of their own class.
_AROUND_MEANS = """
    Aggregation wut-x1 other-iris wut-x3-K4 graves-dense fcps-hepta wut-mk1 fcps-lsun fcps-tetra
    sipu-r15-K15 wut-mk3 fcps-twodiamonds wut-smile-K6 wut-z3 fcps-wingnut other-hdbscan sipu-a1
    sipu-d31 wut-circles fcps-engytime sipu-s1 sipu-s2 sipu-a2 sipu-unbalance sipu-a3
    other-chameleon_t5_8k wut-trajectories
""".split()
#: Groups of data sets that are also ranked separately, in addition to batteries and sizes.
GROUPS = {
    "text": "20NG Tr11 Tr12 Tr23 Tr31 Tr41 Wap Hitech K1b CSTR Medical".split(),
    "faces": "UMIST Orlraws Yale ORL JAFFE AR".split(),
    "digits": "Digits USPS Pendigit MNIST4000 BinAlpha MF MNIST5000 Semeion".split(),
    "UCI": "Glass Wine BreastCancer Ecoli LS FCT SPF ISOLET Pendigit Digits MF Semeion".split(),
    "gene expression": "Lung GLIOMA Prostate".split(),
    "objects and textures": "Caltech20 Coil20 Texture".split(),
    "classes around their means": _AROUND_MEANS,
    "classes of other shapes": [name for name in BATTERIES if name not in _AROUND_MEANS],
}


def ranked_methods(labels_only: bool = False) -> list[Row]:
    """Rows of methods that take the number of clusters and do not combine other methods."""
    return [
        row(name, name)
        for name, method in METHODS.items()
        if method.n_clusters_is != "chosen"
        and not getattr(method.estimator, "combines", ())
        and not (labels_only and method.uses_features)
    ]


@target("ranking", metrics=["ACC", "NMI", "ARI", "Purity", "F-score", "seconds"])
def ranking():
    """Ranking"""
    default = ranked_methods()
    tuned = [
        row(f"{name} (tuned)", name, "ARI")
        for name in "LWEA LWGP LWSC DREC SPCE TRCE CESHL RCE LTA-EA LTA-SC EC-CMS".split()
    ]
    published = {"Caltech20": "published", "Lung": "published"}
    cells = cross([*default, *tuned], DATASETS, "kmeans-sqrt", 20, published)
    for cell in cells:
        if cell["dataset"] == "Caltech20" and METHODS[cell["method"]].uses_features:
            cell["not_run"] = "it sees the features, which are not public"
    return cells + cross(default, BATTERIES, "kmeans-sqrt", 20)
