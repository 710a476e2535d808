// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// The record of the machine's inputs, from which a journal is written.
struct RecordingTests {
    private typealias Script = MachineScript
    private typealias Input = SyncMachine.Input

    /// A machine whose inputs are recorded.
    private struct Recorded {
        var script = Script()
        var recording = Recording()

        /// The recorded inputs, which cannot be compared themselves.
        var inputs: [String] { recording.entries.map { "\($0.input)" } }

        @discardableResult
        mutating func give(_ input: Input) -> [Script.Effect] {
            let before = recording.needsMachine ? script.machine : nil
            let effects = script.give(input)
            recording.note(input, at: script.now, effects, of: before)
            return effects
        }

        /// Whether the recording, or one that begins now, holds a sequence of bytes.
        func holds(_ bytes: [UInt8]) -> Bool {
            var next = Recording()
            next.note(.closeList(ListID(1)), at: script.now, [], of: script.machine)
            let text = bytes.map { "\($0)" }.joined(separator: ", ")
            return "\(recording)".contains(text) || "\(next)".contains(text)
        }
    }

    @Test func `a recording that is replayed has the same effects`() {
        var recorded = Recorded()
        recorded.give(.start(Script.ID(1), .connecting(Connecting())))
        recorded.give(.outbox(.changedElsewhere))
        recorded.give(.startedTyping("c"))
        #expect(recorded.recording.entries.map(\.number) == [1, 2, 3])
        #expect(recorded.recording.firstDifference() == nil)
    }

    @Test func `the first input with other effects is found`() {
        var recorded = Recorded()
        recorded.give(.outbox(.changedElsewhere))
        // The build that made the recording closed a socket here.
        recorded.recording.note(
            .closeList(ListID(1)), at: recorded.script.now, [.notice(.closeSocket)], of: nil)
        recorded.recording.note(
            .closeList(ListID(2)), at: recorded.script.now, [.notice(.closeSocket)], of: nil)
        let found = recorded.recording.firstDifference()
        #expect(found?.entry.number == 2)
        #expect(found?.replayed == [])
    }

    @Test func `an empty recording has no machine and no difference`() {
        var recording = Recording()
        #expect(recording.needsMachine)
        #expect(recording.base == nil && recording.firstDifference() == nil)
        // Without a machine an input cannot be replayed.
        recording.note(.outbox(.changedElsewhere), at: Script.loginAt, [], of: nil)
        #expect(recording.entries.isEmpty && recording.needsMachine)
    }

    @Test func `a long recording drops its oldest part and can still be replayed`() {
        var recorded = Recorded()
        let parts = Recording.partLimit + 1
        for number in 1...Recording.partLength * parts + 1 {
            recorded.give(.closeList(ListID(number)))
        }
        let entries = recorded.recording.entries
        #expect(entries.count == Recording.partLength * (Recording.partLimit - 1) + 1)
        #expect(entries.last?.number == Recording.partLength * parts + 1)
        #expect(recorded.recording.firstDifference() == nil)
    }

    private static let many = Recording.partWeight

    private static func messages() -> [Message] { (1...Int64(many)).map { Script.message($0) } }

    private static func users() -> [Update<User>] {
        (1...many).map { number in
            let user = User(id: UserID("u\(number)"))
            var renamed = user
            renamed.nickname = "new"
            return Update(before: user, after: renamed)
        }
    }

    private static func commit(_ change: Change) -> Input {
        .reply(Script.ID(1), .committed(.success(Commit(sequence: 1, changes: [change]))))
    }

    private static func channel() -> GroupChannel {
        var channel = Script.channel("c")
        channel.members = (1...many).map { Member(user: User(id: UserID("u\($0)"))) }
        return channel
    }

    private static func channelWithReceipts() -> GroupChannel {
        var channel = Script.channel("c")
        channel.readReceipts = receipts()
        return channel
    }

    private static let heavy: [@Sendable () -> Input] = [
        { .reply(Script.ID(1), .answer(.success(.messages(MessagePage(messages: messages()))))) },
        { .reply(Script.ID(1), .answer(.success(.channel(channel())))) },
        { .reply(Script.ID(1), .read(.success(.channel(channel())))) },
        { .reply(Script.ID(1), .read(.success(.channel(channelWithReceipts())))) },
        { commit(.channels(ChannelsChange(inserted: [channel()]))) },
        {
            let update = Update(before: Script.channel("c"), after: channel())
            return commit(.channels(ChannelsChange(updated: [update])))
        },
        { commit(.users(users())) },
        { commit(.channels(ChannelsChange(inserted: [], updated: [], deleted: deleted()))) },
        { .frame(Script.ID(1), .delivered("c", receipts()), 0) },
        { .frame(Script.ID(1), .memberCounts(counts(), []), 0) },
    ]

    private static func deleted() -> [ChannelURL] { (1...many).map { ChannelURL("c\($0)") } }

    private static func receipts() -> [UserID: Timestamp] {
        Dictionary(
            uniqueKeysWithValues: (1...many).map { (UserID("u\($0)"), Script.loginAt) })
    }

    private static func counts() -> [MemberCounts] {
        (1...many).map {
            MemberCounts(
                channelURL: ChannelURL("c\($0)"), memberCount: 1, joinedMemberCount: 1,
                timestamp: nil)
        }
    }

