"""The report in headless chromium: on a phone, a laptop, on paper, without eyes or a network."""

from __future__ import annotations

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import (
    A4_HEIGHT,
    A4_WIDTH,
    LAPTOP,
    MARGIN_ACROSS,
    MARGIN_DOWN,
    MILLIMETRE,
    PAPER,
    PHONE,
    chromium,
    cut_off_in_figures,
    needs_chromium,
    open_all_details,
    opened,
    printed,
    shorten_tables,
    sticking_out,
    words,
)
from report_samples import (
    announce_table,
    cell,
    deals_tables,
    league_tables,
    session_cell,
    session_tables,
    write_result,
)
from solved_samples import gain_table, strategy_table, write_solution

from loo_sim import try_claims
from loo_sim.report import write_report
from loo_sim.rules import Rules

pytestmark = needs_chromium

ROUNDS = {"rounds": 4}
LONG_NAME = "stand-on-any-three-trumps-and-otherwise-take-the-miss-while-it-is-there"
NETS = {"peel": 0.05, "tight": 0.04, LONG_NAME: -0.02, "loose": -0.07}


def _deals(folder):
    """Two finished games, and one that failed with a long message."""
    games = [cell({"pot": pot}, pot=float(pot)) for pot in (3, 9)]
    games.append(cell({"pot": 27}, pot=27.0, status="failed", error="no memory left for it " * 9))
    parts = [deals_tables(axes={"pot": pot}) for pot in (3, 9)]
    tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
    return write_result(folder, games, tables, status="failed")


def _announce(folder):
    """A full table, of whom the first and the last have figures."""
    table = announce_table(seats=[0, 5], deals=50_000)
    return write_result(folder, [cell()], {"announce": table})


def _session(folder):
    return write_result(folder, [session_cell()], session_tables(), experiment=ROUNDS)


def _league(folder):
    """A league with a name as long as a name may be."""
    policies = [{"name": name, "digest": "ab" * 32} for name in NETS]
    return write_result(folder, [cell(policies=policies)], league_tables(NETS))


def _solved(folder):
    """A strategy of two players with the whole pack, which mixes with some hands."""
    rules = Rules(min_players=2)
    table = strategy_table(2, rules=rules)
    return write_solution(folder, table, gain_table(2), players=2, rules=rules.to_dict())


CLAIMS = f"""\
name = "claims"
study = "claims"
[parts.games]
study = "deals"
deals = 200
[parts.games.sweep]
players = [5, 6]
pot = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
"rules.preset" = ["standard", "peel"]
policies = ["peel", "pot-odds"]
[parts.evenings]
study = "league"
policies = ["peel", "{LONG_NAME}.toml"]
tables = 40
rounds = 1
[[claims]]
id = "C1"
says = "{"Two or more play for the pot. " * 20}"
source = "{"a book " * 12}"
exceptions = 0.1
[[claims.tests]]
part = "games"
figure = "contested"
what = "{"two or more " * 8}"
above = 0.5
[[claims.tests]]
part = "games"
figure = "lone"
what = "{"alone" * 20}"
contrast = {{ pot = [3, 9] }}
below = 0
[[claims]]
id = "ABCDEFGHIJKLMNOPQRST"
says = "Skill."
source = "Cassell"
[[claims.tests]]
part = "evenings"
figure = "ahead_after_one"
below = 0.6
[[claims]]
id = "none"
says = "What never happens."
source = "nobody"
[[claims.tests]]
part = "evenings"
figure = "edge"
where = {{ policy = ["peel"], rival = ["peel"] }}
above = 0
[[claims]]
id = "many"
says = "Nobody is alone."
source = "nobody"
""" + "".join(
    f"""\
[[claims.tests]]
part = "games"
figure = "lone"
what = "below {limit} %"
where = {{ pot = [3, 12], players = 5 }}
below = {limit / 100}
"""
    for limit in range(1, 12)
)


