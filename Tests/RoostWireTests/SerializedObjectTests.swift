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
    func `messages, channels and users survive serialisation with all their fields (R12, R18, R19)`(
        seed: UInt64
    ) {
        var samples = Samples(seed: seed)
        let objects: [SerializedObject] = [
            .message(samples.message()), .channel(samples.channel()), .user(samples.user()),
            .openChannel(samples.channel()), .member(samples.member()),
            .sender(samples.sender()),
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

    @Test func `foreign bytes give nil and never a crash (R17)`() {
        var random = SplitMix64(seed: 7)
        #expect(SerializedObject([]) == nil)
        #expect(SerializedObject(Array("ROST".utf8)) == nil)
        for length in 0..<2_000 {
            let bytes = (0..<(length % 97)).map { _ in UInt8(random.below(256)) }
            #expect(SerializedObject(bytes) == nil)
            for kind in 0...7 as ClosedRange<UInt8> {
                #expect(SerializedObject(Array("ROST\u{1}".utf8) + [kind, 0] + bytes) == nil)
            }
        }
    }

    /// Returns the bytes with the checksum that a writer appends.
    private static func summed(_ bytes: [UInt8]) -> [UInt8] {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
        }
        let shifts: [UInt32] = [24, 16, 8, 0]
        return bytes + shifts.map { UInt8(truncatingIfNeeded: ~sum >> $0) }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt8>)
    func
        `damage under a correct checksum gives nil or an object of the same kind, never a crash (R17)`(
            kind: UInt8
        ) throws
    {
        var samples = Samples(seed: UInt64(kind))
        let object: SerializedObject =
            switch kind {
            case 1: .message(samples.message())
            case 2: .channel(samples.channel())
            case 3: .user(samples.user())
            case 4: .openChannel(samples.channel())
            case 5: .member(samples.member())
            default: .sender(samples.sender())
            }
        let bytes = Array(object.bytes.dropLast(4))
        #expect(bytes[5] == kind)
        #expect(SerializedObject(Self.summed(bytes)) == object)
        var random = SplitMix64(seed: 13)
        for _ in 0..<1_500 {
            var damaged = bytes
            // Behind the header, which another test covers.
            for _ in 0...random.below(3) {
                let place = 11 + random.below(bytes.count - 11)
                damaged[place] = UInt8(truncatingIfNeeded: random.below(256))
            }
            guard let read = SerializedObject(Self.summed(damaged)) else { continue }
            #expect(read.bytes[5] == kind)
            #expect(SerializedObject(read.bytes) == read)
        }
    }

    @Test func `a channel under the number of another kind gives that kind or nil (R17)`() {
        var samples = Samples(seed: 3)
        let channel = samples.channel()
        var bytes = Array(SerializedObject.channel(channel).bytes.dropLast(4))
        bytes[5] = 4
        #expect(SerializedObject(Self.summed(bytes)) == .openChannel(channel))
        for kind in [0, 5, 6, 255] as [UInt8] {
            bytes[5] = kind
            #expect(SerializedObject(Self.summed(bytes)) == nil)
        }
    }

    @Test func `a damaged or shortened copy gives nil, wherever the damage is (R17, R44)`() {
        var samples = Samples(seed: 11)
        for object in [
            SerializedObject.message(samples.message()), .channel(samples.channel()),
            .user(samples.user()), .openChannel(samples.channel()), .member(samples.member()),
            .sender(samples.sender()),
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

    /// Returns the objects of a golden file: one a line, as written by the first release of the
    /// version.
    private static func golden(_ name: String) throws -> [SerializedObject?] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Serialized/\(name).txt")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            SerializedObject(Array(try #require(Data(base64Encoded: String(line)))))
        }
    }

    /// The objects of every golden file; never changed, because the files never change.
    ///
    /// The unknown field of a sender or a member belongs to them, though the first release to read
    /// the files took it for the user's.
    private static var keepsakes: [SerializedObject] {
        var user = User(
            id: "ann", nickname: "Ánna 👋", profileURL: "https://e.org/a.png",
            metadata: ["team": "red"])
        user.unknownFields.keep(UnknownFields.Field(name: "from_the_future", json: #"{"a":[1]}"#))
        var person = user
        person.unknownFields = UnknownFields()
        var sender = Sender(user: person, role: .operator)
        sender.unknownFields = user.unknownFields
        var member = Member(user: person, role: .operator)
        member.unknownFields = user.unknownFields
        let time = Timestamp(milliseconds: 1_432_039_402_493)
        var sent = Message(
            delivery: .delivered(22_312_323_345, "r-1"), channelURL: "sendbird_channel_2348023",
            createdAt: time, updatedAt: Timestamp(milliseconds: 1_432_039_402_999),
            sender: sender, content: .user(text: "line\nbreak"),
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
            members: [member], memberCount: 2, joinedMemberCount: 1,
            unreadMessageCount: 3, lastMessage: sent, myRole: .operator, myLastRead: time)
        return [.message(sent), .message(file), .message(admin), .channel(channel), .user(user)]
    }

    @Test func `bytes of version 1 decode with their meaning (R20)`() throws {
        #expect(try Self.golden("version-1") == Self.keepsakes.map(Optional.init))
    }

    @Test func `an open channel of version 1 decodes with its meaning (R20)`() throws {
        let channel = GroupChannel(
            url: "sendbird_open_channel_14092", name: "Hall", customType: "t",
            createdAt: Timestamp(seconds: 1_432_039_402), memberCount: 5)
        #expect(try Self.golden("version-1-open") == [.openChannel(channel)])
    }

    @Test func `a member and a sender of version 1 decode with their meaning (R20)`() throws {
        let user = User(
            id: "ann", nickname: "Ánna 👋", profileURL: "https://e.org/a.png",
            metadata: ["team": "red"])
        var member = Member(
            user: user, state: .invited, role: .operator, isMuted: true,
            joinedAt: Timestamp(seconds: 1_432_039_402))
        member.mutedUntil = Timestamp(milliseconds: 1_432_039_402_999)
        member.muteReason = "noise"
        member.isBlockedByMe = true
        var sender = Sender(user: user, role: .operator)
        sender.isBlockedByMe = true
        let field = UnknownFields.Field(name: "from_the_future", json: #"{"a":[1]}"#)
        member.unknownFields.keep(field)
        sender.unknownFields.keep(field)
        #expect(try Self.golden("version-1-people") == [.member(member), .sender(sender)])
    }

    @Test func `fields of a later release are kept, and a later version is refused (R20)`() throws {
        var fields = UnknownFields()
        fields.keep(UnknownFields.Field(name: "invented_later", json: "[true]"))
        let user = User(id: "ann", unknownFields: fields)
        #expect(Self.roundTrip(.user(user)) == .user(user))
        var bytes = SerializedObject.user(user).bytes
        bytes[4] = 2
        #expect(SerializedObject(bytes) == nil)
    }
}
