"""All consensus methods by the names used in the tables.

``METHODS[name](n_clusters=..., ...)`` makes an estimator; names that share a class differ in a
parameter that is fixed here. A method's module is imported when the method is first asked for.

What a paper leaves open, and what was taken from its authors' program, is in docs/deviations.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from coassoc.errors import ConfigError, did_you_mean
from coassoc.methods.parameters import Parameter, boolean, choice, integer, number
from coassoc.methods.registry import Method

if TYPE_CHECKING:
    from coassoc.methods.base import ConsensusClusterer

__all__ = ["METHODS", "Method", "Parameter", "boolean", "choice", "integer", "maker_of", "number"]

_REGISTRY = {
    "EAC-AL": Method("coassoc.methods.eac:EAC", {"linkage": "average"}),
    "EAC-SL": Method("coassoc.methods.eac:EAC", {"linkage": "single"}),
    "EAC-CL": Method("coassoc.methods.eac:EAC", {"linkage": "complete"}),
    "CA-SC": Method("coassoc.methods.eac:SpectralCoAssociation"),
    "CSPA": Method("coassoc.methods.partitioning:CSPA"),
    "HGPA": Method("coassoc.methods.partitioning:HGPA"),
    "MCLA": Method("coassoc.methods.partitioning:MCLA"),
    "MDEC-HC": Method("coassoc.methods.lwe:LWEA", {"theta": 1.0}),
    "MDEC-SC": Method("coassoc.methods.lwe:LWSC", {"theta": 1.0}),
    "MDEC-BG": Method("coassoc.methods.lwe:LWGP", {"theta": 1.0}),
    "CEHM": Method("coassoc.methods.cehm:CEHM"),
    "HBGF": Method("coassoc.methods.hbgf:HBGF"),
    "U-SENC": Method("coassoc.methods.hbgf:USENC"),
    "VOTE": Method("coassoc.methods.vote:PluralityVote"),
    "CVote": Method("coassoc.methods.cvote:CumulativeVote"),
    "K-modes": Method("coassoc.methods.kmodes:KModes"),
    "FMM": Method("coassoc.methods.fmm:FMM"),
    "KCC-Uc": Method("coassoc.methods.kcc:KCC", {"utility": "Uc"}),
    "KCC-UH": Method("coassoc.methods.kcc:KCC", {"utility": "UH"}),
    "WEAC": Method("coassoc.methods.weac:WEAC"),
    "GP-MGLA": Method("coassoc.methods.weac:GPMGLA"),
    "LCE-CTS": Method("coassoc.methods.lce:LCECTS"),
    "LCE-SRS": Method("coassoc.methods.lce:LCESRS"),
    "LCE-ASRS": Method("coassoc.methods.lce:LCEASRS"),
    "SEC": Method("coassoc.methods.sec:SEC"),
    "KC": Method("coassoc.methods.kc:KC"),
    "SC": Method("coassoc.methods.sc:SC"),
    "PTA-AL": Method("coassoc.methods.pta:PTA", {"linkage": "average"}),
    "PTA-CL": Method("coassoc.methods.pta:PTA", {"linkage": "complete"}),
    "PTA-SL": Method("coassoc.methods.pta:PTA", {"linkage": "single"}),
    "PTGP": Method("coassoc.methods.pta:PTGP"),
    "BALLS": Method("coassoc.methods.aggregation:Balls"),
    "AGGLOMERATIVE": Method("coassoc.methods.aggregation:Agglomerative"),
    "FURTHEST": Method("coassoc.methods.aggregation:Furthest"),
    "LOCALSEARCH": Method("coassoc.methods.aggregation:LocalSearch"),
    "PIVOT": Method("coassoc.methods.aggregation:Pivot"),
    "LWEA": Method("coassoc.methods.lwe:LWEA"),
    "LWGP": Method("coassoc.methods.lwe:LWGP"),
    "LWSC": Method("coassoc.methods.lwe:LWSC"),
    "DREC": Method("coassoc.methods.drec:DREC"),
    "ECPCS-HC": Method("coassoc.methods.ecpcs:ECPCSHC"),
    "ECPCS-MC": Method("coassoc.methods.ecpcs:ECPCSMC"),
    "NMFC": Method("coassoc.methods.nmfc:NMFC"),
    "GWCA": Method("coassoc.methods.gwca:GWCA"),
    "BCE": Method("coassoc.methods.bce:BCE"),
    "RMSC": Method("coassoc.methods.rmsc:RMSC"),
    "RSEC-H": Method("coassoc.methods.rsec:RSEC", {"ending": "H"}),
    "RSEC-Z": Method("coassoc.methods.rsec:RSEC", {"ending": "Z"}),
    "SPCE": Method("coassoc.methods.spce:SPCE"),
    "TRCE": Method("coassoc.methods.trce:TRCE"),
    "SCCBG": Method("coassoc.methods.sccbg:SCCBG"),
    "SCCABG": Method("coassoc.methods.sccabg:SCCABG"),
    "CESHL": Method("coassoc.methods.ceshl:CESHL"),
    "RCE": Method("coassoc.methods.rce:RCE"),
    "LTA-EA": Method("coassoc.methods.lta:LTA", {"ending": "linkage"}),
    "LTA-SC": Method("coassoc.methods.lta:LTA", {"ending": "spectral"}),
    "GTLEC": Method("coassoc.methods.gtlec:GTLEC"),
    "SDGCA": Method("coassoc.methods.sdgca:SDGCA"),
    "AWEC": Method("coassoc.methods.awec:AWEC"),
    "CEAM": Method("coassoc.methods.ceam:CEAM"),
    "CDEC": Method("coassoc.methods.cdec:CDEC"),
    "HCLCE": Method("coassoc.methods.hclce:HCLCE"),
    "ACMK-SC": Method("coassoc.methods.acmk:ACMK", {"ending": "spectral"}),
    "ACMK-KM": Method("coassoc.methods.acmk:ACMK", {"ending": "k-means"}),
    "ACMK-SC-A": Method("coassoc.methods.acmk:ACMK", {"ending": "spectral-A"}),
    "ACMK-KM-A": Method("coassoc.methods.acmk:ACMK", {"ending": "k-means-A"}),
    "ACMK-GF": Method("coassoc.methods.acmk:ACMKGF"),
    "ACMK-Fix": Method("coassoc.methods.eac:SpectralCoAssociation"),
    "EC-CMS": Method("coassoc.methods.eccms:ECCMS"),
    "LEADERS": Method("coassoc.methods.leaders:Leaders"),
}


class _Methods(Mapping[str, Callable[..., "ConsensusClusterer"]]):
    """Read-only mapping from table names to estimator factories."""

    def __getitem__(self, name: str) -> Callable[..., ConsensusClusterer]:
        return _REGISTRY[name].factory

    def __iter__(self) -> Iterator[str]:
        return iter(_REGISTRY)

    def __len__(self) -> int:
        return len(_REGISTRY)

    def method(self, name: str) -> Method:
        """How a method is registered: its class, fixed parameters, and those that can be set."""
        return _REGISTRY[name]


METHODS = _Methods()


def maker_of(method: str | Callable[..., Any]) -> Callable[..., Any]:
    """What makes estimators of a method from ``n_clusters``, ``random_state`` and parameters.

    Parameters
    ----------
    method : str or callable
        Name of one of :data:`METHODS`, "auto" for the one that
        :func:`~coassoc.methods.auto.choose_method` takes, or what makes estimators itself, such as
        a class.

    Raises
    ------
    ConfigError
        If there is no method of the name.
    """
    if callable(method):
        return method
    if method == "auto":
        from coassoc.methods.auto import auto

        return auto
    if method not in METHODS:
        hint = did_you_mean(method, METHODS)
        known = ", ".join(["auto", *METHODS])
        raise ConfigError(f"method is {method!r}; it must be one of {known}{hint}.")
    return METHODS[method]
