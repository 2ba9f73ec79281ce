"""All consensus methods by the names used in the tables.

``METHODS[name](n_clusters=..., ...)`` makes an estimator; names that share a class differ in a
parameter that is fixed here. A method's module is imported when the method is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from coassoc.errors import ConfigError

if TYPE_CHECKING:
    from coassoc.methods.base import ConsensusClusterer

__all__ = ["METHODS"]

#: Table name → (module, class, parameters that the name fixes).
_REGISTRY: dict[str, tuple[str, str, dict[str, Any]]] = {
    "EAC-AL": ("eac", "EAC", {"linkage": "average"}),
    "EAC-SL": ("eac", "EAC", {"linkage": "single"}),
    "EAC-CL": ("eac", "EAC", {"linkage": "complete"}),
    "CA-SC": ("eac", "SpectralCoAssociation", {}),
    "CSPA": ("partitioning", "CSPA", {}),
    "HGPA": ("partitioning", "HGPA", {}),
    "MCLA": ("partitioning", "MCLA", {}),
    "SEC": ("sec", "SEC", {}),
    "KC": ("kc", "KC", {}),
    "SC": ("sc", "SC", {}),
    "PTA-AL": ("pta", "PTA", {"linkage": "average"}),
    "PTA-CL": ("pta", "PTA", {"linkage": "complete"}),
    "PTA-SL": ("pta", "PTA", {"linkage": "single"}),
    "PTGP": ("pta", "PTGP", {}),
    "LWEA": ("lwe", "LWEA", {}),
    "LWGP": ("lwe", "LWGP", {}),
    "LWSC": ("lwe", "LWSC", {}),
    "DREC": ("drec", "DREC", {}),
    "ECPCS-HC": ("ecpcs", "ECPCSHC", {}),
    "ECPCS-MC": ("ecpcs", "ECPCSMC", {}),
    "NMFC": ("nmfc", "NMFC", {}),
    "GWCA": ("gwca", "GWCA", {}),
    "BCE": ("bce", "BCE", {}),
    "RMSC": ("rmsc", "RMSC", {}),
    "RSEC-H": ("rsec", "RSEC", {"partition": "H"}),
    "RSEC-Z": ("rsec", "RSEC", {"partition": "Z"}),
    "SPCE": ("spce", "SPCE", {}),
    "TRCE": ("trce", "TRCE", {}),
    "SCCBG": ("sccbg", "SCCBG", {}),
    "CESHL": ("ceshl", "CESHL", {}),
    "RCE": ("rce", "RCE", {}),
    "LTA-EA": ("lta", "LTA", {"ending": "linkage"}),
    "LTA-SC": ("lta", "LTA", {"ending": "spectral"}),
    "HCLCE": ("hclce", "HCLCE", {}),
    "ACMK-SC": ("acmk", "ACMK", {"ending": "spectral"}),
    "ACMK-KM": ("acmk", "ACMK", {"ending": "k-means"}),
    "ACMK-GF": ("acmk", "ACMK", {"variant": "GF"}),
    "ACMK-Fix": ("acmk", "ACMK", {"variant": "Fix"}),
    "EC-CMS": ("eccms", "ECCMS", {}),
}


class _Methods(Mapping[str, Callable[..., "ConsensusClusterer"]]):
    """Read-only mapping from table names to estimator factories."""

    def __getitem__(self, name: str) -> Callable[..., ConsensusClusterer]:
        module, estimator, fixed = _REGISTRY[name]
        factory = getattr(import_module(f"coassoc.methods.{module}"), estimator)
        return partial(factory, **fixed) if fixed else factory

    def __iter__(self) -> Iterator[str]:
        return iter(_REGISTRY)

    def __len__(self) -> int:
        return len(_REGISTRY)

    def module(self, name: str) -> str:
        """File name, without its ending, of the module that implements a method."""
        return _REGISTRY[name][0]

    def estimator(self, name: str, location: str | None = None) -> Callable[..., Any]:
        """Factory of a method, or of a user's own class at `location` ("module:Class")."""
        if location is None:
            return self[name]
        module, _, estimator = location.partition(":")
        try:
            return getattr(import_module(module), estimator)
        except (ImportError, AttributeError) as error:
            raise ConfigError(
                f"config/methods.yaml: {name}.estimator is {location!r}, which cannot be imported "
                f"({error}); it must be 'module:Class', importable from the working directory."
            ) from error


METHODS = _Methods()
