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
- With ``solver="author"`` (9) is solved from the last A, by SciPy's L-BFGS-B or, where X has few
  columns, by the same steps of low rank (:mod:`.thin_steps`).
- (11) is separable but for the degrees: a diagonal Newton step, projected on the box, is nearly
  exact.
- Moving one sample changes two columns of the costs of the others. Only moves cost time.

With the library's solver five n × n arrays are held in all where 17 d < n (for k = 3): W and room
for its next value, A, Λ₁ and P; about forty where not, during (9). With the author's they are six
where 164 d < n, and about thirty where not. An evaluation of (9) takes O(n² d) operations for k
products with A, of which nearly all time goes into the products of n × n with n × d arrays; (11),
(13) and the rest take O(n² v) and O(n²). Products stay with BLAS and the costs of (13), which are
products too, with NumPy; what goes over entries one by one is compiled, in :mod:`.kernels`.
"""

from coassoc.methods.acmk.algorithm import Refined, refine
from coassoc.methods.acmk.estimator import ACMK, ACMKGF

__all__ = ["ACMK", "ACMKGF", "Refined", "refine"]
