"""The sentences in the sources, of which each concludes something or only states numbers.

    cd release && python -m verdicts.templates    list sentences that templates.csv lacks

``templates.csv`` has the keys of the measured lines of each sentence, and says of others that they
conclude nothing (numbers, headings, instructions, refusals of arguments).
"""

import ast
import csv
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src/coassoc"
#: Modules with the sentences of each product.
MODULES = {
    "subtypes": (
        *("subtyping/results.py", "subtyping/structure.py", "subtyping/checks.py"),
        *("subtyping/samples.py", "pages/subtypes.py"),
    ),
    "communities": ("graphs/stability.py", "pages/communities.py"),
    "consensus": (
        *("methods/support.py", "methods/leaders.py", "methods/auto.py", "consensus.py"),
        *("io/column_checks.py", "selection/numbers.py", "pages/consensus.py"),
    ),
}


def templates(path: str) -> Iterator[str]:
    """Sentences in a module, with … for what depends on data; without docstrings."""
    tree = ast.parse((SOURCES / path).read_text(encoding="utf-8"))
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
              for part in ast.walk(node) if part is not node}  # fmt: skip
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in inside | docs:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "…" for p in node.values)
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if len(text.split()) > 3:
            yield text


def known() -> list[dict[str, str]]:
    """The lines of ``templates.csv``."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def unknown() -> list[str]:
    """Sentences in the sources that the table lacks."""
    texts = {(line["module"], line["sentence"]) for line in known()}
    every = [(path, text.strip()) for paths in MODULES.values() for path in paths
             for text in templates(path)]  # fmt: skip
    return [": ".join(each) for each in dict.fromkeys(every) if each not in texts]


if __name__ == "__main__":
    print(*unknown(), sep="\n")
