"""Random seeds that depend on names, never on positions.

Adding a data set, a method or a repeat to an experiment does not change the other seeds.
"""

import hashlib

import numpy as np


def seed_sequence(root: int, *names: str | int) -> np.random.SeedSequence:
    """Seed sequence of the entity `names` (for example pool, data set, m, repeat, method).

    Parameters
    ----------
    root : int
        Seed of the whole experiment.
    *names : str or int
        Names from the general to the particular.
    """
    path = "\x1f".join([str(root), *map(str, names)])
    digest = hashlib.sha256(path.encode()).digest()
    return np.random.SeedSequence(int.from_bytes(digest[:16], "big"))


def seed_from_names(root: int, *names: str | int) -> int:
    """A 32-bit integer seed for interfaces that accept nothing larger, such as scikit-learn's."""
    return int(seed_sequence(root, *names).generate_state(1, np.uint32)[0])
