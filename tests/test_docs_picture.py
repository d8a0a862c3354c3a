"""The pictures of the README are drawn of a result by docs/picture.py."""

from __future__ import annotations

import runpy
import struct
from pathlib import Path

import pytest
from report_samples import announce_table, cell, write_result

PICTURE = Path(__file__).parents[1] / "docs" / "picture.py"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> Path:
    """Where the pictures of a small sample were drawn."""
    folder = tmp_path_factory.mktemp("docs")
    table = announce_table(seats=[0, 5], deals=50_000)
    result = write_result(folder / "result", [cell()], {"announce": table})
    main = runpy.run_path(str(PICTURE))["main"]
    # Into a folder of its own, not over those that the README shows.
    main.__globals__["DOCS"] = folder
    main(result)
    return folder


def png_size(path: Path) -> tuple[int, int]:
    """Width and height of a PNG file, out of its first chunk."""
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert head[12:16] == b"IHDR"
    width, height = struct.unpack(">II", head[16:24])
    return width, height


def test_both_pictures_are_written(drawn):
    assert sorted(path.name for path in drawn.glob("*.png")) == ["miss_map.png", "miss_value.png"]


def test_they_are_as_wide_as_they_are_meant_to_be(drawn):
    pixels = runpy.run_path(str(PICTURE))["PIXELS"]
    for path in drawn.glob("*.png"):
        width, height = png_size(path)
        # Cut to what is drawn, with a margin of 0.06 inches: the figure's own is narrower or as
        # wide.
        assert 0.9 * pixels < width < 1.1 * pixels
        assert width / 4 < height < 2 * width


def test_the_same_result_gives_the_same_pictures(drawn):
    before = {path.name: path.read_bytes() for path in drawn.glob("*.png")}
    main = runpy.run_path(str(PICTURE))["main"]
    main.__globals__["DOCS"] = drawn
    main(drawn / "result")
    assert {path.name: path.read_bytes() for path in drawn.glob("*.png")} == before
