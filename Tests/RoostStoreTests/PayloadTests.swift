// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

/// The stored forms of values, and reading of arbitrary bytes.
struct PayloadTests {
    static let user: User = {
        var user = User(
            id: "anna", nickname: "Änna", profileURL: "https://x/a.png",
            metadata: ["b": "2", "a": "null"], isActive: false)
        user.unknownFields.keep(UnknownFields.Field(name: "is_online", json: "true"))
        return user
    }()

    static let plain = Fixture.message(7, text: "Hi", from: nil)

    static let rich: Message = {
        var message = Fixture.message(7, text: "Hi")
        message.sender?.role = .operator
        message.data = "{}"
        message.mention = Mention(kind: .channel, userIDs: ["bob"])
        message.metaArrays = [MetaArray(key: "k", values: ["", "v"])]
        message.isReplyToChannel = true
        message.isSilent = true
        message.unknownFields.keep(UnknownFields.Field(name: "x", json: "[1]"))
        message.content = .file(
            FileContent(url: "u", name: "n", type: "t", size: ByteCount(bytes: -1), caption: "c"))
        return message
    }()

    static let params = UserMessageParams(
        text: "Hi", data: "d", customType: "c", mention: Mention(kind: .users, userIDs: ["bob"]),
        metaArrays: [MetaArray(key: "k", values: ["v"])], parentID: 3, isReplyToChannel: true,
        isSilent: true)

    static let channel: GroupChannel = {
        var channel = Fixture.group("c", createdAt: 5, last: rich, members: [user], name: "Café")
        channel.lastMessage?.channelURL = "c"
        channel.lastMessage?.sender = Sender(user: user, role: .operator)
        channel.createdBy = user
        channel.members[0].role = .operator
        channel.members[0].isMuted = true
        channel.members[0].joinedAt = Timestamp(milliseconds: 9)
        channel.isDistinct = true
        channel.isFrozen = true
        channel.unreadMessageCount = 3
        channel.myRole = .operator
        channel.myLastRead = .distantPast
        channel.unknownFields.keep(UnknownFields.Field(name: "y", json: "null"))
        return channel
    }()

    // MARK: - Golden bytes (scar 77)

    @Test func `a user that version 1 has written is readable (scar 77)`() throws {
        let golden = """
            0105c3846e6e610f68747470733a2f2f782f612e706e67020161046e756c6c016201320001\
            0969735f6f6e6c696e650474727565
            """
        #expect(try UserPayload.read([UInt8](hex: golden).span, id: "anna") == Self.user)
    }

    @Test(arguments: [
        (PayloadTests.plain, "010001024869"),
        (
            PayloadTests.rich,
            "01ff0102017501 6e01740101 63027b7d0103626f6201016b0200017601017803 5b315d"
        ),
    ])
    func `a message that version 1 has written is readable (scar 77)`(
        message: Message, golden: String
    ) throws {
        let read = try MessagePayload.read([UInt8](hex: golden).span, as: message) { _ in Self.user
        }
        #expect(read == message)
    }

    @Test func `a row's message that version 1 has written is readable (scar 77)`() throws {
        var message = Fixture.message(7, text: "Hi", from: Self.user, updatedAt: 9)
        message.customType = "greeting"
        message.parentID = 3
        var bytes: [UInt8] = []
        MessagePayload.write(message, MessageRows(sender: 300, customType: 2), to: &bytes) { _ in
            1
        }
        #expect(bytes.hex == "0180f001d80404080401024869")
        let read = try MessagePayload.read(
            bytes.span, id: 7, channelURL: message.channelURL, createdAt: message.createdAt,
            user: { $0 == 300 ? Self.user : User(id: "") }, word: { $0 == 2 ? "greeting" : "" })
        #expect(read == message)
        for count in bytes.indices {
            #expect(throws: PayloadError.self) { try Self.readMessage(Array(bytes[..<count])) }
        }
    }

    @Test func `unsent messages of version 1 keep their bytes (scar 77)`() throws {
        let golden = "010102486901640163000103626f6201016b01017601 060300".filter { $0 != " " }
        var bytes: [UInt8] = []
        ParamsPayload.write(.userMessage(Self.params), to: &bytes)
        #expect(bytes.hex == golden)
        #expect(try ParamsPayload.read([UInt8](hex: golden).span) == .userMessage(Self.params))
    }

    // MARK: - Any value, any bytes

