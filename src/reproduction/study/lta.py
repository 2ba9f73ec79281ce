"""LTA: clustering ensemble meets low-rank tensor approximation

Jia, Liu, Hou & Zhang, AAAI 2021
"""

from functools import partial

from reproduction.study.variants import LWGP_THETAS
from reproduction.study.words import CONTROLS, cross, methods, row, sweep, target, ways

HERE = {"pool": "published", "m": 10}
ALL = "BinAlpha MF MNIST5000 Semeion Caltech20 Texture ISOLET".split()
METRICS = {"NMI": "NMI-max", "F1-score": "F-score"}
SCORES = ["ACC", "NMI", "Purity", "ARI", "F1-score", "Precision", "Recall"]

DREC = row("DREC", "DREC", lam=0.7)  # protocol_drec
LWGP = row("LWGP", "LWGP", init="random", n_init=1)  # protocol_lwgp
LWSC = row("LWSC", "LWSC", init="random", n_init=3)  # protocol_lwsc
SPCE = row("SPCE", "SPCE", "ACC", ["gamma"])
LTA, LWEA, CA = methods("LTA-EA LTA-SC"), row("LWEA", "LWEA"), row("CA", "CA-SC")
*LTA_SHUFFLED, CA_SHUFFLED = (
    x.but(label=f"{x.label} (shuffled samples)", shuffled=100) for x in (*LTA, CA)
)
BASE = [
    row("Base clusterings (average)", reference="mean"),
    row("Best base clustering", reference="ensemble-best"),
]

OWN = LTA
TABLES = [f"table{k}" for k in range(1, 8)]
YARDSTICK = {"repeats": 20, "stated": True, "tables": TABLES, "single": []}


def clustering(dataset):
    """Clustering performance on {datasets}

    All methods use the stored order of the samples. CA, which is not in the paper, is spectral
    clustering of the co-association matrix that LTA-SC refines. Other rows repeat LTA and CA on
    shuffled samples, which should not change the scores. On the data sets of the paper CA keeps its
    scores, but LTA loses most of its lead over CA or falls below CA. SPCE, whose authors suggest no
    parameter value, is tuned as in the paper. The last rows are controls: random labels and the
    true classes.
    """
    compared = [*methods("PTA-CL PTA-SL PTGP"), LWSC, LWEA, LWGP, *methods("ECPCS-HC ECPCS-MC")]
    compared += [DREC, SPCE, *methods("SEC"), *LTA]
    rows = [*compared, CA, *LTA_SHUFFLED, CA_SHUFFLED, *BASE, *CONTROLS]
    return cross(rows, [dataset], **HERE)


table1, table2, table3, table4, table5, table6, table7 = (
    target("table", metrics=SCORES, across=["metric"])(partial(clustering, dataset))
    for dataset in ALL
)


@target("base_quality", metric="NMI")
def figure2():
    """LTA compared with its base clusterings

    Each point is a repeat, with the NMI of the consensus and the mean NMI of its base clusterings.
    At points above the grey line, the consensus has the higher NMI. The dotted line is the mean NMI
    of all base clusterings in the pool, which the paper uses for its comparison. Open markers show
    shuffled samples.
    """
    return cross([*LTA, CA, *LTA_SHUFFLED], ALL, **HERE)


@target("sensitivity", metric="NMI", over="lam", scale="log")
def figure3():
    """Sensitivity of LTA to lambda

    The curves show the NMI for each value of lambda, the weight of the error term, once with the
    samples in the published order and once with shuffled samples.
    """
    return sweep([*LTA, *LTA_SHUFFLED], ["lam"], ALL, **HERE)


@target("ensemble_size", metric="NMI")
def figure4():
    """Influence of the ensemble size on LTA

    The curves show the NMI for each number of base clusterings, once with the samples in the
    published order and once with shuffled samples.
    """
    rows, sizes = [*LTA, *LTA_SHUFFLED, LWEA], (5, 10, 20, 30, 40, 50)
    return [cell for m in sizes for cell in cross(rows, ALL, HERE["pool"], m, x=m)]


@target("matrices", relative=True, coherent=True)
def figure5():
    """Similarity matrices of different methods

    Samples are sorted by class. One panel, LTA on shuffled samples, is not in the paper. The
    coherent links are the pairs that all base clusterings join, so their co-association (CA) is 1.
    The matrix of LWEA is the locally weighted co-association. Shuffling the samples removes the
    blocks of LTA's matrix, so the blocks come from the order of the samples in the file.
    """
    rows = [CA, LWEA, row("SPCE (default)", "SPCE"), LTA[1], LTA_SHUFFLED[1]]
    return cross(rows, ["BinAlpha"], **HERE)


@target("protocol", compared_with=TABLES, metrics=SCORES)
def protocol_drec():
    """Which lambda did DREC use?

    The paper does not state lambda. The comparison uses all seven scores of the paper's tables.
    """
    lams = (0.7, 1, 100, 10, 0.5, 0.3, 0.1, 0.01)
    given = {f"lambda = {lam}": {"lam": lam} for lam in lams}
    return ways([DREC], ALL, given, **HERE)


@target("protocol", compared_with=TABLES, metrics=SCORES)
def protocol_lwgp():
    """Which theta did LWGP use, and how did its k-means start?

    The paper states no parameters. Variants with ten starts use k-means++. The other variants start
    at random samples. The comparison uses all seven scores of the paper's tables.
    """
    given = {
        "theta = 0.4, 1 drawn start": {},
        "theta = 0.4, 3 drawn starts": {"n_init": 3},
        "theta = 0.1, 3 drawn starts": {"theta": 0.1, "n_init": 3},
        **LWGP_THETAS,
    }
    return ways([LWGP], ALL, given, **HERE)


@target("protocol", compared_with=TABLES, metrics=SCORES)
def protocol_lwsc():
    """How did the final k-means of LWSC start?

    The paper does not say how the k-means started. The comparison uses all seven scores of the
    paper's tables.
    """
    given = {
        "3 starts, drawn samples": {},
        "1 start, drawn samples": {"n_init": 1},
        "10 starts, k-means++": {"init": "k-means++", "n_init": 10},
        "1 start, k-means++": {"init": "k-means++", "n_init": 1},
    }
    return ways([LWSC], ALL, given, **HERE)


@target("protocol", compared_with=["table2", "table4", "table5"], metrics=SCORES)
def protocol_spce():
    """How was SPCE tuned?

    The paper says that SPCE was tuned, but not by which score. BinAlpha and ISOLET are left out
    because their published accuracies exceed the published purities.
    """
    given = {
        f"tuned by {name}": {"tune": METRICS.get(name, name)} for name in ("ACC", "NMI", "ARI")
    }
    return ways([SPCE], ["MF", "Semeion", "Caltech20"], given, **HERE)
