// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

/// Tests that a field of a newer server comes back out of the object it was in.
///
/// The tests walk an object with all its fields, and put an unknown field into each object inside
/// it. An object of the wire whose unknown fields are forgotten fails here.
struct NestedUnknownFieldsTests {
    private static let name = "from_the_future"

    /// The objects that are maps: their names are the app's or users' IDs, so none is unknown.
    private static let maps: Set<String> = [
        "metadata", "translations", "read_receipt", "delivery_receipt", "metaarray",
    ]

    /// Returns a value in which each object has an unknown field with its path.
    private static func marking(_ value: JSONValue, at path: String = "") -> JSONValue {
        switch value {
        case .array(let values):
            return .array(values.enumerated().map { marking($1, at: "\(path)/\($0)") })
        case .object(let fields):
            if maps.contains(path.split(separator: "/").last.map(String.init) ?? "") {
                return value
            }
            var marked = JSONValue.object(
                fields.filter { $0.name != name }.map {
                    JSONValue.Field($0.name, marking($0.value, at: "\(path)/\($0.name)"))
                })
            marked[name] = ["was": .string(path)]
            return marked
        default: return value
        }
    }

    /// Returns the places of the unknown fields, with the paths in them.
    private static func marks(_ value: JSONValue, at path: String = "") -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        switch value {
        case .array(let values):
            for (index, value) in values.enumerated() {
                found.merge(marks(value, at: "\(path)/\(index)")) { $1 }
            }
        case .object(let fields):
            for field in fields {
                if field.name == name {
                    found[path] = field.value["was"] ?? .null
                } else {
                    found.merge(marks(field.value, at: "\(path)/\(field.name)")) { $1 }
                }
            }
        default: break
        }
        return found
    }

    private static func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return writer.text
    }

    /// Marks every object of a text, and compares the result of decoding and encoding it.
    ///
    /// - Returns: The places of the marks.
    @discardableResult
    private func check(
        _ text: String, _ copy: (inout JSONReader) throws -> String
    ) throws -> Set<String> {
        let marked = Self.marking(try JSONValue(parsing: text))
        let wanted = Self.marks(marked)
        var reader = JSONReader(marked.text)
        let again = try copy(&reader)
        let found = Self.marks(try JSONValue(parsing: again))
        for (path, mark) in wanted { #expect(found[path] == mark, "lost from \(path)") }
        for (path, mark) in found { #expect(wanted[path] == mark, "leaked into \(path)") }
        // A name that occurs twice in one object hides its first value.
        #expect(again.split(separator: "\"\(Self.name)\"").count == found.count + 1)
        return Set(wanted.keys)
    }

    private func checkMessage(_ message: Message) throws -> Set<String> {
        try check(Self.text { $0.message(message) }) { reader in
            let message = try reader.readMessage()
            return Self.text { $0.message(message) }
        }
    }

    private static func fullMessage(_ seed: UInt64, _ content: MessageContent? = nil) -> Message {
        var samples = Samples(seed: seed, isFull: true)
        var message = samples.message()
        // Administrators' messages have no sender.
        message.content = content ?? .file(samples.fileWithAll())
        if message.sender == nil { message.sender = Sender(user: samples.user()) }
        if case .file(var file) = message.content {
            file.data = ""
            message.content = .file(file)
        }
        return message
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `every object inside a message keeps its own unknown fields (scars 76, 83)`(
        seed: UInt64
    ) throws {
        let paths = try checkMessage(Self.fullMessage(seed))
        // The walk must have reached these objects; an absent one proves nothing.
        for path in [
            "", "/user", "/sorted_metaarray/0", "/file", "/thumbnails/0", "/files/0",
            "/files/0/thumbnails/0", "/reactions/0", "/thread_info", "/thread_info/most_replies/0",
            "/parent_message_info", "/parent_message_info/file", "/parent_message_info/user",
            "/og_tag", "/og_tag/og:image", "/poll", "/poll/data", "/poll/options/0",
            "/poll/options/0/partial_voter_list/0", "/mentioned_users/0", "/extended_message",
            "/extended_message_payload", "/plugins/0", "/notification_data", "/message_events",
            "/apple_critical_alert_options",
        ] { #expect(paths.contains(path), "\(path) is in no sample") }
    }

    @Test(arguments: [MessageContent.user(text: "t"), .admin(text: "t"), .unknown(kind: "HOLO")])
    func `every object of a message without a file keeps its unknown fields (scar 76)`(
        content: MessageContent
    ) throws {
        #expect(try checkMessage(Self.fullMessage(1, content)).contains("/file"))
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `every object inside a frame's message keeps its unknown fields (scar 76)`(
        seed: UInt64
    ) throws {
        var message = Self.fullMessage(seed)
        // A frame does not contain them.
        message.details.poll?.votedOptionIDs = nil
        // Without it a frame has meta arrays as a map only.
        message.metaArrays[0].unknownFields.keep(UnknownFields.Field(name: Self.name, json: "1"))
        let frame = ServerEvent.message(MessageEvent(message: message)).encoded
        let (command, payload) = (frame.prefix(4), frame.dropFirst(4))
        let paths = try check(String(payload)) { reader in
            // A frame is one line.
            let marked = try reader.readRaw()
            let events = ServerEvent.decodeAll(command + marked)
            let event = try #require(events.first).get()
            guard case .message(let told) = event else { throw CancellationError() }
            return String(
                ServerEvent.message(MessageEvent(message: told.message)).encoded.dropFirst(4))
        }
        #expect(paths.contains("/file") && paths.contains("/sorted_metaarray/0"))
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `every object inside a channel keeps its own unknown fields (scars 76, 83)`(
        seed: UInt64
    ) throws {
        var samples = Samples(seed: seed, isFull: true)
        var channel = samples.channel()
        channel.lastMessage = Self.fullMessage(seed)
        channel.latestPinnedMessage = Self.fullMessage(seed + 100)
        let paths = try check(Self.text { $0.groupChannel(channel) }) { reader in
            let channel = try reader.readGroupChannel()
            return Self.text { $0.groupChannel(channel) }
        }
        for path in [
            "", "/created_by", "/members/0", "/operators/0", "/inviter", "/latest_message",
            "/disappearing_message", "/last_message", "/last_message/poll/options/0",
            "/latest_pinned_message/user",
        ] { #expect(paths.contains(path), "\(path) is in no sample") }
    }

    @Test func `an object with unknown fields only is written with them (scar 76)`()
        throws
    {
        let head = #"{"channel_url":"g","created_at":1"#
        for rest in [
            #""latest_message":{"from_the_future":{"was":"/latest_message"}}"#,
            #""disappearing_message":{"from_the_future":{"was":"/disappearing_message"}}"#,
        ] {
            var reader = JSONReader("\(head),\(rest)}")
            let channel = try reader.readGroupChannel()
            #expect(channel.latestMessage == nil && !channel.isSurvivalTriggeredByRead)
            #expect(Self.text { $0.groupChannel(channel) }.contains(rest))
        }
        var reader = JSONReader(#"{"id":1,"data":{"from_the_future":1}}"#)
        let poll = try #require(try reader.readPollIfPresent())
        let text = Self.text { writer in writer.object { $0.fields(of: poll) } }
        #expect(try JSONValue(parsing: text)["data"] == ["from_the_future": 1])
    }

    @Test func `a member's unknown fields stay with the member of that channel (scar 76)`() throws {
        var reader = JSONReader(#"{"user_id":"a","state":"joined","badge":1,"require_auth":2}"#)
        let member = try reader.readMember()
        #expect(member.user.unknownFields.isEmpty)
        #expect(member.unknownFields.fields.map(\.name) == ["badge", "require_auth"])
        var other = JSONReader(
            #"{"type":"MESG","message_id":1,"created_at":2,"channel_url":"g","#
                + #""user":{"user_id":"a","state":"joined","is_muted":true,"badge":2}}"#)
        let sender = try #require(try other.readMessage().sender)
        #expect(sender.user == member.user)
        #expect(sender.unknownFields.fields.map(\.name) == ["badge", "is_muted", "state"])
    }

    @Test func `a member's field is written once, though the user has one of its name (scar 76)`()
        throws
    {
        var user = User(id: "a")
        for (name, json) in [("state", #""invited""#), ("badge", "1"), ("locale", #""de""#)] {
            user.unknownFields.keep(UnknownFields.Field(name: name, json: json))
        }
        var member = Member(user: user)
        member.unknownFields.keep(UnknownFields.Field(name: "badge", json: "2"))
        let text = Self.text { $0.member(member) }
        #expect(text.split(separator: "\"state\"").count == 2)
        let value = try JSONValue(parsing: text)
        #expect(value["state"] == "joined" && value["badge"] == 2 && value["locale"] == "de")
    }

    @Test func `an object keeps a bounded number of a hundred thousand unknown fields`() throws {
        // In descending order, each field would move all that were kept before it.
        let names = (100_000..<200_000).reversed().map { ",\"z\($0)\":0" }.joined()
        let head = #"{"type":"MESG","message_id":1,"created_at":2,"channel_url":"g","message":"t""#
        var reader = JSONReader(head + names + "}")
        let read = try reader.readMessage()
        #expect(read.content == .user(text: "t"))
        #expect(read.unknownFields.fields.count == UnknownFields.limit)
        #expect(read.unknownFields.fields.last?.name == "z199999")
    }

    @Test func `the order of unknown fields does not affect equality (scar 83)`() throws {
        let head = #"{"type":"MESG","message_id":1,"created_at":2,"channel_url":"g","poll":{"id":1"#
        var one = JSONReader(
            head + #","a":1,"b":2,"data":{"y":1,"x":2},"options":[{"id":1,"c":1,"d":2}]}}"#)
        var other = JSONReader(
            head + #","b":2,"options":[{"d":2,"c":1,"id":1}],"data":{"x":2,"y":1},"a":1}}"#)
        let message = try one.readMessage()
        #expect(try other.readMessage() == message)
        #expect(message.details.poll?.unknownFields["a"] == "1")
    }
}
