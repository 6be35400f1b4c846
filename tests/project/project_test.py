# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the project says of itself in several places is the same in all of them: version, dependencies, checks.

    python3 tests/project/project_test.py
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None

ROOT = Path(__file__).resolve().parents[2]

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools" / "pages"))
import make_guide


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


class Version(unittest.TestCase):
    def setUp(self) -> None:
        self.version = re.search(r"^project\(gangway VERSION (\d+\.\d+\.\d+)", text_of("CMakeLists.txt"), re.M)[1]

    def test_the_newest_release_in_the_changelog(self) -> None:
        headings = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.M)
        self.assertEqual(headings[0], "[Unreleased]")
        self.assertRegex(headings[1], rf"^\[{re.escape(self.version)}\] - \d{{4}}-\d\d-\d\d$")

    def test_the_citation(self) -> None:
        citation = text_of("CITATION.cff")
        self.assertEqual(re.findall(r"^version: (.*)$", citation, re.M), [self.version])
        (date,) = re.findall(r"^date-released: (.*)$", citation, re.M)
        self.assertIn(f"\n## [{self.version}] - {date}\n", text_of("CHANGELOG.md"))

    def test_those_who_find_it_ask_for_it(self) -> None:
        for name in ("tests/consumer/CMakeLists.txt", "docs/your-own-study/CMakeLists.txt", "docs/your-own-study.md"):
            asked = re.findall(r"find_package\(gangway ([\d.]+)", text_of(name))
            self.assertEqual(asked, [".".join(self.version.split(".")[:2])], name)


