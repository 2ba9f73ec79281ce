"""Lay out the source of the documentation site: pages of the repository, and pages from its data.

    python docs/site/assemble.py FOLDER

Pages that people read in the repository are copied, with links between them turned into links
between pages of the site. Pages on methods, papers and modules are written from `config/`,
`results-published/` and the library.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from base64 import b64decode
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import ModuleType

from coassoc.methods import METHODS
from reproduction.study.paths import RANKING, name_of
from reproduction.study.studies import STUDIES, name_of_study, targets_of, title_of
from reproduction.study.words import Target

ROOT = Path(__file__).parents[2]
#: Studies that have a page; the ranking is a page of its own.
PAPERS = [study for study in STUDIES if name_of_study(study) != RANKING]
HERE = Path(__file__).parent

#: Files of the repository that are pages, by their names in the site, in the order of its menus.
MENUS: dict[str, dict[str, str]] = {
    "Tutorials": {
        name: f"docs/{name}.md"
        for name in (
            *("tutorials/labels", "tutorials/subtypes", "tutorials/posterior", "tutorials/cells"),
            *("tutorials/network", "tutorials/memberships", "tutorials/own-method"),
            "tutorials/reproduce",
        )
    }
    | {
        "tutorials/pbmc": "docs/tutorials/pbmc.ipynb",
        "own-labels": "examples/own-labels/README.md",
        "own-paper": "examples/own-paper/README.md",
        "example-draws": "examples/posterior/README.md",
        "benchopt": "examples/benchopt/README.md",
        "own-kinds": "examples/own-kinds/README.md",
    },
    "How-to guides": {
        f"howto/{name}": f"docs/howto/{name}.md"
        for name in (
            *(
                "choose-a-method",
                "cluster-measurements",
                "number-of-clusters",
                "test-structure",
                "read-confidence",
            ),
            *("keep-names", "predict", "tune-parameters", "resolutions", "read-files"),
            *("use-similarities", "combine-hierarchies", "large-data", "use-from-r"),
            "migrate-from-r",
            *("run-the-papers", "published-margins", "extend", "cluster"),
            "troubleshooting",
        )
    },
    "Explanation": {
        f"explanation/{name}": f"docs/explanation/{name}.md"
        for name in (
            *("ensemble-clustering", "distinct-rows", "workflow", "nulls", "no-criterion"),
            *("agreement-measures", "limitations"),
        )
    },
    "Reference": {
        "outputs": "docs/reference/outputs.md",
        "configuration": "config/README.md",
        "implementation-choices": "docs/reference/implementation-choices.md",
        "open-settings": "docs/reference/open-settings.md",
        "glossary": "docs/reference/glossary.md",
        "contributing": "CONTRIBUTING.md",
    },
    "Results": {
        "published": "results-published/README.md",
        "claims": "results-published/claims.md",
        "claims_cells": "results-published/claims_cells.md",
        "scorecard": "results-published/scorecard.md",
        "scorecard_leaders": "results-published/scorecard_leaders.md",
        "agreement": "results-published/agreement.md",
        "margins": "results-published/margins.md",
        "readings": "results-published/readings.md",
        "performance": "docs/results/performance.md",
        "programs": "docs/results/programs.md",
        "networks": "docs/results/networks.md",
        "subtypes-results": "docs/results/subtypes.md",
        "verdicts": "docs/results/verdicts.md",
        "answer": "docs/results/answer.md",
        "pools": "docs/results/pools.md",
        "ties": "docs/results/ties.md",
        "processors": "docs/results/processors.md",
        "mutants": "docs/results/mutants.md",
        "provenance": "docs/results/provenance.md",
    },
}
#: Pages of version 0.1 that are gone, and what took the place of their parts, by the anchor.
MOVED = {
    "choosing": {
        "": "howto/choose-a-method",
        "is-there-anything-and-at-which-resolution": "howto/number-of-clusters",
        "two-nulls-two-questions": "explanation/nulls",
        "names-that-stay": "howto/keep-names",
        "how-sure-a-cluster-is": "howto/read-confidence",
        "a-number-of-clusters": "howto/number-of-clusters",
        "none-of-them-can-be-recommended": "explanation/no-criterion",
        "no-number-at-all": "howto/number-of-clusters#let-a-method-choose",
        "new-samples": "howto/predict",
        "parameters": "howto/tune-parameters",
    },
    "subtypes": {
        "": "tutorials/subtypes",
        "from-consensusclusterplus-m3c-or-dicer": "howto/migrate-from-r",
    },
    "posterior": {"": "tutorials/posterior", "from-salso-and-mcclustext": "howto/migrate-from-r"},
    "cells": {"": "tutorials/cells", "which-resolution": "howto/resolutions"},
    "pbmc": {"": "tutorials/pbmc"},
    "files": {"": "howto/read-files"},
    "extending": {"": "howto/extend", "beside-all-other-methods": "tutorials/own-method"},
    "cluster": {"": "howto/cluster"},
    "peers": {"": "programs"},
    "questions": {"": "howto/troubleshooting"},
    "how-it-works": {
        "": "explanation/distinct-rows",
        "from-data-to-a-table": "explanation/workflow",
    },
    "reproducing": {
        "": "howto/run-the-papers",
        "protocols-what-the-papers-leave-open": "open-settings",
    },
    "yardsticks": {"": "explanation/agreement-measures"},
    "deviations": {"": "implementation-choices"},
}
#: Modules of the reference by topic, in the order of its page; those of the methods follow.
TOPICS = {
    "Start": [
        "consensus",
        "answer.clusterer",
        "ensemble",
        "alignment",
        "graphs",
        "io.labels",
        "errors",
    ],
    "Methods": [
        *("methods.registry", "methods.base", "methods.parameters"),
        *("invariant", "similarity", "partition.linkage"),
        *("partition.spectral", "partition.discretisation", "partition.labels", "numerics.threads"),
    ],
    "Choosing": ["selection", "selection.resolutions", "pages.n_clusters"],
    "Confidence": ["confidence", "metrics", "pages.pictures"],
    "Cells": ["cells.tools", "cells.pl"],
    "Posterior": ["posterior.losses", "posterior.search", "posterior.uncertainty"],
    "Files": [
        "io",
        "io.table",
        "io.streams",
        "bench.storage.hdf5",
        "numerics.seeds",
    ],
    "Pools": ["pools.base_clusterings", "bench.pools.draws"],
}
#: Where pictures are in the site.
PICTURES = "pictures"
#: Where pages lie that are the site's as they are, beside all that Sphinx makes.
WHOLE = "whole"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def assemble(target: Path) -> None:
    """Write the whole source of the site into an empty folder."""
    shutil.copytree(ROOT / "figures/published", target / PICTURES)
    for path in (ROOT / "docs").glob("*.png"):
        shutil.copy(path, target / PICTURES)
    pages = repository_pages()
    for name, content in pictures_in(pages["tutorials/pbmc"]).items():
        (target / PICTURES / name).write_bytes(content)
    for name, source in pages.items():
        write(target, name, copied(source, pages))
    shutil.copy(HERE / "conf.py", target / "conf.py")
    (target / "_static").mkdir()
    shutil.copy(HERE / "site.css", target / "_static")
    (target / WHOLE).mkdir()
    for path in (ROOT / "results-published").glob("ranking*"):
        shutil.copy(path, target / WHOLE)
    shutil.copy(ROOT / "results-published/article.pdf", target / WHOLE)
    for name, anchors in MOVED.items():
        (target / WHOLE / f"{name}.html").write_text(forwarding(anchors), encoding="utf-8")
    for study in PAPERS:
        write(target, f"studies/{name_of_study(study)}", paper_page(study))
    write(target, "gallery", gallery_page())
    write(target, "methods", methods_page())
    topics = documented_modules()
    for modules in topics.values():
        for module in modules:
            write(target, f"reference/{module}", module_page(module))
    write(target, "api", api_page(topics))
    write_menus(target, pages)


def repository_pages() -> dict[str, Path]:
    """Files of the repository by the names of their pages; the front page is made by itself."""
    pages = {name: ROOT / path for menu in MENUS.values() for name, path in menu.items()}
    pages["documentation"] = ROOT / "docs/README.md"
    for path in sorted((ROOT / "results-published/tables").glob("*/*.md")):
        pages[f"tables/{path.parent.name}/{path.stem}"] = path
    return {name: path for name, path in pages.items() if path.exists()}


def documented_modules() -> dict[str, list[str]]:
    """Modules that have a page, by topic."""
    topics = {
        title: [f"coassoc.{module}" for module in modules] for title, modules in TOPICS.items()
    }
    topics["Methods"] += sorted({method.location.partition(":")[0] for method in METHODS.values()})
    return topics


def write(target: Path, name: str, text: str) -> None:
    """Write the source of one page."""
    path = target / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copied(source: Path, pages: dict[str, Path]) -> str:
    """A page of the repository with links that hold in the site."""
    homes = {path: name for name, path in pages.items()} | {ROOT / "README.md": "index"}
    modules = {*chain.from_iterable(documented_modules().values())}

    def link(match: re.Match[str]) -> str:
        picture, text, aim = match.groups()
        place, _, anchor = aim.partition("#")
        if "://" in aim or not place:
            return match[0]
        path = Path(os.path.normpath(source.parent / place))
        if picture:
            return f"![{text}]({picture_in_site(path)})"
        if path in homes:
            # A text that is a path gives way to the title of the page.
            shown = "" if text.endswith((".md", "/")) else text
            return f"[{shown}](/{homes[path]}.md{'#' + anchor if anchor else ''})"
        if path.suffix in (".html", ".pdf") and path.exists():
            up = "../" * homes[source].count("/")
            return f'<a href="{up}{path.name}">{text}</a>'
        # A file that is no page of the site is named.
        shown = f"`{path.relative_to(ROOT)}`"
        if text.startswith("`"):
            return text
        if path.name in text:
            return shown
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts[1:])
        if (module := module.removesuffix(".__init__")) in modules:
            return f"[{text}](/reference/{module}.md)"
        in_parentheses = match.string[: match.start()].endswith("(")
        return f"{text}: {shown}" if in_parentheses else f"{text} ({shown})"

    whole = markdown_of(source) if source.suffix == ".ipynb" else source.read_text(encoding="utf-8")
    fenced = re.split(r"(^```.*?^```$)", whole, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in fenced)


def notebook_parts(source: Path) -> Iterator[tuple[str, str]]:
    """Kinds and texts of what a notebook has: "markdown", "code", "text" and "png" in base 64."""
    for cell in json.loads(source.read_text(encoding="utf-8"))["cells"]:
        yield cell["cell_type"], "".join(cell["source"])
        for output in cell.get("outputs", []):
            data = output.get("data", {"text/plain": output.get("text", "")})
            kind = "image/png" if "image/png" in data else "text/plain"
            yield kind.split("/")[1].replace("plain", "text"), "".join(data[kind]).rstrip()


def pictures_in(source: Path) -> dict[str, bytes]:
    """The pictures of a notebook, by their names in the site."""
    found = [text for kind, text in notebook_parts(source) if kind == "png"]
    return {f"{source.stem}-{i}.png": b64decode(text) for i, text in enumerate(found)}


def markdown_of(source: Path) -> str:
    """A notebook as a page, its pictures as :func:`pictures_in` names them."""
    names = iter(pictures_in(source))
    parts, drawn_by = [], ""
    for kind, text in notebook_parts(source):
        if kind == "code":
            drawn_by = text.splitlines()[-1].partition("(")[0]
        if kind == "png":
            parts.append(f"![Figure of {drawn_by}](/{PICTURES}/{next(names)})")
        else:
            fence = {"code": "python", "text": "text"}.get(kind)
            parts.append(f"```{fence}\n{text}\n```" if fence else text)
    return "\n\n".join(parts) + "\n"


def forwarding(anchors: dict[str, str]) -> str:
    """A page that leads to others, by the anchor of its address."""

    def html(aim: str) -> str:
        page, _, anchor = aim.partition("#")
        return f"{page}.html{'#' + anchor if anchor else ''}"

    ways = json.dumps({anchor: html(aim) for anchor, aim in anchors.items()})
    first = html(anchors[""])
    return (
        f'<!doctype html><meta charset="utf-8"><title>Moved</title>'
        f"<script>const to = {ways}; "
        f'location.replace(to[location.hash.slice(1)] || to[""])</script>'
        f'<p>This page moved: <a href="{first}">{first}</a>\n'
    )


def api_page(topics: dict[str, list[str]]) -> str:
    """One line about each module, by topic."""
    lines = ["# Modules", ""]
    for title, modules in topics.items():
        lines += [f"## {title}", ""]
        for module in modules:
            about = (import_module(module).__doc__ or "").split("\n\n")[0].replace("\n", " ")
            about = re.sub(":[a-z]+:(`[^`]+`)", r"\1", about)
            short = module.removeprefix("coassoc.")
            lines.append(f"- [{short}](/reference/{module}.md): {about}")
        lines.append("")
    names = [f"reference/{module}" for modules in topics.values() for module in modules]
    return "\n".join([*lines, toctree("Modules", names)])


def write_menus(target: Path, pages: dict[str, Path]) -> None:
    """README as the front page, and one page for each menu but that of the modules."""
    menus = {title: [name for name in menu if name in pages] for title, menu in MENUS.items()}
    menus["Results"] += [*(f"studies/{name_of_study(x)}" for x in PAPERS), "gallery"]
    menus["Reference"] += ["methods", "api"]
    fronts = {title: f"menu-{title.split()[0].lower()}" for title in menus}
    for title, names in menus.items():
        listed = "\n".join(f"- [](/{name}.md)" for name in names)
        write(target, fronts[title], f"# {title}\n\n{listed}\n\n{toctree(title, names)}")
    front = copied(ROOT / "README.md", pages)
    write(target, "index", front + "\n" + toctree("", ["documentation", *fronts.values()]))


def toctree(caption: str, names: list[str]) -> str:
    """Pages below a page, which menus show."""
    options = [":hidden:"] + ([f":caption: {caption}"] if caption else [])
    return "\n".join(["```{toctree}", *options, "", *names, "```", ""])


def paper_page(study: ModuleType) -> str:
    """The tables and figures of one study."""
    title, _, citation = (study.__doc__ or "").strip().partition("\n\n")
    lines = [f"# {title}", "", citation, ""]
    tables: list[str] = []
    for path, target in targets_of(study).items():
        lines += [f"## {title_of_target(target)}", "", target.caption, ""]
        lines += [f"Target: `snakemake {name_of(path)}`", ""]
        table = ROOT / f"results-published/tables/{path}.md"
        if table.exists():
            lines += [f"[The finished table](/tables/{path}.md)", ""]
            tables.append(f"/tables/{path}")
        picture = published_figure(*path.split("/"))
        if picture is not None:
            lines += [f"![{title_of_target(target)}]({picture})", ""]
    return without_repeats("\n".join([*lines, toctree("Tables", tables)]))


def title_of_target(target: Target) -> str:
    """The title of a target, with the names of its data sets if it has a place for them."""
    if "{datasets}" not in target.title:
        return target.title
    named = dict.fromkeys(cell["dataset"] for cell in target.cells())
    return target.title.replace("{datasets}", ", ".join(named))


def without_repeats(text: str) -> str:
    """Headings of one page differ: the second of a name has a number."""
    seen: dict[str, int] = {}
    lines = []
    for line in text.split("\n"):
        if line.startswith("#"):
            seen[line] = seen.get(line, 0) + 1
            line += f" ({seen[line]})" if seen[line] > 1 else ""
        lines.append(line)
    return "\n".join(lines)


def published_figure(paper: str, name: str) -> str | None:
    """Place of a figure in the site, if it was made."""
    path = ROOT / f"figures/published/{paper}/{name}.png"
    return picture_in_site(path) if path.exists() else None


def picture_in_site(path: Path) -> str:
    """Place of a picture of the repository, from the site's root."""
    published = ROOT / "figures/published"
    inside = path.relative_to(published) if path.is_relative_to(published) else path.name
    return f"/{PICTURES}/{inside}"


