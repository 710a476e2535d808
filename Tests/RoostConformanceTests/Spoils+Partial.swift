// SPDX-License-Identifier: Apache-2.0

import RoostConformance

/// Servers that keep a part of a rule.
extension Spoils {
    static let partial = halves + rights

    private static let halves: [Case] = [
        Case(
            name: "a channel that is hidden in the lists of all members", check: "members.hide",
            expected: "the list of the other member",
            spoil: answers { call in
                guard call.isGet("ada/my_group_channels") else { return }
                call.body = call.body.with("channels", [])
            }),
        Case(
            name: "a text in another form of Unicode", check: "socket.escapes",
            expected: "the acknowledged text", spoil: decomposesAccents()),
        Case(
            name: "a file key that opens a socket", check: "connection.file-key",
            expected: "LOGI with error",
            spoil: frames { frame in
                guard frame.name == "LOGI", frame.fields["code"] == 400_303 else { return }
                frame.fields = ["user_id": "anyone", "key": "an-open-door", "ekey": "e"]
            }),
        Case(
            name: "a login without a session key", check: "connection.no-token-words",
            expected: "LOGI with the user and a session key",
            spoil: frames { frame in
                guard frame.name == "LOGI",
                    frame.fields["user_id"].text?.hasSuffix("-user") == true
                else { return }
                frame.fields = frame.fields.with("key", .missing)
            }),
        Case(
            name: "a reading of all channels that leaves them unread",
            check: "receipts.read-all", expected: "unread_count of unread_channel_count",
            spoil: answers { call in
                guard call.isGet("/unread_channel_count"), call.body["unread_count"] == 0
                else { return }
                call.body = call.body.with("unread_count", 2)
            }),
        Case(
            name: "a reading of all channels that leaves their mentions",
            check: "receipts.read-all", expected: "unread_mention_count of each channel",
            spoil: answers { call in
                guard call.isGet("/v3/group_channels/"), call.body["unread_mention_count"] == 0
                else { return }
                call.body = call.body.with("unread_mention_count", 1)
            }),
        Case(
            name: "an event without the changed metadata", check: "data.channel",
            expected: "updated of the event of a change",
            spoil: events(11_100) { $0.with("updated", [:]) }),
        Case(
            name: "an event without the deleted metadata", check: "data.channel",
            expected: "deleted of the event of a deletion",
            spoil: events(11_100) { $0.with("deleted", []) }),
        Case(
            name: "an event without the changed counter", check: "data.counters",
            expected: "updated of the event of increase",
            spoil: events(11_200) { $0.with("updated", [:]) }),
        Case(
            name: "the end of a pin with the pin of before", check: "reactions.pin",
            expected: "no pinned_message_ids in the last event",
            spoil: events(11_300) { data in
                data["pinned_message_ids"].isMissing
                    ? data.with("pinned_message_ids", [1]) : data
            }),
        Case(
            name: "members that are named twice", check: "channels.members",
            expected: "both members, each once",
            spoil: answers { call in
                guard call.isGet("show_member=true") else { return }
                let members = call.body["members"].elements
                call.body = call.body.with("members", .list(members + members))
            }),
    ]

    private static let rights: [Case] = [
        ("makes itself operator", "POST", "/operators"), ("freezes", "PUT", "/freeze"),
        ("ends a mute", "DELETE", "/mute/"), ("ends a ban", "DELETE", "/ban/"),
    ].map { deed, method, path in
        Case(
            name: "a plain member who \(deed)", check: "moderation.rights", expected: path,
            spoil: permits(method, path, code: 400_108))
    }

    /// Changes the data of a channel's events of a category.
    private static func events(
        _ category: Int64, _ change: @escaping @Sendable (_ data: JSON) -> JSON
    ) -> Spoil {
        frames { frame in
            guard frame.fields["cat"] == .int(category) else { return }
            frame.fields = frame.fields.with("data", change(frame.fields["data"]))
        }
    }

    /// Keeps each é as an e with a combining accent, which makes an equal string of other bytes.
    private static func decomposesAccents() -> Spoil {
        Spoil(up: { command in
            guard let text = command.fields["message"].text else { return [command] }
            var scalars = String.UnicodeScalarView()
            for scalar in text.unicodeScalars {
                scalars.append(contentsOf: scalar == "\u{E9}" ? ["e", "\u{301}"] : [scalar])
            }
            var changed = command
            changed.fields = command.fields.with("message", .text(String(scalars)))
            return [changed]
        })
    }
}
