"""Labels of pools that come with the software: data/labels/{pool}/{dataset}.npz.

Labels are facts and take a few kilobytes, whereas the features behind them may not be
redistributed. A file contains ``labels`` (base clusterings × samples), ``classes`` (one for each
sample) and ``about`` (the attributes of the pool as JSON). Ensembles are drawn when a file is
unpacked.
"""

import io
import json
from pathlib import Path

import numpy as np

from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.records import Pool
from coassoc.errors import DataError
from coassoc.io.atomic import write_bytes

#: Attributes that depend on the draws.
_OF_DRAWS = ("draws_scheme", "fingerprint", "seed")


def pack_labels(path: str | Path, pool: Pool) -> None:
    """Write the labels and the classes of a pool."""
    assert pool.y is not None
    about = {key: value for key, value in pool.attributes.items() if key not in _OF_DRAWS}
    content = io.BytesIO()
    np.savez_compressed(
        content,
        labels=np.ascontiguousarray(pool.labels.T),
        classes=pool.y.astype(np.uint8),
        about=np.array(json.dumps(about, sort_keys=True)),
    )
    write_bytes(path, content.getvalue())


def unpack_labels(path: str | Path, settings: PoolSettings, *, name: str, seed: int = 0) -> Pool:
    """The pool of a data set from its labels, with draws.

    Raises
    ------
    DataError
        If the labels were generated with other settings of the pool.
    """
    with np.load(path) as file:
        labels, classes = file["labels"].T, file["classes"].astype(np.int64)
        about = json.loads(str(file["about"]))
    recipes = "; ".join(map(str, settings.recipes))
    is_other = settings.kind == "generated" and not about["made"].endswith(f": {recipes}")
    if is_other or labels.shape[1] != settings.size:
        raise DataError(
            f"{path}: these labels were computed with settings other than those of "
            f"{settings.name}. Recompute them with release/pack_labels.py, or delete the file."
        )
    attributes = about | settings.common_attributes(name, seed, int(classes.max()) + 1)
    return Pool(labels, classes, settings.make_draws(labels.shape[1], name, seed), attributes)
