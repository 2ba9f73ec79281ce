"""Pack the labels of pools into data/labels: ``python release/pack_labels.py kmeans-c-unit/Yale``.

The pools are those below data/pools, made by the workflow with the root seed 0 under the pinned
BLAS kernel. data/labels/README.md says where each comes from.
"""

import sys
from pathlib import Path

from coassoc.bench.storage.hdf5 import read_pool
from reproduction.pools.shipped import pack_labels

if __name__ == "__main__":
    for name in sys.argv[1:]:
        pool = read_pool(Path("data/pools") / f"{name}.h5")
        assert pool.attributes["seed"] == 0, f"{name} has another root seed"
        pack_labels(Path("data/labels") / f"{name}.npz", pool)
