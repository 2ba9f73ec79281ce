"""ACMK: adaptive consensus multiple k-means, and its ablations.

P. Zhou, L. Du, X. Li, "Adaptive consensus clustering for multiple k-means via base results
refining", IEEE TKDE 35(10), 2023. With A = (I + D^{-1/2} W D^{-1/2})/2 the filter of a learned
graph W with degrees D = diag(W1),

    min  Σ_m ‖A^k X − G⁽ᵐ⁾F⁽ᵐ⁾‖² + λ ‖W − Σ_m α_m G⁽ᵐ⁾G⁽ᵐ⁾ᵀ‖²                        (Eq. 6)
    s.t. G⁽ᵐ⁾ the 0/1 indicators of the m-th base clustering, F⁽ᵐ⁾ its centroids,
         0 ≤ W ≤ 1, W = Wᵀ, α on the simplex,

solved by the ADMM of Algorithm 1 with copies A of the filter and V of W, multipliers Λ₁ and Λ₂ and
a penalty μ that grows. ACMK-SC ends with spectral clustering on W, ACMK-KM with k-means of the
final embedding ((I + D^{-1/2}WD^{-1/2})/2)^k X; ACMK-SC-A and ACMK-KM-A with A in its place.
ACMK-GF filters with each base clustering's own W = G⁽ᵐ⁾G⁽ᵐ⁾ᵀ instead; ACMK-Fix is spectral
clustering on the co-association matrix.

Decisions the paper leaves open
-------------------------------
- The indicators are updated row by row; the paper does not say in which order, nor in which order
  the base clusterings come. Here rows come by decreasing gain and base clusterings by decreasing
  k-means cost, so that the result does not depend on how samples and base clusterings are listed.
  A row keeps its cluster unless another one is better.
- Eq. (13) prints the cross terms of the base clusterings once; the objective holds them twice,
  and so does the update.
- The paper does not say how its features are scaled. Its k-means scores fit rows of unit length for
  Tr11, Tr12 and Lung, raw counts for Tr31 and raw term weights for 20NG. On Yale they fit
  standardised pixels whose rows are scaled to unit length, while its spectral clustering fits the
  standardised pixels themselves. The tables use these.
- Equal base clusterings share their weight: of several minimisers of (18) the one of least norm is
  taken.
- A cluster that lost its last sample keeps its centroid, where Eq. (15) divides by zero.
- Fixed values of μ and λ suit only one scale of X. X is divided by the root mean square distance of
  its rows from their mean, so that the result does not depend on the unit of X, and λ weighs the
  same where all rows lie far from the origin. Rows of unit length, as in the paper's text data,
  nearly stay as they are. The paper tunes λ; with the default of 0.01 base clusterings are still
  refined, while a large λ holds every sample in its clusters.
- (9) starts from the extrapolation of the last two solutions and is solved by quasi-Newton steps
  until its gradient is at most a fifth of that of the proximal term, μΔ, which it balances at the
  minimum; at most 8 steps, since the next iteration goes on from there. With up to 60 steps towards
  5 %, which took three to five times as long, W differed by 0.01 to 2.5 % on a part each of LS,
  Semeion and Tr31 (319 to 515 samples, k = 3, λ = 0.01 and 1), and the partitions of ACMK-SC and
  ACMK-KM agreed with these to an ARI of 0.97 to 1; their tuned accuracies over ten draws of
  Orlraws, Tr11, Tr12 and Yale changed by at most 0.01. A is less certain: it differed by 2 to 31 %,
  and spectral clustering of it (ACMK-SC-A) hardly agreed, with accuracies of 0.23 to 0.56 after 60
  steps and 0.37 to 0.55 after 8. Even 60 do not find the minimum everywhere: on 804 samples of LS
  the value of (9) is then 3.6 and 1.4 times what Gauss-Newton steps with more work find in the
  first iterations. (A stop by the gain relative to the value, most of which is the proximal term,
  left gradients of 0.4 to 5 times μΔ for k = 3.) (11) is solved by projected Newton steps from the
  last W until one moves it by less than 1e-6 of its norm.
- The objective is (6) as a function of W, α and the G⁽ᵐ⁾, with the F⁽ᵐ⁾ that minimise it, the
  centroids of W's own embedding. The F⁽ᵐ⁾ of Algorithm 1 are centroids of A^k X; with them (6)
  rises while A and the filter of W move apart, which at μ = 1 they do for dozens of iterations.
  Defined in this way it falls, apart from small rises in the first iterations, while (7) falls
  steeply at first and rises to meet it. The paper shows convergence curves without saying of what.
- The iteration stops when the objective changes by less than `tol` twice in a row, and after 20
  iterations, within which the paper says it converges. The default `tol` is the loosest of 1e-2,
  1e-3 and 1e-4 with which less than a thousandth of the indicators' rows still move at the stop on
  Tr11, Tr12, Orlraws and Yale (two or three repeats, k = 3): 1e-2 leaves 1.1 and 1.4 % on Tr11 and
  Tr12, 1e-3 0.3 % on Tr11, and with 1e-4 all four run through the 20 iterations, after which next
  to none moves. A and W's filter have not met by then: "residual" in `history_` tells how far they
  are apart. W is symmetrised at the end, so that it meets W = V.
- The paper ends with W, or with the embedding by W's filter, and so do ACMK-SC and ACMK-KM. By (11)
  W leaves the co-association matrix, with which it starts, by about 1/D an iteration, so that
  spectral clustering of W hardly depends on k and nearly equals ACMK-Fix, unlike in the paper.
  ACMK-SC-A and ACMK-KM-A end with the copy A instead: spectral clustering of max((A + Aᵀ)/2, 0),
  and k-means of A^k X, which the paper's text on its Figure 1 calls the embedding. With three
  repeats and λ = 0.01, ACMK-SC-A's accuracy on Tr12 is 0.354, 0.447, 0.562 and 0.572 for k = 1 to
  4, which is the printed rise of ACMK-SC to 0.07, where ACMK-SC itself has 0.61 throughout; but it
  also rises from k = 1 to 3 on Tr11 (0.35 to 0.47) and Orlraws (0.71 to 0.75), where the printed
  one does not. ACMK-KM-A has 0.36, 0.46, 0.58 and 0.60 on Tr12. For k = 3, over ten draws of Tr11,
  Tr12, Orlraws and Yale, ACMK-SC-A is 0.01 to 0.10 below ACMK-SC, and ACMK-KM-A between 0.04 below
  and 0.01 above ACMK-KM. On one draw of Pendigit ACMK-SC and ACMK-KM have 0.76 to 0.77 for k = 1 to
  3, where the printed ones have 0.68 for k = 1 and 0.78 and 0.74 for k = 3; the endings on A do not
  rise either. None reaches the printed ACMK-KM on Tr11 and Tr12, which stays open, as do the large
  refinement of the base clusterings in its Figure 2 (on Tr12 from 0.493 to 0.501 here) and Tr31.
- ACMK-GF reports averages over the base clusterings: `refined_labels_` holds the partitions from
  all, `labels_` is the one of median k-means cost on X. The filter of GGᵀ draws each sample to its
  centroid by 2^{-k}, so that k-means with c clusters mostly finds the base clustering again; how
  far the paper's figures differ from those of the base clusterings depends on its starts.

How it is solved
----------------
Only distances between the rows of X matter, so that X (n × d) with d > n is first replaced by n
coordinates with the same Gram matrix. Then

- Λ₂ is antisymmetric, hence V = (W + Wᵀ)/2, and one array P holds all that (11) needs of V, Λ₂ and
  the base clusterings.
- (9) is a proximal problem around C − Λ₁/μ with C the filter of W; its solution is that centre
  plus a matrix Δ whose rows lie in the span of the filtered X, of rank kd at most.
- Δ is kept as ΓBᵀ with B an orthonormal basis of those rows (the identity where kd exceeds n), so
  that quasi-Newton vectors are n × kd. The Hessian of (9) is close to Δ ↦ Δ (μI + 2v S Sᵀ),
  S = Σ_r A^r X; its inverse preconditions the steps. Where B is a thin basis, the product of
  C − Λ₁/μ with X is kept, so that AX costs no product with an n × n array.
- (11) is separable but for the degrees: a diagonal Newton step, projected on the box, is nearly
  exact.
- Moving one sample changes two columns of the costs of the others. Only moves cost time.

Five n × n arrays are held in all where 17 d < n (for k = 3): W and room for its next value, A, Λ₁
and P; about forty where not, during (9). An evaluation of (9) takes O(n² d) operations for k
products with A, of which nearly all time goes into the products of n × n with n × d arrays; (11),
(13) and the rest take O(n² v) and O(n²). Products stay with BLAS and the costs of (13), which are
products too, with NumPy; what goes over entries one by one is compiled, in :mod:`.kernels`.
"""

from __future__ import annotations

from coassoc.methods.acmk.algorithm import Refined, refine
from coassoc.methods.acmk.estimator import ACMK, ACMKGF

__all__ = ["ACMK", "ACMKGF", "Refined", "refine"]
