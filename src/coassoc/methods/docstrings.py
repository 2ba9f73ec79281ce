"""Docstrings of methods: a class describes what it adds, and inherits what its bases describe."""

import inspect
import re
from typing import Any

#: What classes without a common base describe in the same words.
_COMMON = """\
linkage : {"average", "complete", "single"}
    Linkage criterion on 1 − `affinity_`.
max_iter : int
    Most iterations.
dendrogram_ : Dendrogram
    Merges of the linkage; see :func:`~coassoc.partition.linkage.cut_samples`.
"""
_N_CLUSTERS = {
    "given": "n_clusters : int\n    c, number of clusters wanted.",
    "optional": "n_clusters : int or None\n    c, number of clusters wanted; None for that of the "
    "longest lifetime, see\n    :func:`~coassoc.partition.linkage.longest_lifetime`.",
    "chosen": "n_clusters : None\n    To be left out: the method chooses the number of clusters.",
}
_SEED = "random_state : int, RandomState, Generator or None\n    Seed of {}."
_NO_SEED = "random_state : ignored\n    The method is deterministic."
_TITLES = ("Parameters", "Attributes")


def completed_docstring(cls: Any) -> str:
    """The docstring of a class with every parameter and attribute that it has.

    Parameters
    ----------
    cls : subclass of ConsensusClusterer
        Entries of its own docstring replace those of its bases.
    """
    summary, sections = _read(cls)
    own = {title: _entries(sections.pop(title, "")) for title in _TITLES}
    inherited: dict[str, str] = {}
    for base in reversed(cls.__mro__[1:]):
        for title in _TITLES:
            inherited |= _entries(_read(base)[1].get(title, ""))
    known = _entries(_COMMON) | inherited
    known["n_clusters"] = _N_CLUSTERS[cls.n_clusters_is]
    known["random_state"] = _SEED.format(cls.seeds) if cls.seeds else _NO_SEED
    known |= own["Parameters"] | own["Attributes"]
    fitted = (name for name in (*cls.offers, *inherited) if name.endswith("_"))
    wanted = {
        "Parameters": ["n_clusters", *own["Parameters"], *inspect.signature(cls).parameters],
        "Attributes": [*own["Attributes"], *fitted],
    }
    text = [summary]
    for title, names in wanted.items():
        entries = [known[name] for name in dict.fromkeys(names) if name in known]
        text.append("\n".join([title, "-" * len(title), *entries]))
    text += [f"{title}\n{'-' * len(title)}\n{body.rstrip()}" for title, body in sections.items()]
    return "\n\n".join(text) + "\n"


def _read(cls: type) -> tuple[str, dict[str, str]]:
    """What a docstring says before its sections, and the sections by their titles."""
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.cleandoc(cls.__doc__ or ""), flags=re.MULTILINE)
    return parts[0].rstrip(), dict(zip(parts[1::2], parts[2::2], strict=True))


def _entries(section: str) -> dict[str, str]:
    """Entries of a section by the names that they describe."""
    entries = re.split(r"^(?=\S)", section, flags=re.MULTILINE)
    return {entry.partition(" :")[0]: entry.rstrip() for entry in entries if entry}
