"""Methods of coassoc. To add a method, extend `parameters` or write another file."""

from benchopt import BaseSolver

from coassoc import find_consensus


class Solver(BaseSolver):
    name = "coassoc"
    requirements = ["pip::coassoc"]
    sampling_strategy = "run_once"
    parameters = {"method": ["EAC-AL", "LWEA", "HCLCE"], "random_state": [0]}

    def set_objective(self, labels, n_clusters):
        self.labels, self.n_clusters = labels, n_clusters

    def run(self, _):
        result = find_consensus(
            self.labels, self.n_clusters, self.method, random_state=self.random_state
        )
        self.partition = result.labels

    def get_result(self):
        return {"partition": self.partition}
