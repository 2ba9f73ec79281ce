"""Parts of Gagolewski's benchmark suite of data sets that analyses use."""

from coassoc.bench.datasets.batteries import load_batteries
from reproduction import PROJECT

_ENTRIES = load_batteries(PROJECT / "config" / "batteries.yaml")
ALL = [*_ENTRIES]
#: Data sets that no paper has, the smallest first. Each occurs once, with its first reference
#: labelling.
BATTERIES = [x.name for x in sorted(_ENTRIES.values(), key=lambda x: x.n or 0) if not x.same_as]
_NOT_TWICE = """
    other-chameleon_t7_10k sipu-a1 sipu-a2 sipu-a3 sipu-d31 sipu-r15-K9 sipu-r15-K15 sipu-s1 sipu-s2
    sipu-s3 sipu-s4 uci-yeast wut-graph
""".split()
#: Data sets with published results for twice as many clusters.
TWICE = [name for name in ALL if name not in _NOT_TWICE]
#: Data sets of up to 1,000 samples, for ensembles of all settings with at least a hundred base
#: clusterings.
SMALL = [name for name, entry in _ENTRIES.items() if (entry.n or 0) <= 1000]
#: Data sets of up to 3,000 samples, each with its first reference labelling, without data sets that
#: the papers also use, as in the ranking.
RANKED = [name for name in ALL if name in BATTERIES[:48]]
_OF_PAPERS = """
    AR BinAlpha BreastCancer Coil20 Digits FCT Glass ISOLET JAFFE LS MF MNIST4000 MNIST5000 ORL
    Pendigit Prostate SPF Semeion Texture UMIST USPS Wine Yale
""".split()
_EQUAL_TO_OTHERS = """
    fcps-atom graves-fuzzyx-K5 graves-parabolic-K2 wut-windows sipu-s1 sipu-s3
""".split()
#: Data sets with classes and at most a few thousand features, which are dense. Of equal data sets
#: only one is listed. Data sets of the papers are included. Of names with the same beginning, the
#: longer comes first.
CHOICE = sorted(
    [*_OF_PAPERS, *(name for name in BATTERIES if name not in _EQUAL_TO_OTHERS)],
    key=lambda name: name + "~",
)
