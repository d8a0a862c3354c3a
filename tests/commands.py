"""Commands called in this process, as a user types them."""

from __future__ import annotations

from click.testing import CliRunner, Result

from loo_sim.cli import cli


def loosim(*words: object) -> Result:
    """Call a command; what it raises but its end is raised here."""
    found = CliRunner().invoke(cli, [str(word) for word in words], prog_name="loosim")
    if not isinstance(found.exception, SystemExit | None):
        raise found.exception
    return found
