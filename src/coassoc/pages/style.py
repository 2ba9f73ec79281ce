"""The look of all figures: one colour and marker per method everywhere, readable at print size."""

import base64
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from coassoc.errors import ConfigError

#: Okabe & Ito's palette, which colour-blind readers can tell apart.
COLOURS = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "yellow": "#C9B800",
    "blue": "#0072B2",
    "red": "#D55E00",
    "pink": "#CC79A7",
    "grey": "#777777",
}

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

#: How parameters are written on an axis.
SYMBOLS = {
    "alpha": "α",
    "lam": "λ",
    "lam1": "λ₁",
    "lam2": "λ₂",
    "gamma": "γ",
    "theta": "θ",
    "order": "order k",
}

#: Decorator of all functions that draw: Matplotlib has this project's look during the call, and the
#: user's settings after it.
styled = rc_context(
    {
        "font.size": 8,
        "axes.titlesize": 8,
        "axes.labelsize": 8,
        "legend.fontsize": 7.5,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.5,
        "axes.axisbelow": True,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.5,
        "figure.constrained_layout.use": True,
        "savefig.dpi": 200,
        "svg.hashsalt": "coassoc",
        "pdf.fonttype": 42,
    }
)


#: Metadata without what changes from run to run.
_UNDATED: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
    "svgz": {"Date": None},
}


def curve_style(label: str) -> dict[str, Any]:
    """Colour, marker and line of a method, the same in every figure.

    Labels with settings in parentheses ("EC-CMS (tuned)") look like the method itself unless they
    have a look of their own; unknown methods are grey.
    """
    unknown = {"color": COLOURS["grey"], "marker": "x", "linestyle": "-."}
    return dict(_METHODS.get(label) or _METHODS.get(label.split(" (")[0], unknown))


@styled
def save(figure: Figure, paths: Mapping[str, str | Path]) -> None:
    """Write a figure to the path of each format ("pdf", "png"), byte-identical from run to run.

    A format that Matplotlib does not know is a ConfigError.
    """
    for end, path in paths.items():
        if end not in figure.canvas.get_supported_filetypes():
            known = ", ".join(figure.canvas.get_supported_filetypes())
            raise ConfigError(f"{path}: figures are written as {known}; the name says which.")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format=end, metadata=_UNDATED.get(end))


@styled
def embedded(figure: Figure) -> str:
    """The source of an image that stands in the page itself."""
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata=_UNDATED["png"])
    return f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"


def short_name(clustering: str) -> str:
    """As much of the name of a base clustering as a figure has room for."""
    return clustering[:24].replace("$", r"\$")  # a dollar sign would begin a formula
