// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import RoostWire
import Testing

/// Unknown fields inside the objects of messages and channels, stored with their object.
struct NestedFieldsTests {
    /// A message of a newer server, with an unknown field in each object.
    private static let messageText = """
        {"type":"FILE","message_id":7,"created_at":7,"channel_url":"channel","new":1,\
        "user":{"user_id":"ann","new":2},"message":"c","data":"{}","silent":false,\
        "sorted_metaarray":[{"key":"j","value":[]},{"key":"k","value":["v"],"new":3}],\
        "file":{"url":"u","name":"n","type":"t","size":3,"new":4},\
        "thumbnails":[{"url":"x"},{"url":"y","new":5}],\
        "files":[{"url":"u","thumbnails":[{"url":"p"},{"url":"q","new":6}],"new":7},{"url":"v"}],\
        "reactions":[{"key":"h","user_ids":["a"],"updated_at":1,"new":8}],\
        "thread_info":{"reply_count":1,"most_replies":[{"user_id":"bob","new":9}],"new":10},\
        "parent_message_info":{"type":"FILE","ts":1,"user":{"user_id":"cid","new":11},"new":12,\
        "file":{"url":"w","name":"n","new":13},\
        "files":[{"url":"w","thumbnails":[{"url":"z","new":14}],"new":15}]},\
        "parent_message_id":3,"og_tag":{"og:title":"o","og:image":{"url":"i","new":16},"new":17},\
        "poll":{"id":5,"title":"?","data":{"type":"t","new":18},"new":19,\
        "options":[{"id":1},{"id":2,"partial_voter_list":[{"user_id":"dan","new":20}],"new":21}]},\
        "mentioned_users":[{"user_id":"eve","new":22}],\
        "extended_message":{"new":23},"notification_data":{"new":24},\
        "message_events":{"send_push_notification":"receivers","new":25},\
        "apple_critical_alert_options":{"name":"s","volume":1.0,"new":26}}
        """

    private static let channelText = """
        {"channel_url":"channel","created_at":1,"created_by":{"user_id":"fay","new":30},"new":31,\
        "members":[{"user_id":"gus","state":"joined"},{"user_id":"hal","state":"joined","new":32}],\
        "operators":[{"user_id":"ian","new":33}],"inviter":{"user_id":"jo","new":34},\
        "latest_message":{"message_id":7,"created_at":7,"new":35},\
        "disappearing_message":{"is_triggered_by_message_read":true,"new":36},\
        "last_message":\(messageText),"latest_pinned_message":\(messageText)}
        """

    private static func message() throws -> Message {
        var reader = JSONReader(messageText)
        return try reader.readMessage()
    }