    @Test(arguments: [Int64.min, -1, 0, 1, 63, 64, .max])
    func `numbers keep their extreme values (scar 140)`(number: Int64) throws {
        var message = Self.rich
        message.content = .file(
            FileContent(url: "", name: "", type: "", size: ByteCount(bytes: number)))
        var bytes: [UInt8] = []
        MessagePayload.write(message, to: &bytes) { _ in 1 }
        let read = try MessagePayload.read(bytes.span, as: message) { _ in Self.user }
        #expect(read == message)
    }

    @Test(arguments: ["", "null", "a\0b", "👩‍👩‍👧‍👦", String(repeating: "x", count: 100_000)])
    func `any text survives a round trip`(text: String) throws {
        var message = Self.rich
        message.content = .unknown(kind: text)
        message.data = text
        message.metaArrays = [MetaArray(key: text, values: [text])]
        var bytes: [UInt8] = []
        MessagePayload.write(message, to: &bytes) { _ in 1 }
        let read = try MessagePayload.read(bytes.span, as: message) { _ in Self.user }
        #expect(read == message)
    }

    @Test func `a payload that ends too early is an error at every length (scar 31)`() {
        var (message, channel, user, params): ([UInt8], [UInt8], [UInt8], [UInt8]) = (
            [], [], [], []
        )
        MessagePayload.write(Self.rich, to: &message) { _ in 1 }
        ChannelPayload.write(Self.channel, to: &channel) { _ in 1 }
        UserPayload.write(Self.user, to: &user)
        ParamsPayload.write(.userMessage(Self.params), to: &params)
        for count in 0..<message.count {
            #expect(throws: PayloadError.self) { try Self.readMessage(Array(message[..<count])) }
        }
        for count in 0..<channel.count {
            #expect(throws: PayloadError.self) { try Self.readChannel(Array(channel[..<count])) }
        }
        for count in 0..<user.count {
            #expect(throws: PayloadError.self) {
                try UserPayload.read(Array(user[..<count]).span, id: "anna")
            }
        }
        for count in 0..<params.count {
            #expect(throws: PayloadError.self) {
                try ParamsPayload.read(Array(params[..<count]).span)
            }
        }
        #expect(throws: PayloadError.trailingBytes) { try Self.readMessage(message + [0]) }
    }

    @Test func `a later version is an error`() {
        #expect(throws: PayloadError.version(2)) { try Self.readMessage([2, 0, 1, 0]) }
        #expect(throws: PayloadError.version(0)) { try Self.readChannel([0]) }
    }

    @Test func `a length beyond the end allocates nothing (scar 140)`() {
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
        #expect(throws: PayloadError.truncated) { try Self.readMessage([1, 0, 1] + huge) }
        #expect(throws: PayloadError.invalid) { try Self.readMessage([1] + huge + [0x7F]) }
    }

    @Test(arguments: 0..<50)
    func `garbage ends in an error or a value, never in a crash (scar 31)`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var valid: [UInt8] = []
        ChannelPayload.write(Self.channel, to: &valid) { _ in 1 }
        for _ in 0..<200 {
            var bytes = valid
            for _ in 0...(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() % 256)
            }
            _ = try? Self.readChannel(bytes)
            let noise = (0..<(random.next() % 40)).map { _ in UInt8(random.next() % 256) }
            _ = try? Self.readMessage([1] + noise)
            _ = try? Self.readMessage([1, 0x80, 4, 1, 0] + noise)
            _ = try? Self.readMessage([1, 0x80, 0xF8, 1] + noise)
            _ = try? ParamsPayload.read(([1, 1] + noise).span)
        }
    }

    private static func readMessage(_ bytes: [UInt8]) throws(PayloadError) -> Message {
        try MessagePayload.read(bytes.span, as: plain) { _ in user }
    }

    private static func readChannel(_ bytes: [UInt8]) throws(PayloadError) -> GroupChannel {
        var channel = GroupChannel(url: "c")
        try ChannelPayload.read(bytes.span, into: &channel) { _ in user }
        return channel
    }
}

extension MessagePayload {
    /// Reads a payload whose row has the columns of a message.
    static func read(
        _ bytes: Span<UInt8>, as message: Message, user: (Int64) -> User
    ) throws(PayloadError) -> Message {
        guard let id = message.messageID else {
            preconditionFailure("Rows are of what was delivered.")
        }
        return try read(
            bytes, id: id, channelURL: message.channelURL, createdAt: message.createdAt,
            columns: MessageColumns(
                sender: message.sender?.user, customType: message.customType,
                parentID: message.parentID, updatedAt: message.updatedAt),
            user: user, word: { _ in "" })
    }
}
