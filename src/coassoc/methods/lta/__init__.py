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
Mean accuracy of LTA-SC over draws of m = 10 clusterings from the published pools:

==========  =====  =================  ========  ======================
data set    paper  order of the file  shuffled  spectral on A, no LTA
==========  =====  =================  ========  ======================
BinAlpha    0.858  0.911              0.183     0.452
Semeion     0.983  0.986              0.340     0.600
==========  =====  =================  ========  ======================

(20 draws; BinAlpha is sorted by class, Semeion lies in 60 runs of one class each.)

Decisions the paper leaves open, taken from measured behaviour of the authors' program
--------------------------------------------------------------------------------------
- The transform runs along the first index of P, and P(:,:,2) as returned is asymmetric by about
  the stopping tolerance; both endings use its symmetric part.
- μ is multiplied by ρ = 1.1 in each iteration, which is so fast that the iterates freeze before the
  optimum: refined entries differ by up to 0.25 from the limit of a slow schedule. That limit is the
  optimum of Eq. (9) for λ/2, because slice 2 carries two penalties but the threshold of one. The
  published results are those of this schedule, so it is kept.
- μ_max = 1e10 (the paper prints 1e8); at ρ = 1.1 neither is reached within 290 iterations.
- Each Fourier slice is shrunk once. The program shrinks the last conjugate pair twice when n is
  odd, which moves entries by about 1e-3 at λ = 0.002.
- The spectral ending takes the eigenvectors of the c largest eigenvalues and the best of ten
  k-means++ starts. The program starts from twenty draws of c samples; such starts find worse
  minima when c is large: on three BinAlpha embeddings (c = 36) they give 0.86, k-means++ 0.92.

How it is solved
----------------
*P step* (Eq. 12): a slice is n × 2, so its shrinkage is a product with a 2 × 2 matrix, known in
closed form from the slice's Gram matrix; real Fourier transforms leave ⌊n/2⌋+1 slices, handled
all at once. *All other steps* are entrywise but for the symmetrisation. They run in one pass over
pairs of mirrored tiles.
"""

from __future__ import annotations

from coassoc.methods.lta.algorithm import Refined, refine_co_association, shrinkage
from coassoc.methods.lta.estimator import LTA

__all__ = ["LTA", "Refined", "refine_co_association", "shrinkage"]
