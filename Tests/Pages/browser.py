# SPDX-License-Identifier: Apache-2.0
"""A browser that tests drive, by the WebDriver protocol and nothing but the standard library."""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from patience import PATIENCE as LONGEST
from patience import bound
from ports import free_port

# Only a hang reaches the limit; a person who writes a test wants to know of one sooner.
PATIENCE = float(os.environ.get("ROOST_PAGE_PATIENCE", LONGEST))
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"right": "\ue014", "left": "\ue012", "tab": "\ue004", "enter": "\ue007", "escape": "\ue00c", "home": "\ue011"}


def wait(what, condition):
    """Returns the first value of a condition that is true."""
    end = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.05)


class Browser:
    """One window of a headless Chromium with a profile of its own."""

    def __init__(self):
        driver = shutil.which("chromedriver") or "/usr/lib/chromium/chromedriver"
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not shutil.which(driver):
            raise AssertionError("there is no chromedriver: install it (on Debian, chromium-driver)")
        self.folder = tempfile.mkdtemp(prefix="roost-pages-")
        self.port, self.session = free_port(), None
        self.process = subprocess.Popen(
            bound(driver, f"--port={self.port}"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        try:
            self._begin(chromium)
        except BaseException:
            self.close()
            raise

    def _begin(self, chromium):
        wait("the driver", self._is_ready)
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
            "goog:chromeOptions": {"binary": chromium, "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--disable-background-networking", "--no-first-run", f"--user-data-dir={self.folder}"]}}}})
        self.session = "/session/" + answer["sessionId"]

    def _is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the driver has ended with {self.process.returncode}")
        try:
            return self._call("GET", "/status")["ready"]
        except (OSError, urllib.error.URLError):
            return False

    def _call(self, method, path, body=None):
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def call(self, method, path, body=None):
        return self._call(method, self.session + path, body)

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def command(self, name, **parameters):
        """Sends a command of the DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector="body"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        """Presses keys where the focus is."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def walk(self):
        """Returns the names of what the Tab key reaches on the page, in its order."""
        names = []
        self.run("document.activeElement.blur()")
        while len(names) < 100:
            self.press("tab")
            name = self.run("""
                const place = document.activeElement;
                if (place === document.body || window.walked?.has(place)) return null;
                (window.walked ??= new Set()).add(place);
                const title = document.getElementById(place.getAttribute('aria-labelledby'));
                return place.ariaLabel ?? (title ?? place.labels?.[0] ?? place).innerText;""")
            if name is None:
                return names
            names.append(name)
        raise AssertionError(f"the Tab key comes to no end: {names}")

    def told(self, role):
        """Returns the names of a role's elements in the tree that a screen reader gets."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        return [node.get("name", {}).get("value", "") for node in nodes
                if not node["ignored"] and node["role"]["value"] == role]

    def look(self, width, height, scheme):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path, whole=True):
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot))

    def logs(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def requests(self):
        """Returns the addresses that the page has asked for since the last call."""
        found = []
        for entry in self.logs("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                found.append(message["params"]["url"])
        return found

    def close(self):
        try:
            if self.session:
                self._call("DELETE", self.session)
        finally:
            # A browser that did not end with its session belongs to the driver's group.
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # The driver has ended by itself, with all of its group.
            self.process.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
