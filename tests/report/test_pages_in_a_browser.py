"""Every page as a person sees it: in a real browser, at three widths, light and dark.

One browser looks at all pages. It is the system's Chromium; where there is none the tests are
skipped (``apt-get install chromium``). The browser lives as long as this module, since Playwright's
event loop would be in the way of other tests' loops.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from page_states import LONG, RTL, states

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

NAMES = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (390, 768, 1280)
SCHEMES = ("light", "dark")
LOOK = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")
UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true; })"
STATES = (
    "demo", "demo-empty", "demo-hostile", "fuzz", "fuzz-empty", "fuzz-many", "fuzz-hostile",
    "documentation", "documentation-empty", "documentation-hostile",
    "diagnosis", "diagnosis-empty", "diagnosis-stepless", "diagnosis-many", "diagnosis-hostile",
    "adaptation", "adaptation-empty", "adaptation-hostile", "check", "check-empty",
    "check-hostile",
)  # fmt: skip
PLAIN = ("demo", "fuzz", "documentation", "diagnosis", "adaptation", "check")
"""States in which axe looks at the narrowest and the widest page, light and dark, and not only at
one of the four."""
LOOKS = [(width, scheme) for width in (WIDTHS[0], WIDTHS[-1]) for scheme in SCHEMES]
VIOLATIONS = """axe.run({resultTypes: ['violations']}).then(
    found => found.violations.map(each => [each.id, each.nodes[0].html]))"""
MANY = ("fuzz-many", "diagnosis-many")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Files of all pages, by name."""
    folder = tmp_path_factory.mktemp("pages")
    made = states(folder)
    assert tuple(made) == STATES
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def browser(pages):  # what makes the pages may run a loop of its own, so they are made before
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=path)
        yield opened
        opened.close()


class Window:
    """Tabs that are used again, since a new one costs a second of work, and what pages in them
    complained of and asked for."""

    def __init__(self, context):
        self.context, self.tabs, self.said, self.asked = context, [], [], []

    def tab(self):
        page = self.context.new_page()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: (self.said.append("a dialog"), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))
        return page


@pytest.fixture(scope="module")
def window(browser):
    return Window(browser.new_context())


@pytest.fixture
def visit(window, pages):
    """Opens a page; fails afterwards if it complained, or asked for anything but itself."""
    window.said.clear()
    window.asked.clear()
    used = 0

    def opened(name, *, fragment=""):
        nonlocal used
        used += 1
        if used > len(window.tabs):
            window.tabs.append(window.tab())
        page = window.tabs[used - 1]
        page.goto("about:blank")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(color_scheme="light")
        page.goto((pages / f"{name}.html").as_uri() + fragment)
        return page

    yield opened
    assert window.said == []
    asked = [url.partition("#")[0] for url in window.asked if url != "about:blank"]
    assert {Path(url).parent.name for url in asked} == {pages.name}
    assert all(url.startswith("file:") for url in asked)


@pytest.mark.parametrize("state", STATES)
def test_a_page_is_readable_at_every_width_in_light_and_dark(visit, state):
    page = visit(state)
    for unfolded in (False, True):
        if unfolded and state not in MANY:
            page.evaluate(UNFOLD)
        elif unfolded:
            for item in page.locator("[data-item]").all()[:2]:
                item.evaluate("each => { each.open = true; }")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(LOOK) == [], (width, unfolded)
    page.evaluate(axe.Axe().axe_script)
    for width, scheme in LOOKS if state in PLAIN else LOOKS[:1] if state in MANY else LOOKS[3:]:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(VIOLATIONS) == [], (width, scheme)


def test_light_and_dark_are_two(visit):
    page = visit("demo")
    colours = set()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        colours.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2


def test_the_demo_shows_three_tiles_and_folds_the_rest(visit):
    page = visit("demo")
    assert page.locator(".tile:visible").count() == 3
    assert page.locator("[data-item]:visible").count() == 0
    page.get_by_role("link", name="Every answer, before and after").click()
    page.locator("[data-item]:visible").first.wait_for()
    assert page.locator("[data-item]:visible").count() == 2


@pytest.mark.parametrize("state", MANY)
def test_a_hundred_entries_are_folded_found_by_a_word_and_shown_again(visit, state):
    page = visit(state)
    words = {"fuzz-many": ("tool_7 failures", 11), "diagnosis-many": ("refund letter", 50)}
    typed, expected = words[state]
    assert page.locator("[data-item]:visible").count() == 100
    assert page.locator("[data-item][open]").count() == 0
    page.get_by_label("Filter").fill(typed)
    left = page.locator("[data-item]:visible").count()
    assert 0 < left <= expected
    assert page.locator("#found").inner_text() == f"{left} of 100"
    again = visit(state, fragment="#" + page.url.partition("#")[2])
    assert again.locator("[data-item]:visible").count() == left
    page.get_by_label("Filter").fill("")
    assert page.locator("[data-item]:visible").count() == 100
    assert "#" not in page.url


