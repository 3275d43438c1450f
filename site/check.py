"""Checks the site: scripts/site --check runs this.

usage: check.py SITE [TOOLS SCREENSHOTS]

Without TOOLS, a folder with axe-core and vnu-jar from the npm registry, it checks only links and anchors.
"""

import functools
import http.server
import os
import re
import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin

site = Path(sys.argv[1])
passed = failed = 0


def check(what, faults):
    global passed, failed
    for fault in faults:
        print(f"{what}: {fault}")
    passed, failed = passed + (not faults), failed + bool(faults)


class Page(HTMLParser):
    """What a page refers to, as (attribute, address), and its ids."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.refers = [], []
        self.feed((site / path).read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.append(value)
            elif name in ("href", "src", "srcset"):
                self.refers.append((f"{tag} {name}", value))


page_at = functools.lru_cache(None)(Page)
pages = sorted(str(p.relative_to(site)) for p in site.rglob("*.html"))
own = [p for p in pages if not p.startswith("haddock/")]


def fault_of(path, attribute, address):
    """What is wrong with a reference of a page; what it leads to."""
    if re.match(r"[a-z]+:", address):
        fine = attribute == "a href" or address == "data:,"
        return None if fine else f"{attribute} is from elsewhere: {address}", None
    target, _, anchor = unquote(urljoin(path, address)).partition("#")
    if target.startswith("haddock/") and not (site / "haddock").exists():
        return None, None
    if not (site / target).is_file():
        return f"leads nowhere: {address}", None
    if anchor and target.endswith(".html") and anchor not in page_at(target).ids:
        return f"no such anchor: {address}", None
    return None, target


def check_links():
    reached = {"index.html"}
    for path in pages:
        page, faults = page_at(path), []
        for attribute, address in page.refers:
            fault, target = fault_of(path, attribute, address)
            if fault:
                faults.append(fault)
            if target != path:
                reached.add(target)
        if path in own:
            faults += [f"id occurs twice: {i}" for i in set(page.ids) if page.ids.count(i) > 1]
        check(path, faults)
    check("unreachable", [p for p in own if p not in reached])
    if len(own) == len(pages):
        print("Links into the Haddock pages, which are not there, were not checked.")


def check_validity(tools):
    """The HTML and CSS of all pages, by the W3C's checker."""
    command = ["java", "-jar", tools / "node_modules/vnu-jar/build/dist/vnu.jar", "--also-check-css"]
    said = subprocess.run([*command, *own, "style.css"], cwd=site, stderr=subprocess.PIPE, text=True)
    check("validity", said.stderr.splitlines() or (["vnu failed"] if said.returncode else []))


def check_in_browser(tools, screenshots):
    """Each page in Chromium on a phone in the dark and on a wide, light screen; then the search."""
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/"
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for option in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars",
                   "host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
        options.add_argument("--" + option)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver")) \
        if hasattr(webdriver, "ChromeService") else webdriver.Chrome(options=options)
    axe = (tools / "node_modules/axe-core/axe.min.js").read_text("utf-8")
    screenshots.mkdir(parents=True, exist_ok=True)
    try:
        for width, scheme in ((390, "dark"), (1280, "light")):
            screen = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 500}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            scheme_of = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme_of)
            for path in own:
                browser.get(base + path)
                browser.save_screenshot(str(screenshots / f"{path.replace('/', '-')}-{width}.png"))
                browser.execute_script(axe)
                found = browser.execute_async_script(
                    "axe.run({resultTypes: ['violations']}).then(arguments[arguments.length - 1])")
                faults = [f"{v['id']}: {n['html']} {n['failureSummary']}" for v in found["violations"] for n in v["nodes"]]
                if browser.execute_script("return document.documentElement.scrollWidth > innerWidth"):
                    faults.append("wider than the screen")
                faults += [entry["message"] for entry in browser.get_log("browser")]
                check(f"{path}, {width} {scheme}", faults)
            browser.get(base + "docs/format.html")
            for query, expected in (("signalling nan", "docs/safety.html"), ("getword16be", "haddock/ashlar/Ashlar-Get.html")):
                field = browser.find_element(By.CSS_SELECTOR, "input[type=search]")
                field.clear()
                field.send_keys(query)
                WebDriverWait(browser, 20).until(lambda b: b.find_elements(By.CSS_SELECTOR, "form section a"))
                browser.save_screenshot(str(screenshots / f"search-{query}-{width}.png"))
                links = [a.get_attribute("href") for a in browser.find_elements(By.CSS_SELECTOR, "form section a")]
                fine = any(link.startswith(base + expected) for link in links)
                check(f"search {query}, {width}", [] if fine else [f"no {expected} in {links}"])
    finally:
        browser.quit()


check_links()
if len(sys.argv) > 2:
    check_validity(Path(sys.argv[2]))
    check_in_browser(Path(sys.argv[2]), Path(sys.argv[3]))
print(f"== site: {passed} passed, {failed} failed")
sys.exit(failed > 0)
