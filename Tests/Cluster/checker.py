# SPDX-License-Identifier: Apache-2.0
"""Judges a history of a cluster: what everyone sent, was told and heard, against the log at the end.

usage: checker.py HISTORY              judges a history; status 1 if a promise is broken
       checker.py --spoil HISTORY      spoils a good history in each known way, and demands a complaint about each

A history is a file of JSON lines. A channel is a list to which messages are appended, so one pass over each part is
enough. The lines:

    {"is": "ask", "who", "channel", "req", "n", "text"}        somebody wants to send; n counts in sender and channel
    {"is": "ack", "who", "req", "id", "at"}                    the server says that it is stored
    {"is": "hear", "who", "session", "channel", "id", "previous"}   a message arrived on a socket; the socket that sent
                                                               one gets an acknowledgement in its place
    {"is": "edit-ask" | "edit-ack", "who", "channel", "id", "text"}
    {"is": "delete-ask" | "delete-ack", "who", "channel", "id"}
    {"is": "shown", "who", "channel", "ids"}                   a timeline at the end that claims to be whole
    {"is": "followed", "who", "channel", "texts", "deleted"}   what a reader of the change log knows at the end
    {"is": "token-refused", "who", "channel"}                  the reader begins with the first change again
    {"is": "failover"}                                         another primary is about to serve
    {"is": "calm"}                                             everyone has heard the last message of each channel
    {"is": "log", "channel", "messages": [{"id", "at", "req", "text"}]}   the log at the end
"""

import collections
import copy
import json
import re
import sys


def refusals_allowed(lines):
    """Returns the most tokens of one change log that a server may refuse.

    A failover begins a new era. While the old primary answers at one host, a reader may meet both eras in turn."""
    return 3 * (1 + sum(line["is"] == "failover" for line in lines))


