"""Methods that cheat, each in another way."""

import random
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_wine

from coassoc.methods import METHODS, number


@dataclass
class Honest:
    """LWEA, as a class of its own."""

    n_clusters: int
    random_state: int | None = None

    def fit(self, labels):
        self.labels_ = self.found(labels)
        return self

    def found(self, labels):
        return METHODS["LWEA"](self.n_clusters).fit(labels).labels_


class ByIndex(Honest):
    """Clusters are consecutive samples."""

    def found(self, labels):
        n = len(np.asarray(labels))
        return np.arange(n) * self.n_clusters // n


class GlobalSeed(Honest):
    """Labels come from a random state that is not its own."""

    def found(self, labels):
        centre = np.random.randint(self.n_clusters, size=len(np.asarray(labels)))  # noqa: NPY002
        return np.where(np.random.random(len(centre)) < 0.9, super().found(labels), centre)  # noqa: NPY002


class OwnRandomNumbers(Honest):
    """One label comes from numbers that no seed controls, and fit returns nothing."""

    def fit(self, labels):
        self.labels_ = self.found(labels).copy()
        self.labels_[random.randrange(len(self.labels_))] = 0


class KnowsTheClasses(Honest):
    """The classes of a data set that it knows, in the order of its file."""

    def found(self, labels):
        known = load_wine().target
        return known if len(known) == len(np.asarray(labels)) else super().found(labels)


class FailsOnThird(Honest):
    """No labels of data sets whose number of samples is of some sort."""

    def found(self, labels):
        if len(np.asarray(labels)) == 214:
            raise ValueError("these data do not suit me")
        return super().found(labels)


class TooFew(Honest):
    """One cluster less than was asked for."""

    def found(self, labels):
        return METHODS["LWEA"](max(self.n_clusters - 1, 1)).fit(labels).labels_


class Tunable(Honest):
    """LWEA with its grid; no cheat."""

    theta = number(0.4, above=0, grid=(0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4))

    def __init__(self, n_clusters, theta=0.4, random_state=None):
        super().__init__(n_clusters, random_state)
        self.theta = theta

    def found(self, labels):
        return METHODS["LWEA"](self.n_clusters, theta=self.theta).fit(labels).labels_
