"""The style of the methods: each has the same colour, marker and line in every figure."""

from typing import Any

from coassoc.pages.style import COLOURS

#: Colour and line of each group of methods, and its members with their markers.
_GROUPS = (
    ("red", "-", "EC-CMS o, EC-CMS on CA s, EC-CMS on PTS ^"),
    ("red", ":", "SDGCA P, CEHM D, AWEC x"),
    ("pink", "-", "LTA-EA o, LTA-SC s"),
    ("pink", "--", "LTA-SC (lambda=0.02) ^"),
    ("pink", ":", "NMFC ^, GWCA v, BCE D, FMM o"),
    ("orange", "-", "GTLEC X, ACMK-SC o"),
    ("orange", "-.", "ACMK-KM s"),
    ("orange", "--", "ACMK-GF ^, ACMK-Fix v"),
    ("orange", ":", "ACMK-SC-A D, ACMK-KM-A P, KCC-Uc <, KCC-UH >, KC D, SC x"),
    ("blue", "-", "RCE o"),
    ("blue", "--", "SPCE s, TRCE ^, SCCBG v, SCCABG x, CESHL D"),
    ("blue", ":", "CDEC <"),
    ("green", "-", "HCLCE o"),
    ("green", "--", "ECPCS-HC s, ECPCS-MC ^"),
    ("green", ":", "RMSC D, SEC v"),
    ("black", "--", "LWEA D, LWGP s, LWSC ^"),
    ("black", ":", "U-SENC P, WEAC o, GP-MGLA v, MDEC-HC <, MDEC-SC >, MDEC-BG x"),
    ("sky", "-", "PTA-AL o, PTA-CL s, PTA-SL ^, PTGP v"),
    ("sky", ":", "LCE-CTS D, LCE-SRS P, LCE-ASRS x, CEAM v"),
    ("grey", "-", "EAC-AL o, EAC-SL ^, EAC-CL s, EAC o, CA D, CA-SC D"),
    ("grey", ":", "CSPA s, HGPA ^, MCLA v, HBGF P, VOTE x, CVote D, K-modes o"),
    ("yellow", "-", "RSEC-H o, RSEC-Z s"),
    ("yellow", "--", "DREC ^"),
)
_METHODS = {
    name: {"color": COLOURS[colour], "marker": marker, "linestyle": line}
    for colour, line, members in _GROUPS
    for name, marker in (member.rsplit(" ", 1) for member in members.split(", "))
}

#: Names of parameters on an axis.
SYMBOLS = {"alpha": "α", "lam": "λ", "lam1": "λ₁", "lam2": "λ₂", "gamma": "γ", "theta": "θ"}
SYMBOLS["order"] = "order k"


def curve_style(label: str) -> dict[str, Any]:
    """Colour, marker and line of a method, the same in every figure.

    Labels with settings in parentheses ("EC-CMS (tuned)") have the style of the method, unless the
    label itself has a style. On shuffled samples the markers are open and the lines are dotted.
    Unknown methods are grey.
    """
    unknown = {"color": COLOURS["grey"], "marker": "x", "linestyle": "-."}
    style = dict(_METHODS.get(label) or _METHODS.get(label.split(" (")[0], unknown))
    shuffled = {"linestyle": ":", "markerfacecolor": "white"} if "(shuffled" in label else {}
    return style | shuffled
