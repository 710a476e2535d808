# SPDX-License-Identifier: Apache-2.0
"""The pages of `roost serve`, in a real browser: the way in, the figures, the lists, and the try-out chat."""

import re
import time

from browser import wait
from client_pages import SCRIPT, TURNED, is_harmless, is_readable, status
from server import TOKEN, Server, expect


WIDE = "W" * 65_000
NAVIGATION = ["Figures", "Users", "Channels", "Try it out"]


def has_link(server):
    """Whether the server's first lines, all of them, have a link to its pages."""
    wait("the last line", lambda: "end with Ctrl-C" in server.read(server.out))
    return "page, once" in server.read(server.out)


def link_of(server):
    return wait("the link", lambda: re.search(r"^page, once: (\S+)$", server.read(server.out), re.M)).group(1)


def fill(server):
    server.channel("talk", ["ada", "bo"], name=f"Talk {SCRIPT}")
    server.channel("wide-" + "u" * 200, ["ada"], name="N" * 2_000)
    server.call("PUT", "/users/bo", {"nickname": TURNED})
    sent = []
    for text in (SCRIPT, TURNED, "to be edited", "to be deleted", WIDE):
        sent.append(server.call("POST", "/group_channels/talk/messages",
                                {"message_type": "MESG", "user_id": "bo", "message": text})["message_id"])
    server.call("PUT", f"/group_channels/talk/messages/{sent[2]}", {"message_type": "MESG", "message": "edited words"})
    server.call("DELETE", f"/group_channels/talk/messages/{sent[3]}")


def shows_a_server(roost, server, browser, pictures):
    fill(server)
    link = link_of(server)
    origin = link.split("/?")[0]
    address = [origin, origin.replace("http", "ws")]
    for path in ("/", "/page/view", "/page/users", "/page/log?channel=talk", "/page/chat"):
        code, body = status(origin + path, Accept="text/html")
        expect(code == 403 and not re.search("talk|ada|APP|Open sockets", body), f"a stranger sees {path}: {code} {body}")
    expect(status(origin + "/") == (200, "{}"), "a client's request of / has another answer")
    # A stranger with a browser, then one with the token.
    browser.open(origin + "/")
    is_readable(browser, "server-login", pictures)
    browser.type("#token", "wrong")
    browser.press("enter")
    wait("the refusal", lambda: "The token is wrong" in browser.text())
    browser.logs("browser")
    browser.type("#token", TOKEN)
    browser.press("enter")
    wait("the figures", lambda: "The last hour" in browser.text())
    browser.command("Network.clearBrowserCookies")
    browser.requests(), browser.logs("browser")
    browser.open(link)
    expect(browser.run("return location.href") == origin + "/", "the token stays in the address")
    expect("Open sockets" in browser.text(), "the figures are missing")
    expect(status(link, Accept="text/html")[0] == 403, "the link works twice")
    is_harmless(browser, address)
    wait("a period of figures", lambda: browser.run("return document.querySelectorAll('polyline').length") >= 4)
    expect("unknown" not in browser.text(), "a size is unknown")
    browser.logs("browser")
    is_readable(browser, "server-figures", pictures)
    for path in ("/", "/page/view", "/page/users", "/page/none", "/page/page.js"):
        policy = browser.run("""
            const request = new XMLHttpRequest();
            request.open("GET", arguments[0], false);
            request.setRequestHeader("Accept", "text/html");
            request.send();
            return request.getResponseHeader("Content-Security-Policy");""", path)
        expect(policy and policy.startswith("default-src 'none'; ") and "script-src 'self';" in policy
               and "unsafe" not in policy, f"the policy of {path} is {policy}")
    browser.logs("browser")
    for name, words in (("users", "Chat as bo"), ("channels", "talk")):
        browser.open(f"{origin}/page/{name}")
        expect(words in browser.text(), f"{name} lacks {words}: {browser.text()[:500]}")
        is_harmless(browser, address)
        is_readable(browser, f"server-{name}", pictures)
    browser.click('a[href="/page/log?channel=talk"]')
    text = browser.text()
    for words in ("edited words", "deleted 20", "edited 20", "[U+202E]", "<script>document.title",
                  "W" * 1_000 + "… (64000 more)"):
        expect(words in text, f"the log lacks {words}: {text[:1500]}")
    expect("to be" not in text, "the log has words that are gone")
    is_harmless(browser, address)
    is_readable(browser, "server-log", pictures)


