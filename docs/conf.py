"""The site's configuration: `make docs`."""

import logging

import opweld

project = "opweld"
author = "the opweld developers"
copyright = "2026, the opweld developers"
version = release = opweld.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["build", "conf.py", "cookbook"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
autodoc_member_order = "alphabetical"
autodoc_typehints = "none"  # numpydoc says them
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Each script of cookbook/ is run and becomes a page of gallery/.
sphinx_gallery_conf = {
    "examples_dirs": "cookbook",
    "gallery_dirs": "gallery",
    "filename_pattern": "/",
    "ignore_pattern": r"^beside\.py$",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "notebook_extensions": set(),
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "plot_gallery": True,
    "thumbnail_size": (400, 280),
}

html_theme = "pydata_sphinx_theme"
html_title = f"opweld {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}
default_role = "code"


def _no_word_on_blanks(record: logging.LogRecord) -> bool:
    """Leave out a warning that the folder's own path has blanks: the site's links are relative, and have none."""
    return "file name(s) with spaces" not in record.getMessage()


def setup(app: object) -> None:
    """Bear a checkout whose path has blanks."""
    logging.getLogger("sphinx.sphinx-gallery").addFilter(_no_word_on_blanks)
