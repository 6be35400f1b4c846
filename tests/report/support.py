# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the report's tests share: where things are, and how a test says that it cannot run here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GENERATOR = Path(__file__).resolve().parents[2] / "tools" / "pages"
sys.path.insert(0, str(GENERATOR))

SKIPPED = 77  # CTest's SKIP_RETURN_CODE


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def need_generator() -> None:
    """Skips the whole file where the report's packages are not installed."""
    import make_report

    if lack := make_report.missing():
        skip(lack)


def run(*command: object, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def make_report(*arguments: object) -> subprocess.CompletedProcess:
    return run(sys.executable, GENERATOR / "make_report.py", *arguments)


class WithFolder(unittest.TestCase):
    """Each test has an empty folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway-report-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def file(self, name: str, document: object) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            document if isinstance(document, str) else json.dumps(document), encoding="utf-8"
        )
        return path
