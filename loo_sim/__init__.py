"""loosim analyses three-card Loo, a trick-taking gambling game for 5 to 16 players."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loo_sim.api import (
        ClaimsResult,
        Result,
        SolveResult,
        TuneResult,
        advise,
        check,
        compare,
        deal,
        forecast,
        read,
        report,
        run,
        solve,
        try_claims,
        tune,
        verify,
    )

__version__ = "0.1.0"

__all__ = [
    "ClaimsResult",
    "Result",
    "SolveResult",
    "TuneResult",
    "__version__",
    "advise",
    "check",
    "compare",
    "deal",
    "forecast",
    "read",
    "report",
    "run",
    "solve",
    "try_claims",
    "tune",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import the functions of `api` when one is first asked for."""
    if name in __all__:
        from loo_sim import api

        # All at once, and after the modules of the same names: their import would put them in the
        # functions' places if it came later.
        for module in ("compare", "report"):
            import_module(f"loo_sim.{module}")
        globals().update({word: vars(api)[word] for word in __all__ if word in vars(api)})
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
