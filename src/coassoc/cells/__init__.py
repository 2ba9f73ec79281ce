"""Consensus of cell clusterings in AnnData objects, as scanpy's users expect it.

:mod:`coassoc.cells.tools` reads from and writes to an object, :mod:`coassoc.cells.pl` draws what is
there. Objects are duck-typed: nothing here imports anndata.
"""

from coassoc.cells import pl
from coassoc.cells.tools import consensus, leiden, resolutions

__all__ = ["consensus", "leiden", "pl", "resolutions"]
