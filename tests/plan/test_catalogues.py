"""The catalogues: what their forms allow, and what config/README.md says of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from coassoc.datasets.registry import DATASET
from coassoc.plan.configuration import CONFIGURATION
from coassoc.plan.kinds import KINDS
from coassoc.plan.methods import METHOD
from coassoc.plan.paper_forms import PAPER
from coassoc.pools.settings import FORMS
from coassoc.storage.forms import ByKind, Form

CONFIG = Path(__file__).parents[2] / "config"


def keys_of(form) -> set[str]:
    """Names of all keys in a form, at any depth."""
    if isinstance(form, Form):
        return {*form.types}.union(*map(keys_of, form.types.values()))
    parts = form.forms.values() if isinstance(form, ByKind) else get_args(form)
    return set().union(*map(keys_of, parts)) | set().union(
        *(keys_of(each) for each in getattr(form, "__metadata__", ()))
    )


@pytest.mark.parametrize(
    ("form", "heading"),
    [
        (CONFIGURATION, "config.yaml"),
        (DATASET, "datasets.yaml"),
        (ByKind(FORMS), "pools.yaml"),
        (METHOD, "methods.yaml"),
        (PAPER, "papers/*.yaml"),
    ],
)
def test_the_readme_documents_every_key_and_no_other(form, heading):
    text = (CONFIG / "README.md").read_text()
    section = text.split(f"## {heading} — ")[1].split("\n## ")[0]
    section = re.sub("```.*?```", "", section, flags=re.DOTALL)
    keys = keys_of(form)
    documented = {
        word
        for quoted in re.findall("`([^`]+)`", section)
        for word in re.findall("[A-Za-z_0-9]+", quoted)
    }
    assert keys and keys <= documented, sorted(keys - documented)
    # The first cell of a line of a table names keys, in the list of kinds the second does.
    first = {
        name.split(".")[-1]
        for line in section.splitlines()
        if line.startswith("| `")
        for name in re.findall("`([^`]+)`", line.split("|")[1])
    }
    assert first <= keys | {*KINDS}, sorted(first - keys)
