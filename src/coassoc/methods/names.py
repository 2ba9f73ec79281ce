"""Names of the methods.

They are listed here because importing all classes takes longer than most fits, and because editors
and type checkers read this list. Names that share a class differ in a parameter that they fix.
"""

from typing import Any, Literal

_ACMK = "Adaptive consensus multiple k-means"
_MDEC = "Multidiversified ensemble clustering, its consensus"
_MDEC_PAPER = "Huang, Wang, Lai & Kwoh, IEEE Trans. Cybernetics 2022"

# fmt: off
#: "auto", or a name in :data:`coassoc.methods.METHODS`.
MethodName = Literal[
    "auto", "EAC-AL", "EAC-SL", "EAC-CL", "BALLS", "AGGLOMERATIVE", "FURTHEST", "LOCALSEARCH",
    "PIVOT", "CA-SC", "CSPA", "HGPA", "MCLA", "MDEC-HC", "MDEC-SC", "MDEC-BG", "CEHM", "HBGF",
    "U-SENC", "VOTE", "CVote", "K-modes", "FMM", "KCC-Uc", "KCC-UH", "WEAC", "GP-MGLA", "LCE-CTS",
    "LCE-SRS", "LCE-ASRS", "SEC", "KC", "SC", "NMFC", "PTA-AL", "PTA-CL", "PTA-SL", "PTGP",
    "LWEA", "LWGP", "LWSC", "DREC", "ECPCS-HC", "ECPCS-MC", "SPCE", "TRCE", "SCCBG", "SCCABG",
    "CESHL", "GWCA", "BCE", "RMSC", "RSEC-H", "RSEC-Z", "EC-CMS", "LTA-EA", "LTA-SC", "RCE",
    "ACMK-SC", "ACMK-KM", "ACMK-SC-A", "ACMK-KM-A", "ACMK-GF", "ACMK-Fix", "SDGCA", "CEAM",
    "CDEC", "AWEC", "GTLEC", "HCLCE", "LEADERS", "MEDOID",
]
#: Module in this folder and class of each name.
CLASSES: dict[str, str] = {
    "EAC-AL": "eac:EAC", "EAC-SL": "eac:EAC", "EAC-CL": "eac:EAC", "BALLS": "aggregation:Balls",
    "AGGLOMERATIVE": "aggregation:Agglomerative", "FURTHEST": "aggregation:Furthest",
    "LOCALSEARCH": "aggregation:LocalSearch", "PIVOT": "aggregation:Pivot",
    "CA-SC": "eac:SpectralCoAssociation", "CSPA": "partitioning:CSPA",
    "HGPA": "partitioning:HGPA", "MCLA": "partitioning:MCLA", "MDEC-HC": "lwe:LWEA",
    "MDEC-SC": "lwe:LWSC", "MDEC-BG": "lwe:LWGP", "CEHM": "cehm:CEHM", "HBGF": "hbgf:HBGF",
    "U-SENC": "hbgf:USENC", "VOTE": "vote:PluralityVote", "CVote": "cvote:CumulativeVote",
    "K-modes": "kmodes:KModes", "FMM": "fmm:FMM", "KCC-Uc": "kcc:KCC", "KCC-UH": "kcc:KCC",
    "WEAC": "weac:WEAC", "GP-MGLA": "weac:GPMGLA", "LCE-CTS": "lce:LCECTS",
    "LCE-SRS": "lce:LCESRS", "LCE-ASRS": "lce:LCEASRS", "SEC": "sec:SEC", "KC": "kc:KC",
    "SC": "sc:SC", "NMFC": "nmfc:NMFC", "PTA-AL": "pta:PTA", "PTA-CL": "pta:PTA",
    "PTA-SL": "pta:PTA", "PTGP": "pta:PTGP", "LWEA": "lwe:LWEA", "LWGP": "lwe:LWGP",
    "LWSC": "lwe:LWSC", "DREC": "drec:DREC", "ECPCS-HC": "ecpcs:ECPCSHC",
    "ECPCS-MC": "ecpcs:ECPCSMC", "SPCE": "spce:SPCE", "TRCE": "trce:TRCE", "SCCBG": "sccbg:SCCBG",
    "SCCABG": "sccabg:SCCABG", "CESHL": "ceshl:CESHL", "GWCA": "gwca:GWCA", "BCE": "bce:BCE",
    "RMSC": "rmsc:RMSC", "RSEC-H": "rsec:RSEC", "RSEC-Z": "rsec:RSEC", "EC-CMS": "eccms:ECCMS",
    "LTA-EA": "lta:LTA", "LTA-SC": "lta:LTA", "RCE": "rce:RCE", "ACMK-SC": "acmk:ACMK",
    "ACMK-KM": "acmk:ACMK", "ACMK-SC-A": "acmk:ACMK", "ACMK-KM-A": "acmk:ACMK",
    "ACMK-GF": "acmk:ACMKGF", "ACMK-Fix": "eac:SpectralCoAssociation", "SDGCA": "sdgca:SDGCA",
    "CEAM": "ceam:CEAM", "CDEC": "cdec:CDEC", "AWEC": "awec:AWEC", "GTLEC": "gtlec:GTLEC",
    "HCLCE": "hclce:HCLCE", "LEADERS": "leaders:Leaders", "MEDOID": "medoid:Medoid",
}
#: Parameters that a name fixes.
FIXED: dict[str, dict[str, Any]] = {
    "EAC-AL": {"linkage": "average"}, "EAC-SL": {"linkage": "single"},
    "EAC-CL": {"linkage": "complete"}, "MDEC-HC": {"theta": 1.0}, "MDEC-SC": {"theta": 1.0},
    "MDEC-BG": {"theta": 1.0}, "KCC-Uc": {"utility": "Uc"}, "KCC-UH": {"utility": "UH"},
    "PTA-AL": {"linkage": "average"}, "PTA-CL": {"linkage": "complete"},
    "PTA-SL": {"linkage": "single"}, "RSEC-H": {"ending": "H"}, "RSEC-Z": {"ending": "Z"},
    "LTA-EA": {"ending": "linkage"}, "LTA-SC": {"ending": "spectral"},
    "ACMK-SC": {"ending": "spectral"}, "ACMK-KM": {"ending": "k-means"},
    "ACMK-SC-A": {"ending": "spectral-A"}, "ACMK-KM-A": {"ending": "k-means-A"},
}
# fmt: on
#: Titles and papers of names in place of those of their classes.
TEXTS: dict[str, dict[str, str]] = {
    "EAC-AL": {"title": "Evidence accumulation, average linkage"},
    "EAC-SL": {"title": "Evidence accumulation, single linkage"},
    "EAC-CL": {"title": "Evidence accumulation, complete linkage"},
    "KCC-Uc": {"title": "K-means-based consensus clustering, category utility"},
    "KCC-UH": {"title": "K-means-based consensus clustering, entropy"},
    "PTA-AL": {"title": "Probability trajectory accumulation, average linkage"},
    "PTA-CL": {"title": "Probability trajectory accumulation, complete linkage"},
    "PTA-SL": {"title": "Probability trajectory accumulation, single linkage"},
    "RSEC-H": {"title": "Robust spectral ensemble clustering, k-means on the partition H"},
    "RSEC-Z": {"title": "Robust spectral ensemble clustering, spectral clustering of Z"},
    "LTA-EA": {"title": "Low-rank tensor approximation, average linkage"},
    "LTA-SC": {"title": "Low-rank tensor approximation, spectral clustering"},
    "ACMK-SC": {"title": f"{_ACMK}, spectral clustering of the learned graph"},
    "ACMK-KM": {"title": f"{_ACMK}, k-means of the filtered features"},
    "ACMK-SC-A": {"title": f"{_ACMK}, spectral clustering of the filter's copy A"},
    "ACMK-KM-A": {"title": f"{_ACMK}, k-means of the features filtered by the copy A"},
    "ACMK-Fix": {"paper": "Zhou, Du & Li, IEEE TKDE 2023"},
    "MDEC-HC": {"title": f"{_MDEC} by linkage", "paper": _MDEC_PAPER},
    "MDEC-SC": {"title": f"{_MDEC} by spectral clustering", "paper": _MDEC_PAPER},
    "MDEC-BG": {"title": f"{_MDEC} by transfer cut", "paper": _MDEC_PAPER},
}
