"""Generated parts of the pages of results."""

from pathlib import Path


def write_into_page(page: Path, name: str, text: str) -> None:
    """Put what was measured between the marks of a name."""
    before, mark, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    if not mark or not end:
        raise ValueError(f"{page}: the marks <!-- {name} --> and <!-- end --> were not found.")
    page.write_text(f"{before}{mark}\n{text}\n\n{end}{after}", encoding="utf-8")
