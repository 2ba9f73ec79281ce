"""Parts of Gagolewski's benchmark suite of data sets that analyses use."""

ALL = """
    fcps-atom fcps-chainlink fcps-engytime fcps-hepta fcps-lsun fcps-target-K2 fcps-target-K6
    fcps-tetra fcps-twodiamonds fcps-wingnut graves-dense graves-fuzzyx-K2 graves-fuzzyx-K4
    graves-fuzzyx-K5 graves-line graves-parabolic-K2 graves-parabolic-K4 graves-ring
    graves-ring_noisy graves-ring_outliers-K2 graves-ring_outliers-K5 graves-zigzag-K3
    graves-zigzag-K5 graves-zigzag_noisy-K3 graves-zigzag_noisy-K5 graves-zigzag_outliers-K3
    graves-zigzag_outliers-K5 other-chameleon_t4_8k other-chameleon_t5_8k other-chameleon_t7_10k
    other-chameleon_t8_8k other-hdbscan other-iris other-iris5 other-square sipu-a1 sipu-a2 sipu-a3
    sipu-aggregation sipu-compound-K4 sipu-compound-K5 sipu-compound-K6 sipu-d31 sipu-flame
    sipu-jain sipu-pathbased-K3 sipu-pathbased-K4 sipu-r15-K8 sipu-r15-K9 sipu-r15-K15 sipu-s1
    sipu-s2 sipu-s3 sipu-s4 sipu-spiral sipu-unbalance uci-ecoli uci-glass uci-ionosphere uci-sonar
    uci-statlog uci-wdbc uci-wine uci-yeast wut-circles wut-cross wut-graph wut-isolation
    wut-labirynth wut-mk1 wut-mk2 wut-mk3 wut-mk4 wut-olympic wut-smile-K4 wut-smile-K6 wut-stripes
    wut-trajectories wut-trapped_lovers wut-twosplashes wut-windows wut-x1 wut-x2-K3 wut-x2-K4
    wut-x3-K3 wut-x3-K4 wut-z1 wut-z2 wut-z3
""".split()
#: Data sets that no paper has, the smallest first. Each occurs once, with its first reference
#: labelling.
BATTERIES = """
    other-iris5 wut-x1 wut-x2-K3 other-iris wut-x3-K4 wut-z1 graves-dense uci-sonar fcps-hepta
    sipu-flame graves-line graves-zigzag-K3 graves-zigzag_outliers-K3 graves-zigzag_noisy-K3
    sipu-pathbased-K3 wut-mk1 sipu-spiral uci-ionosphere sipu-jain sipu-compound-K6 fcps-lsun
    fcps-tetra wut-twosplashes sipu-r15-K15 wut-mk3 fcps-target-K6 fcps-atom fcps-twodiamonds wut-z2
    fcps-chainlink graves-fuzzyx-K5 graves-parabolic-K2 graves-ring other-square wut-mk2
    wut-smile-K6 wut-z3 fcps-wingnut graves-ring_outliers-K5 graves-ring_noisy uci-yeast wut-mk4
    wut-cross other-hdbscan uci-statlog wut-graph wut-windows sipu-a1 sipu-d31 wut-labirynth
    wut-circles fcps-engytime sipu-s1 sipu-s2 sipu-s3 sipu-s4 wut-olympic wut-stripes
    wut-trapped_lovers sipu-a2 sipu-unbalance sipu-a3 other-chameleon_t4_8k other-chameleon_t5_8k
    other-chameleon_t8_8k wut-isolation other-chameleon_t7_10k wut-trajectories
""".split()
_NOT_TWICE = """
    other-chameleon_t7_10k sipu-a1 sipu-a2 sipu-a3 sipu-d31 sipu-r15-K9 sipu-r15-K15 sipu-s1 sipu-s2
    sipu-s3 sipu-s4 uci-yeast wut-graph
""".split()
#: Data sets with published results for twice as many clusters.
TWICE = [name for name in ALL if name not in _NOT_TWICE]
_ABOVE_1000 = """
    fcps-engytime fcps-wingnut graves-ring_noisy graves-ring_outliers-K2 graves-ring_outliers-K5
    other-chameleon_t4_8k other-chameleon_t5_8k other-chameleon_t7_10k other-chameleon_t8_8k
    other-hdbscan sipu-a1 sipu-a2 sipu-a3 sipu-d31 sipu-s1 sipu-s2 sipu-s3 sipu-s4 sipu-unbalance
    uci-statlog uci-yeast wut-circles wut-cross wut-graph wut-isolation wut-labirynth wut-mk4
    wut-olympic wut-stripes wut-trajectories wut-trapped_lovers wut-windows
""".split()
#: Data sets of up to 1,000 samples, for ensembles of all settings with at least a hundred base
#: clusterings.
SMALL = [name for name in ALL if name not in _ABOVE_1000]
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
