"""A question page does not move while it loads: what is on the screen first stays where it is when the scripts are ready."""

from acceptance.browser import join

WATCH = """
    window.jumps = [];
    new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries()) jumps.push([value, ...sources.map(({ node }) => node?.className || node?.nodeName)]);
    }).observe({ type: "layout-shift", buffered: true });
"""


def test_no_question_page_jumps_while_it_loads(visitor):
    for study in ("Mindful walking", "Emotions tracker"):
        page = visitor()
        home = join(page, study)
        page.goto(home)
        documents = page.locator("main a[href*='/o/'], main a[href*='/q/']").evaluate_all("links => [...new Set(links.map(a => a.href))]")
        assert documents, study
        page.add_init_script(WATCH)
        # A slow processor shows the page before the scripts are ready.
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})

        for document in documents:
            page.goto(document)
            page.locator("form.ready").wait_for()
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

            assert page.evaluate("jumps") == [], document
