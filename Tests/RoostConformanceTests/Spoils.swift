// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import Synchronization
import Testing

/// Faults that servers ship, each with the check that must find it.
enum Spoils {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// The check that finds the fault.
        let check: String
        /// A part of the expectation that the failure names.
        let expected: String
        /// Whether the fault shows in silence only, so that the check waits to its limit.
        var isSilent = false
        let spoil: Spoil

        var testDescription: String { name }
    }

    static let all = whole + partial

    private static let whole: [Case] = [
        Case(
            name: "an acknowledgement without req_id", check: "messages.acknowledged",
            expected: "an answer to MESG with its req_id", isSilent: true,
            spoil: frames { frame in
                if frame.name == "MESG" { frame.fields = frame.fields.with("req_id", .missing) }
            }),
        Case(
            name: "a repeated message stored twice", check: "messages.once",
            expected: "the ID of the repeat", spoil: storesTwice()),
        Case(
            name: "a repeat that is acknowledged with its own text", check: "messages.once",
            expected: "the text of the repeat", spoil: acknowledgesTextsOfRepeats()),
        Case(
            name: "a repeat that changes the kept text", check: "messages.once",
            expected: "the text as it was first sent",
            spoil: answers { call in
                guard call.isGet("/messages?") else { return }
                let messages = call.body["messages"].elements.map { message in
                    message["message"] == "once" ? message.with("message", "twice") : message
                }
                call.body = call.body.with("messages", .list(messages))
            }),
        Case(
            name: "a request ID that counts for all users", check: "messages.once-scope",
            expected: "the text of another user's message",
            spoil: swallowsKnownRequests { $0["req_id"].text }),
        Case(
            name: "a request ID that counts for all channels of a user",
            check: "messages.once-scope", expected: "the text in another channel",
            spoil: swallowsKnownRequests { fields in
                guard let text = fields["message"].text, text != "of bo" else { return nil }
                return fields["req_id"].text
            }),
        Case(
            name: "a broadcast with a req_id", check: "messages.broadcast",
            expected: "a broadcast has no req_id",
            spoil: frames { frame in
                guard frame.name == "MESG", frame.fields["req_id"].isMissing else { return }
                frame.fields = frame.fields.with("req_id", frame.fields["request_id"])
            }),
        Case(
            name: "the sender hears its own broadcast", check: "messages.sender-once",
            expected: "one frame for the sending connection",
            spoil: Spoil(down: { frame in
                guard frame.name == "MESG", frame.fields["req_id"].text?.isEmpty == false else {
                    return [frame]
                }
                var echo = frame
                echo.fields = frame.fields.with("req_id", .missing)
                return [frame, echo]
            })),
        Case(
            name: "a page in the wrong order", check: "pages.time", expected: "the messages",
            spoil: answers { call in
                guard call.isGet("/messages?") else { return }
                call.body = call.body.with(
                    "messages", .list(call.body["messages"].elements.reversed()))
            }),
        Case(
            name: "a change log without deletions", check: "changes.deleted",
            expected: "the message in deleted only",
            spoil: answers { call in
                guard call.isGet("/messages/changelogs") else { return }
                call.body = call.body.with("deleted", [])
            }),
        Case(
            name: "a change log that ends too early", check: "changes.complete",
            expected: "all 120 messages",
            spoil: answers { call in
                guard call.isGet("/messages/changelogs") else { return }
                let updated = Array(call.body["updated"].elements.prefix(50))
                call.body = call.body.with("updated", .list(updated)).with("has_more", false)
            }),
        Case(
            name: "a wrong error code", check: "connection.unknown-session",
            expected: "the code 400303",
            spoil: answers { call in
                if call.body["code"] == 400_303 { call.body = call.body.with("code", 400_201) }
            }),
        Case(
            name: "an error with the status 200", check: "users.unknown", expected: "400",
            spoil: answers { call in call.status = 200 }),
        Case(
            name: "a wrong unread count", check: "receipts.unread",
            expected: "unread_message_count is 1",
            spoil: answers { call in
                guard let count = call.body["unread_message_count"].int, count > 0 else { return }
                call.body = call.body.with("unread_message_count", .int(count + 1))
            }),
        Case(
            name: "an edit that no other socket hears", check: "messages.edit",
            expected: "MEDI at a member's socket", isSilent: true,
            spoil: Spoil(down: { frame in
                frame.name == "MEDI" && frame.fields["req_id"].isMissing ? [] : [frame]
            })),
        Case(
            name: "a time in seconds", check: "messages.fields",
            expected: "created_at, a time in milliseconds",
            spoil: answers { call in
                guard let time = call.body["created_at"].int, !call.body["message_id"].isMissing
                else { return }
                call.body = call.body.with("created_at", .int(time / 1_000))
            }),
        Case(
            name: "a READ that is never acknowledged", check: "receipts.read",
            expected: "an answer to READ", isSilent: true,
            spoil: Spoil(down: { frame in
                frame.name == "READ" && !frame.fields["req_id"].isMissing ? [] : [frame]
            })),
        Case(
            name: "a wrong token that is let in", check: "connection.wrong-token",
            expected: "LOGI with error",
            spoil: frames { frame in
                guard frame.name == "LOGI", frame.fields["code"] == 400_302 else { return }
                frame.fields = ["user_id": "anyone", "key": "an-open-door", "ekey": "e"]
            }),
        Case(
            name: "a list that loses a channel between its pages", check: "channels.pages",
            expected: "seven channels, each once",
            spoil: answers { call in
                guard call.isGet("/my_group_channels?"),
                    call.body["next"].text?.isEmpty == false
                else { return }
                call.body = call.body.with(
                    "channels", .list(Array(call.body["channels"].elements.dropLast())))
            }),
        Case(
            name: "a subprotocol that is not echoed", check: "connection.token-subprotocol",
            expected: "the handshake echoes the subprotocol",
            spoil: Spoil(echoesSubprotocol: false)),
        Case(
            name: "typing that is told to no one", check: "members.typing",
            expected: "SYEV 10900", isSilent: true,
            spoil: Spoil(down: { $0.fields["cat"] == 10_900 ? [] : [$0] })),
        Case(
            name: "an acknowledgement of the empty req_id", check: "socket.empty-request",
            expected: "no acknowledgement",
            spoil: frames { frame in
                guard frame.name == "READ", frame.fields["req_id"].isMissing else { return }
                frame.fields = frame.fields.with("req_id", "")
            }),
        Case(
            name: "a broadcast and an acknowledgement of the empty req_id",
            check: "socket.empty-request", expected: "one READ without req_id at most",
            spoil: Spoil(down: { $0.name == "READ" ? [$0, $0] : [$0] })),
        Case(
            name: "a wrong neighbour", check: "messages.predecessor",
            expected: "previous_message_id is",
            spoil: frames { frame in
                if !frame.fields["previous_message_id"].isMissing {
                    frame.fields = frame.fields.with("previous_message_id", 1)
                }
            }),
        Case(
            name: "request IDs known to the socket only", check: "messages.once-rest",
            expected: "the ID of MESG repeated by REST", spoil: forgetsPostedRequests("MESG")),
        Case(
            name: "request IDs of files known to the socket only", check: "messages.once-rest",
            expected: "the ID of FILE repeated by REST", spoil: forgetsPostedRequests("FILE")),
        Case(
            name: "has_next of the anchor", check: "pages.has-next",
            expected: "has_next of a page up to 3 of 0 to 3 is false",
            spoil: answers { call in
                guard call.isGet("/messages?"), !call.target.contains("next_limit=0"),
                    !call.body["has_next"].isMissing
                else { return }
                call.body = call.body.with("has_next", true)
            }),
        Case(
            name: "a search in any named channel", check: "search.own-channels",
            expected: "nothing for a stranger", spoil: findsForStrangers()),
        Case(
            name: "a search without a channel that finds nothing", check: "search.own-channels",
            expected: "a member finds the message", isSilent: true,
            spoil: answers { call in
                guard call.isGet("/search/messages"), !call.target.contains("channel_url") else {
                    return
                }
                call.body = call.body.with("results", [])
            }),
        Case(
            name: "an edit of another user's message by REST", check: "messages.edit-foreign",
            expected: "is refused with 400", spoil: permits("PUT", "/messages/", code: 900_022)),
        Case(
            name: "a deletion of another user's message", check: "messages.delete-foreign",
            expected: "is refused with 400", spoil: permits("DELETE", "/messages/", code: 900_022)),
        Case(
            name: "a message that strangers read", check: "pages.members-only",
            expected: "/messages/", spoil: permits("GET", "/messages/", code: 900_020)),
        Case(
            name: "a change log that strangers read", check: "pages.members-only",
            expected: "/messages/changelogs",
            spoil: permits("GET", "/messages/changelogs", code: 900_020)),
        Case(
            name: "members that strangers read", check: "pages.members-only",
            expected: "/members", spoil: permits("GET", "/members", code: 900_020)),
        Case(
            name: "a gap that strangers read", check: "gap.members-only",
            expected: "/messages_gap", spoil: permits("GET", "/messages_gap", code: 900_020)),
        Case(
            name: "a long text that is cut in the log", check: "messages.long-text",
            expected: "the whole text as it is kept",
            spoil: cutsLongTexts()),
        Case(
            name: "a gap whose newer side is always whole", check: "gap.complete",
            expected: "0 messages on the side next",
            spoil: answers { call in
                guard call.isGet("next_cache_count=6"), !call.body["next_messages"].isMissing else {
                    return
                }
                call.body = call.body.with("next_messages", [["message_id": 1]])
            }),
        Case(
            name: "a huge gap that is not told", check: "gap.huge", expected: "a huge gap",
            spoil: answers { call in
                guard call.isGet("/messages_gap"), call.body["is_huge_gap"] == true else { return }
                call.body = call.body.with("is_huge_gap", false)
            }),
        Case(
            name: "a huge gap with messages", check: "gap.huge", expected: "two empty lists",
            spoil: answers { call in
                guard call.isGet("/messages_gap"), call.body["is_huge_gap"] == true else { return }
                call.body = call.body.with("next_messages", [["message_id": 1]])
            }),
        Case(
            name: "a huge gap that begins too early", check: "gap.huge",
            expected: "301 messages on the side prev",
            spoil: answers { call in
                guard call.isGet("/messages_gap"), call.body["prev_messages"].elements.count > 300
                else { return }
                call.body = call.body.with("is_huge_gap", true).with("prev_messages", [])
            }),
        Case(
            name: "a search with the oldest message first", check: "search.word",
            expected: "the newest first", isSilent: true,
            spoil: answers { call in
                guard call.isGet("/search/messages") else { return }
                call.body = call.body.with(
                    "results", .list(call.body["results"].elements.reversed()))
            }),
        Case(
            name: "a list that comes back to a page", check: "users.pages",
            expected: "an empty next",
            spoil: answers { call in
                guard call.isGet("/users?"), call.target.contains("nickname_startswith") else {
                    return
                }
                call.status = 200
                call.body = ["users": [], "next": "again"]
            }),
        Case(
            name: "an edit by REST that is not kept", check: "messages.edit-rest",
            expected: "the kept text",
            spoil: answers { call in
                guard call.isGet("/messages/") else { return }
                call.body = call.body.with("message", "before")
            }),
        Case(
            name: "an edit of a file that loses the file", check: "messages.edit-file",
            expected: "url of FEDI",
            spoil: frames { frame in
                if frame.name == "FEDI" { frame.fields = frame.fields.with("url", .missing) }
            }),
        Case(
            name: "an extended message that is dropped", check: "messages.unchanged",
            expected: "extended_message of the broadcast",
            spoil: frames { frame in
                frame.fields = frame.fields.with("extended_message", .missing)
            }),
        Case(
            name: "a channel that is marked as unread and counts nothing",
            check: "receipts.mark-unread", expected: "unread_message_count of the channel is 2",
            spoil: answers { call in
                guard call.isGet("/v3/group_channels/"), call.body["unread_message_count"] == 2
                else { return }
                call.body = call.body.with("unread_message_count", 0)
            }),
        Case(
            name: "marking as unread that all members hear", check: "receipts.mark-unread-own",
            expected: "the other member receives nothing of it", spoil: tellsUnreadMarksToAll()),
        Case(
            name: "a shown channel of which no one hears", check: "members.show",
            expected: "SYEV 13001", isSilent: true,
            spoil: Spoil(down: { $0.fields["cat"] == 13_001 ? [] : [$0] })),
        Case(
            name: "a channel that each message shows again", check: "members.show",
            expected: "the list while the channel is hidden",
            spoil: Spoil(ask: { _, target, body in
                target.hasSuffix("/hide") ? body.with("allow_auto_unhide", true) : body
            })),
        Case(
            name: "a history that ends and still counts", check: "members.reset-history",
            expected: "unread_message_count is 0",
            spoil: answers { call in
                guard call.isGet("/v3/group_channels/"), call.body["last_message"] == .null else {
                    return
                }
                call.body = call.body.with("unread_message_count", 1)
            }),
        Case(
            name: "a plain member who ends all histories", check: "members.reset-all",
            expected: "is refused with 400",
            spoil: permits("PUT", "/reset_user_history", code: 400_108)),
        Case(
            name: "a change log that invited users read", check: "members.guest",
            expected: "/messages/changelogs",
            spoil: permits("GET", "/messages/changelogs", code: 900_023)),
        Case(
            name: "a hidden message that is answered by its ID", check: "pages.hidden-history",
            expected: "/messages/", spoil: permits("GET", "/messages/", code: 900_300)),
        Case(
            name: "an access code that no one needs", check: "moderation.access-code",
            expected: "a refusal without the code", spoil: permits("PUT", "/join", code: 400_108)),
        Case(
            name: "a list of public channels with another one", check: "channels.public",
            expected: "the public channel only",
            spoil: answers { call in
                guard call.isGet("/v3/group_channels?") else { return }
                let channels = call.body["channels"].elements + [["channel_url": "private"]]
                call.body = call.body.with("channels", .list(channels))
            }),
        Case(
            name: "a huge gap of both sides that is not told", check: "gap.huge",
            expected: "150 and 151 missing messages",
            spoil: answers { call in
                guard call.isGet("/messages_gap"), call.target.contains("prev_start_ts"),
                    call.target.contains("next_start_ts")
                else { return }
                call.body = call.body.with("is_huge_gap", false)
            }),
        Case(
            name: "a message between two stretches that counts once", check: "gap.edges",
            expected: "3 messages on the side next",
            spoil: answers { call in
                guard call.isGet("next_cache_count=2") else { return }
                call.body = call.body.with("next_messages", [])
            }),
        Case(
            name: "a search that ends too early", check: "search.pages",
            expected: "three messages, each once",
            spoil: answers { call in
                guard call.isGet("/search/messages"), call.target.contains("limit=1") else {
                    return
                }
                call.body = call.body.with("has_next", false)
            }),
        Case(
            name: "a deactivated user who is let in", check: "connection.deactivated",
            expected: "LOGI with error",
            spoil: frames { frame in
                guard frame.name == "LOGI", frame.fields["code"] == 400_300 else { return }
                frame.fields = ["user_id": "anyone", "key": "an-open-door", "ekey": "e"]
            }),
        Case(
            name: "numbers of members without open channels", check: "super.counts",
            expected: "MCNT has open_channels",
            spoil: frames { frame in
                if frame.name == "MCNT" {
                    frame.fields = frame.fields.with("open_channels", .missing)
                }
            }),
    ]

    static func answers(_ change: @escaping @Sendable (inout Spoil.Call) -> Void) -> Spoil {
        Spoil(answer: change)
    }

    static func frames(_ change: @escaping @Sendable (inout Spoil.Command) -> Void) -> Spoil {
        Spoil(down: { frame in
            var changed = frame
            change(&changed)
            return [changed]
        })
    }

    /// Permits calls that are refused with a code.
    static func permits(_ method: String, _ path: String, code: Int64) -> Spoil {
        answers { call in
            guard call.method == method, call.target.contains(path),
                call.body["code"] == .int(code)
            else { return }
            (call.status, call.body) = (200, [:])
        }
    }

    /// Puts a user's mark as unread before the next message that each socket gets.
    private static func tellsUnreadMarksToAll() -> Spoil {
        let told = Mutex<Spoil.Command?>(nil)
        return Spoil(down: { frame in
            let isMark = frame.fields["is_excluded"] == true
            if isMark { told.withLock { $0 = frame } }
            guard frame.name == "MESG", frame.fields["req_id"].isMissing else { return [frame] }
            return told.withLock { $0.map { [$0] } ?? [] } + [frame]
        })
    }

    /// Answers the search of a stranger with the last results of a member.
    private static func findsForStrangers() -> Spoil {
        let found = Mutex<JSON>(.missing)
        return answers { call in
            guard call.isGet("/search/messages"), call.target.contains("channel_url") else {
                return
            }
            let isFound = !call.body["results"].elements.isEmpty
            let known = found.withLock { found in
                if isFound { found = call.body }
                return found
            }
            if !known.isMissing { (call.status, call.body) = (200, known) }
        }
    }

    /// Keeps the beginning of a long posted text, and answers and broadcasts the whole.
    private static func cutsLongTexts() -> Spoil {
        let known = Mutex<(kept: String, whole: String)>(("", ""))
        @Sendable func restored(_ fields: JSON) -> JSON {
            let (kept, whole) = known.withLock { $0 }
            guard !kept.isEmpty, fields["message"] == .text(kept) else { return fields }
            return fields.with("message", .text(whole))
        }
        return Spoil(
            ask: { method, _, body in
                guard method == "POST", let text = body["message"].text, text.count > 1_000 else {
                    return body
                }
                let beginning = String(text.prefix(1_000))
                known.withLock { $0 = (beginning, text) }
                return body.with("message", .text(beginning))
            },
            answer: { call in
                if call.method == "POST" { call.body = restored(call.body) }
            },
            down: { frame in
                var changed = frame
                changed.fields = restored(frame.fields)
                return [changed]
            })
    }

    /// Gives each posted message of a kind another request ID.
    private static func forgetsPostedRequests(_ kind: String) -> Spoil {
        Spoil(ask: { method, target, body in
            guard method == "POST", target.hasSuffix("/messages"),
                body["message_type"] == .text(kind), let name = body["req_id"].text
            else { return body }
            return body.with("req_id", .text(name + "~"))
        })
    }

    /// Acknowledges a repeated message with the text that came last.
    private static func acknowledgesTextsOfRepeats() -> Spoil {
        let texts = Mutex<[String: JSON]>([:])
        return Spoil(
            down: { frame in
                guard frame.name == "MESG", let name = frame.fields["req_id"].text,
                    let text = texts.withLock({ $0[name] })
                else { return [frame] }
                var changed = frame
                changed.fields = frame.fields.with("message", text)
                return [changed]
            },
            up: { command in
                let text = command.fields["message"]
                if command.name == "MESG", let name = command.fields["req_id"].text {
                    texts.withLock { $0[name] = text }
                }
                return [command]
            })
    }

    /// Loses a message with a known request ID, and acknowledges it with the first one of that ID.
    ///
    /// - Parameter request: Gives the request ID of a message; nil for one that is spared.
    /// - Returns: The fault.
    private static func swallowsKnownRequests(
        _ request: @escaping @Sendable (_ message: JSON) -> String?
    ) -> Spoil {
        let known = Mutex<[String: Spoil.Command]>([:])
        return Spoil(
            down: { frame in
                guard let name = frame.fields["req_id"].text else { return [frame] }
                let stored = known.withLock { known in
                    if frame.name == "MESG", known[name] == nil { known[name] = frame }
                    return known[name]
                }
                guard frame.name == "EROR", let stored else { return [frame] }
                return [stored]
            },
            up: { command in
                guard command.name == "MESG", let name = request(command.fields),
                    known.withLock({ $0[name] != nil })
                else { return [command] }
                // The server refuses a message to a channel that it does not know.
                var lost = command
                lost.fields = command.fields.with("channel_url", "none")
                return [lost]
            })
    }

    /// Gives each command a request ID of its own, and the client its own one back.
    private static func storesTwice() -> Spoil {
        let count = Mutex(0)
        return Spoil(
            down: { frame in
                guard let name = frame.fields["req_id"].text, let end = name.firstIndex(of: "~")
                else { return [frame] }
                var changed = frame
                changed.fields = frame.fields.with("req_id", .text(String(name[..<end])))
                return [changed]
            },
            up: { command in
                guard command.name == "MESG", let name = command.fields["req_id"].text else {
                    return [command]
                }
                let number = count.withLock { number in
                    number += 1
                    return number
                }
                var changed = command
                changed.fields = command.fields.with("req_id", .text("\(name)~\(number)"))
                return [changed]
            })
    }
}
