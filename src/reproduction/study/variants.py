"""Variants of settings that several papers leave open, for :func:`.words.ways`."""

#: Variants of a table of NMI, because papers use different denominators.
NMI_DENOMINATORS = {
    "the larger entropy": {},
    "the mean entropy": {"columns": {"NMI": "NMI"}},
    "the geometric mean": {"columns": {"NMI": "NMI-geometric"}},
}
#: Base clusterings by k-means with other scales of the features and other starts.
SCALES_AND_STARTS = {
    "features from 0 to 1": {"pool": "base-minmax"},
    "raw, from k-means++": {"pool": "base-raw-plus"},
    "raw, best of 5": {"pool": "base-raw-best"},
    "unit rows, best of 5": {"pool": "base-unit-best"},
    "features from 0 to 1, best of 5": {"pool": "base-minmax-best"},
}
_TEN_STARTS = {"init": "k-means++", "n_init": 10}
#: Final steps of RSEC, from a row with one random start and unscaled rows of H.
RSEC_ENDINGS = {
    "H, 1 drawn start": {},
    "H, 10 starts": _TEN_STARTS | {"unit_rows": False},
    "H at unit length, 10 starts": _TEN_STARTS | {"unit_rows": True},
    "Z, 1 drawn start": {"method": "RSEC-Z", "unit_rows": True},
    "Z, 10 starts": _TEN_STARTS | {"method": "RSEC-Z", "unit_rows": True},
}
#: Values of LWGP's theta with ten starts of its k-means.
LWGP_THETAS = {
    f"theta = {theta}, 10 starts": _TEN_STARTS | {"theta": theta}
    for theta in (0.1, 0.2, 0.4, 1, 10)
}
