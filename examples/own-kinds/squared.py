"""A method with several endings."""

from coassoc.methods import choice
from coassoc.methods.base import RefiningClusterer
from coassoc.partition.linkage import linkage_labels
from coassoc.partition.spectral import spectral_labels
from coassoc.similarity import co_association


class Squared(RefiningClusterer):
    ending: str = choice("linkage", ("linkage", "spectral"))

    def _refine(self, ensemble, X):
        similarity = co_association(ensemble)
        return similarity @ similarity

    def _end(self, refined, random_state):
        if self.ending == "linkage":
            return linkage_labels(refined, self.n_clusters)
        return spectral_labels(refined, self.n_clusters, random_state)
