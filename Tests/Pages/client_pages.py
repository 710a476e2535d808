# SPDX-License-Identifier: Apache-2.0
"""The pages about a client, in a real browser: the file that `roost cache inspect --html` writes, and the live page."""

import json
import os
import queue
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

from browser import PATIENCE, wait
from patience import bound
from server import APP, expect

SCRIPT = "<script>document.title = 'hacked'</script><img src=http://127.0.0.1:1/x onerror=\"document.title = 'hacked'\">"
TURNED = "invoice\u202Efdp.exe \u2066hidden\u200B"
LONG = "many words " * 5_950
SIZES = [(380, "light"), (380, "dark"), (1440, "light"), (1440, "dark")]


class Client:
    """A `roost client` with its requests and events."""

    def __init__(self, roost, server, folder, user="ada", *options):
        self.process = subprocess.Popen(
            bound(roost, "client", "--server", f"http://127.0.0.1:{server}", "--app-id", APP, "--user", user,
                  "--cache", folder, *options), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.answers, self.events, self.count = queue.Queue(), queue.Queue(), 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            (self.events if "event" in message else self.answers).put(message)

    def ask(self, request, **fields):
        self.count += 1
        self.process.stdin.write(json.dumps({"id": self.count, "request": request, **fields}) + "\n")
        answer = self.answers.get(timeout=PATIENCE)
        expect(answer["ok"], f"{request} failed: {answer}")
        return answer["result"]

    def event(self, name):
        while True:
            event = self.events.get(timeout=PATIENCE)
            if event["event"] == name:
                return event

    def quit(self):
        self.ask("quit")
        self.process.wait(timeout=PATIENCE)


def status(url, **headers):
    try:
        request = urllib.request.Request(url, headers={name.replace("_", "-"): value for name, value in headers.items()})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def is_harmless(browser, address):
    """Nothing of a hostile text has become a part of the page, and nothing has left its origin."""
    expect("hacked" not in browser.run("return document.title"), "a text has run as a script")
    expect(browser.run("return document.querySelectorAll('main script, main img, main iframe').length") == 0,
           "a text has become an element")
    expect(browser.run("return /[\\u202a-\\u202e\\u2066-\\u2069\\u200b]/.test(document.body.textContent)") is False,
           "a text turns the direction of others")
    foreign = [url for url in browser.requests() if not url.startswith((*address, "data:", "chrome:", "about:"))]
    expect(not foreign, f"the page asked for {foreign}")
    refused = [entry["message"] for entry in browser.logs("browser") if entry["level"] == "SEVERE"]
    expect(not refused, f"the browser complains: {refused}")


def is_readable(browser, name, pictures):
    """Takes the pictures of a page, and finds what does not fit or has no name."""
    for width, scheme in SIZES:
        browser.look(width, 900, scheme)
        over = browser.run("return document.documentElement.scrollWidth - innerWidth")
        expect(over <= 0, f"{name} at {width} px is {over} px too wide")
        # The text of every pair of colours can be read (WCAG 2.2, 1.4.3).
        faint = browser.run(CONTRAST)
        expect(not faint, f"{name}, {scheme}: too little contrast: {faint}")
        if pictures:
            browser.picture(os.path.join(pictures, f"{name}-{width}-{scheme}.png"))
    nameless = browser.run("""
        return [...document.querySelectorAll('button, input, select, a, [role=img], table')].filter(element =>
            !(element.getAttribute('aria-label') || element.getAttribute('aria-labelledby') || element.innerText
              || (element.labels ?? []).length)).map(element => element.outerHTML.slice(0, 80))""")
    expect(not nameless, f"{name}: no name for {nameless}")
    lost = browser.run("""
        return [...document.querySelectorAll('[aria-labelledby]')].filter(element =>
            !document.getElementById(element.getAttribute('aria-labelledby'))).length""")
    expect(lost == 0, f"{name}: {lost} names are missing")


CONTRAST = """
    const light = (colour) => {
      const parts = colour.match(/[\\d.]+/g).map(Number);
      const line = parts.slice(0, 3).map((part) => {
        const x = part / 255;
        return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4;
      });
      return .2126 * line[0] + .7152 * line[1] + .0722 * line[2];
    };
    const back = (element) => {
      for (let one = element; one; one = one.parentElement) {
        const colour = getComputedStyle(one).backgroundColor;
        if (!/, 0\\)$/.test(colour)) return colour;
      }
      return 'rgb(255, 255, 255)';
    };
    const faint = new Set();
    for (const element of document.querySelectorAll('main *')) {
      if (element.closest('svg') || element.disabled || !element.checkVisibility()) continue;
      if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
      const [one, other] = [light(getComputedStyle(element).color), light(back(element))];
      const ratio = (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
      if (ratio < 4.5) faint.add(`${element.tagName} ${element.className} ${ratio.toFixed(2)}`);
    }
    return [...faint];
"""


def prepare(roost, server, folder, *options):
    """A cache with a hole between two visits: the client was away while more came than is filled silently."""
    server.channel("talk", ["ada", "bo"], name=f"Talk {SCRIPT}")
    server.channel("silent", ["ada", "bo"], name=TURNED)
    say(server, 30)
    client = Client(roost, server.port, folder, "ada", *options)
    client.ask("connect")
    client.ask("channels")
    client.ask("open", channel="talk")
    client.ask("wait_idle")
    client.quit()
    say(server, 400)
    client = Client(roost, server.port, folder, "ada", *options)
    client.ask("connect")
    client.ask("channels")
    client.ask("open", channel="talk")
    client.ask("wait_idle")
    client.ask("close")
    client.ask("disconnect")
    for text in (SCRIPT, TURNED, LONG):
        client.ask("send", channel="talk", text=text)
    client.quit()


def say(server, count):
    for number in range(count):
        server.call("POST", "/group_channels/talk/messages",
                    {"message_type": "MESG", "user_id": "bo", "message": f"line {number}"})


def shows_a_file(roost, server, browser, pictures):
    folder = tempfile.mkdtemp(prefix="roost-page-cache-")
    prepare(roost, server, folder)
    page = os.path.join(folder, "page.html")
    subprocess.run([roost, "cache", "inspect", folder, "--html", page, "--text"], check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)
    expect(os.stat(page).st_mode & 0o777 == 0o600, "others may read the page")
    expect(os.path.getsize(page) < 100_000, f"the page has {os.path.getsize(page)} bytes")
    browser.requests(), browser.logs("browser")
    browser.open("file://" + page)
    text = browser.run("return document.body.textContent")
    for words in ("ada in APP", "between two visits", "Nothing is evicted below", "waits to be sent", "[U+202E]",
                  "<script>document.title", "more)"):
        expect(words.lower() in text.lower(), f"the page lacks {words}: {text[:2000]}")
    is_harmless(browser, ["file://" + page])
    is_readable(browser, "cache-file", pictures)


def shows_a_sealed_file(roost, server, browser, pictures):
    folder, keys = (tempfile.mkdtemp(prefix=f"roost-page-{name}-") for name in ("sealed", "keys"))
    prepare(roost, server, folder, "--key-folder", keys)
    page = os.path.join(keys, "page.html")
    subprocess.run([roost, "cache", "inspect", folder, "--html", page, "--text"], check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)
    with open(page) as file:
        source = file.read()
    for secret in ("Talk", "talk", "silent", "document.title = 'hacked'", "invoice", "many words", "line 1"):
        expect(secret not in source, f"a sealed page says {secret}")
    browser.requests(), browser.logs("browser")
    browser.open("file://" + page)
    text = browser.run("return document.body.textContent")
    for words in ("This cache is encrypted", "between two visits", "channel 1", "encrypted,", "waits to be sent"):
        expect(words.lower() in text.lower(), f"the sealed page lacks {words}: {text[:2000]}")
    is_harmless(browser, ["file://" + page])
    is_readable(browser, "cache-sealed", pictures)
    subprocess.run([roost, "cache", "inspect", folder, "--html", page, "--text", "--key-folder", keys], check=True,
                   timeout=PATIENCE, stdout=subprocess.DEVNULL)
    browser.open("file://" + page)
    expect("invoice[U+202E]" in browser.text(), "the key does not open the page's texts")


def is_live(roost, server, browser, pictures):
    folder = tempfile.mkdtemp(prefix="roost-page-live-")
    prepare(roost, server, folder)
    client = Client(roost, server.port, folder, "ada", "--page", "0", "--page-text")
    link = client.event("page")["url"]
    origin = link.split("/?")[0]
    for path in ("/", "/page/view", "/page/page.css", "/?link=guess"):
        code, body = status(origin + path)
        expect(code == 403 and "talk" not in body.lower(), f"a stranger sees {path}: {code} {body}")
    browser.requests(), browser.logs("browser")
    browser.open(link)
    expect(browser.run("return location.href") == origin + "/", "the token stays in the address")
    code, _ = status(link)
    expect(code == 403, "the link works twice")
    holes = "return document.querySelectorAll('#channel-0 svg rect.hole:not(.end)').length"
    expect(browser.run("return document.querySelector('#channel-0 h3').innerText").startswith("Talk <script>"),
           "the name is missing")
    expect(browser.run(holes) >= 1, "the hole is missing")
    # A person who has opened the table, and stands on it with the keyboard, keeps both.
    browser.run("document.querySelector('#channel-0-details').open = true")
    browser.run("document.querySelector('#channel-0-details summary').focus()")
    client.ask("connect")
    client.ask("open", channel="talk", starting_at=1)
    wait("the page says so", lambda: "connected" in browser.text(".state"))
    between = "return [...document.querySelectorAll('#channel-0 td')].filter(cell => " \
        "cell.textContent.includes('between two visits')).length"
    expect(browser.run(between) == 1, "the reason is missing")
    before = browser.run("return document.querySelectorAll('#channel-0 svg rect').length")
    for _ in range(100):
        if not client.ask("newer")["has_newer"]:
            break
        client.ask("wait_idle")
    wait("the hole closes", lambda: browser.run(between) == 0)
    expect(browser.run("return document.querySelectorAll('#channel-0 svg rect').length") < before, "the drawing is old")
    expect(browser.run("return document.querySelector('#channel-0-details').open"), "the table has closed")
    # The outbox empties.
    client.ask("wait_idle")
    wait("the outbox is empty", lambda: "Nothing is unsent." in browser.text())
    steps_through(browser)
    is_harmless(browser, [origin])
    is_readable(browser, "client-live", pictures)
    client.quit()
    wait("the page says that the client is gone", lambda: browser.text(".connection.lost"))


def says_no_word_unasked(roost, server, browser, pictures):
    """The live page of a sealed cache has the rule of its file: names and texts on request only."""
    folder, keys = (tempfile.mkdtemp(prefix=f"roost-page-{name}-") for name in ("asked", "keys"))
    prepare(roost, server, folder, "--key-folder", keys)
    for options in ((), ("--page-text",)):
        client = Client(roost, server.port, folder, "ada", "--key-folder", keys, "--page", "0", *options)
        link = client.event("page")["url"]
        browser.open(link)
        text = browser.run("return document.documentElement.outerHTML")
        for words in ("between two visits", "waits for a connection"):
            expect(words in text, f"the page lacks {words}: {text[:2000]}")
        for secret in ("Talk &lt;", "hacked", "invoice", "many words", "line 1"):
            expect((secret in text) == bool(options and secret != "line 1"), f"{options}: {secret}")
        browser.requests(), browser.logs("browser")
        if not options:
            is_readable(browser, "client-without-texts", pictures)
        client.quit()


def steps_through(browser):
    """The journal goes step by step, with buttons and with keys, and keeps its place while it grows."""
    current = "return document.querySelector('[aria-current=step]')?.dataset.step ?? null"
    shown = "return [...document.querySelectorAll('[data-step]')].filter(step => step.checkVisibility()).length"
    total = browser.run(shown)
    expect(total > 20, "the journal is short")
    browser.click('[data-go="first"]')
    first = browser.run(current)
    expect(first and browser.run(shown) == 1, "the first step is not alone")
    browser.click('[data-go="next"]')
    expect(browser.run(shown) == 2, "there is no second step")
    expect("Step 2 of" in browser.text('[data-state="step"]'), "the step is not read out")
    browser.run("document.querySelector('.steps').focus()")
    browser.press("right", "right")
    expect(browser.run(shown) == 4, "the keyboard does not step")
    browser.press("left")
    expect(browser.run(shown) == 3, "the keyboard does not step back")
    browser.press("home")
    expect(browser.run(current) == first, "the keyboard does not go to the first step")
    browser.press("escape")
    expect(browser.run(shown) >= total and browser.run(current) is None, "the steps stay hidden")