def shows_a_load(roost, server, browser, pictures):
    """Fifty messages are shown as fifty, and no message has waited longer than its sender."""
    server.channel("load", ["ada"])
    browser.open(link_of(server))
    stored = "return [...document.querySelectorAll('#part-totals tr')].find(row => " \
        "row.firstChild.textContent === 'Messages stored').lastChild.textContent"
    expect(browser.run(stored) == "0", f"{browser.run(stored)} messages are stored before the first")
    points = "return document.querySelector('[aria-labelledby=messages-title] .value')?.getAttribute('points') ?? ''"
    wait("a first period", lambda: browser.run(points))
    browser.run("document.querySelector('#messages-details > summary').focus()")
    longest = 0
    for number in range(50):
        start = time.monotonic()
        server.call("POST", "/group_channels/load/messages",
                    {"message_type": "MESG", "user_id": "ada", "message": f"line {number}"})
        longest = max(longest, (time.monotonic() - start) * 1_000)
    wait("the number", lambda: browser.run(stored) == "50")

    def drawn():
        # Each point is the rate of a period of ten seconds; the first one stands twice.
        most = float(re.search(r"at most ([\d.]+) a second", browser.text("[aria-labelledby=messages-title]"))[1])
        heights = [98 - float(point.split(",")[1]) for point in browser.run(points).split()[1:]]
        return 10 * max(most, 1) * sum(heights) / 96

    # A busy machine's periods are longer than ten seconds, and the highest rate is written with one decimal place.
    wait("the rate", lambda: 35 < drawn() < 55)
    waits = re.search(r"(\d+) and (\d+) ms", browser.text("[aria-labelledby=waits-title]"))
    expect(waits, "the waits are missing")
    # A quantile is exact to a quarter.
    expect(0 <= int(waits[1]) <= int(waits[2]) <= 1.25 * longest + 1, f"{waits[0]} where {longest} ms were the most")
    expect(browser.run("return document.activeElement.closest('details')?.id") == "messages-details",
           "the live page takes the keyboard's place away")


def walks_with_the_keyboard(roost, server, browser, pictures):
    """The Tab key goes in the order of the page, and a screen reader gets a name for each drawing and list."""
    fill(server)
    link = link_of(server)
    origin = link.split("/?")[0]
    browser.open(origin + "/")
    expect(browser.walk() == ["API token", "Open"], "the way in has another order")
    browser.open(link)
    charts = "return [...document.querySelectorAll('.chart h3')].map(title => title.innerText)"
    wait("a period", lambda: browser.run("return document.querySelectorAll('svg').length") >= 9)
    drawings = browser.run("return document.querySelectorAll('svg').length")
    walked = browser.walk()
    expect(walked == NAVIGATION + ["As a table"] * drawings + ["Since the start"], f"the figures: {walked}")
    titles, told = browser.run(charts), browser.told("image")
    for title in titles:
        expect(title.startswith("Wait until") or any(f"{title} over the last hour, now " in name for name in told),
               f"no drawing is told as {title}: {told}")
    expect(len(told) == drawings and len(set(told)) == drawings, f"drawings: {told}")
    expect(browser.told("navigation") == ["Pages of the server"], "the ways have no name")
    expect("Since the start" in browser.told("table"), f"tables: {browser.told('table')}")
    wide = "wide-" + "u" * 115 + "… (85 more)"
    for path, order in (("/page/users", ["Users", "Chat as ada", "Chat as bo"]),
                        ("/page/channels", ["Show open channels", "Group channels", "talk", wide]),
                        ("/page/log?channel=talk", ["Log of talk"]),
                        ("/page/chat", ["User", "Channel", "Connect", "Messages", "Message", "Send"])):
        browser.open(origin + path)
        walked = browser.walk()
        expect(walked[:4] == NAVIGATION and sorted(walked[4:]) == sorted(order), f"{path}: {walked}")
        expect(path == "/page/channels" or walked[4:] == order, f"{path} has another order: {walked}")
    expect(browser.told("log") == ["Messages"], f"the chat's messages: {browser.told('log')}")
    expect(browser.told("textbox") == ["User", "Channel", "Message"], f"the fields: {browser.told('textbox')}")
    expect(browser.told("button") == ["Connect", "Send"], f"the buttons: {browser.told('button')}")


