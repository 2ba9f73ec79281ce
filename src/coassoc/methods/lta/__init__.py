"""LTA: clustering ensemble meets low-rank tensor approximation.

Y. Jia, H. Liu, J. Hou, Q. Zhang, "Clustering ensemble meets low-rank tensor approximation", AAAI
2021. With Ã the co-association matrix A and M = [A = 1] the coherent link matrix, the tensor P
(n × n × 2) of low t-SVD nuclear norm with slices near M and A is

    min_{P,E}  ‖P‖_⊛ + λ ‖E‖_F²                                                    (Eq. 9)
    s.t.       P(:,:,1) = M where M = 1,  P(:,:,2) + E = A,
               both slices symmetric with entries in [0, 1]

solved by the augmented Lagrangian of Algorithm 2. The refined co-association P(:,:,2) is cut by
average linkage (LTA-EA) or by spectral clustering (LTA-SC).

The result depends on the order of the samples
----------------------------------------------
The nuclear norm is that of n slices of size n × 2 in the Fourier domain *along the samples*. It
is small when neighbours in the file are alike, so a file sorted by class gives the classes away.
Accuracies in the order of the file and shuffled are in docs/deviations.md, as are the decisions
that the paper leaves open.

How it is solved
----------------
*P step* (Eq. 12): a slice is n × 2, so its shrinkage is a product with a 2 × 2 matrix, known in
closed form from the slice's Gram matrix; real Fourier transforms leave ⌊n/2⌋+1 slices, handled
all at once. *All other steps* are entrywise but for the symmetrisation. They run in one pass over
pairs of mirrored tiles.
"""

from __future__ import annotations

from coassoc.methods.lta.algorithm import TensorApproximation, refine_co_association, shrinkage
from coassoc.methods.lta.estimator import LTA

__all__ = ["LTA", "TensorApproximation", "refine_co_association", "shrinkage"]
