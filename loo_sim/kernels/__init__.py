"""The numba kernels: a deal from keyed draws to counts, in lanes.

Importing this package decides where compiled kernels are kept. numba's own cache does not notice an
edit in another module or in an imported constant, and would run old code silently (numba issues
1833 and 9483); so they are kept in a folder named by a digest of all kernel sources and versions.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numba
import platformdirs

FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")
"""Settings that change compiled code without numba's cache knowing."""


@cache
def digest() -> str:
    """SHA-256 of all that the kernels are made from, in hexadecimal."""
    here = Path(__file__).parent
    found = hashlib.sha256()
    for path in [*sorted(here.glob("*.py")), here.parent / "draws.py"]:
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def _cache_folder() -> Path:
    """Where compiled kernels are kept; made if need be."""
    key = hashlib.sha256(digest().encode())
    for package in ("numba", "llvmlite", "numpy"):
        key.update(version(package).encode() + b"\0")
    for flag in FLAGS:
        key.update(os.environ.get(flag, "").encode() + b"\0")
    base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("loosim")
    folder = Path(base) / f"kernels-{key.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        # Nowhere to keep them: they are compiled again in each process.
        return Path(tempfile.mkdtemp(prefix="loosim-kernels-"))


numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]
