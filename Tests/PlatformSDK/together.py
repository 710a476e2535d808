# SPDX-License-Identifier: Apache-2.0
"""Two of our clients and the unmodified Platform API client in one channel see the same history: what each
of them wrote, edited and deleted, in one order, with one of ours away and killed meanwhile."""

import json
import subprocess
import sys
import tempfile
import time

import sendbird_platform_sdk as sdk
from sendbird_platform_sdk.api import message_api
from sendbird_platform_sdk.model.send_a_message_request import SendAMessageRequest

from patience import PATIENCE, bound
from ports import free_port
from server import APP, TOKEN, Server, expect

ROOST = sys.argv[1]
URL = "together"


class Client:
    """`roost client`, driven by lines."""

    def __init__(self, server, user):
        self.server, self.user, self.cache = server, user, tempfile.mkdtemp()
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            bound(ROOST, "client", "--server", f"http://127.0.0.1:{self.server.port}", "--app-id", APP,
                  "--user", self.user, "--cache", self.cache, "--page-size", "200"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.ask("connect")
        self.ask("open", channel=URL)

    def ask(self, request, **fields):
        self.process.stdin.write(json.dumps({"id": request, "request": request, **fields}) + "\n")
        for line in self.process.stdout:
            answer = json.loads(line)
            if "event" not in answer and answer["id"] == request:
                expect(answer["ok"], answer)
                return answer["result"]
        raise AssertionError(f"{self.user} ended")

    def history(self):
        self.ask("wait_idle")
        shown = self.ask("snapshot")
        expect(not shown["has_older"] and not shown["has_newer"], "the history is whole")
        return [(m["id"], m["created_at"], m["sender"], m["text"]) for m in shown["messages"]]


class Platform:
    """The official client of the Platform API, as it comes from PyPI."""

    def __init__(self, server):
        client = sdk.ApiClient(sdk.Configuration(host=f"http://127.0.0.1:{server.port}"))
        self.messages = message_api.MessageApi(client)

    def send(self, text):
        return self.messages.send_a_message(
            "group_channels", URL, api_token=TOKEN,
            send_a_message_request=SendAMessageRequest(
                message_type="MESG", user_id="cy", message=text))

    def history(self):
        found = self.messages.list_messages(
            "group_channels", URL, 0, 0, prev_limit=0, next_limit=200, api_token=TOKEN).messages
        return [(int(m.message_id), int(m.created_at), m.user.user_id, m.message) for m in found]



def plain(server):
    """The same by nothing but HTTP."""
    page = server.call(
        "GET", f"/group_channels/{URL}/messages?message_ts=0&prev_limit=0&next_limit=200")
    return [(m["message_id"], m["created_at"], m["user"]["user_id"], m["message"])
            for m in page["messages"]]


with Server(ROOST, "--user-rate", "0", "--address-rate", "0", port=free_port()) as server:
    for user in ("ada", "bo", "cy"):
        server.call("POST", "/users", {"user_id": user, "nickname": user, "profile_url": ""})
    server.call("POST", "/group_channels", {"user_ids": ["ada", "bo", "cy"], "channel_url": URL})
    ada, bo, platform = Client(server, "ada"), Client(server, "bo"), Platform(server)
    for number in range(15):
        ada.ask("send", text=f"ada {number}")
        platform.send(f"cy {number}")
        bo.ask("send", text=f"bo {number}")
        if number == 5:
            # Away: what the others say, change and delete meanwhile is made up for.
            bo.process.kill()
            bo.process.wait()
            ada.ask("wait_idle")
            own = [m for m in ada.history() if m[2] == "ada"]
            ada.ask("edit", message_id=own[0][0], text="ada edited")
            ada.ask("delete", message_id=own[1][0])
            for more in range(40):
                platform.send(f"cy meanwhile {more}")
            bo.start()
        if number == 10:
            # The server too.
            server.kill()
            ada.ask("send", text="ada offline")
            server.start()
    ada.ask("connect")
    bo.ask("connect")
    # What is on its way to a client comes by itself.
    end = time.monotonic() + PATIENCE
    while not (ada.history() == bo.history() == plain(server)) and time.monotonic() < end:
        time.sleep(0.05)
    ours, theirs, seen, plainly = ada.history(), bo.history(), platform.history(), plain(server)
    expect(ours == theirs, f"ada and bo differ: {set(ours) ^ set(theirs)}")
    expect(ours == seen, f"ours and the official client differ: {set(ours) ^ set(seen)}")
    expect(ours == plainly, "and the pages as they are")
    texts = [text for _, _, _, text in ours]
    expect(len(texts) == 15 * 3 + 40 + 1 - 1 and len(set(texts)) == len(texts), texts)
    expect("ada edited" in texts and "ada 0" not in texts and "ada 1" not in texts, texts)
    expect([m[1] for m in ours] == sorted({m[1] for m in ours}), "times grow")
    for client in (ada, bo):
        client.ask("quit")
print(f"together: {len(texts)} messages, one history in two clients, the official one and plain HTTP")