def judge(lines):
    """Returns the complaints about a history, and what was counted."""
    complaints = []
    counts = collections.Counter()
    logs = {line["channel"]: line["messages"] for line in lines if line["is"] == "log"}
    place, by_req, text_of = {}, {}, {}
    for channel, messages in logs.items():
        moments = [(message["at"], message["id"]) for message in messages]
        for before, after in zip(moments, moments[1:]):
            if not before < after or not before[0] < after[0]:
                complaints.append(f"{channel}: the log goes from {before} to {after}")
        for number, message in enumerate(messages):
            if (channel, message["id"]) in place:
                complaints.append(f"{channel}: the ID {message['id']} stands twice")
            place[channel, message["id"]] = number
            text_of[channel, message["id"]] = message["text"]
            if message.get("req"):
                if message["req"] in by_req:
                    complaints.append(f"{channel}: {message['req']} is stored twice")
                by_req[message["req"]] = (channel, message["id"], message["at"])
    counts["in the log"] = sum(map(len, logs.values()))

    asks, acked, deleted_acks, deleted_asks = {}, {}, set(), set()
    edits = collections.defaultdict(list)
    for line in lines:
        kind = line["is"]
        if kind == "ask":
            asks[line["req"]] = line
        elif kind == "ack":
            if line["req"] in acked and acked[line["req"]] != (line["id"], line["at"]):
                complaints.append(f"{line['req']} was acknowledged as two messages")
            acked[line["req"]] = (line["id"], line["at"])
        elif kind in ("edit-ask", "edit-ack"):
            edits[line["channel"], line["id"]].append((kind == "edit-ack", line["text"]))
        elif kind == "delete-ask":
            deleted_asks.add((line["channel"], line["id"]))
        elif kind == "delete-ack":
            deleted_acks.add((line["channel"], line["id"]))
    counts["asked"], counts["acknowledged"] = len(asks), len(acked)
    counts["edits"] = sum(is_ack for changes in edits.values() for is_ack, _ in changes)
    counts["deletions"] = len(deleted_acks)

    # Once, and as it was acknowledged.
    for req, (id, at) in acked.items():
        ask = asks[req]
        name = (ask["channel"], id)
        if req not in by_req:
            if name not in deleted_asks:
                complaints.append(f"{req} was acknowledged as {id} and is lost")
        elif by_req[req] != (ask["channel"], id, at):
            complaints.append(f"{req} was acknowledged as {(id, at)} and stored as {by_req[req][1:]}")
    for req, (channel, id, _) in by_req.items():
        if req not in asks:
            complaints.append(f"{channel}: nobody has sent {req}")
        elif asks[req]["channel"] != channel:
            complaints.append(f"{req} is in {channel} and was sent to {asks[req]['channel']}")
    for channel, id in deleted_acks:
        if (channel, id) in place:
            complaints.append(f"{channel}: {id} was deleted and is there")

    # The order of each sender.
    last = {}
    for channel, messages in logs.items():
        for message in messages:
            ask = asks.get(message.get("req"))
            if ask is None:
                continue
            key = (ask["who"], channel)
            if ask["n"] <= last.get(key, -1):
                complaints.append(f"{channel}: {ask['who']}'s {ask['n']} stands behind {last[key]}")
            last[key] = ask["n"]

    # The last acknowledged edit, or one that was asked for behind it.
    for (channel, id), changes in edits.items():
        if (channel, id) not in place:
            continue
        newest = max((number for number, change in enumerate(changes) if change[0]), default=-1)
        if newest >= 0:
            allowed = {changes[newest][1]} | {text for is_ack, text in changes[newest + 1:] if not is_ack}
            if text_of[channel, id] not in allowed:
                complaints.append(f"{channel}: the edit of {id} to {changes[newest][1]!r} is undone")
        else:
            original = {asks[req]["text"] for req, found in by_req.items() if found[:2] == (channel, id) and req in asks}
            if text_of[channel, id] not in original | {text for _, text in changes}:
                complaints.append(f"{channel}: {id} has a text of nobody")
    # One order for all, and on each socket nothing left out but what it has sent.
    heard = {}
    for line in lines:
        if line["is"] != "hear":
            continue
        counts["heard"] += 1
        key = (line["who"], line["session"], line["channel"])
        before = heard.get(key)
        heard[key] = line["id"]
        here = place.get((line["channel"], line["id"]))
        if here is None:
            if (line["channel"], line["id"]) not in deleted_asks:
                complaints.append(f"{line['who']} heard {line['id']} of {line['channel']}, which the log lacks")
            continue
        previous = (line["channel"], line["previous"])
        # A deleted message stands in no log, so nothing can be said about its place.
        if line["previous"] and previous not in deleted_asks and place.get(previous) != here - 1:
            complaints.append(f"{line['who']} was told that {line['id']} follows {line['previous']}, which it does not")
        there = place.get((line["channel"], before))
        if there is None:
            continue
        if here <= there:
            complaints.append(f"{line['who']} heard {line['id']} behind {before}, which stands later or is it")
        left_out = [
            message["id"] for message in logs[line["channel"]][there + 1:here]
            if asks.get(message.get("req"), {}).get("who") != line["who"]]
        if left_out:
            complaints.append(f"{line['who']} heard {line['id']} next to {before}, and not {left_out[:3]} between them")

    # A timeline that claims to be whole is whole.
    for line in lines:
        if line["is"] == "shown":
            counts["timelines"] += 1
            ids = [message["id"] for message in logs[line["channel"]]]
            if line["ids"] != ids:
                missing = len(set(ids) - set(line["ids"]))
                complaints.append(
                    f"{line['who']} shows {len(line['ids'])} messages of {line['channel']} as all, the log has "
                    f"{len(ids)}; {missing} are missing")
        elif line["is"] == "followed":
            counts["change logs"] += 1
            channel = line["channel"]
            for message in logs[channel]:
                known = line["texts"].get(str(message["id"]))
                if known is None or known != message["text"]:
                    complaints.append(f"{line['who']}'s change log of {channel} lacks {message['id']} as it is")
            gone = set(line["deleted"])
            for where, id in deleted_acks:
                if where == channel and id not in gone:
                    complaints.append(f"{line['who']}'s change log of {channel} lacks the deletion of {id}")
            for id in gone:
                if (channel, id) in place:
                    complaints.append(f"{line['who']}'s change log of {channel} deletes {id}, which is there")
    refused = collections.Counter((line["who"], line["channel"]) for line in lines if line["is"] == "token-refused")
    for (who, channel), count in refused.items():
        if count > refusals_allowed(lines):
            complaints.append(f"{who}'s change log of {channel} was refused {count} tokens")
    if not counts["heard"]:
        complaints.append("nobody heard anything")
    if not any(line["is"] == "calm" for line in lines):
        complaints.append("not everyone has heard the last message")
    # Each last socket must have heard the last message of the others, or a host has stopped to deliver.
    newest_session = {}
    for line in lines:
        if line["is"] == "hear":
            newest_session[line["who"]] = max(newest_session.get(line["who"], 0), line["session"])
    for channel, messages in logs.items():
        for who, session in newest_session.items():
            others = [message["id"] for message in messages
                      if asks.get(message.get("req"), {}).get("who") not in (who, None)]
            if others and heard.get((who, session, channel)) != others[-1]:
                complaints.append(f"{who} has not heard {others[-1]}, the last message of {channel}")
    for channel in logs:
        if not any(line["is"] == "shown" and line["channel"] == channel for line in lines):
            complaints.append(f"{channel}: nobody showed it at the end")
    return complaints, counts


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


