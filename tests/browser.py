"""Debian's chromium, and what it says of a page: what sticks out, is asked for, is printed."""

from __future__ import annotations

import io
import shutil
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from playwright.sync_api import sync_playwright
from pypdf import PdfReader

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None,
    reason="there is no chromium on this machine (Debian: apt-get install chromium)",
)

MILLIMETRE = 96 / 25.4
"""In CSS pixels."""

POINT = 72 / 25.4
"""Points of a PDF to a millimetre."""

A4_WIDTH, A4_HEIGHT = 210, 297
MARGIN_ACROSS, MARGIN_DOWN = 16, 17
"""Millimetres; the margins are those of the page's style sheet."""

PHONE, LAPTOP = 390, 1280
PAPER = int((A4_WIDTH - 2 * MARGIN_ACROSS) * MILLIMETRE)
"""Widths in CSS pixels; the last is what an A4 page has between its margins."""

_STICKING_OUT = """() => {
  const width = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > width)
    found.push(`the page: ${document.documentElement.scrollWidth} px of ${width} px`);
  const kept_in = (element) => {
    for (let up = element.parentElement; up; up = up.parentElement)
      if (up !== document.body && up !== document.documentElement
          && getComputedStyle(up).overflowX !== "visible")
        return true;
    return false;
  };
  for (const element of document.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (box.width && (box.right > width + 1 || box.left < -1) && !kept_in(element))
      found.push(`${element.tagName} ${element.id}: ${box.left} to ${box.right} px of ${width} px`);
  }
  return found;
}"""

_CUT_OFF_IN_FIGURES = """() => [...document.querySelectorAll("figure svg")].flatMap((drawing) => {
  const frame = drawing.getBoundingClientRect();
  return [...drawing.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1
      || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  }).map((text) => {
    const figure = text.closest("figure").getAttribute("aria-labelledby");
    return `${figure}: ${text.textContent}`;
  });
})"""


@contextmanager
def chromium():
    """A browser that no name leads anywhere from."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--host-resolver-rules=MAP * ~NOTFOUND"]
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser, html, width=LAPTOP, height=900):
    """A page at a width in CSS pixels; `page.asked` names every address that it asks for."""
    context = browser.new_context(viewport={"width": width, "height": height})
    try:
        page = context.new_page()
        page.asked = []
        page.told = []
        context.on("request", lambda request: page.asked.append(request.url))
        page.on("websocket", lambda socket: page.asked.append(socket.url))
        page.on("console", lambda line: page.told.append(line.text))
        page.on("pageerror", lambda error: page.told.append(str(error)))
        page.goto(html.as_uri(), wait_until="load")
        yield page
    finally:
        context.close()


def open_all_details(page):
    """Open whatever can be folded out."""
    page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })')


def shorten_tables(page):
    """Leave each table four rows: the others are made alike, and thousands take minutes."""
    page.evaluate(
        'document.querySelectorAll("tbody tr:nth-child(n + 5)").forEach((row) => row.remove())'
    )


def sticking_out(page):
    """What is wider than the window, in words; what scrolls in a box of its own is not."""
    return page.evaluate(_STICKING_OUT)


def cut_off_in_figures(page):
    """Labels of figures that reach beyond the drawing, which cuts them off."""
    return page.evaluate(_CUT_OFF_IN_FIGURES)


@dataclass(frozen=True)
class Run:
    """Text in one piece on paper: where it begins, from the lower left corner, in millimetres."""

    text: str
    left: float
    bottom: float
    size: float


@dataclass(frozen=True)
class Sheet:
    """A page of a PDF, its width and height in millimetres."""

    size: tuple[float, float]
    runs: list[Run]


@dataclass(frozen=True)
class PrintOut:
    """What came out of the printer, and what should have.

    `told` are the texts of the headings, captions and findings that the page shows in print,
    `title_size` is the type size of its title in millimetres.
    """

    sheets: list[Sheet]
    told: list[str]
    title_size: float


def printed(page):
    """The page as it comes out of the printer, on the paper that its style sheet names.

    Lines and areas of figures are left out: they keep their room, and reading them takes minutes.
    """
    page.add_style_tag(content="figure svg :is(path, use, rect) { visibility: hidden; }")
    pdf = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, print_background=True)))
    page.emulate_media(media="print")
    told, title = page.evaluate(
        """() => [
          [...document.querySelectorAll("h1, h2, h3, figcaption, .findings li, .scroll caption")]
            .filter((one) => one.checkVisibility()).map((one) => one.innerText),
          parseFloat(getComputedStyle(document.querySelector("h1")).fontSize),
        ]"""
    )
    return PrintOut([_sheet(one) for one in pdf.pages], told, title / MILLIMETRE)


def _sheet(pdf_page):
    runs = []

    def note(text, page_matrix, text_matrix, _font, size):
        # Both are as PDF has them: (a, b, c, d, e, f).
        a, b, c, d, e, f = page_matrix
        x, y = text_matrix[4:]
        left, bottom = a * x + c * y + e, b * x + d * y + f
        size = size * abs(text_matrix[3] * d)
        runs.append(Run(text, *(value / POINT for value in (left, bottom, size))))

    pdf_page.extract_text(visitor_text=note)
    box = pdf_page.mediabox
    return Sheet((float(box.width) / POINT, float(box.height) / POINT), runs)


def words(text):
    """A text with nothing of how it was set: no line breaks, no ligatures."""
    return "".join(unicodedata.normalize("NFKC", text).split())