def _claims(folder):
    """Claims with as much to say as there may be: maps of many squares, of one, a long table."""
    path = folder / "claims.toml"
    path.write_text(CLAIMS, encoding="utf-8")
    policy = f'name = "{LONG_NAME[:60]}"\n[announce]\notherwise = "stand"\n'
    (folder / f"{LONG_NAME}.toml").write_text(policy, encoding="utf-8")
    return try_claims(path, output=folder / "out").directory


SAMPLES = {
    "claims": _claims,
    "deals": _deals,
    "announce": _announce,
    "session": _session,
    "league": _league,
    "solved": _solved,
}


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


# The page of a solved strategy is of the same parts; it is looked at by `make test-long`.
@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.long] * (name == "solved")) for name in SAMPLES],
)
def result(request, tmp_path_factory):
    """A result directory of each study, one after the other."""
    return SAMPLES[request.param](tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def html(result):
    return write_report(result, result / "page.html").path


@pytest.fixture(scope="module")
def print_out(browser, html):
    """The page on paper, printed once for all that is asked of it."""
    with opened(browser, html) as page:
        return printed(page)


def write_page(folder, body):
    path = folder / "page.html"
    head = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title></head>'
    path.write_text(f"{head}<body><main><h1>t</h1>{body}</main></body></html>", encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [PHONE, LAPTOP])
def test_nothing_sticks_out_of_the_window(browser, html, width):
    with opened(browser, html, width) as page:
        assert sticking_out(page) == []
        open_all_details(page)
        assert sticking_out(page) == []
        assert cut_off_in_figures(page) == []
        assert page.told == []


def test_nothing_sticks_out_of_the_paper(browser, html):
    with opened(browser, html, PAPER) as page:
        page.emulate_media(media="print")
        assert sticking_out(page) == []
        scrolled = 'document.querySelectorAll(".scroll")'
        cut = f"[...{scrolled}].filter((box) => box.scrollWidth > box.clientWidth + 1).length"
        assert page.evaluate(cut) == 0


def test_no_figure_is_taller_than_a_sheet(browser, html):
    sheet = (A4_HEIGHT - 2 * MARGIN_DOWN) * MILLIMETRE
    with opened(browser, html, PAPER) as page:
        page.emulate_media(media="print")
        heights = page.evaluate(
            '[...document.querySelectorAll(".exhibit")].map((one) => one.offsetHeight)'
        )
    assert heights
    assert max(heights) <= sheet


def test_prints_every_heading_and_caption_on_a4(print_out):
    text = words("".join(run.text for sheet in print_out.sheets for run in sheet.runs))
    assert len(print_out.told) > 10
    assert [part for part in print_out.told if words(part) not in text] == []
    for sheet in print_out.sheets:
        assert sheet.size == pytest.approx((A4_WIDTH, A4_HEIGHT), abs=0.5)
        assert sheet.runs


@pytest.mark.parametrize("result", ["announce"], indirect=True)
def test_a_printed_report_is_no_larger_than_its_page(browser, html):
    """Each area that a pattern fills is a picture of its own in print, 70 kB large."""
    with opened(browser, html, PAPER) as page:
        pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(pdf) < 2 * html.stat().st_size


def test_prints_nothing_beyond_the_margins(print_out):
    for run in (run for sheet in print_out.sheets for run in sheet.runs if run.text.strip()):
        assert MARGIN_ACROSS - 1 <= run.left <= A4_WIDTH - MARGIN_ACROSS, run
        assert MARGIN_DOWN - 1 <= run.bottom <= A4_HEIGHT - MARGIN_DOWN, run


def test_prints_at_the_size_it_was_laid_out_for(print_out):
    """A page that is too wide is printed smaller by the browser, so that nothing is cut off."""
    largest = max(run.size for run in print_out.sheets[0].runs)
    assert largest == pytest.approx(print_out.title_size, rel=0.01)


@pytest.mark.parametrize(
    ("width", "context"), [(PHONE, {"exclude": [["figure svg"]]}), (LAPTOP, None)]
)
def test_axe_finds_no_violation(browser, html, width, context):
    """The insides of figures are looked at once: they are the same at any width, and large."""
    with opened(browser, html, width) as page:
        open_all_details(page)
        shorten_tables(page)
        assert Axe().run(page, context=context).generate_snapshot() == ""


def test_asks_the_network_for_nothing(browser, html):
    with opened(browser, html) as page:
        open_all_details(page)
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        page.emulate_media(media="print")
        page.wait_for_load_state("networkidle")
        assert [one for one in page.asked if not one.startswith("data:")] == [html.as_uri()]


def test_everything_that_opens_or_scrolls_is_reached_by_keyboard(browser, html):
    with opened(browser, html) as page:
        wanted = page.evaluate(
            "[...document.querySelectorAll('a[href], summary, select, input, [tabindex=\"0\"]')]"
            ".filter((one) => one.checkVisibility()).length"
        )
        reached = set()
        for _ in range(wanted):
            page.keyboard.press("Tab")
            place = "[...document.querySelectorAll('*')].indexOf(document.activeElement)"
            reached.add(page.evaluate(place))
        assert len(reached) == wanted


@pytest.mark.parametrize("result", ["announce"], indirect=True)
def test_the_hand_picker_works_by_keyboard_alone(browser, html):
    """Tab to it, choose with the arrows, and what is shown changes."""
    with opened(browser, html) as page:
        section = page.locator("#picker-section")
        assert section.is_visible()
        for _ in range(2_000):
            page.keyboard.press("Tab")
            at, choices = page.evaluate(
                "[document.activeElement.tagName, document.activeElement.length]"
            )
            if at == "SELECT" and choices > 1:
                break
        else:
            pytest.fail("no Tab leads to the hand picker")
        assert section.locator("select:focus").count() == 1
        before = section.inner_text(), page.evaluate("document.activeElement.value")
        page.keyboard.press("ArrowDown")
        after = section.inner_text(), page.evaluate("document.activeElement.value")
        assert after[0] != before[0]
        assert after[1] != before[1]
        assert page.told == []


class TestTheseTestsCanFail:
    """What the checks say of pages that are wrong."""

    def test_a_wide_element_sticks_out(self, browser, tmp_path):
        html = write_page(tmp_path, '<p style="width: 500px">wide</p>')
        with opened(browser, html, PHONE) as page:
            assert [found.split(":")[0] for found in sticking_out(page)] == ["the page", "P "]
        with opened(browser, html, LAPTOP) as page:
            assert sticking_out(page) == []

    def test_an_element_that_is_cut_off_sticks_out(self, browser, tmp_path):
        html = write_page(tmp_path, '<p style="position: absolute; left: -99px">left</p>')
        with opened(browser, html) as page:
            assert [found.split(":")[0] for found in sticking_out(page)] == ["P "]

    def test_a_label_outside_of_its_drawing_is_cut_off(self, browser, tmp_path):
        drawing = (
            '<svg width="99" height="20"><text x="5" y="15">in</text><text x="95">out</text></svg>'
        )
        html = write_page(tmp_path, f'<figure aria-labelledby="a">{drawing}</figure>')
        with opened(browser, html) as page:
            assert cut_off_in_figures(page) == ["a: out"]

    def test_a_picture_from_elsewhere_is_asked_for(self, browser, tmp_path):
        html = write_page(tmp_path, '<img alt="" src="http://loo.invalid/x.png">')
        with opened(browser, html) as page:
            assert page.asked == [html.as_uri(), "http://loo.invalid/x.png"]

    def test_axe_sees_a_picture_without_words(self, browser, tmp_path):
        html = write_page(tmp_path, '<img src="data:,">')
        with opened(browser, html) as page:
            assert Axe().run(page).generate_snapshot() == "image-alt (critical) : 1"

    def test_axe_looks_into_figures(self, browser, tmp_path):
        inside = '<svg><g role="img"><path d="M0 0h9v9z"/></g></svg>'
        html = write_page(tmp_path, f'<figure role="img" aria-label="a">{inside}</figure>')
        with opened(browser, html) as page:
            assert Axe().run(page).generate_snapshot() == "svg-img-alt (serious) : 1"