# The ways in which a server could break its promises, as they would look in a history.

def pick(lines, condition, at=0.5):
    found = [number for number, line in enumerate(lines) if condition(line)]
    if not found:
        raise SystemExit("The history is too short to be spoilt: run the rig for longer.")
    return found[int(len(found) * at)]


def log_of(lines, least=8):
    return lines[pick(lines, lambda line: line["is"] == "log" and len(line["messages"]) >= least)]


def lose_an_acknowledged_message(lines):
    "a commit was acknowledged before it was replicated, and a failover lost it"
    del log_of(lines)["messages"][3]


def store_a_repeat_twice(lines):
    "a request ID was not recognised after a failover"
    messages = log_of(lines)["messages"]
    twin = dict(messages[2], id=messages[-1]["id"] + 1, at=messages[-1]["at"] + 1)
    messages.append(twin)


def reissue_an_id(lines):
    "a promoted standby gave a number again"
    messages = log_of(lines)["messages"]
    messages[4]["id"] = messages[3]["id"]


def swap_a_senders_messages(lines):
    "two messages of one sender were stored in the wrong order"
    log = log_of(lines)
    asks = {line["req"]: line for line in lines if line["is"] == "ask"}
    first = {}
    for number, message in enumerate(log["messages"]):
        who = asks.get(message.get("req"), {}).get("who")
        if who in first:
            one, two = log["messages"][first[who]], message
            one["req"], two["req"] = two["req"], one["req"]
            return
        first[who] = number


def sockets(lines):
    """The numbers of the lines that each socket heard of a channel, the longest list first."""
    heard = collections.defaultdict(list)
    for number, line in enumerate(lines):
        if line["is"] == "hear":
            heard[line["who"], line["session"], line["channel"]].append(number)
    return sorted(heard.values(), key=len, reverse=True)


