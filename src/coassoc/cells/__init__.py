"""Consensus of cell clusterings in AnnData objects, in the style of scanpy.

:mod:`coassoc.cells.tools` computes results and stores them in the object, and
:mod:`coassoc.cells.pl` plots them. Objects are duck-typed, so anndata is never imported.
"""

from coassoc.cells import pl
from coassoc.cells.tools import consensus, leiden, resolutions

__all__ = ["consensus", "leiden", "pl", "resolutions"]