class Dependencies(unittest.TestCase):
    """Every package is asked for with its oldest version, and the README and docs/building.md say the same."""

    # What belongs to the compiler or has no version that CMake could ask for, and this project itself.
    WITHOUT = {"Threads", "BLAS", "gangway"}
    NAMES = {"nlohmann_json": "nlohmann-json", "ZLIB": "zlib", "PNG": "libpng", "GTest": "GoogleTest",
             "benchmark": "Google Benchmark", "CUDAToolkit": "CUDA", "Python3": "Python",
             "KokkosKernels": "Kokkos Kernels"}  # fmt: skip

    def asked(self) -> dict[str, set[str]]:
        """The versions that CMake asks for, of each package by the README's name."""
        files = [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")]
        for folder in ("src", "apps", "bench", "tests", "tools"):
            files += [*(ROOT / folder).rglob("CMakeLists.txt"), *(ROOT / folder).rglob("*.cmake")]
        asked = {"CMake": set(re.findall(r"cmake_minimum_required\(VERSION (\S+)\)", text_of("CMakeLists.txt")))}
        for file in files:
            code = re.sub(r"#.*", "", file.read_text(encoding="utf-8"))
            for name, version in re.findall(r"find_package\((\w+)(?:\s+([\d.]+))?", code):
                if name not in self.WITHOUT:
                    asked.setdefault(self.NAMES.get(name, name), set()).add(version)
        return asked

    def test_the_pages_say_the_same(self) -> None:
        readme = " ".join(text_of("README.md").split())
        table = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \| ", text_of("docs/building.md"), re.M))
        asked = self.asked()
        self.assertGreater(len(asked), 10)
        for name, versions in asked.items():
            self.assertEqual(len(versions), 1, f"{name} is asked for with different versions: {versions}")
            (version,) = versions
            self.assertTrue(version, f"{name} is asked for without a version")
            self.assertEqual(table.get(name), version, f"docs/building.md: CMake asks for {name} {version}")
            # Elsewhere the README may speak of another, such as the one that results were measured with.
            said = re.findall(rf"{re.escape(name)} (\d+(?:\.\d+)*)", readme)
            self.assertIn(version, said, f"README.md: CMake asks for {name} {version}")


class English(unittest.TestCase):
    """tools/english sees each rule broken, and lets right sentences pass."""

    WRONG = ("Who calls it waits.", "It waits. What is kept goes.", "Of each thread.", "Whether it is there.", "As Data's.", "The same again.",
             "It fails. Nobody knows.", "It waits, for there is more.", "Loads are under way.", "A fiftieth more is a fiftieth.",
             "The array is told once.", "It is no longer there.")  # fmt: skip
    RIGHT = ("Returns whether it is there.", "It waits for what comes.", "What is it?", "The device keeps what is not asked for.",
             "Use it for the same data.", "The loop waits, for example here.")  # fmt: skip

    def found(self, name: str, text: str) -> int:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / name
            file.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", ROOT / "tools" / "english", file], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
            return len(done.stdout.splitlines())

    def test_sentences(self) -> None:
        for name, comment in (("page.md", ""), ("code.hpp", "/// "), ("code.cpp", "int n; ///< ")):
            for sentence in self.WRONG:
                self.assertEqual(self.found(name, f"{comment}{sentence}\n"), 1, (name, sentence))
            for sentence in self.RIGHT:
                self.assertEqual(self.found(name, f"{comment}{sentence}\n"), 0, (name, sentence))
        self.assertEqual(self.found("page.md", "```\nWho calls it waits.\n```\n# What was measured\n"), 0)
        self.assertEqual(self.found("code.cpp", "/// It waits until the loops\n/// As and bs are done.\n"), 0)

    def test_the_places(self) -> None:
        done = subprocess.run([sys.executable, "-B", ROOT / "tools" / "english"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class Studies(unittest.TestCase):
    """The index has every study with the source that its code names, and the bibliography leads back to each."""

    def setUp(self) -> None:
        self.sources = {}
        for folder in sorted((ROOT / "src" / "studies").iterdir()):
            if folder.is_dir():
                self.sources[folder.name] = (folder / f"{folder.name}.cpp").read_text(encoding="utf-8")

    def said(self, study: str, field: str) -> str:
        text = re.search(rf"\.{field} =\s*((?:\"[^\"]*\"\s*)+),", self.sources[study])[1]
        return "".join(re.findall(r'"([^"]*)"', text))

    def test_the_index(self) -> None:
        rows = re.findall(r"^\| \[`(\w+)`\]\(\.\./src/studies/(\w+)/README\.md\) \| (.*?) \| (.*) \|$", text_of("docs/studies.md"), re.M)
        expected = [(study, study, self.said(study, "title"), self.said(study, "source")) for study in self.sources]
        self.assertEqual([(*row[:3], re.sub(r"\[(.*?)\]\(.*?\)", r"\1", row[3])) for row in rows], expected)

    def test_the_bibliography(self) -> None:
        """A study is below the documents that its row links to, and below no other."""
        parts = re.split(r"^## (.*)\n", text_of("docs/bibliography.md"), flags=re.M)
        below = {make_guide.anchor(title): set(re.findall(r"studies/(\w+)/README", text)) for title, text in zip(parts[1::2], parts[2::2])}
        rows = dict(re.findall(r"^\| \[`(\w+)`\](.*)$", text_of("docs/studies.md"), re.M))
        for study, row in rows.items():
            linked = set(re.findall(r"bibliography\.md#([\w-]+)", row))
            self.assertTrue(linked, study)
            self.assertEqual({anchor for anchor, studies in below.items() if study in studies}, linked, study)


class Pages(unittest.TestCase):
    """Pages are short, and their links lead somewhere."""

    LARGEST = 16384  # bytes
    LARGEST_NOTE = 6144  # of a study: mapping, traps, and what it bought
    LONGER = {"CHANGELOG.md"}  # the history of versions

    def setUp(self) -> None:
        self.pages = sorted(ROOT.glob("*.md"))
        for folder in ("docs", "src", "apps", "tests", "tools", "bench"):
            self.pages += sorted((ROOT / folder).rglob("*.md"))
        self.assertGreater(len(self.pages), 60)

    def test_sizes(self) -> None:
        sizes = {page.relative_to(ROOT).as_posix(): page.stat().st_size for page in self.pages}
        limits = {name: self.LARGEST_NOTE if name.startswith("src/studies/") else self.LARGEST for name in sizes}
        self.assertEqual({name for name, size in sizes.items() if size > limits[name]} - self.LONGER, set())

    def test_links(self) -> None:
        texts = {page: page.read_text(encoding="utf-8") for page in self.pages}
        broken = []
        for page, text in texts.items():
            for target in re.findall(r"\]\(([^)\s]+)\)", make_guide.text_without_code(text)):
                place, _, heading = target.partition("#")
                if re.match(r"[a-z]+:", target):
                    continue
                file = (page.parent / place).resolve() if place else page
                if not file.exists() or (heading and file in texts and heading not in make_guide.headings(texts[file])):
                    broken.append(f"{page.relative_to(ROOT)}: {target}")
        self.assertEqual(broken, [])


class Checks(unittest.TestCase):
    def test_hosted_ci_runs_what_everybody_can_run(self) -> None:
        commands = re.findall(r"^\s+run: (.*)$", text_of(".github/workflows/ci.yml"), re.M)
        self.assertEqual(commands[-1], ".ci/run ${{ matrix.steps }}")
        for command in commands[:-1]:
            self.assertTrue(command.startswith("apt-get "), command)

    def test_the_workflow_runs_every_step_once(self) -> None:
        all_steps = re.search(r"^all=\((.*)\)$", text_of(".ci/run"), re.M)[1].split()
        workflow = re.search(r"steps:\n((?: +- .*\n)+)", text_of(".github/workflows/ci.yml"))[1]
        self.assertEqual(sorted(workflow.replace("- ", "").split()), sorted([*all_steps, "coverage"]))

    def test_every_using_declaration_is_used(self) -> None:
        """As misc-unused-using-decls of clang-tidy, which looks at the main file only: in a batch, at none."""
        found = 0
        for folder in ("src", "apps", "bench", "tests", "tools", "docs"):
            for file in sorted((ROOT / folder).rglob("*.cpp")):
                text = file.read_text(encoding="utf-8")
                for using in re.finditer(r"^\s*using (?:\w+::)+(\w+);", text, re.M):
                    found += 1
                    rest = text[: using.start()] + text[using.end() :]
                    self.assertRegex(rest, rf"\b{using[1]}\b", f"{file}: {using[0].strip()}")
        self.assertGreater(found, 100)

    def test_commits_are_formatted_by_what_ci_asks(self) -> None:
        hooks = text_of(".pre-commit-config.yaml")
        check = text_of(".ci/check")
        for program in re.findall(r"clang-format\S*-\d+", hooks):
            self.assertIn(program, check)
        for name in re.findall(r"\.ci/check (\w+)", hooks):
            self.assertRegex(check, rf"(?m)^{name}\)")
        self.assertIn("clang-format-", hooks)

    @unittest.skipIf(yaml is None, "no PyYAML")
    def test_files_can_be_read(self) -> None:
        files = [*ROOT.glob(".github/**/*.yml"), ROOT / ".pre-commit-config.yaml", ROOT / "CITATION.cff"]
        self.assertGreater(len(files), 4)
        for file in files:
            self.assertIsInstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict, str(file))


if __name__ == "__main__":
    unittest.main()
