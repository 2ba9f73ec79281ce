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
