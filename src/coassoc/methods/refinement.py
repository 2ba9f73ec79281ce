"""Methods that refine a similarity and have several final clustering steps."""

from abc import abstractmethod
from typing import Any, NamedTuple, Self

from numpy.typing import ArrayLike

from coassoc.ensemble import Ensemble
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.numerics.threads import one_thread_per_library


class Refinement(NamedTuple):
    """A refined similarity, from which each ending of the method computes a partition.

    Attributes
    ----------
    ensemble : Ensemble
        The base clusterings.
    refined : object
        Input of the endings.
    """

    ensemble: Ensemble
    refined: Any


class RefiningClusterer(ConsensusClusterer):
    """Base class of methods whose parameter `ending` sets the final clustering step.

    The refinement depends neither on `ending` nor on `random_state`, so that several endings can
    share one. The labels of each ending are the same as after a separate refinement::

        refinement = LTA(10).refine(labels)
        by_linkage = LTA(10, ending="linkage").fit_refined(refinement)
        by_spectra = LTA(10, ending="spectral", random_state=0).fit_refined(refinement)

    A subclass declares the parameter `ending`, refines in :meth:`_refine`, and sets the attributes
    that it `offers` in :meth:`_end`.
    """

    ending: str

    def refine(self, labels: ArrayLike | Ensemble, *, X: Any = None) -> Refinement:
        """Compute the refinement that all endings share, for :meth:`fit_refined`.

        Parameters and errors are those of :meth:`fit`.
        """
        ensemble, X = self._checked(labels, X)
        with one_thread_per_library():
            refined = self._refine(ensemble, X)
        return Refinement(ensemble, refined)

    def fit_refined(self, refinement: Refinement) -> Self:
        """Find the same consensus clustering as :meth:`fit`, from a refinement.

        Parameters
        ----------
        refinement : Refinement
            Result of :meth:`refine` of an estimator with the same parameters, except `ending` and
            `random_state`.

        Raises
        ------
        ConfigError
            If `ending` is not allowed.
        MethodError
            If the ending cannot give a partition.
        """
        self._check_declared_parameters()
        ensemble, refined = refinement
        return self._partition(ensemble, lambda seed: self._end(refined, seed))

    @abstractmethod
    def _refine(self, ensemble: Ensemble, X: Any) -> Any:
        """The refinement that all endings share. It must not set attributes of this estimator."""

    @abstractmethod
    def _end(self, refined: Any, random_state: RandomState) -> Labels:
        """Labels of the n samples by the ending, and the attributes of the fitted estimator."""

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        return self._end(self._refine(ensemble, X), random_state)
