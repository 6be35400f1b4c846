# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Sphinx reads of the tree: every page, in the navigation, with links that work there. ./run docs makes the site itself."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "pages" / "make_site.py"

sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOL.parent))
import make_guide
import make_site


def stage(folder: Path, *arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-B", TOOL, "--stage", *map(str, arguments), folder],
                          capture_output=True, text=True, timeout=120, check=False)  # fmt: skip


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.done = stage(Path(folder.name))
        cls.source = Path(folder.name) / "source"
        cls.pages = {file.relative_to(cls.source).as_posix(): file.read_text(encoding="utf-8") for file in cls.source.rglob("*.md")}

    def test_it_has_no_errors(self) -> None:
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))

    def test_every_page_is_in_the_navigation(self) -> None:
        """And nothing else is; listings of files are reached by links alone."""
        named = set()
        for name, text in self.pages.items():
            for entries in re.findall(r"^```\{toctree\}\n(?::.*\n)*\n((?:.+\n)+)```", text, re.M):
                for entry in entries.split():
                    named.add(f"{entry[1:] if entry[0] == '/' else (Path(name).parent / entry).as_posix()}.md")
        self.assertEqual({name for name in self.pages if not name.startswith("files/")} - {"index.md"}, named)
        for name, text in self.pages.items():
            self.assertEqual(text.startswith("---\norphan: true\n"), name.startswith("files/"), name)

    def test_links_lead_somewhere(self) -> None:
        for name, text in self.pages.items():
            for target in re.findall(r"\]\(([^)\s]+)\)", make_guide.text_without_code(text)):
                if not re.match(r"[a-z]+:", target):
                    place = target.partition("#")[0]
                    self.assertTrue(not place or (self.source / name).parent.joinpath(place).exists(), f"{name}: {target}")

    def test_the_guide_has_its_code(self) -> None:
        self.assertIn("```cpp\n// Kokkos\nvoid parallel_loop(", self.pages["guide/loops.md"])

    def test_every_study_has_its_results(self) -> None:
        for folder in (ROOT / "src" / "studies").glob("*/"):
            self.assertIn(f"results/{folder.name}.md", self.pages)
            self.assertIn(f"(../results/{folder.name}.md)", self.pages[f"studies/{folder.name}.md"])

    def test_every_header_has_its_page(self) -> None:
        for header in (ROOT / "src" / "gangway").glob("*.hpp"):
            self.assertIn(f"{{doxygenfile}} {header.name}\n", self.pages[f"api/{header.stem}.md"])

    def test_source_files_are_shown(self) -> None:
        self.assertIn("\n```cpp\n// SPDX", self.pages["files/src/gangway/data.hpp.md"])


class SiteMistakes(unittest.TestCase):
    """On a tree of links to this one, with a page of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "tree"
        (self.root / "docs").mkdir(parents=True)
        for entry in ROOT.iterdir():
            if entry.name not in ("docs", "build"):
                (self.root / entry.name).symlink_to(entry)
        for entry in (ROOT / "docs").iterdir():
            (self.root / "docs" / entry.name).symlink_to(entry)

    def refused(self, said: str) -> None:
        done = stage(self.root.parent / "made", "--root", self.root)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(said, done.stderr)

    def test_a_link_that_leads_nowhere(self) -> None:
        (self.root / "docs" / "page.md").write_text("# Page\n\n[gone](nothing.md)\n", encoding="utf-8")
        self.refused("page.md: the link nothing.md leads nowhere")

    def test_a_readme_without_a_section(self) -> None:
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        (self.root / "README.md").unlink()
        (self.root / "README.md").write_text(text.replace("## Quick start\n", "## Start\n"), encoding="utf-8")
        self.refused("has no section Quick start")

    def test_broken_links_of_a_site(self) -> None:
        site = self.root.parent / "html"
        site.mkdir()
        (site / "index.html").write_text('<a href="other.html#here">o</a><a href="#top">t</a><a href="https://x.org/y">x</a>', encoding="utf-8")
        (site / "other.html").write_text('<p id="there"><a href="index.html">i</a><img src="p.png"></p>', encoding="utf-8")
        self.assertEqual(make_site.broken_links(site), ["index.html: other.html#here", "index.html: #top", "other.html: p.png"])


if __name__ == "__main__":
    unittest.main()
