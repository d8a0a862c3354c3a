"""What this machine is and which versions run on it, for figures that depend on both."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "llvmlite", "pandas", "pyarrow")


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> dict[str, Any]:
    """System, processor and usable cores."""
    return {
        "system": platform.system(),
        "processor": _processor(),
        "usable_cores": usable_cores(),
    }


def versions() -> dict[str, str]:
    """Versions of Python, of loosim and of the packages whose results or speed may change."""
    return {
        "python": platform.python_version(),
        "loosim": version("loosim"),
        **{package: version(package) for package in PACKAGES},
    }


def _processor() -> str:
    """The processor's name as Linux knows it, or what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
