"""A method with several endings."""

from coassoc.methods import choice
from coassoc.methods.refinement import RefiningClusterer
from coassoc.partition.linkage import linkage_labels
from coassoc.partition.spectral import spectral_labels
from coassoc.similarity import co_association


class Squared(RefiningClusterer):
    def cut_by_linkage(self, ensemble, refined, random_state):
        return linkage_labels(refined, self.n_clusters)

    def cut_by_spectrum(self, ensemble, refined, random_state):
        return spectral_labels(refined, self.n_clusters, random_state)

    endings = {"linkage": cut_by_linkage, "spectral": cut_by_spectrum}
    ending: str = choice("linkage", tuple(endings))

    def _refine(self, ensemble, X):
        similarity = co_association(ensemble)
        return similarity @ similarity
