"""Figures as pictures and tables as CSV, in a folder of their own."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.problems import InputError, Problem

if TYPE_CHECKING:
    from loo_sim.report.exhibit import Exhibit, Table
    from loo_sim.report.page import Section

INDEX = "figures.json"
"""The file that tells what the others are, and that the folder is one of figures."""

SCHEMA = "loosim.figures/1"

DOTS_TO_THE_INCH = 200

_ELSEWHERE = "nothing was overwritten; name another folder"


def check_folder(folder: Path, page: Path) -> None:
    """Make sure that figures may be written to `folder`.

    Parameters
    ----------
    folder : Path
        Theirs alone: what is in it is replaced as a whole.
    page : Path
        Where the page will be.

    Raises
    ------
    InputError
        If there is anything but an empty folder, or the figures of an earlier report as they were
        written; or if the page would stand among them.
    """

    def refuse(what: str) -> InputError:
        return InputError([Problem(str(folder), None, "", what, _ELSEWHERE)])

    if folder.resolve() in page.resolve().parents:
        raise refuse(f"would hold the page too, {page.name}")
    try:
        if not folder.exists():
            return
        if not folder.is_dir() or folder.is_symlink():
            raise refuse("is not a folder")
        names = sorted(item.name for item in folder.iterdir())
        if not names:
            return
        known = _digests(folder)
        if known is None:
            raise refuse("is not empty and holds no figures of loosim")
        for name in names:
            if name == INDEX:
                continue
            if name not in known:
                raise refuse(f"holds '{name}', which is no figure of loosim")
            if _digest((folder / name).read_bytes()) != known[name]:
                raise refuse(f"holds '{name}', which was changed since it was written")
    except OSError as error:
        raise refuse(f"cannot be read: {error.strerror}") from None


def _digests(folder: Path) -> dict[str, str] | None:
    """The digests of a folder's files by name, as its index has them; None without one."""
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    files = index.get("files") if isinstance(index, dict) else None
    if not isinstance(files, dict) or index.get("schema") != SCHEMA:
        return None
    return files


def export(sections: Iterable[Section], tables: Mapping[str, Table], folder: Path) -> None:
    """Write each figure as PNG and as SVG, and each table as CSV; an older folder is replaced.

    Files are called as figures are on the page (``seat-values.png``, ``.svg``, ``.csv`` for its
    numbers); a table that stands by itself as its section, with a number if there are several. The
    same result gives the same bytes.

    Parameters
    ----------
    sections : iterable of Section
        Of the page.
    tables : mapping of str to Table
        Further ones, by the names of their files.
    folder : Path
        One that `check_folder` allows.

    Raises
    ------
    OSError
        If it cannot be written; an older folder is as it was then.
    """
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        new = Path(scratch) / "figures"
        new.mkdir()
        figures: dict[str, dict[str, str]] = {}
        files: dict[str, str] = {}
        named = (_table_file(name, table) for name, table in tables.items())
        for name, content, told in chain(_files(sections), named):
            (new / name).write_bytes(content)
            files[name] = _digest(content)
            figures[name] = told
        index = {"schema": SCHEMA, "figures": figures, "files": files}
        (new / INDEX).write_text(
            json.dumps(index, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n"
        )
        if folder.exists():
            folder.rename(Path(scratch) / "older")
        new.rename(folder)


def _files(sections: Iterable[Section]) -> Iterator[tuple[str, bytes, dict[str, str]]]:
    """Each file's name and content, and what the index tells of it."""
    for section in sections:
        for exhibit in section.exhibits:
            told = {"title": exhibit.title, "caption": exhibit.caption}
            for ending, content in _pictures(exhibit).items():
                yield f"{exhibit.slug}.{ending}", content, told
            yield _table_file(exhibit.slug, exhibit.numbers)
        for number, table in enumerate(section.tables, start=1):
            which = f"-{number}" if len(section.tables) > 1 else ""
            yield _table_file(f"{section.slug}-table{which}", table)
        if section.values is not None:
            yield _table_file(f"{section.slug}-values", section.values())


def _table_file(name: str, table: Table) -> tuple[str, bytes, dict[str, str]]:
    return f"{name}.csv", as_csv(table), {"caption": table.caption}


def as_csv(table: Table) -> bytes:
    """A table as CSV in UTF-8: a line of heads, then the rows, rounded as the page shows them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return text.getvalue().encode()


def _pictures(exhibit: Exhibit) -> Mapping[str, bytes]:
    """A figure's pictures by the ending of their names."""
    from loo_sim.report import style

    named: Mapping[str, dict[str, Any]] = {
        "png": {"dpi": DOTS_TO_THE_INCH, "metadata": {"Software": None, "Title": exhibit.title}},
        "svg": {"metadata": {"Date": None, "Creator": None, "Title": exhibit.title}},
    }
    pictures = {}
    with style.drawing(exhibit.slug):
        figure = exhibit.draw()
        for ending, how in named.items():
            content = io.BytesIO()
            figure.savefig(content, format=ending, facecolor="white", **how)
            pictures[ending] = content.getvalue()
    return pictures


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
