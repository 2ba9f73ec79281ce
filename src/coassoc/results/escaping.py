"""Titles, names of rows and other text as it is, where some characters have a meaning."""

from __future__ import annotations

import re

__all__ = ["for_markdown", "for_tex"]

#: Underscores count in Markdown unless they are inside a word.
_MARKDOWN = re.compile(r"[\\\\`*<|]|(?<!\w)_|_(?!\w)")

_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
    "±": r"$\pm$",
    "<": r"$<$",
    ">": r"$>$",
    **{character: f"\\{character}" for character in "&%#_{}$"},
}


def for_markdown(text: object) -> str:
    """The text as Markdown shows it, in a table too."""
    return _MARKDOWN.sub(lambda found: f"\\{found[0]}", str(text))


def for_tex(text: object) -> str:
    """The text as LaTeX sets it."""
    return "".join(_TEX.get(character, character) for character in str(text))
