"""Checks the site: scripts/site --check runs this.

usage: check.py SITE [TOOLS SCREENSHOTS]

Without TOOLS, a folder with axe-core and vnu-jar of the npm registry, it checks only references.
"""

import functools
import http.server
import re
import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin

site, *rest = map(Path, sys.argv[1:])
pages = sorted(str(p.relative_to(site)) for p in site.rglob("*.html"))
own = [p for p in pages if not p.startswith("haddock/")]
passed = failed = 0


def check(what, faults):
    global passed, failed
    for fault in faults:
        print(f"{what}: {fault}")
    passed, failed = passed + (not faults), failed + bool(faults)


class Page(HTMLParser):
    """The ids of a page, and what it refers to, as (attribute, address)."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.refers = [], []
        self.feed((site / path).read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        self.ids += [v for k, v in attributes if k == "id" or (tag == "a" and k == "name")]
        names = ("href", "src", "srcset")
        self.refers += [(f"{tag} {k}", v) for k, v in attributes if k in names]


page_at = functools.lru_cache(None)(Page)


def fault_of(path, attribute, address):
    if re.match("[a-z]+:", address):
        return None if attribute == "a href" or address == "data:," else "comes from elsewhere"
    target, _, anchor = map(unquote, urljoin(path, address).partition("#"))
    if target.startswith("haddock/") and len(pages) == len(own):
        return None
    if not (site / target).is_file():
        return "leads nowhere"
    # Haddock refers to methods of instances, which have no anchor.
    if not anchor or path not in own or anchor in page_at(target).ids:
        return None
    return "has no such anchor"


def check_references():
    reached = {"index.html"}
    for path in pages:
        page = page_at(path)
        faults = [(a, to, fault_of(path, a, to)) for a, to in page.refers]
        check(path, [f'{a}="{to}" {fault}' for a, to, fault in faults if fault])
        reached |= {urljoin(path, to).partition("#")[0] for _, to in page.refers} - {path}
    check("no page links to it", [p for p in own if p not in reached])
    if pages == own:
        print("Links into the Haddock pages, which are not there, were not checked.")


def check_validity(tools):
    """HTML and CSS, by the W3C's checker."""
    jar = tools / "node_modules/vnu-jar/build/dist/vnu.jar"
    command = ["java", "-jar", jar, "--also-check-css", "style.css", *own]
    said = subprocess.run(command, cwd=site, stderr=subprocess.PIPE, text=True)
    check("HTML and CSS", said.stderr.splitlines() or said.returncode * ["vnu failed"])


def check_in_browser(tools, screenshots):
    """Each page in Chromium, on a phone in the dark and on a wide, light screen; the search."""
    from selenium import webdriver

    files = http.server.SimpleHTTPRequestHandler
    files.log_message = lambda *_: None
    files = functools.partial(files, directory=site)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for option in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage",
                   "hide-scrollbars", "host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
        options.add_argument("--" + option)
    axe = (tools / "node_modules/axe-core/axe.min.js").read_text("utf-8")
    run = "axe.run({resultTypes: ['violations']}).then(arguments[0])"
    screenshots.mkdir(exist_ok=True)

    def show(path, width, scheme):
        browser.get(f"{base}/{path}")
        browser.save_screenshot(str(screenshots / f"{path.replace('/', '-')}-{width}.png"))
        browser.execute_script(axe)
        found = browser.execute_async_script(run)["violations"]
        faults = [f"{v['id']}: {node['html']}" for v in found for node in v["nodes"]]
        if browser.execute_script("return document.documentElement.scrollWidth > innerWidth"):
            faults.append("wider than the screen")
        faults += [entry["message"] for entry in browser.get_log("browser")]
        check(f"{path}, {width} {scheme}", faults)

    def search(query, expected, width):
        browser.get(f"{base}/docs/format.html")
        browser.find_element("css selector", "[type=search]").send_keys(query)
        links = browser.find_elements("css selector", "form section a")
        browser.save_screenshot(str(screenshots / f"search-{query}-{width}.png"))
        found = [link.get_attribute("href") for link in links]
        check(f"search for {query}", [] if any(expected in f for f in found) else [f"{found}"])

    with webdriver.Chrome(options=options) as browser:
        browser.implicitly_wait(20)
        for width, scheme in ((390, "dark"), (1280, "light")):
            screen = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 500}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            for path in own:
                show(path, width, scheme)
            search("signalling nan", "docs/safety.html#known-gaps", width)
            search("getword16be", "haddock/ashlar/Ashlar-Get.html#v:getWord16be", width)


check_references()
if rest:
    check_validity(rest[0])
    check_in_browser(*rest)
print(f"== site: {passed} passed, {failed} failed")
sys.exit(failed > 0)
