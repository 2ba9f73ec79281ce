"""Measure by the adjusted Rand index how well a consensus recovers reference classes."""

from benchopt import BaseObjective
from sklearn.metrics import adjusted_rand_score


class Objective(BaseObjective):
    name = "Consensus clustering"
    min_benchopt_version = "1.8"
    # A method computes a single partition, not a sequence of improving partitions.
    sampling_strategy = "run_once"

    def set_data(self, labels, classes):
        self.labels, self.classes = labels, classes

    def get_objective(self):
        return {"labels": self.labels, "n_clusters": len(set(self.classes))}

    def evaluate_result(self, partition):
        return {"value": 1 - adjusted_rand_score(self.classes, partition)}

    def get_one_result(self):
        return {"partition": self.labels[:, 0]}