    @Test(arguments: heavy.indices)
    func `an input with thousands of values fills a part of the recording by itself`(
        _ index: Int
    ) {
        var recorded = Recorded()
        recorded.give(.outbox(.changedElsewhere))
        #expect(!recorded.recording.needsMachine)
        recorded.give(Self.heavy[index]())
        #expect(recorded.recording.needsMachine)
    }

    @Test(arguments: [true, false])
    func `a channel with thousands of members fills a part as an effect, too`(isShown: Bool) {
        var recorded = Recorded()
        recorded.give(.outbox(.changedElsewhere))
        let effect: SyncMachine.Effect =
            isShown
            ? .notice(.listChanged(ListID(1), ListDiff(from: [], to: [Self.channel()])))
            : .commit(Script.ID(1), [.channels([Self.channel()])], .event, unless: nil)
        recorded.recording.note(
            .outbox(.changedElsewhere), at: recorded.script.now, [effect], of: nil)
        #expect(recorded.recording.needsMachine)
    }

    @Test func `the bytes of a file that is sent from memory are not recorded`() throws {
        var recorded = Recorded()
        let file = OutgoingFile(.bytes([1, 2, 3]), name: "f", type: "image/png")
        let path = OutgoingFile(.copy(of: "/g"), name: "g")
        let params = FileMessageParams(files: [file, path])
        let sending = OutboxSending(
            .fileMessage(params, copies: []), to: Script.channel, as: "f")
        recorded.give(.start(Script.ID(1), .outbox(.sending(sending))))
        var without = params
        without.files[0].source = .bytes([])
        let empty = OutboxSending(.fileMessage(without, copies: []), to: Script.channel, as: "f")
        #expect(recorded.inputs == ["\(Input.start(Script.ID(1), .outbox(.sending(empty))))"])
        recorded.recording.note(
            .outbox(.changedElsewhere), at: recorded.script.now,
            [.outbox(Script.ID(1), .copyFiles(params, "f", sequence: 1))], of: nil)
        #expect(
            recorded.recording.entries.last?.effects
                == [.outbox(Script.ID(1), .copyFiles(without, "f", sequence: 1))])
    }

    @Test func `the bytes of a file that has no copy are not recorded on their way`() throws {
        let bytes: [UInt8] = [201, 202, 203]
        var recorded = Recorded()
        recorded.script.showTimeline(of: 1...3)
        let content = OutboxContent.fileMessage(
            FileMessageParams(files: [OutgoingFile(.bytes(bytes), name: "f")]), copies: [])
        let sending = OutboxSending(content, to: Script.channel, as: "f")
        let call = Input.start(Script.ID(100), .outbox(.sending(sending)))
        #expect("\(call)".contains("201, 202, 203"), "the way in which the test looks")
        let reserve = recorded.give(call)
        let (disk, _) = try #require(reserve.writes)
        #expect(!recorded.holds(bytes))
        recorded.give(.reply(disk, .outbox(.success(.written([.place(1)])))))
        #expect(!recorded.holds(bytes))
        // There is no folder for a copy.
        let copied = OutboxAnswer.copied(content, [])
        let append = recorded.give(.reply(Script.ID(100), .outbox(.success(copied))))
        #expect(!recorded.holds(bytes))
        let (writer, _) = try #require(append.writes)
        let item = OutboxItem(
            sequence: 1, requestID: "f", channel: Script.channel, createdAt: Script.loginAt,
            content: content)
        recorded.give(.reply(writer, .outbox(.success(.written([.item(item)])))))
        #expect(recorded.script.shown() == ["1", "2", "3", "f"])
        #expect(!recorded.holds(bytes))
        let base = recorded.recording.base
        #expect(recorded.recording.firstDifference() == nil && base != nil)
    }

    @Test func `the bytes of an upload and of a restored item are not recorded`() {
        let bytes: [UInt8] = [201, 202, 203]
        var recorded = Recorded()
        let file = OutgoingFile(.bytes(bytes), name: "f")
        let item = OutboxItem(
            sequence: 1, requestID: "f", channel: Script.channel, createdAt: Script.loginAt,
            content: .fileMessage(FileMessageParams(files: [file]), copies: [nil]))
        let upload = FileUpload(
            UploadFile(
                channelURL: Script.channel, requestID: "f", name: "f", type: "image/png",
                thumbnailSizes: []), of: file, nil, before: 0, total: 3)
        let effects: [Script.Effect] = [
            .ask(Script.ID(1), .upload(upload), .lastLogin),
            .outbox(Script.ID(2), .write([.notes([.restored(item)])])),
            .finish(Script.ID(3), .item(item)),
        ]
        #expect("\(effects)".contains("201, 202, 203"))
        recorded.recording.note(
            .outbox(.changedElsewhere), at: recorded.script.now, effects,
            of: recorded.script.machine)
        recorded.give(.reply(Script.ID(4), .outbox(.success(.news(OutboxItems(items: [item]))))))
        #expect(!recorded.holds(bytes))
    }

    @Test func `a text that is sent is recorded as it is`() {
        var recorded = Recorded()
        let sending = OutboxSending(
            .userMessage(UserMessageParams(text: "hello")), to: Script.channel, as: "a")
        recorded.give(.start(Script.ID(1), .outbox(.sending(sending))))
        #expect(recorded.inputs == ["\(Input.start(Script.ID(1), .outbox(.sending(sending))))"])
        #expect(recorded.recording.firstDifference() == nil)
    }
}
