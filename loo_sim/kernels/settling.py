"""Settling: what each player takes from the pot and pays into it, in whole units."""

from __future__ import annotations

from loo_sim.kernels.compiled import inner
from loo_sim.kernels.game import DEFEND, FOLD, SILENT, WHOLE_POT

TRICKS = 3


@inner
def net_units(pot, loo, action, result):
    """Net of a player: what he takes from the pot less the loo he pays (S7, S8, S10, S15, S16).

    Parameters
    ----------
    pot, loo : int
        Units in the pot when play begins; units a looed player pays.
    action, result : int
        What he announced; tricks he won, or `WHOLE_POT`.

    Returns
    -------
    int
        Units.
    """
    if result == WHOLE_POT:
        return pot
    if action in (FOLD, SILENT, DEFEND):
        return 0
    if result == 0:
        return -loo
    return result * (pot // TRICKS)


@inner
def pot_after(pot, loo, players_in, defended, looed):
    """Units left in the pot after payments and loos.

    Parameters
    ----------
    pot, loo : int
        Units in the pot when play begins; units a looed player pays.
    players_in : int
        1 if a lone player took the pot.
    defended : int
        0 without a defence, else 1 + tricks won by the defender.
    looed : int
        Players looed.
    """
    if players_in == 1:
        return 0
    paid = TRICKS - max(defended - 1, 0)
    return pot - paid * (pot // TRICKS) + looed * loo
