"""How the functions of the kernels are compiled."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from numba import njit

_LENT = {"nogil": True, "_nrt": False}
_ONLY_KERNELS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

entry = njit(cache=True, **_LENT)  # type: ignore[call-overload]
"""For kernels that Python calls: they release the interpreter's lock and are kept on disk.

Arrays are lent to them and to what they call, and they make none: a slice of one then counts no
references, which would cost as much as a short loop does."""

inner = njit(**_LENT, **_ONLY_KERNELS)  # type: ignore[call-overload]
"""For functions that only kernels call: with no way in from Python they compile sooner."""

merged = njit(inline="always", **_LENT)  # type: ignore[call-overload]
"""For functions that a kernel calls in one place: compiled as if they were written there. What is
called is optimised again inside each of its callers, so that a level less is compiled sooner."""


@contextmanager
def compiling() -> Iterator[None]:
    """For a first call that compiles: the collector finds nothing then, and costs a tenth of it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
