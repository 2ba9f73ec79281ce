"""Names of the methods as a type, so that editors complete them and type checkers check them.

A test compares the names with the registry, which is read only at run time.
"""

from typing import Literal

#: "auto", or a name in :data:`coassoc.methods.METHODS`.
# fmt: off
MethodName = Literal[
    "auto", "EAC-AL", "EAC-SL", "EAC-CL", "BALLS", "AGGLOMERATIVE", "FURTHEST", "LOCALSEARCH",
    "PIVOT", "CA-SC", "CSPA", "HGPA", "MCLA", "MDEC-HC", "MDEC-SC", "MDEC-BG", "CEHM", "HBGF",
    "U-SENC", "VOTE", "CVote", "K-modes", "FMM", "KCC-Uc", "KCC-UH", "WEAC", "GP-MGLA",
    "LCE-CTS", "LCE-SRS", "LCE-ASRS", "SEC", "KC", "SC", "NMFC", "PTA-AL", "PTA-CL", "PTA-SL",
    "PTGP", "LWEA", "LWGP", "LWSC", "DREC", "ECPCS-HC", "ECPCS-MC", "SPCE", "TRCE", "SCCBG",
    "SCCABG", "CESHL", "GWCA", "BCE", "RMSC", "RSEC-H", "RSEC-Z", "EC-CMS", "LTA-EA", "LTA-SC",
    "RCE", "ACMK-SC", "ACMK-KM", "ACMK-SC-A", "ACMK-KM-A", "ACMK-GF", "ACMK-Fix", "SDGCA",
    "CEAM", "CDEC", "AWEC", "GTLEC", "HCLCE", "LEADERS",
]
# fmt: on