def chats(roost, server, browser, pictures):
    fill(server)
    link = link_of(server)
    origin = link.split("/?")[0]
    address = [origin, origin.replace("http", "ws")]
    browser.open(link)
    browser.requests(), browser.logs("browser")
    browser.open(f"{origin}/page/chat?user=ada&channel=talk")
    browser.find("#chat-user")
    browser.run("document.querySelector('#chat-user').focus()")
    browser.press("enter")
    wait("the connection", lambda: "Connected as ada, in talk." in browser.text())
    wait("the history", lambda: "edited words" in browser.text("#chat-log"))
    shown = browser.text("#chat-log")
    expect("W" * 4_000 + "… (61000 more)" in shown, "a long text is not cut")
    expect(browser.run("return document.activeElement.id") == "chat-text", "the focus is not where one types")
    browser.type("#chat-text", "hello <b>world</b>")
    browser.press("enter")
    wait("the own message", lambda: "hello <b>world</b>" in browser.text("#chat-log"))
    stored = server.call("GET", "/group_channels/talk/messages?message_ts=9999999999999&prev_limit=1&next_limit=0")
    expect(stored["messages"][0]["message"] == "hello <b>world</b>" and stored["messages"][0]["user"]["user_id"] == "ada",
           f"the server has stored {stored}")
    answer = server.call("POST", "/group_channels/talk/messages",
                         {"message_type": "MESG", "user_id": "bo", "message": "live " + SCRIPT + TURNED})
    wait("a live message", lambda: "live <script>" in browser.text("#chat-log"))
    expect("[U+202E]" in browser.text("#chat-log"), "a live message turns the text around")
    server.call("PUT", f"/group_channels/talk/messages/{answer['message_id']}",
                {"message_type": "MESG", "message": "changed"})
    wait("an edit", lambda: "changed edited" in browser.text("#chat-log").replace("\n", " "))
    is_harmless(browser, address)
    is_readable(browser, "server-chat", pictures)
    server.call("DELETE", f"/group_channels/talk/messages/{answer['message_id']}")
    wait("a deletion", lambda: "deleted" in browser.text("#chat-log"))
    # Another user in a channel that does not exist yet.
    browser.open(f"{origin}/page/chat?user=new&channel=new")
    browser.run("document.querySelector('#chat-user').focus()")
    browser.press("enter")
    wait("the new channel", lambda: "Connected as new, in new." in browser.text())
    # A third one, who is no member of the public channel yet.
    browser.open(f"{origin}/page/chat?user=third&channel=new")
    browser.run("document.querySelector('#chat-user').focus()")
    browser.press("enter")
    wait("the second member", lambda: "Connected as third, in new." in browser.text())
    is_refused_without_a_token(roost, browser, pictures)


def is_refused_without_a_token(roost, browser, pictures):
    with Server(roost, "--require-token", "--log", "trace") as server:
        token = server.call("POST", "/users", {
            "user_id": "ada", "nickname": "", "profile_url": "", "issue_access_token": True})["access_token"]
        link = link_of(server)
        browser.open(link)
        browser.open(link.split("/?")[0] + "/page/chat?user=ada&channel=new")
        browser.run("document.querySelector('#chat-user').focus()")
        browser.press("enter")
        wait("the refusal", lambda: "Refused:" in browser.text())
        browser.type("#chat-token", token)
        browser.press("enter")
        wait("the connection", lambda: "Connected as ada, in new." in browser.text())
        asked = browser.requests()
        expect(any(url.startswith("ws") for url in asked), f"the page opened no socket: {asked}")
        expect(not any(token in url for url in asked), f"an address has the token: {asked}")
        expect(token not in server.read(server.out) + server.read(server.err), "the server prints the token")


def is_absent(roost, server, browser, pictures):
    with Server(roost, "--no-page") as other:
        expect(not has_link(other), "a link is printed")
        expect(status(f"http://127.0.0.1:{other.port}/", Accept="text/html") == (200, "{}"), "there is a page")
        expect(status(f"http://127.0.0.1:{other.port}/page/view", Accept="text/html")[0] == 400, "there is a page")
    with Server(roost, "--behind-proxy") as other:
        expect(not has_link(other), "a link is printed behind a proxy")
    with Server(roost, "--host", "0.0.0.0", "--insecure") as other:
        expect(not has_link(other), "a link is printed off loopback")
        expect(status(f"http://127.0.0.1:{other.port}/", Accept="text/html") == (200, "{}"), "there is a page")
    with Server(roost, "--host", "0.0.0.0", "--insecure", "--page") as other:
        link_of(other)
        expect(status(f"http://127.0.0.1:{other.port}/", Accept="text/html")[0] == 403, "there is no page")
