"""How the functions of the kernels are compiled."""

from __future__ import annotations

from numba import njit

inner = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
"""For functions that only kernels call: with no way in from Python they compile sooner."""

entry = njit(nogil=True, cache=True)
"""For kernels that Python calls: they release the interpreter's lock and are kept on disk."""
