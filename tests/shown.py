"""What a page of the documentation shows: its files are written, its commands called and held to.

A fenced block is a file if its first line is a comment with nothing but a file's name, and commands
with what they print if it begins with ``$ loosim``. A shown line ``...`` stands for any lines;
empty lines and spaces at the end of lines do not count.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from commands import loosim

from loo_sim.runner.progress import COMPILING

_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\S+\.toml)\n")
_COMMAND = re.compile(r"^\$ loosim ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def follow(page: Path, folder: Path) -> int:
    """Do what a page shows, from its first block to its last, and hold what is printed to it.

    Parameters
    ----------
    page : Path
        A Markdown file.
    folder : Path
        Where its files are written: the working directory.

    Returns
    -------
    int
        How many commands were called.
    """
    called = 0
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if name := _FILE.match(block):
            (folder / name[1]).write_text(block, encoding="utf-8")
        for command, shown in commands(block):
            printed = [line.rstrip() for line in loosim(*command).output.splitlines()]
            printed = [line for line in printed if line != COMPILING]
            said = f"{page.name}: loosim {shlex.join(command)}\n" + "\n".join(printed)
            assert agree(shown, printed), said
            called += 1
    return called


def commands(block: str) -> Iterator[tuple[list[str], list[str]]]:
    """The words of each command of a block, and the lines that are shown after it."""
    if block.startswith("$ "):
        found = _COMMAND.findall(block)
        assert len(found) == len(re.findall(r"^\$ ", block, re.MULTILINE)), block
        for command, shown in found:
            words = shlex.split(command.replace("\\\n", " "))
            yield words, [line.rstrip() for line in shown.splitlines()]


def agree(shown: list[str], printed: list[str]) -> bool:
    """Whether the printed lines are those shown, ``...`` standing for any number of them."""
    pattern = "".join(
        "(.*\n)*" if line == "..." else re.escape(line) + "\n" for line in shown if line
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed if line)) is not None