    /// Returns the paths and values of the newer server's fields.
    private func marks(_ text: String) throws -> [String: JSONValue] {
        func marks(_ value: JSONValue, at path: String) -> [String: JSONValue] {
            var found: [String: JSONValue] = [:]
            switch value {
            case .array(let values):
                for (index, value) in values.enumerated() {
                    found.merge(marks(value, at: "\(path)/\(index)")) { $1 }
                }
            case .object(let fields):
                for field in fields where field.name != "new" {
                    found.merge(marks(field.value, at: "\(path)/\(field.name)")) { $1 }
                }
                found[path] = value["new"]
            default: break
            }
            return found
        }
        return marks(try JSONValue(parsing: text), at: "")
    }

    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return writer.text
    }

    @Test
    func `every object's unknown fields survive the wire and the store (scar 76)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let message = try Self.message()
        var reader = JSONReader(Self.channelText)
        let channel = try reader.readGroupChannel()
        let written = try await Store.test(.folder(folder.path))
        try await written.writer.commit([
            .messages(Fixture.channel, [message], covering: Fixture.range(7, 7)),
            .channels([channel]),
        ])
        await written.close()
        let store = try await Store.test(.folder(folder.path))
        let stored = try #require(try await store.reader.newest().first)
        #expect(stored == message)
        let wanted = try marks(Self.messageText)
        #expect(wanted.count == 26)
        #expect(try marks(text { $0.message(stored) }) == wanted)
        let group = try #require(try await store.reader.channel("channel").value)
        #expect(group == channel)
        #expect(try marks(text { $0.groupChannel(group) }) == marks(Self.channelText))
        // A member's field is stored in no other channel and with none of the member's messages.
        try await store.writer.commit([
            .channels([Fixture.group("other", members: [User(id: "hal")])])
        ])
        let other = try #require(try await store.reader.channel("other").value)
        #expect(other.members == [Member(user: User(id: "hal"))])
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    // MARK: - Bytes

    /// The smallest message with an unknown field inside.
    private static let small: Message = {
        var message = Fixture.message(7, text: "Hi", from: User(id: "anna"))
        message.sender?.unknownFields.keep(UnknownFields.Field(name: "x", json: "[1]"))
        var poll = Poll(id: 5)
        poll.options = [Poll.Option(id: 1), Poll.Option(id: 2)]
        poll.options[1].unknownFields.keep(UnknownFields.Field(name: "y", json: "1"))
        message.details.poll = poll
        return message
    }()

    private func bytes(_ message: Message) -> [UInt8] {
        var bytes: [UInt8] = []
        MessagePayload.write(message, to: &bytes) { _ in 1 }
        return bytes
    }

    private func read(_ bytes: [UInt8]) throws(PayloadError) -> Message {
        try MessagePayload.read(bytes.span, as: Self.small) { _ in User(id: "anna") }
    }

    @Test func `a message with unknown fields inside keeps its bytes (scar 77)`() throws {
        let golden = """
            01 808402 01024869 10 0a0000000000000000000000 00 02 02 0000000000 00 \
            04 0000000000 00 02 01 0000 01 0178 035b315d 11 0100 01 0179 0131
            """
        #expect(bytes(Self.small) == [UInt8](hex: golden))
        #expect(try read([UInt8](hex: golden)) == Self.small)
    }

    @Test func `a member with unknown fields keeps its bytes (scar 77)`() throws {
        let golden = """
            0100 00000000 02 00 02 02020000 04020000 04000000 \
            0000000000000000000000000000000000000000 \
            01 140100 01 0178 0131
            """
        var channel = Fixture.group("c", createdAt: 5, members: [User(id: "a"), User(id: "b")])
        var bytes: [UInt8] = []
        func write() {
            bytes = []
            ChannelPayload.write(channel, to: &bytes) { $0 == "a" ? 1 : 2 }
        }
        write()
        let plain = bytes.count
        channel.members[1].unknownFields.keep(UnknownFields.Field(name: "x", json: "1"))
        write()
        #expect(bytes == [UInt8](hex: golden), "\(bytes.hex)")
        #expect(bytes.count == plain + 8)
        func read(_ bytes: [UInt8]) throws -> GroupChannel {
            var read = GroupChannel(url: "c", createdAt: Timestamp(milliseconds: 5))
            try ChannelPayload.read(bytes.span, into: &read) { User(id: $0 == 1 ? "a" : "b") }
            return read
        }
        #expect(try read([UInt8](hex: golden)) == channel)
        for count in bytes.indices {
            #expect(throws: PayloadError.self) { try read(Array(bytes[..<count])) }
        }
        // Index 2 of two members.
        bytes[plain + 1] = 2
        #expect(throws: PayloadError.invalid) { try read(bytes) }
    }

    @Test func `unsent messages with unknown fields inside keep their bytes (scar 77)`() throws {
        let golden = """
            01 02 02 04 0176 00 00 00 00 00 00 04 0175 016e 0174 00 00 02 0173 0000000000 \
            0174 0000000000 00 02 00 00 00 00 00 00 00 01 016b 01 0176 00 00 \
            02 02 0000 01 0178 0131 06 0101 01 0178 0131
            """
        var field = UnknownFields()
        field.keep(UnknownFields.Field(name: "x", json: "1"))
        var thumbnail = Thumbnail(url: "t")
        thumbnail.unknownFields = field
        var file = OutgoingFile(.url("u"), name: "n", type: "t")
        file.thumbnails = [Thumbnail(url: "s"), thumbnail]
        var params = FileMessageParams(files: [OutgoingFile(.url("v"), name: "", type: ""), file])
        params.metaArrays = [MetaArray(key: "k", values: ["v"])]
        params.metaArrays[0].unknownFields = field
        let content = OutboxContent.fileMessage(params, copies: [nil, nil])
        var bytes: [UInt8] = []
        ParamsPayload.write(content, to: &bytes)
        #expect(bytes == [UInt8](hex: golden))
        #expect(try ParamsPayload.read([UInt8](hex: golden).span) == content)
        for count in bytes.indices {
            #expect(throws: PayloadError.self) {
                try ParamsPayload.read(Array(bytes[..<count]).span)
            }
        }
        var words = UserMessageParams(text: "Hi", metaArrays: params.metaArrays)
        bytes = []
        ParamsPayload.write(.userMessage(words), to: &bytes)
        #expect(try ParamsPayload.read(bytes.span) == .userMessage(words))
        words.metaArrays[0].unknownFields = UnknownFields()
        bytes = []
        ParamsPayload.write(.userMessage(words), to: &bytes)
        #expect(try ParamsPayload.read(bytes.span) == .userMessage(words))
    }

    @Test func `a message without unknown fields inside takes no extra byte`() {
        var plain = Self.small
        plain.sender?.unknownFields = UnknownFields()
        plain.details.poll?.options[1].unknownFields = UnknownFields()
        let (without, with) = (bytes(plain), bytes(Self.small))
        // One byte of flags, the count, and two places with a field each.
        #expect(with.count == without.count + 1 + 1 + 10 + 8)
    }

    @Test func `damage in the places of unknown fields is an error and never a crash (scar 31)`()
        throws
    {
        let whole = bytes(Self.small)
        #expect(try read(whole) == Self.small)
        for count in whole.indices {
            #expect(throws: PayloadError.self) { try read(Array(whole[..<count])) }
        }
        // Two places of ten and eight bytes are at the end.
        let start = whole.count - 18
        for kind in 0...255 as ClosedRange<UInt8> where kind != 1 {
            var damaged = whole
            damaged[start] = kind
            if kind == 16 {
                #expect(try read(damaged).details.poll?.unknownFields["x"] == "[1]")
            } else if kind != 17 {
                #expect(throws: PayloadError.invalid) { try read(damaged) }
            }
        }
        var damaged = whole
        damaged[start + 11] = 2
        #expect(throws: PayloadError.invalid) { try read(damaged) }
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var damaged = whole
            for _ in 0...(random.next() % 3) {
                damaged[start + Int(random.next() % 18)] = UInt8(random.next() % 256)
            }
            _ = try? read(damaged)
        }
    }

    // MARK: - Updates

    private func stored(after mutations: [Mutation]) async throws -> Message {
        let store = try await Store.test()
        try await store.writer.commit([
            .messages(Fixture.channel, [try Self.message()], covering: Fixture.range(7, 7))
        ])
        for mutation in mutations { try await store.writer.commit([mutation]) }
        let message = try #require(try await store.reader.newest().first)
        await store.close()
        return message
    }

    @Test func `an update with an object replaces the whole object, unknown fields too (scar 76)`()
        async throws
    {
        var update = try Self.message()
        update.updatedAt = Timestamp(milliseconds: 9)
        update.sender?.unknownFields = UnknownFields()
        var details = MessageDetails()
        details.poll = Poll(id: 5)
        details.reactions = []
        update.details = details
        let message = try await stored(after: [.edited(update)])
        #expect(message.details.poll == details.poll && message.details.reactions == [])
        #expect(message.sender?.unknownFields.isEmpty == true)
        // An object that the update leaves out stays.
        let before = try Self.message().details
        #expect(message.details.threadInfo == before.threadInfo)
        #expect(message.details.parentPreview == before.parentPreview)
    }

    @Test func `votes and reactions change counts and keep the unknown fields (scar 76)`()
        async throws
    {
        var votes = PollVotes(pollID: 5, at: Timestamp(milliseconds: 9_000))
        votes.counts = [PollVotes.Count(optionID: 2, voteCount: 4)]
        let voted = try Self.message().details.poll?.applying(.voted(votes))
        #expect(voted?.options[1].voteCount == 4)
        #expect(voted?.options[1].unknownFields["new"] == "21")
        #expect(voted?.unknownFields["new"] == "19")
        let change = ReactionChange(
            key: "h", userID: "b", isAdded: true, updatedAt: Timestamp(milliseconds: 2))
        let reactions = try Self.message().details.reactions?.applying(change)
        #expect(reactions?.first?.userIDs == ["a", "b"])
        #expect(reactions?.first?.unknownFields["new"] == "8")
    }

    @Test func `a reply that follows its parent keeps other fields of the preview (scars 76, 116)`()
        throws
    {
        var details = try Self.message().details
        var parent = Fixture.message(3, text: "edited", updatedAt: 12)
        parent.unknownFields.keep(UnknownFields.Field(name: "new", json: "99"))
        details.follow(parent.preview)
        #expect(details.parentPreview?.content == .user(text: "edited"))
        #expect(details.parentPreview?.unknownFields["new"] == "12")
    }
}
