"""Sphinx's settings; `make docs` copies this file beside the pages that assemble.py writes."""

import re

from coassoc import __version__

project = "coassoc"
author = "The coassoc developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
# What scikit-learn adds to every estimator, and explains on its own pages.
autodoc_default_options = {"exclude-members": "set_fit_request, get_metadata_routing"}
autodoc_typehints = "none"  # numpydoc's sections have the shapes, which types do not
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "coassoc"
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["whole"]  # pages that nothing is made of, as the ranking
html_show_sourcelink = False
copyright = "the coassoc developers, MIT licence"


def in_plain_text(app, what, name, obj, options, lines):
    """Docstrings are read in editors too: their formulas are marked up here and not there."""
    markup, above = [], ""
    for line in lines:
        if what == "module" and re.fullmatch(r"-{4,}", line):
            markup[-1] = f".. rubric:: {above}"
            line = ""
        starts_formula = line.startswith("    ") and not markup[-1] and not above.startswith("    ")
        if what == "module" and starts_formula and not above.endswith("::"):
            markup += ["::", ""]
        code = what == "module" and line.startswith("    ")
        markup.append(line if code else line.replace("|", r"\|"))
        above = line or above
    lines[:] = markup


def setup(app):
    """Take part in the build."""
    # After numpydoc, which rewrites the sections.
    app.connect("autodoc-process-docstring", in_plain_text, priority=900)
