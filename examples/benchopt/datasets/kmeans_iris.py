"""Twenty k-means clusterings of Iris, with 4 to 12 clusters, and the three species."""

import numpy as np
from benchopt import BaseDataset
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris


class Dataset(BaseDataset):
    name = "k-means of Iris"

    def get_data(self):
        X, classes = load_iris(return_X_y=True)
        numbers = np.random.default_rng(0).integers(4, 13, 20)
        runs = [KMeans(k, n_init=1, random_state=j).fit_predict(X) for j, k in enumerate(numbers)]
        return {"labels": np.column_stack(runs), "classes": classes}
