# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps two measuring programs off one device, where each would measure the other."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from pathlib import Path
from typing import IO

from results import ResultsError


def take_devices() -> list[IO]:
    """Takes the visible devices, without such a variable the whole machine, as long as one of the files is open: here
    or in a process that inherited it. Errors: ResultsError if somebody has one."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES") or os.environ.get("HIP_VISIBLE_DEVICES") or ""
    taken = []
    for device in ["", *filter(None, visible.split(","))]:
        place = "gangway-measure-" + re.sub(r"[^\w.-]", "_", f"{os.getuid()}-{device}.lock")
        taken.append(open(Path(tempfile.gettempdir()) / place, "w", encoding="utf-8"))
        try:
            fcntl.flock(taken[-1], fcntl.LOCK_NB | (fcntl.LOCK_SH if visible and not device else fcntl.LOCK_EX))
        except BlockingIOError:
            on = f"device {device}" if device else "this machine"
            raise ResultsError(f"another visit or comparison is at work on {on}: wait for it, or end it") from None
    return taken
