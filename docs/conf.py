# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sphinx's configuration of the site that tools/pages/make_site.py stages. ./run docs builds it."""

import os
import re
from pathlib import Path

ROOT = Path(os.environ["GANGWAY_ROOT"])

project = "Gangway"
author = "the Gangway authors"
copyright = "the Gangway authors"
release = re.search(r"^project\(gangway VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
version = release

extensions = ["myst_parser", "breathe"]
root_doc = "index"
highlight_language = "text"
exclude_patterns = ["_raw"]
html_extra_path = [os.environ["GANGWAY_RAW"]]  # what raw HTML in pages shows
suppress_warnings = [
    "misc.highlighting_failure",  # an ellipsis in code is no mistake
    "duplicate_declaration.cpp",  # the page of each header declares the namespace
]

myst_heading_anchors = 6

breathe_projects = {"gangway": os.environ["GANGWAY_API"]}
breathe_default_project = "gangway"
primary_domain = "cpp"
cpp_id_attributes = []
cpp_maximum_signature_line_length = 80

html_theme = "furo"
html_title = f"Gangway {release}"
html_copy_source = False
html_show_sphinx = False
