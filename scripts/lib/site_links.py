"""The check of a built site: every link and file of every page exists on it. SPDX-License-Identifier: Apache-2.0"""

import html.parser
import json
import re
import urllib.parse

ELSEWHERE = re.compile(r"(?:[a-z]+:)?//")


def _values(node):
    """Yields the objects of a page, the innermost included."""
    if isinstance(node, dict):
        yield node
        node = node.values()
    elif not isinstance(node, list):
        return
    for value in node:
        yield from _values(value)


class _Attributes(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [(tag, value) for name, value in attributes if name in ("href", "src", "srcset") and value]


class Site:
    """A folder with the pages of DocC, which the renderer reads as JSON from `data`."""

    def __init__(self, folder, base):
        self.folder = folder
        self.base = base
        self.complaints = set()
        self.pages = {}
        self.links = 0
        for path in sorted((folder / "data").rglob("*.json")):
            # DocC writes the addresses of pages in lower case.
            self.pages["/" + str(path.relative_to(folder / "data").with_suffix("")).lower()] = json.loads(
                path.read_text())

    def _anchors(self, page):
        return {urllib.parse.unquote(node["anchor"]).lower() for node in _values(self.pages[page])
                if isinstance(node.get("anchor"), str)}

    def _complain(self, place, text):
        self.complaints.add(f"{place}: {text}")

    def _check_page_link(self, place, url):
        self.links += 1
        path, _, anchor = url.partition("#")
        path = path.rstrip("/").lower()
        if path not in self.pages:
            self._complain(place, f"{url} is no page")
        elif not (self.folder / path[1:] / "index.html").is_file():
            self._complain(place, f"{url} has no file for a static host")
        elif anchor and urllib.parse.unquote(anchor).lower() not in self._anchors(path):
            self._complain(place, f"{url} names no heading")

    def _check_file(self, place, url):
        self.links += 1
        if ELSEWHERE.match(url):
            self._complain(place, f"{url} would be fetched from another host")
        elif not (self.folder / urllib.parse.unquote(url).lstrip("/")).is_file():
            self._complain(place, f"{url} does not exist")

    def _check_json(self, place, page):
        references = page.get("references", {})
        # A chapter is a heading of the overview and has no page, and the renderer makes no link of it.
        chapters = {module["reference"] for module in page.get("hierarchy", {}).get("modules") or []}
        for name, reference in references.items():
            for variant in reference.get("variants", []):
                if isinstance(variant, dict) and "url" in variant:
                    self._check_file(place, variant["url"])
            kind, url = reference.get("type"), reference.get("url", "")
            if kind in ("topic", "section") and name not in chapters:
                self._check_page_link(place, url)
            elif kind == "link" and not re.match(r"https?://|mailto:", url):
                self._complain(place, f"{url} is neither a page nor an address")
        for node in _values({key: value for key, value in page.items() if key != "references"}):
            names = [node["identifier"]] if node.get("type") == "reference" else []
            if isinstance(node.get("identifiers"), list):
                names += node["identifiers"]
            for name in names:
                if name not in references:
                    self._complain(place, f"{name} is shown without an address")

    def _check_html(self, path):
        place, parser = path.relative_to(self.folder), _Attributes()
        parser.feed(path.read_text())
        for tag, value in parser.found:
            url = value.split("#")[0]
            if not url or url.startswith("data:"):
                continue
            if not ELSEWHERE.match(url):
                if url.startswith("/"):
                    if not url.startswith(self.base):
                        self._complain(place, f"{url} is outside of {self.base}")
                        continue
                    url = url[len(self.base):]
                else:
                    url = str(place.parent / url)
                if (self.folder / url.lstrip("/")).is_dir():
                    url = url.rstrip("/") + "/index.html"
            if tag != "a" or not re.match(r"https?://", url):
                self._check_file(place, url)

    def check(self):
        """Returns a line for each broken link."""
        for place, page in self.pages.items():
            self._check_json(place, page)
        for path in sorted(self.folder.rglob("*.html")):
            self._check_html(path)
        for path in sorted(self.folder.rglob("*.css")):
            for url in re.findall(r"url\([\"']?([^)\"']+)", path.read_text()):
                if ELSEWHERE.match(url):
                    self._complain(path.relative_to(self.folder), f"{url} would be fetched from another host")
        if len(self.pages) < 1_000 or self.links < 10_000:
            self.complaints.add(f"only {len(self.pages)} pages with {self.links} links: this check reads them wrongly")
        return sorted(self.complaints)