def gallery_page() -> str:
    """Every finished figure, small, with a link to its paper."""
    lines = ["# Gallery", "", "::::{grid} 1 2 3 3", ":gutter: 3", ""]
    for study in PAPERS:
        short_title = title_of(study).partition(":")[0]
        for path, target in targets_of(study).items():
            picture = published_figure(*path.split("/"))
            if picture is not None:
                lines += [f":::{{grid-item-card}} {title_of_target(target)}"]
                lines += [f":img-bottom: {picture}", f":img-alt: {title_of_target(target)}"]
                lines += [f":link: /studies/{name_of_study(study)}"]
                lines += [":link-type: doc", short_title, ":::", ""]
    return "\n".join([*lines, "::::", ""])


def methods_page() -> str:
    """Every method: where it comes from, what it needs and how it grows."""
    lines = [
        "# Methods",
        "",
        "Names are keys of `coassoc.methods.METHODS`. A method works on the distinct rows of the",
        "labels or on all samples. The seconds are for a fit of 1,000 rows or samples on one core,",
        "and the time grows with this number to the given power. Methods without a mark in the",
        "last column need complete labels.",
        "",
        "| method | description | paper | works on | seconds | power | features | missing |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, method in METHODS.items():
        missing = "" if "complete labels" in method.needs else "yes"
        module = method.location.partition(":")[0]
        lines.append(
            f"| [{name}](/reference/{module}.md) | {method.title} | {method.paper} | "
            f"{'samples' if method.works_on_samples else 'distinct rows'} | {method.cost.seconds} "
            f"| {method.cost.power} | {'needed' if method.uses_features else ''} | {missing} |"
        )
    return "\n".join([*lines, ""])


def module_page(module: str) -> str:
    """Everything public of one module."""
    short = module.removeprefix("coassoc.")
    return (
        f"# {short}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n"
        "   :show-inheritance:\n```\n"
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    assemble(folder)