def test_the_filter_opens_the_part_in_which_it_finds_something(visit):
    page = visit("demo")
    page.get_by_label("Filter").fill("close()")
    assert page.locator("[data-item]:visible").count() == 2
    assert page.locator("#adapt:visible").count() == 0


def test_open_all_and_close_all(visit):
    page = visit("diagnosis-hostile")
    page.get_by_role("button", name="Open all").click()
    assert page.locator("[data-item][open]").count() == 3
    page.get_by_role("button", name="Close all").click()
    assert page.locator("[data-item][open]").count() == 0


@pytest.mark.parametrize("state", PLAIN)
def test_a_command_is_copied_as_it_stands(visit, state):
    page = visit(state)
    command = page.locator(".command:visible").first
    expected = command.locator("pre").inner_text()
    assert expected.startswith("knitbone ")
    command.get_by_role("button").click()
    page.locator("#said", has_text="Copied").wait_for(state="attached")
    page.evaluate("document.body.append(document.createElement('textarea'))")
    page.locator("textarea").focus()
    page.keyboard.press("Control+V")
    assert page.locator("textarea").input_value() == expected


@pytest.mark.parametrize("state", ["check-hostile", "fuzz-hostile"])
def test_a_command_that_is_cut_is_not_to_be_copied(visit, state):
    page = visit(state)
    page.evaluate(UNFOLD)
    assert page.locator(".command pre").inner_text().endswith("…")
    assert page.locator(".command button").count() == 0


def test_what_a_link_leads_to_is_not_below_the_filter(visit):
    page = visit("diagnosis-many", fragment="#run-60")
    finder, item = page.locator(".finder").bounding_box(), page.locator("#run-60").bounding_box()
    assert finder["y"] + finder["height"] <= item["y"] < 400


def test_a_link_opens_the_step_that_it_leads_to(visit):
    page = visit("diagnosis-many")
    first = page.locator("[data-item]").first
    first.locator("summary").first.click()
    first.locator("dd.strong a").click()
    step = page.locator(":target")
    step.locator("dl").wait_for()
    assert step.get_attribute("open") is not None


def test_the_graph_on_a_phone_shows_its_steps(visit):
    page = visit("diagnosis")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => innerWidth === 390")
    page.get_by_text("The run as a graph").click()
    graph, label = page.locator(".graph"), page.locator(".graph .turn").first
    # A function: an expression is evaluated anew each time, which the page's policy forbids.
    page.wait_for_function("() => document.querySelector('.graph').scrollLeft > 0")
    assert label.bounding_box()["x"] < graph.bounding_box()["x"] + 120


def test_a_link_into_a_page_opens_what_it_names(visit):
    page = visit("diagnosis-many", fragment="#run-60")
    assert page.locator("#run-60[open]").count() == 1
    assert page.locator("[data-item][open]").count() == 1


def test_without_scripts_a_page_is_whole_and_has_no_dead_controls(browser, pages):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((pages / "diagnosis-many.html").as_uri())
    assert page.get_by_label("Filter").is_visible() is False
    assert page.get_by_role("button", name="Copy").count() == 0
    page.locator("summary").first.click()
    assert page.locator(".command pre").first.is_visible()
    context.close()


@pytest.mark.parametrize("state", [name for name in STATES if name.endswith("hostile")])
def test_hostile_content_stays_text(visit, state):
    page = visit(state)
    page.evaluate(UNFOLD)
    shown = page.locator("body").inner_text()
    assert "<script>alert(1)</script>" in shown or "</script>" in shown
    assert not set(shown) & {"\x1b", "\u202e"}
    assert LONG[:100] in shown
    assert RTL in shown
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, form, object, [onerror], [onclick]").count() == 0


def test_nothing_but_the_pages_own_script_runs(browser, pages):
    text = (pages / "demo-empty.html").read_text(encoding="utf-8")
    intruder = """<script>document.title = "taken"</script>
        <img src="x.png" onerror="document.title = 'taken'">"""
    (pages / "intruded.html").write_text(text.replace("</main>", intruder + "</main>"))
    refused = []
    page = browser.new_page()
    page.on("console", lambda message: refused.append(message.text))
    page.goto((pages / "intruded.html").as_uri())
    assert page.title() == "knitbone demo"
    assert len(refused) >= 2
    assert all("Content Security Policy" in text for text in refused)
    page.close()
