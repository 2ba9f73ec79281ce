"""What the documentation says agrees with the library."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from coassoc.methods import METHODS

ROOT = Path(__file__).parents[1]


def decisions(module: str) -> tuple[str, list[str]]:
    """Title of a method's module and the items of its section on open decisions."""
    text = importlib.import_module(module).__doc__ or ""
    section = re.search(r"\nDecisions[^\n]*\n-+\n(.*?)(?=\n\n[^\n]+\n---+\n|\Z)", text, re.DOTALL)
    items = re.split(r"\n(?=- )", section[1].strip()) if section else []
    return text.splitlines()[0].rstrip("."), [" ".join(item.split()) for item in items]


@pytest.mark.parametrize("module", sorted({METHODS.method(name).module for name in METHODS}))
def test_deviations_of_every_module_are_collected(module):
    text = (ROOT / "docs" / "deviations.md").read_text(encoding="utf-8")
    title, items = decisions(module)
    assert not items or f"## {title}\n" in text
    for item in items:
        assert item in " ".join(text.split())


def test_readme_names_every_method():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text[text.index("| family | names in `METHODS` |") :].split("\n\n")[0]
    named = set(re.findall(r"[A-Z][A-Za-z-]*[A-Za-z]", table.split("|---|---|")[1]))
    assert set(METHODS) <= named
