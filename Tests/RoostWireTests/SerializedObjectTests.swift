// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostTestSupport
import RoostWire
import Testing

struct SerializedObjectTests {
    private static func roundTrip(_ object: SerializedObject) -> SerializedObject? {
        SerializedObject(object.bytes)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `messages, channels and users come back as they went, whatever they carry (R12, R18, R19)`(
        seed: UInt64
    ) {
        var samples = Samples(seed: seed)
        let objects: [SerializedObject] = [
            .message(samples.message()), .channel(samples.channel()), .user(samples.user()),
        ]
        for object in objects { #expect(Self.roundTrip(object) == object) }
    }

    @Test(arguments: [
        UnsentState.pending, .failed(.ackTimeout), .failed(.pendingError), .canceled,
    ])
    func `an unsent message keeps its state, its reason and its request ID (R19, R116)`(
        state: UnsentState
    ) throws {
        var samples = Samples(seed: 1)
        var message = samples.message()
        message.delivery = .unsent("r-1", state)
        #expect(Self.roundTrip(.message(message)) == .message(message))
        let file = FileContent(url: "", name: "a.png", type: "image/png", size: ByteCount(bytes: 3))
        message.content = .file(file)
        message.unknownFields = UnknownFields()
        message.data = ""
        let again = try #require(Self.roundTrip(.message(message)))
        #expect(again == .message(message))
    }

    @Test func `bytes that nobody serialised give nil and never a crash (R17)`() {
        var random = SplitMix64(seed: 7)
        #expect(SerializedObject([]) == nil)
        #expect(SerializedObject(Array("ROST".utf8)) == nil)
        for length in 0..<2_000 {
            let bytes = (0..<(length % 97)).map { _ in UInt8(random.below(256)) }
            #expect(SerializedObject(bytes) == nil)
            #expect(SerializedObject(Array("ROST\u{1}\u{1}\u{0}".utf8) + bytes) == nil)
        }
    }

    @Test func `a damaged or shortened copy gives nil, wherever the damage is (R17, R44)`() {
        var samples = Samples(seed: 11)
        for object in [
            SerializedObject.message(samples.message()), .channel(samples.channel()),
            .user(samples.user()),
        ] {
            let bytes = object.bytes
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(index % 8)
                #expect(SerializedObject(damaged) == nil, "byte \(index)")
                #expect(SerializedObject(Array(bytes[..<index])) == nil, "\(index) bytes")
            }
            #expect(SerializedObject(bytes + [0]) == nil)
        }
    }

    /// One line an object, as the release wrote it that had the version first.
    private static func golden(_ version: Int) throws -> [SerializedObject?] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Serialized/version-\(version).txt")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            SerializedObject(Array(try #require(Data(base64Encoded: String(line)))))
        }
    }

    /// What every golden file holds; never changed, because the files never are.
    private static var keepsakes: [SerializedObject] {
        var user = User(
            id: "ann", nickname: "Ánna 👋", profileURL: "https://e.org/a.png",
            metadata: ["team": "red"])
        user.unknownFields.keep(UnknownFields.Field(name: "from_the_future", json: #"{"a":[1]}"#))
        let time = Timestamp(milliseconds: 1_432_039_402_493)
        var sent = Message(
            delivery: .delivered(22_312_323_345, "r-1"), channelURL: "sendbird_channel_2348023",
            createdAt: time, updatedAt: Timestamp(milliseconds: 1_432_039_402_999),
            sender: Sender(user: user, role: .operator), content: .user(text: "line\nbreak"),
            data: "{}", customType: "note", mention: Mention(userIDs: ["bob"]),
            metaArrays: [MetaArray(key: "k", values: ["v", "w"])], parentID: 7,
            isReplyToChannel: true, isSilent: true)
        var details = MessageDetails()
        details.reactions = [Reaction(key: "👍", userIDs: ["bob"], updatedAt: time)]
        details.translations = ["de": "Zeile"]
        sent.details = details
        var file = sent
        file.delivery = .unsent("r-2", .failed(.ackTimeout))
        file.content = .file(
            FileContent(
                url: "", name: "a.png", type: "image/png", size: ByteCount(bytes: 3),
                caption: "look"))
        let admin = Message(
            delivery: .delivered(9, nil), channelURL: "c", createdAt: time,
            content: .admin(text: "hello all"))
        let channel = GroupChannel(
            url: "sendbird_channel_2348023", name: "Train", customType: "t",
            createdAt: Timestamp(seconds: 1_432_039_402), createdBy: user, isDistinct: true,
            members: [Member(user: user, role: .operator)], memberCount: 2, joinedMemberCount: 1,
            unreadMessageCount: 3, lastMessage: sent, myRole: .operator, myLastRead: time)
        return [.message(sent), .message(file), .message(admin), .channel(channel), .user(user)]
    }

    @Test(arguments: [1])
    func `what an earlier release serialised is read as it was meant (R20)`(version: Int) throws {
        #expect(try Self.golden(version) == Self.keepsakes.map(Optional.init))
    }

    @Test func `a later release's fields are kept, a later version is refused (R20)`() throws {
        var fields = UnknownFields()
        fields.keep(UnknownFields.Field(name: "invented_later", json: "[true]"))
        let user = User(id: "ann", unknownFields: fields)
        #expect(Self.roundTrip(.user(user)) == .user(user))
        var bytes = SerializedObject.user(user).bytes
        bytes[4] = 2
        #expect(SerializedObject(bytes) == nil)
    }
}