def drop_a_hint(lines):
    "a notice was lost, and no sweep found the message"
    numbers = sockets(lines)[0]
    del lines[numbers[len(numbers) // 2]]


def stop_to_deliver(lines):
    "a host kept its sockets open and delivered nothing more"
    number = max(number for number, line in enumerate(lines) if line["is"] == "hear")
    who, session = lines[number]["who"], lines[number]["session"]
    lines[:] = [line for at, line in enumerate(lines)
                if line["is"] != "hear" or (line["who"], line["session"]) != (who, session) or at < number // 2]


def deliver_out_of_order(lines):
    "a notice overtook the one before it"
    numbers = sockets(lines)[0]
    one, two = numbers[len(numbers) // 2:][:2]
    lines[one], lines[two] = lines[two], lines[one]


def deliver_twice(lines):
    "a notice and the sweep both delivered a message"
    number = pick(lines, lambda line: line["is"] == "hear")
    lines.insert(number, copy.deepcopy(lines[number]))


def acknowledge_another_message(lines):
    "a repeat was acknowledged with a number that is not the stored one"
    lines[pick(lines, lambda line: line["is"] == "ack")]["id"] += 1


def skip_in_the_change_log(lines):
    "a token passed a transaction that had not ended"
    line = lines[pick(lines, lambda line: line["is"] == "followed" and line["texts"])]
    line["texts"].pop(next(iter(line["texts"])))


def undo_an_edit(lines):
    "an acknowledged edit was lost by a failover"
    edits = {(line["channel"], line["id"]) for line in lines if line["is"] == "edit-ack"}
    for line in lines:
        if line["is"] == "log":
            for message in line["messages"]:
                if (line["channel"], message["id"]) in edits:
                    message["text"] = "as it was before"
                    return
    raise SystemExit("The history has no edit: run the rig for longer.")


def hide_a_gap(lines):
    "a client showed a history with a hole as whole"
    del lines[pick(lines, lambda line: line["is"] == "shown" and len(line["ids"]) > 3)]["ids"][1]


def bring_a_deleted_message_back(lines):
    "an acknowledged deletion was lost by a failover"
    line = lines[pick(lines, lambda line: line["is"] == "delete-ack")]
    log = next(log for log in lines if log["is"] == "log" and log["channel"] == line["channel"])
    log["messages"].insert(0, {"id": line["id"], "at": 0, "req": None, "text": "back"})


def invent_a_message(lines):
    "a rolled-back message was delivered to a client"
    number = pick(lines, lambda line: line["is"] == "hear")
    lines.insert(number, dict(lines[number], id=7, previous=0))


def step_back_in_time(lines):
    "a host with a wrong clock gave a message an earlier time"
    messages = log_of(lines)["messages"]
    messages[5]["at"] = messages[4]["at"] - 90_000


def refuse_all_tokens(lines):
    "a server refused each token that it had given"
    line = lines[pick(lines, lambda line: line["is"] == "followed")]
    refusal = {"is": "token-refused", "who": line["who"], "channel": line["channel"]}
    lines += [refusal] * (refusals_allowed(lines) + 1)


# Each fault breaks several rules at once, so the complaint of its own rule is demanded.
SPOILS = {
    lose_an_acknowledged_message: "and is lost",
    store_a_repeat_twice: "is stored twice",
    reissue_an_id: "the ID .* stands twice",
    swap_a_senders_messages: "stands behind",
    drop_a_hint: "and not .* between them",
    stop_to_deliver: "has not heard .* the last message",
    deliver_out_of_order: "which stands later or is it",
    deliver_twice: "which stands later or is it",
    # A message that was deleted afterwards is stored as none.
    acknowledge_another_message: "and stored as|and is lost",
    skip_in_the_change_log: "change log of .* lacks .* as it is",
    undo_an_edit: "is undone",
    hide_a_gap: "are missing",
    bring_a_deleted_message_back: "was deleted and is there",
    invent_a_message: "which the log lacks",
    step_back_in_time: "the log goes from",
    refuse_all_tokens: "was refused .* tokens",
}


def spoil(lines):
    """Returns the number of planted faults that the checker misses."""
    missed = 0
    for plant, words in SPOILS.items():
        spoilt = copy.deepcopy(lines)
        plant(spoilt)
        complaints = [complaint for complaint in judge(spoilt)[0] if re.search(words, complaint)]
        missed += not complaints
        print(f"{'found ' if complaints else 'MISSED'}  {plant.__doc__}"
              + (f": {complaints[0]}" if complaints else ""))
    print(f"{len(SPOILS) - missed} of {len(SPOILS)} planted faults were found")
    return missed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--spoil"] and len(sys.argv) == 3:
        history = read(sys.argv[2])
        first, _ = judge(history)
        if first:
            raise SystemExit(f"The history is not good to begin with: {first[0]}")
        sys.exit(1 if spoil(history) else 0)
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    found, counted = judge(read(sys.argv[1]))
    for complaint in found[:50]:
        print(complaint)
    print(", ".join(f"{count} {name}" for name, count in counted.items()))
    print(f"{len(found)} complaints")
    sys.exit(1 if found else 0)
