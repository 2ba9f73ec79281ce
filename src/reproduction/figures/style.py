"""The style of the methods: each has the same colour, marker and line in every figure."""

import zlib
from typing import Any

from coassoc.pages.style import COLOURS

#: Colour and line of the groups of methods in the papers' figures, and their markers.
_GROUPS = (
    ("red", "-", "EC-CMS o"),
    ("pink", "-", "LTA-EA o, LTA-SC s"),
    ("orange", "-", "ACMK-SC o"),
    ("orange", "-.", "ACMK-KM s"),
    ("blue", "--", "SPCE s, TRCE ^"),
    ("green", "--", "ECPCS-HC s, ECPCS-MC ^"),
    ("black", "--", "LWEA D, LWGP s"),
    ("sky", "-", "PTA-AL o, PTA-CL s, PTGP v"),
    ("grey", "-", "CA D"),
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

    Settings in parentheses ("EC-CMS (tuned)") do not matter, but on shuffled samples the markers
    are open and the lines are dotted. The colour and the marker of methods that the papers' figures
    lack depend only on their names.
    """
    method = label.split(" (")[0]
    number = zlib.crc32(method.encode())
    other = {"color": [*COLOURS.values()][number % len(COLOURS)], "marker": "os^vDP<>"[number % 8]}
    style = _METHODS.get(method, {**other, "linestyle": "-."})
    shuffled = {"linestyle": ":", "markerfacecolor": "white"} if "(shuffled" in label else {}
    return style | shuffled
