# SPDX-License-Identifier: Apache-2.0
"""Appendix B of the protocol, line by line, against a real server and with the standard library alone."""

import base64
import hashlib
import json
import os
import socket
import struct
import sys
import time
import urllib.parse

from patience import PATIENCE
from server import APP, TOKEN, expect, make_server

ROOST = sys.argv[1]
checks, lines = 0, []


def check(condition, what="it does not hold"):
    global checks
    checks += 1
    expect(condition, f"{lines[-1]}: {what}")


class Socket:
    """A WebSocket in bytes; keeps every text frame as it came, and who must hear what can say so."""

    def __init__(self, query, headers=()):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.bytes, self.raw, self.unread = b"", [], []
        nonce = base64.b64encode(os.urandom(16)).decode()
        head = [f"GET /?{query} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", "Upgrade: websocket",
                "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {nonce}"]
        self.socket.sendall(("\r\n".join(head + list(headers)) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        self.head = head.decode()
        accept = hashlib.sha1((nonce + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        expect(self.head.startswith("HTTP/1.1 101"), self.head)
        expect(base64.b64encode(accept).decode() in self.head, "the upgrade is proved")
        self.login = self.hear("LOGI")

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("closed")
        self.bytes += data

    def take(self, count):
        while len(self.bytes) < count:
            self.more()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def read(self):
        first, second = self.take(2)
        length = second & 127
        if length > 125:
            length = int.from_bytes(self.take(2 if length == 126 else 8), "big")
        payload = self.take(length)
        if first & 15 == 8:
            raise ConnectionError(f"closed {payload[:2].hex()}")
        if first & 15 == 1:
            text = payload.decode()
            self.raw.append(text)
            self.unread += [(line[:4], json.loads(line[4:])) for line in text.split("\n") if line]

    def say_text(self, text, opcode=1):
        payload, mask = text if isinstance(text, bytes) else text.encode(), os.urandom(4)
        size = (bytes([0x80 | len(payload)]) if len(payload) < 126
                else bytes([0x80 | 126]) + struct.pack(">H", len(payload)))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.socket.sendall(bytes([0x80 | opcode]) + size + mask + masked)

    def say(self, command, **fields):
        self.say_text(command + json.dumps(fields) + "\n")

    def hear(self, *commands, **fields):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while self.unread:
                name, body = self.unread.pop(0)
                if name in commands and all(body.get(k) == v for k, v in fields.items()):
                    return body
            self.read()
        raise TimeoutError(f"no {commands} {fields}")

    def now(self):
        """Everything that has come up to the answer to a ping."""
        self.say("PING", id=1, req_id="")
        heard = []
        while True:
            while self.unread:
                name, body = self.unread.pop(0)
                if name == "PONG":
                    return heard
                heard.append((name, body))
            self.read()

    def send(self, text, name, **fields):
        self.say("MESG", channel_url="g", message=text, req_id=name, **fields)
        return self.hear("MESG", req_id=name)


def login(user, extra="", headers=()):
    return Socket(f"p=JS&sv=1&ai={APP}&user_id={user}{extra}", headers)


def get(path, key=None):
    return server.call("GET", path, **({"Session_Key": key} if key else {"Api_Token": TOKEN}))


def post(path, body, key=None, method="POST"):
    return server.call(
        method, path, body, **({"Session_Key": key} if key else {"Api_Token": TOKEN}))


def encoded(value):
    return urllib.parse.quote(json.dumps(value), safe="")


def b1():
    made = post("/users", {"user_id": "tok", "nickname": "t", "issue_access_token": True})
    token = made["access_token"]
    check(login("tok", f"&access_token={token}&unknown=1&pmce=1").login["user_id"] == "tok")
    check(login("tok", headers=[f"SENDBIRD-WS-TOKEN: {token}"]).login["user_id"] == "tok")
    protocol = encoded({"token": token})
    by_protocol = login("tok", headers=[f"Sec-WebSocket-Protocol: {protocol}"])
    check(f"Sec-WebSocket-Protocol: {protocol}" in by_protocol.head, "echoed as it stood")
    check(login("tok").login["code"] == 400302, "a token is asked for")
    for empty in ("null", "undefined", ""):
        check("key" in login("ann", f"&access_token={empty}").login, f"“{empty}” is no token")
    key = by_protocol.login["key"]
    check(Socket(f"ai={APP}&key={key}").login["user_id"] == "tok", "the key alone")
    check(Socket(f"ai={APP}", [f"SENDBIRD-WS-AUTH: {key}"]).login["user_id"] == "tok")
    auth = encoded({"auth": key})
    again = Socket(f"ai={APP}", [f"Sec-WebSocket-Protocol: {auth}"])
    check(again.login["user_id"] == "tok" and auth in again.head)


def b2():
    frame = login("ann").login
    for name, kind in {
        "user_id": str, "nickname": str, "profile_url": str, "key": str, "ekey": str,
        "login_ts": int, "ping_interval": int, "pong_timeout": int, "reconnect": dict,
        "max_unread_cnt_on_super_group": int, "file_upload_size_limit": int,
        "premium_feature_list": list, "emoji_hash": str, "application_attributes": list,
        "use_reaction": bool, "unread_cnt": dict,
    }.items():
        check(isinstance(frame.get(name), kind), name)
    check(set(frame["reconnect"]) >= {"interval", "max_interval", "mul", "retry_cnt"})
    check(frame["login_ts"] > 10**12, "milliseconds")
    check("req_id" not in frame)
    wrong = Socket("ai=OTHER&user_id=ann").login
    check(wrong["error"] is True and wrong["code"] == 400304 and wrong["message"])
    check(Socket(f"ai={APP}&key=nobodys").login["code"] == 400303)


def b3():
    ann = login("ann")
    for text in ('PING{"id":1,"active":1,"req_id":""}', 'PING{"id":2,"req_id":"u-1"}\n', "PING{}"):
        ann.say_text(text)
        check("req_id" not in ann.hear("PONG"))
    ann.say_text('XXXX{"a":1}\nPING{"id":3}\n\nPING{"id":4}\n')
    ann.hear("PONG"), ann.hear("PONG")
    check(not ann.unread, "what nobody knows is passed over")


def b4():
    ann, bob = login("ann"), login("bob")
    answer = ann.send("hi", "b4")
    check(answer["req_id"] == "b4" and answer["message"] == "hi")
    news = bob.hear("MESG", msg_id=answer["msg_id"])
    check("req_id" not in news and news["request_id"] == "b4")
    check(not [f for f in ann.now() if f[0] == "MESG"], "the sender's socket hears it once")
    ann.say("MESG", channel_url="nowhere", message="x", req_id="b4-2")
    refused = ann.hear("EROR")
    check(refused["req_id"] == "b4-2" and refused["code"] == 900500)
    ann.say("MESG", channel_url="nowhere", message="x")
    ann.say_text("MESG{broken\n")
    ann.say_text("MESG[1]\n")
    check(not [f for f in ann.now() if f[0] == "EROR"], "no EROR that names nobody")
    stranger = login("eve")
    stranger.say("MESG", channel_url="g", message="x", req_id="b4-3")
    check(stranger.hear("EROR")["code"] == 900020)


def b5():
    ann, bob = login("ann"), login("bob")
    answer = ann.send("line\nbreak", "b5")
    post(f"/group_channels/g/messages/{answer['msg_id']}/reactions", {"reaction": "heart"},
         ann.login["key"])
    bob.say("READ", channel_url="g", req_id="b5-r")
    bob.say("TPST", channel_url="g", time=1, req_id="")
    bob.say("MACK", channel_url="g", msg_id=answer["msg_id"], req_id="")
    ann.say("MEDI", channel_url="g", msg_id=answer["msg_id"], message="m", req_id="b5-e")
    post("/group_channels/g", {"name": "New"}, ann.login["key"], "PUT")
    server.call("DELETE", f"/group_channels/g/messages/{answer['msg_id']}", Api_Token=TOKEN)
    heard = ann.now() + bob.now()
    # A server may collect receipts for a second.
    if all(name != "DLVR" for name, _ in heard):
        heard.append(("DLVR", ann.hear("DLVR")))
    check({name for name, _ in heard} >= {"MESG", "READ", "DLVR", "MEDI", "MRCT", "SYEV", "DELM"},
          {name for name, _ in heard})
    for name, body in heard:
        check(isinstance(body, dict))
        if name not in ("MCNT", "USEV"):
            check(body.get("channel_url") == "g" and body.get("channel_type") == "group", (name, body))
    for text in ann.raw + bob.raw:
        check(text.endswith("\n") and "\n" not in text[:-1], "one object, one line")


def b6():
    key = login("ann").login["key"]
    for path in ("/users", "/group_channels/g", "/users/ann/my_group_channels", "/emoji_categories",
                 "/users/ann/unread_message_count", "/group_channels/g/messages?message_ts=0"):
        status, _, body = server.raw("GET", "/v3" + path, headers={"Session-Key": key})
        check(status == 200 and isinstance(json.loads(body), dict), path)
    for method, path, body in (
        ("GET", "/group_channels/none", None), ("POST", "/group_channels/g/messages", b"{"),
        ("POST", "/group_channels/g/messages", b"[]"), ("GET", "/nowhere", None),
        ("GET", "/group_channels/g/messages?message_ts=x", None),
        ("PUT", "/group_channels/g/messages/999999", {"message": "m"}),
    ):
        status, _, answer = server.raw(method, "/v3" + path, body, {"Session-Key": key})
        error = json.loads(answer)
        check(status == 400 and error["error"] is True, (path, status))
        check(isinstance(error["code"], int) and error["message"], path)
    status, _, answer = server.raw("GET", "/v3/users", headers={"Session-Key": "none"})
    check(status == 401 and json.loads(answer)["code"] == 400303)
    check(server.raw("GET", "/")[0] == 200, "the bare host")


def b7():
    key = login("ann").login["key"]
    post("/open_channels", {"channel_url": "o", "name": "Open"})
    for kind in ("group_channels/g", "open_channels/o"):
        check(get("/sdk/" + kind, key) == get("/" + kind, key), kind)
        check(get("/sdk/" + kind, key)["channel_url"], kind)
    check(get("/sdk/whatever", key) == {})


def b8():
    key = login("ann").login["key"]
    for path, items in (
        ("/users?limit=1", "users"), ("/users/ann/my_group_channels", "channels"),
        ("/group_channels/g/members?limit=1", "members"), ("/group_channels/g/operators", "operators"),
        ("/users/ann/block", "users"), ("/open_channels", "channels"),
        ("/open_channels/o/participants", "participants"),
        ("/users/ann/my_group_channels/changelogs?change_ts=1", "updated"),
        ("/group_channels/g/messages/changelogs?change_ts=1", "updated"),
    ):
        page = get(path, key)
        check(isinstance(page["next"], str), path)
        check(isinstance(page[items], list), path)
        check(path.find("changelogs") < 0 or isinstance(page["has_more"], bool), path)
    check(get("/group_channels/g/members?limit=1", key)["next"] != "", "there is more")
    check(get("/group_channels/g/members?limit=100", key)["next"] == "", "there is no more")


def nulls(value, path=""):
    if value is None:
        yield path
    for name, part in value.items() if isinstance(value, dict) else ():
        yield from nulls(part, name)
    for part in value if isinstance(value, list) else ():
        yield from nulls(part, path)


def b9():
    ann = login("ann")
    key = ann.login["key"]
    empty = post("/group_channels", {"user_ids": ["bob"], "channel_url": "empty"}, key)
    message = ann.send("plain", "b9")
    for answer in (empty, message, get("/group_channels/g", key), get("/users/ann", key),
                   get("/group_channels/g/messages?message_ts=0&next_limit=10", key),
                   get(f"/group_channels/g/messages/{message['msg_id']}", key), ann.login):
        found = set(nulls(answer)) - {"last_message", "created_by", "inviter"}
        check(not found, found)
    check("last_message" in get("/group_channels/empty?show_member=true", key))
    for name in ("parent_message_info", "thread_info", "og_tag", "file"):
        check(name not in message, name)


def b10():
    ann = login("ann")
    answer = ann.send("ten", "b10")
    check(answer["updated_at"] == 0)
    kept = get(f"/group_channels/g/messages/{answer['msg_id']}", ann.login["key"])
    check(kept["updated_at"] == 0 and kept["req_id"] == "b10")
    ann.say("MEDI", channel_url="g", msg_id=answer["msg_id"], message="11", req_id="b10-e")
    edited = ann.hear("MEDI", req_id="b10-e")
    check(edited["updated_at"] > 0 and edited["old_values"]["mentioned_user_ids"] == [])


def b11():
    ann, bob = login("ann"), login("bob")
    file = {"url": "http://x/a.png", "name": "a.png", "type": "image/png", "size": 5}
    ann.say("FILE", channel_url="g", req_id="b11", custom="c", thumbnails=[
        {"url": "http://x/t", "width": 1, "height": 2, "real_width": 1, "real_height": 2}], **file)
    answer = ann.hear("FILE", req_id="b11")
    news = bob.hear("FILE", msg_id=answer["msg_id"])
    for frame in (answer, news):
        check(all(frame[name] == value for name, value in file.items()), frame)
        check(isinstance(frame["thumbnails"], list))
    kept = get(f"/group_channels/g/messages/{answer['msg_id']}", ann.login["key"])
    check(all(kept["file"][name] == value for name, value in file.items()), kept)
    check(isinstance(kept["thumbnails"], list) and kept["type"] == "FILE")


def b12():
    ann = login("ann")
    moments = [ann.send("x", f"b12-{n}")["ts"] for n in range(30)]
    check(all(a < b for a, b in zip(moments, moments[1:])), moments)
    channel = get("/group_channels/g?show_member=true", ann.login["key"])
    check(channel["created_at"] < 10**10 and channel["joined_ts"] < 10**10, "seconds")
    check(all(member["joined_ts"] < 10**10 for member in channel["members"]))


def b13():
    ann = login("ann")
    key = ann.login["key"]
    check(ann.login["max_unread_cnt_on_super_group"]
          == ann.login["max_unread_count_on_super_group"])
    gap = get("/group_channels/g/messages_gap", key)
    for side in ("prev", "next"):
        check(gap[f"{side}_hasmore"] == gap[f"{side}_has_more"])
    parent = ann.send("parent", "b13")["msg_id"]
    ann.send("reply", "b13-r", parent_message_id=parent, root_message_id=parent)
    thread = ann.hear("MTHD")
    check(thread["parent_message_id"] == thread["root_message_id"] == parent)
    check(thread["thread_info"]["reply_count"] == 1)
    post("/group_channels/g/hide", {"user_id": "ann", "hide_previous_messages": True}, key, "PUT")
    hidden = ann.hear("SYEV", cat=13000)
    check(hidden["ts_message_offset"] == hidden["data"]["ts_message_offset"] > 0)
    check(hidden["data"]["hide_previous_messages"] is True)
    server.call("DELETE", "/group_channels/g/hide", Session_Key=key)


def b14():
    ann = login("ann")
    key = ann.login["key"]
    moments = [ann.send("gap", f"b14-{n}")["ts"] for n in range(5)]
    latest = 9007199254740991
    ask = "/group_channels/g/messages_gap?" + "&".join((
        f"prev_start_ts={moments[0]}", f"prev_end_ts={moments[1]}", "prev_cache_count=2",
        f"next_start_ts={moments[2]}", f"next_end_ts={latest}", "next_cache_count=1",
        "include_reply_type=all", "reverse=true", "checking_continuous_messages=true"))
    gap = get(ask, key)
    check(gap["prev_messages"] == [] and gap["is_huge_gap"] is False)
    check([m["created_at"] for m in gap["next_messages"]] == moments[:1:-1], "the edge is in it")
    check(gap["next_hasmore"] is False and gap["is_continuous_next_messages"] is True)
    none = get(ask.replace("next_cache_count=1", "next_cache_count=3"), key)
    check(none["next_messages"] == [], "nothing is missing")


def b15():
    ann = login("ann")
    key = ann.login["key"]
    ask = "/group_channels/g/messages/changelogs?"
    first = get(ask + f"change_ts={ann.login['login_ts']}", key)
    answer = ann.send("change", "b15")
    pages = [get(ask + f"token={first['next']}", key) for _ in range(3)]
    check(pages[0] == pages[1] == pages[2], "a token works as often as it is used")
    check([m["message_id"] for m in pages[0]["updated"]] == [answer["msg_id"]])
    server.call("DELETE", f"/group_channels/g/messages/{answer['msg_id']}", Session_Key=key)
    later = get(ask + f"token={first['next']}", key)
    check([d["message_id"] for d in later["deleted"]] == [answer["msg_id"]] and not later["updated"])
    end = get(ask + f"token={later['next']}", key)
    check(end["updated"] == end["deleted"] == [] and end["next"] and end["has_more"] is False)
    check(get(ask + "token=nonsense", key)["code"] == 400111)


def b16():
    key = login("ann").login["key"]
    wanted = [{"user_id": u} for u in ("ann", "bob")]
    for query in ("user_ids=ann&user_ids=bob", "user_ids=ann,bob", "user_ids=ann%2Cbob",
                  "user_ids=ann,%20bob"):
        found = get("/users?" + query, key)["users"]
        check([{"user_id": u["user_id"]} for u in found] == wanted, query)
    for flag in ("true", "True"):
        check("members" in get(f"/group_channels/g?show_member={flag}", key), flag)
    for flag in (True, "true", "True"):
        frozen = post("/group_channels/g/freeze", {"freeze": flag}, method="PUT")
        check(frozen["freeze"] is True, flag)
    thawed = post("/group_channels/g/freeze", {"freeze": "False"}, method="PUT")
    check(thawed["freeze"] is False, "False")
    for where in ("query", "body"):
        post("/group_channels/g/operators", {"operator_ids": ["bob"]})
        path, names = "/group_channels/g/operators", {"operator_ids": ["bob"]}
        gone = (server.call("DELETE", path + "?operator_ids=bob", Api_Token=TOKEN)
                if where == "query" else server.call("DELETE", path, names, Api_Token=TOKEN))
        left = get("/group_channels/g/operators")["operators"]
        check(gone == {} and "bob" not in [u["user_id"] for u in left], where)
    check("push_trigger_option" in get("/users/ann/push_preference/", key), "a slash at the end")


def b17():
    first, second, bob = login("ann"), login("ann"), login("bob")
    answer = first.send("echo", "b17")
    echo = second.hear("MESG", msg_id=answer["msg_id"])
    check("req_id" not in echo, "the other socket hears the own message")
    first.say("READ", channel_url="g", req_id="b17-r")
    first.hear("READ", req_id="b17-r")
    check(second.hear("READ")["user"]["user_id"] == "ann")
    post("/group_channels/g/hide", {"user_id": "ann"}, first.login["key"], "PUT")
    second.hear("SYEV", cat=13000)
    check(not [f for f in bob.now() if f[0] == "SYEV" and f[1]["cat"] == 13000], "and nobody else")
    server.call("DELETE", "/group_channels/g/hide", Session_Key=first.login["key"])
    second.hear("SYEV", cat=13001)


def b18():
    ann = login("ann")
    ann.send("last", "b18")
    channel = get("/group_channels/g?show_member=true&show_read_receipt=true")
    check(channel.get("push_trigger_option") in (None, "all", "mention_only", "off"))
    check(channel.get("member_state", "none") in ("none", "invited", "joined"))
    check(channel.get("my_role", "") in ("", "none", "operator"))
    for member in channel["members"]:
        check(member["state"] in ("", "invited", "joined"), member)
        check(member.get("role", "") in ("", "none", "operator"), member)
        check("friend_discovery_key" not in member)
    message = channel["last_message"]
    for name in ("user", "file", "thread_info", "translations", "message_events"):
        check(isinstance(message.get(name, {}), dict), name)
    check(isinstance(message.get("data", ""), str) and isinstance(message["updated_at"], int))


def b19():
    frame = login("ann").login
    check(frame["use_reaction"] is True and "reactions" in frame["premium_feature_list"])
    check({"reactions", "enable_message_threading"} <= set(frame["application_attributes"]))
    post("/group_channels/g/messages", {"message_type": "MESG", "user_id": "ann", "message": "pin"})
    ann = login("ann")
    answer = ann.send("pinned", "b19")
    post(f"/group_channels/g/messages/{answer['msg_id']}/pin", {}, frame["key"])
    pins = ann.hear("SYEV", cat=11300)["data"]
    check(pins["pinned_message_ids"] == [answer["msg_id"]])
    check(pins["latest_pinned_message"]["message_id"] == answer["msg_id"])
    check(get("/group_channels/g", frame["key"])["pinned_message_ids"] == [answer["msg_id"]])


def b20():
    origin = {"Origin": "https://app.example"}
    wanted = ("session-key, sendbird, sb-user-agent, sb-sdk-user-agent, "
              "request-sent-timestamp, app-id, access-token, content-type")
    status, headers, _ = server.raw("OPTIONS", "/v3/users/ann", headers={
        **origin, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": wanted})
    allowed = headers["Access-Control-Allow-Headers"].lower()
    check(status == 200 and all(name in allowed for name in wanted.split(", ")))
    for method in ("GET", "POST", "PUT", "DELETE"):
        check(method in headers["Access-Control-Allow-Methods"], method)
    for key, expected in ((login("ann").login["key"], 200), ("none", 401)):
        status, headers, _ = server.raw("GET", "/v3/users/ann", headers={**origin, "Session-Key": key})
        check(status == expected and headers["Access-Control-Allow-Origin"] == origin["Origin"], status)
        check("Origin" in headers["Vary"])
    for stranger in ("https://app.example.evil", "null"):
        status, headers, _ = server.raw("GET", "/v3/users/ann", headers={"Origin": stranger})
        check(status == 403 and "Access-Control-Allow-Origin" not in headers, stranger)


with make_server(ROOST, "--user-rate", "0", "--address-rate", "0", "--allow-origin", "https://app.example") as server:
    server.channel("g", ["ann", "bob"], name="Group", operator_ids=["ann"])
    for number in (int(a) for a in sys.argv[2:]) if sys.argv[2:] else range(1, 21):
        lines.append(f"B.{number}")
        globals()[f"b{number}"]()
print(f"server: {len(lines)} lines of appendix B, {checks} checks")
