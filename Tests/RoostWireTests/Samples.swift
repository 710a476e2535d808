// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostTestSupport
import RoostWire

/// Makes values with every field set now and then, from a seed.
struct Samples {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func flag() -> Bool { Bool.random(using: &random) }

    mutating func text() -> String {
        let pieces = [
            "a", "é", "日本", "👩‍👩‍👧", "\"", "\\", "\n", "\u{0}", "\u{7F}", "/", "null", " ", "\u{2028}",
            "'; --",
        ]
        return (0..<number(0...6)).map { _ in pieces[number(0...(pieces.count - 1))] }.joined()
    }

    mutating func name() -> String { "n\(number(0...999))" + text() }

    mutating func moment() -> Timestamp {
        Timestamp(milliseconds: Int64(number(1...2_000_000_000_000)))
    }

    mutating func seconds() -> Timestamp { Timestamp(seconds: Int64(number(1...2_000_000_000))) }

    mutating func optional<Value>(_ make: (inout Samples) -> Value) -> Value? {
        flag() ? make(&self) : nil
    }

    mutating func list<Value>(_ make: (inout Samples) -> Value) -> [Value] {
        (0..<number(0...3)).map { _ in make(&self) }
    }

    mutating func unknown(_ names: [String]) -> UnknownFields {
        var fields = UnknownFields()
        for name in names where flag() {
            fields.keep(UnknownFields.Field(name: name, json: value(depth: 2).text))
        }
        return fields
    }

    mutating func value(depth: Int) -> JSONValue {
        switch number(0...(depth > 0 ? 6 : 4)) {
        case 0: .null
        case 1: .bool(flag())
        case 2: .int(Int64.random(in: .min ... .max, using: &random))
        case 3: .number("\(number(0...99)).5e-\(number(0...20))")
        case 4: .string(text())
        case 5: .array(list { $0.value(depth: depth - 1) })
        default:
            .object(
                list { $0.number(0...9_999) }.enumerated().map {
                    JSONValue.Field("k\($0.offset)-\($0.element)", value(depth: depth - 1))
                })
        }
    }

    mutating func user() -> User {
        var metadata: [String: String] = [:]
        for _ in 0..<number(0...3) { metadata[name()] = text() }
        return User(
            id: UserID(name()), nickname: text(), profileURL: text(), metadata: metadata,
            isActive: flag(), unknownFields: unknown(["is_online", "preferred_languages"]))
    }

    mutating func role() -> Role { flag() ? .operator : .none }

    mutating func member() -> Member {
        Member(
            user: user(), state: flag() ? .joined : .invited, role: role(), isMuted: flag(),
            joinedAt: optional { $0.seconds() })
    }

    mutating func content() -> MessageContent {
        switch number(0...2) {
        case 0: .user(text: text())
        case 1:
            .file(
                FileContent(
                    url: text(), name: text(), type: "image/png",
                    size: ByteCount(bytes: Int64(number(0...9_999_999))), caption: text()))
        default: .admin(text: text())
        }
    }

    mutating func message() -> Message {
        var message = Message(
            delivery: .delivered(
                MessageID(Int64(number(1...Int(Int32.max)))),
                optional { RequestID($0.name()) }),
            channelURL: ChannelURL(name()), createdAt: moment(),
            updatedAt: optional { $0.moment() },
            content: content(), data: text(), customType: text(),
            metaArrays: list { $0.number(0...9_999) }.enumerated().map {
                MetaArray(key: "k\($0.offset)-\($0.element)", values: list { $0.text() })
            },
            isSilent: flag(),
            unknownFields: unknown([
                "reactions", "thread_info", "og_tag", "poll", "translations", "from_the_future",
            ]))
        message.parentID = optional { MessageID(Int64($0.number(1...999))) }
        message.isReplyToChannel = message.parentID != nil && flag()
        if case .admin = message.content {
        } else {
            message.sender = Sender(user: user(), role: role())
        }
        if case .file = message.content {
            message.unknownFields.keep(
                UnknownFields.Field(name: "thumbnails", json: #"[{"url":"t"}]"#))
            message.unknownFields.keep(
                UnknownFields.Field(name: "file.require_auth", json: "true"))
        }
        message.setMention(flag() ? .users : .channel, users: list { $0.user() })
        return message
    }

    mutating func channel() -> GroupChannel {
        GroupChannel(
            url: ChannelURL(name()), name: text(), coverURL: text(), data: text(),
            customType: text(), createdAt: seconds(), createdBy: optional { $0.user() },
            isDistinct: flag(), isSuper: flag(), isBroadcast: flag(), isPublic: flag(),
            isFrozen: flag(), members: list { $0.member() }, memberCount: number(0...99),
            joinedMemberCount: number(0...99), unreadMessageCount: number(0...99),
            unreadMentionCount: number(0...99), lastMessage: optional { $0.message() },
            myState: flag() ? .joined : .invited, myRole: role(),
            myLastRead: optional { $0.moment() }, messageOffset: optional { $0.moment() },
            unknownFields: unknown(["read_receipt", "inviter", "hidden_state"]))
    }
}
