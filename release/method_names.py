"""Write the names of the methods, which their classes declare, to src/coassoc/methods/names.py.

Their number is written to README.md.
"""

import inspect
import pkgutil
import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from textwrap import fill, indent
from typing import Any

from coassoc import methods
from coassoc.io.atomic import write_text
from coassoc.methods.names import CLASSES

FILE = Path(methods.__file__).with_name("names.py")
README = Path(__file__).parents[1] / "README.md"

_TEXT = '''"""Names of the methods, which ``make revisions`` reads from their classes.

They are listed here because importing all classes takes longer than most fits, and because editors
and type checkers read this list.
"""

from typing import Any, Literal

# fmt: off
#: "auto", or a name in :data:`coassoc.methods.METHODS`.
MethodName = Literal[
{names}
]
#: Module in this folder and class of each name.
CLASSES: dict[str, str] = {{
{classes}
}}
#: Parameters that a name fixes.
FIXED: dict[str, dict[str, Any]] = {{
{fixed}
}}
# fmt: on
'''


def declared() -> dict[str, tuple[str, dict[str, Any]]]:
    """Class and fixed parameters of each name: first those listed so far, then new ones."""
    found = {}
    prefix = f"{methods.__name__}."
    for info in pkgutil.walk_packages(methods.__path__, prefix):
        for cls in vars(import_module(info.name)).values():
            if not inspect.isclass(cls) or cls.__module__ != info.name:
                continue
            for name, entry in vars(cls).get("names", {}).items():
                location = f"{info.name.removeprefix(prefix)}:{cls.__name__}"
                found[name] = (location, entry.get("fixed", {}))
    return {name: found[name] for name in [*CLASSES, *found] if name in found}


def text() -> str:
    """The content of the file."""
    classes = declared()
    return _TEXT.format(
        names=_lines(f"{name!r}" for name in ("auto", *classes)),
        classes=_lines(f"{name!r}: {at!r}" for name, (at, _) in classes.items()),
        fixed=_lines(f"{name!r}: {fixed!r}" for name, (_, fixed) in classes.items() if fixed),
    )


def _lines(items: Iterable[str]) -> str:
    """Items as lines of code, none of them broken."""
    text = ", ".join(item.replace("'", '"').replace(" ", "~") for item in items) + ","
    return indent(fill(text, 94, break_on_hyphens=False), "    ").replace("~", " ")


if __name__ == "__main__":
    write_text(FILE, text())
    readme = README.read_text(encoding="utf-8")
    write_text(README, re.sub(r"The \d+ methods are", f"The {len(declared())} methods are", readme))
