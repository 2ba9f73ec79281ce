"""All consensus methods by the names used in the tables.

``METHODS[name](n_clusters=..., ...)`` makes an estimator; names that share a class differ in a
parameter that the factory fixes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from coassoc.methods.base import ConsensusClusterer
from coassoc.methods.eac import EAC
from coassoc.methods.eccms import ECCMS
from coassoc.methods.lwe import LWEA, LWGP
from coassoc.methods.nmfc import NMFC
from coassoc.methods.pta import PTA, PTGP
from coassoc.methods.rsec import RSEC

__all__ = ["METHODS", "ConsensusClusterer"]

#: Table name → estimator factory.
METHODS: dict[str, Callable[..., ConsensusClusterer]] = {
    "EAC-AL": partial(EAC, linkage="average"),
    "EAC-SL": partial(EAC, linkage="single"),
    "EAC-CL": partial(EAC, linkage="complete"),
    "NMFC": NMFC,
    "PTA-AL": partial(PTA, linkage="average"),
    "PTA-CL": partial(PTA, linkage="complete"),
    "PTA-SL": partial(PTA, linkage="single"),
    "PTGP": PTGP,
    "LWEA": LWEA,
    "LWGP": LWGP,
    "RSEC-H": partial(RSEC, partition="H"),
    "RSEC-Z": partial(RSEC, partition="Z"),
    "EC-CMS": ECCMS,
}
