"""All consensus methods by the names used in the tables.

``METHODS[name](n_clusters=..., ...)`` makes an estimator; names that share a class differ in a
parameter that the factory fixes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from coassoc.methods.base import ConsensusClusterer
from coassoc.methods.drec import DREC
from coassoc.methods.eac import EAC
from coassoc.methods.eccms import ECCMS
from coassoc.methods.ecpcs import ECPCSHC, ECPCSMC
from coassoc.methods.kc import KC
from coassoc.methods.lwe import LWEA, LWGP, LWSC
from coassoc.methods.partitioning import CSPA, HGPA, MCLA
from coassoc.methods.pta import PTA, PTGP
from coassoc.methods.sc import SC
from coassoc.methods.sec import SEC

__all__ = ["METHODS", "ConsensusClusterer"]

#: Table name → estimator factory.
METHODS: dict[str, Callable[..., ConsensusClusterer]] = {
    "EAC-AL": partial(EAC, linkage="average"),
    "EAC-SL": partial(EAC, linkage="single"),
    "EAC-CL": partial(EAC, linkage="complete"),
    "CSPA": CSPA,
    "HGPA": HGPA,
    "MCLA": MCLA,
    "SEC": SEC,
    "KC": KC,
    "SC": SC,
    "PTA-AL": partial(PTA, linkage="average"),
    "PTA-CL": partial(PTA, linkage="complete"),
    "PTA-SL": partial(PTA, linkage="single"),
    "PTGP": PTGP,
    "LWEA": LWEA,
    "LWGP": LWGP,
    "LWSC": LWSC,
    "DREC": DREC,
    "ECPCS-HC": ECPCSHC,
    "ECPCS-MC": ECPCSMC,
    "EC-CMS": ECCMS,
}
