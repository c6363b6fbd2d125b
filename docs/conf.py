"""Sphinx configuration; everything is built without network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from operax import __version__  # noqa: E402

project = "operax"
author = "The operax developers"
copyright = "the operax developers, BSD-3-Clause"
release = version = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    # ours, in _ext/: pages made from the package itself
    "api_pages",
    "coverage_page",
    "migration_table",
    "ratios_page",
]
exclude_patterns = ["_build", "api/generated/packages.md", "**/GALLERY_HEADER.rst"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}

autodoc_typehints = "none"  # numpydoc sections say the types, with their shapes
autodoc_member_order = "groupwise"
autodoc_inherit_docstrings = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "amsmath", "attrs_inline"]
myst_heading_anchors = 3

suppress_warnings = [
    "config.cache",  # the ordering functions of the gallery are not picklable
    "ref.python",  # parameters in single backticks are names, which several classes share, and not links
]

html_theme = "pydata_sphinx_theme"
html_title = "operax"
html_static_path = ["_static"]
html_css_files = ["operax.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
    "icon_links": [
        {"name": "Source", "url": "https://github.com/operax/operax", "icon": "fa-brands fa-github"},
    ],
    "logo": {"text": "operax"},
}
html_sidebars = {"start": [], "install": [], "changelog": []}

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"(^|/)_",
    "subsection_order": "gallery_style.section_order",
    "within_subsection_order": "FileNameSortKey",
    "nested_sections": False,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("operax",),
    "reset_modules": ("matplotlib", "gallery_style.reset"),
    "capture_repr": ("_repr_html_", "__repr__"),
    "image_scrapers": ("matplotlib",),
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
    "min_reported_time": 1,
    "parallel": 2,
    "plot_gallery": "True",
}
