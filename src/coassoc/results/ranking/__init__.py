"""Every method against every other: mean ranks, critical differences, mean scores and times.

:func:`rank_cells` ranks the methods in each *view*: by one metric, on one group of data sets, with
or without methods that read the order of the samples, at their defaults or tuned by the classes.
No view mixes tuned rows with others, and none averages over different data sets: a method without
a score on one of a view's data sets is left out of it, or the data set is. Both views are there,
and what was left out is named.
"""

from __future__ import annotations

from coassoc.results.ranking.page import write_ranking
from coassoc.results.ranking.views import Ranks, View, rank_cells

__all__ = ["Ranks", "View", "rank_cells", "write_ranking"]
