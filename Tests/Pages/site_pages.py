# SPDX-License-Identifier: Apache-2.0
"""The documentation's site in a real browser: pages of each kind, without a request to another host."""

import threading

from browser import Browser, wait

# Each page with a name for its picture, and words that its reader sees.
PAGES = [
    ("landing", "/", "Libraries"),
    ("article", "/documentation/roost/coverage/", "Lists without holes"),
    ("testing", "/documentation/roosttestkit/testinganapp/", "Asking for a fault"),
    ("tutorials", "/tutorials/tutorials/", "In SwiftUI"),
    ("tutorial", "/tutorials/roost/terminalchat/", "Write without a server"),
    ("library", "/documentation/roost/", "Showing channels and messages"),
    ("symbol", "/documentation/roost/chatclient/", "Opening and connecting"),
    ("door", "/documentation/sendbirdchatsdk/", "What is not offered"),
    ("handbook", "/documentation/handbook/", "Write an app"),
    ("page", "/documentation/handbook/delivery/", "When a call returns"),
]


def look(serve, base, folder):
    """Opens the pages of a served site, and keeps their pictures in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    server = serve(0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    origin = f"http://127.0.0.1:{server.server_port}"
    try:
        with Browser() as browser:
            browser.requests()  # Those of the window's first page.
            for name, path, words in PAGES:
                for scheme in ("light", "dark"):
                    for width, height in ((1440, 900), (380, 800)):
                        browser.look(width, height, scheme)
                        browser.open(origin + base + path)
                        wait(f"{words} on {path}", lambda: words in browser.text())
                        wait("pictures", lambda: browser.run(
                            # Pictures below the window are loaded when they are asked for.
                            "return [...document.images].map(image => (image.loading = 'eager', image.complete))"
                            ".every(isComplete => isComplete)"))
                        broken = browser.run("return [...document.images].filter(image => !image.naturalWidth)"
                                             ".map(image => image.src)")
                        assert not broken, f"{path}: {broken} cannot be shown"
                        wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
                        assert wide <= 0, f"{path}: {wide} pixels wider than a screen of {width}"
                        browser.picture(str(folder / f"{name}-{scheme}-{width}.png"), whole=False)
                elsewhere = [url for url in browser.requests() 
                             if not url.startswith((origin + "/", "data:", "blob:", "chrome:"))]
                assert not elsewhere, f"{path}: asks {elsewhere}"
                errors = [line["message"] for line in browser.logs("browser") if line["level"] == "SEVERE"]
                assert not errors, f"{path}: {errors}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    print(f"site: {len(PAGES)} pages shown without another host: {folder}")
