"""All consensus methods by the names used in the tables.

``METHODS[name](n_clusters=..., ...)`` makes an estimator; names that share a class differ in a
parameter that is fixed here. A method's module is imported when the method is first asked for.

What a paper leaves open, and what was taken from its authors' program, is in each module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from coassoc.errors import ConfigError, nearest_name, renamed
from coassoc.methods.parameters import Parameter, boolean, choice, integer, number
from coassoc.methods.registry import Method

if TYPE_CHECKING:
    from coassoc.methods.base import ConsensusClusterer

__all__ = [
    "METHODS",
    "Method",
    "Parameter",
    "boolean",
    "choice",
    "integer",
    "resolve_method",
    "number",
]

_REGISTRY = {
    method.name: method
    for method in (
        Method("EAC-AL", "coassoc.methods.eac:EAC", {"linkage": "average"}),
        Method("EAC-SL", "coassoc.methods.eac:EAC", {"linkage": "single"}),
        Method("EAC-CL", "coassoc.methods.eac:EAC", {"linkage": "complete"}),
        Method("CA-SC", "coassoc.methods.eac:SpectralCoAssociation"),
        Method("CSPA", "coassoc.methods.partitioning:CSPA"),
        Method("HGPA", "coassoc.methods.partitioning:HGPA"),
        Method("MCLA", "coassoc.methods.partitioning:MCLA"),
        Method("MDEC-HC", "coassoc.methods.lwe:LWEA", {"theta": 1.0}),
        Method("MDEC-SC", "coassoc.methods.lwe:LWSC", {"theta": 1.0}),
        Method("MDEC-BG", "coassoc.methods.lwe:LWGP", {"theta": 1.0}),
        Method("CEHM", "coassoc.methods.cehm:CEHM"),
        Method("HBGF", "coassoc.methods.hbgf:HBGF"),
        Method("U-SENC", "coassoc.methods.hbgf:USENC"),
        Method("VOTE", "coassoc.methods.vote:PluralityVote"),
        Method("CVote", "coassoc.methods.cvote:CumulativeVote"),
        Method("K-modes", "coassoc.methods.kmodes:KModes"),
        Method("FMM", "coassoc.methods.fmm:FMM"),
        Method("KCC-Uc", "coassoc.methods.kcc:KCC", {"utility": "Uc"}),
        Method("KCC-UH", "coassoc.methods.kcc:KCC", {"utility": "UH"}),
        Method("WEAC", "coassoc.methods.weac:WEAC"),
        Method("GP-MGLA", "coassoc.methods.weac:GPMGLA"),
        Method("LCE-CTS", "coassoc.methods.lce:LCECTS"),
        Method("LCE-SRS", "coassoc.methods.lce:LCESRS"),
        Method("LCE-ASRS", "coassoc.methods.lce:LCEASRS"),
        Method("SEC", "coassoc.methods.sec:SEC"),
        Method("KC", "coassoc.methods.kc:KC"),
        Method("SC", "coassoc.methods.sc:SC"),
        Method("PTA-AL", "coassoc.methods.pta:PTA", {"linkage": "average"}),
        Method("PTA-CL", "coassoc.methods.pta:PTA", {"linkage": "complete"}),
        Method("PTA-SL", "coassoc.methods.pta:PTA", {"linkage": "single"}),
        Method("PTGP", "coassoc.methods.pta:PTGP"),
        Method("BALLS", "coassoc.methods.aggregation:Balls"),
        Method("AGGLOMERATIVE", "coassoc.methods.aggregation:Agglomerative"),
        Method("FURTHEST", "coassoc.methods.aggregation:Furthest"),
        Method("LOCALSEARCH", "coassoc.methods.aggregation:LocalSearch"),
        Method("PIVOT", "coassoc.methods.aggregation:Pivot"),
        Method("LWEA", "coassoc.methods.lwe:LWEA"),
        Method("LWGP", "coassoc.methods.lwe:LWGP"),
        Method("LWSC", "coassoc.methods.lwe:LWSC"),
        Method("DREC", "coassoc.methods.drec:DREC"),
        Method("ECPCS-HC", "coassoc.methods.ecpcs:ECPCSHC"),
        Method("ECPCS-MC", "coassoc.methods.ecpcs:ECPCSMC"),
        Method("NMFC", "coassoc.methods.nmfc:NMFC"),
        Method("GWCA", "coassoc.methods.gwca:GWCA"),
        Method("BCE", "coassoc.methods.bce:BCE"),
        Method("RMSC", "coassoc.methods.rmsc:RMSC"),
        Method("RSEC-H", "coassoc.methods.rsec:RSEC", {"ending": "H"}),
        Method("RSEC-Z", "coassoc.methods.rsec:RSEC", {"ending": "Z"}),
        Method("SPCE", "coassoc.methods.spce:SPCE"),
        Method("TRCE", "coassoc.methods.trce:TRCE"),
        Method("SCCBG", "coassoc.methods.sccbg:SCCBG"),
        Method("SCCABG", "coassoc.methods.sccabg:SCCABG"),
        Method("CESHL", "coassoc.methods.ceshl:CESHL"),
        Method("RCE", "coassoc.methods.rce:RCE"),
        Method("LTA-EA", "coassoc.methods.lta:LTA", {"ending": "linkage"}),
        Method("LTA-SC", "coassoc.methods.lta:LTA", {"ending": "spectral"}),
        Method("GTLEC", "coassoc.methods.gtlec:GTLEC"),
        Method("SDGCA", "coassoc.methods.sdgca:SDGCA"),
        Method("AWEC", "coassoc.methods.awec:AWEC"),
        Method("CEAM", "coassoc.methods.ceam:CEAM"),
        Method("CDEC", "coassoc.methods.cdec:CDEC"),
        Method("HCLCE", "coassoc.methods.hclce:HCLCE"),
        Method("ACMK-SC", "coassoc.methods.acmk:ACMK", {"ending": "spectral"}),
        Method("ACMK-KM", "coassoc.methods.acmk:ACMK", {"ending": "k-means"}),
        Method("ACMK-SC-A", "coassoc.methods.acmk:ACMK", {"ending": "spectral-A"}),
        Method("ACMK-KM-A", "coassoc.methods.acmk:ACMK", {"ending": "k-means-A"}),
        Method("ACMK-GF", "coassoc.methods.acmk:ACMKGF"),
        Method("ACMK-Fix", "coassoc.methods.eac:SpectralCoAssociation"),
        Method("EC-CMS", "coassoc.methods.eccms:ECCMS"),
        Method("LEADERS", "coassoc.methods.leaders:Leaders"),
    )
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


def resolve_method(method: str | Callable[..., Any]) -> Callable[..., Any]:
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
        near = nearest_name(method, METHODS)
        hint = f"Did you mean {near!r}? " if near else ""
        raise ConfigError(f"Unknown method {method!r}. {hint}`coassoc methods` lists all.")
    return METHODS[method]


if not TYPE_CHECKING:  # names that type checkers should refuse

    def __getattr__(name: str) -> Any:
        if name == "maker_of":
            return renamed(
                "coassoc.methods.maker_of", "coassoc.methods.resolve_method", resolve_method
            )
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
