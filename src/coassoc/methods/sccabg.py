"""SCCABG: self-paced adaptive bipartite graph learning for consensus clustering.

P. Zhou, X. Liu, L. Du, X. Li, "Self-paced adaptive bipartite graph learning for consensus
clustering", ACM TKDD 17(5), 2023. The bipartite graph of samples and clusters is learned as in
:mod:`SCCBG <coassoc.methods.sccbg>`, together with the similarities A of the clusters, which are
initially their overlaps ZᵀZ:

    min_{S,W,A}  Σ_ia W_ia² (S_ia − Z_ia)² + γ Σ_ab A_ab T_ab + γ/(2μ) ‖A − ZᵀZ‖² − ρ Σ_ia W_ia
    s.t.         S ≥ 0, 0 ≤ W ≤ 1, A ≥ 0, S has c connected components,

    T_ab = Σ_i W_ia W_ib (S_ia − S_ib)²,

so that A_ab = max((ZᵀZ)_ab − μ T_ab, 0): clusters with edges to different samples become less
similar.

What the paper leaves open
--------------------------
*Taken from the authors' program.*

- The start is S = Z, λ = 1, ρ = 1/2. A round updates W, tests the components of S, updates S and
  A and doubles ρ. λ doubles while the squares of the c largest singular values sum to less than
  c − 1e-7.
- W does not change after all its entries have reached 0.99. It is updated as in SCCBG.
- If c + 1 squares sum to c + 1 − 1e-7, λ is halved and u and v stay unchanged, as in SCCBG. (The
  program is meant to keep u and v, but overwrites them.)
- Entries of S below 1e-4 are dropped only at the end. Samples without any edge, and numbers of
  components other than c, are treated as in SCCBG.
- γ = 1e-5 and μ = 1 are values of the grid over which the program tunes both against the classes.
"""

from functools import partial
from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, Labels, RandomState
from coassoc.methods.parameters import Cost, number
from coassoc.methods.sccbg import BipartiteLearner, structured_bipartite_graph


class SCCABG(BipartiteLearner):
    """Self-paced adaptive bipartite graph learning (Zhou et al. 2023).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    gamma : float
        γ ≥ 0, weight of the term that makes the edges from a sample to similar clusters similar.
    mu : float
        μ ≥ 0, controls how far the similarities of clusters move away from their overlaps.
    max_iter : int
        Maximum number of iterations.
    """

    title: ClassVar = "Self-paced adaptive bipartite graph learning"
    paper: ClassVar = "Zhou, Liu, Du & Li, ACM TKDD 2023"
    cost: ClassVar = Cost(seconds=6, power=2.3, squares=0, tables=5, cluster_squares=3)
    mu: float = number(1.0, minimum=0, grid=(1e-3, 0.01, 0.1, 1, 10, 100, 1000))

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        S, _ = adaptive_bipartite_graph(ensemble, self)
        return self._labels_of_edges(ensemble, S, random_state)


def adaptive_bipartite_graph(ensemble: Ensemble, method: SCCABG) -> tuple[Array, Array]:
    """Learn the bipartite graph of :class:`SCCABG`, with its parameters.

    It returns S and W, as :func:`~coassoc.methods.sccbg.structured_bipartite_graph` does.
    """
    overlaps, r = ensemble.cluster_intersections.toarray(), ensemble.microclusters.r
    similarity = partial(cluster_similarity, overlaps, r, method.mu)
    return structured_bipartite_graph(ensemble, method, similarity)


def cluster_similarity(overlaps: Array, r: Array, mu: float, S: Array, W: Array) -> Array:
    """A = max(ZᵀZ − μ T, 0), T_ab = Σ_i W_ia W_ib (S_ia − S_ib)².

    Parameters
    ----------
    overlaps : (L, L) array
        ZᵀZ.
    r : (n',) array
        Sizes of the microclusters.
    mu : float
        μ.
    S, W : (n', L) arrays
        Edges of the microclusters and their weights.
    """
    edges = S * W
    squares = (r[:, None] * S * edges).T @ W
    T = squares + squares.T - 2 * edges.T @ (r[:, None] * edges)
    return np.maximum(overlaps - mu * np.maximum(T, 0.0), 0.0)
