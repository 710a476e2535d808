// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// Attempts that change their way, or that something overtakes.
struct OutboxAttemptTests {
    private static let reaction = ReactionChange(
        key: "wave", userID: "me", isAdded: true, updatedAt: Timestamp(milliseconds: 9))
    /// A message that was sent after the login.
    private static let sent = Script.message(2_000_000, request: "f")
    private static let noted = OutboxWritten.noted(hasNews: false, refused: [:])

    // MARK: Files

    /// Uploads a file, and has the socket refuse its message.
    private static func post(_ script: inout Script, isOnline: Bool) throws -> Script.ID {
        let id = try OutboxDeliveryTests.upload(&script)
        let (disk, _) = try #require(script.answer(id, try OutboxDeliveryTests.uploaded()).writes)
        #expect(script.write(disk, [noted]).commands == ["f"])
        if !isOnline { script.lose() }
        let lost = script.give(.reply(id, .sent(Script.error(.socketClosed))))
        let isPosted = lost.needs.contains {
            if case .ask(id, .post, .lastLogin) = $0 { true } else { false }
        }
        try #require(isPosted)
        return id
    }

    @Test(arguments: [true, false])
    func `a message that was posted by HTTP is stored like one of the socket (scar 121)`(
        isOnline: Bool
    ) throws {
        var script = Script.connected()
        let id = try Self.post(&script, isOnline: isOnline)
        let answered = script.answer(id, .message(Self.sent))
        // Without a socket the message before it is unknown.
        #expect(
            answered.mutations.first
                == .liveMessage(Self.sent, predecessor: nil))
        var stored = script.commit(id)
        if isOnline { stored = script.read(id, .channel(Script.channel(Script.channel))) }
        let (disk, writes) = try #require(stored.writes)
        #expect(writes == [.notes([.removal("f")])])
        #expect(script.write(disk, [Self.noted]).events == ["delivered f"])
        #expect(script.machine.state.outbox.items == [])
        #expect(script.machine.state.ledgers.isEmpty)
    }

    @Test func `a message that the answer to a post puts in another channel is not delivered`()
        throws
    {
        var script = Script.connected()
        let id = try Self.post(&script, isOnline: true)
        let other = Script.message(2_000_000, request: "f", in: "other")
        #expect(script.answer(id, .message(other)).mutations.isEmpty)
        #expect(script.machine.state.ledgers.isEmpty)
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["f"])
    }

    @Test func `a message posted without a socket has the hole below it fetched, if it is shown`()
        throws
    {
        var script = Script.connected()
        let id = try Self.post(&script, isOnline: false)
        script.showTimeline(of: 1...3)
        _ = script.answer(id, .message(Self.sent))
        let known = CoveredRange(lower: Script.position(1), upper: Script.position(3))
        let posted = CoveredRange(
            lower: Script.position(2_000_000), upper: Script.position(2_000_000))
        let change = MessagesChange(
            channel: Script.channel, inserted: [Self.sent],
            coverageBefore: Coverage([known]), coverageAfter: Coverage([known, posted]))
        let effects = script.give(
            .reply(
                id, .committed(.success(Commit(sequence: 8, changes: [.messages(change)])))))
        let pages = effects.compactMap { effect -> (Script.ID, ListMessages)? in
            if case .ask(let page, .messages(let call), .lastLogin) = effect {
                (page, call)
            } else {
                nil
            }
        }
        #expect(pages.count == 1)
        let (page, call) = try #require(pages.first)
        #expect(call.channelURL == Script.channel)
        // A page that cannot be fetched is made good by the next catch-up.
        #expect(script.refuse(page, Script.error(.networkError)).events == [])
    }

    @Test func `an answer to a post that is no message leaves the message unsent`() throws {
        var script = Script.connected()
        let id = try Self.post(&script, isOnline: true)
        #expect(script.answer(id, .done).events == [])
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["f"])
        #expect(script.machine.state.ledgers.isEmpty)
    }

    @Test func `without a network an uploaded message waits for the next connection (R147)`()
        throws
    {
        var script = Script.connected()
        let id = try OutboxDeliveryTests.upload(&script)
        script.lose()
        script.give(.link(.networkChanged(isUp: false)))
        let found = script.answer(id, try OutboxDeliveryTests.uploaded())
        let (disk, _) = try #require(found.writes)
        let effects = script.write(disk, [Self.noted])
        #expect(effects.commands == [] && effects.events == ["delayed f"])
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
    }

    @Test func `a message whose upload ends after the loss of the connection is posted (R146)`()
        throws
    {
        var script = Script.connected()
        let id = try OutboxDeliveryTests.upload(&script)
        script.lose()
        let found = script.answer(id, try OutboxDeliveryTests.uploaded())
        let (disk, _) = try #require(found.writes)
        let effects = script.write(disk, [Self.noted])
        let isPosted = effects.contains {
            if case .ask(id, .post, .lastLogin) = $0 { true } else { false }
        }
        #expect(isPosted && effects.commands == [])
    }

    @Test func `the size that the server measured is the size of the message's file`() throws {
        var script = Script.connected()
        let id = try OutboxDeliveryTests.upload(&script)
        _ = script.answer(id, try OutboxDeliveryTests.uploaded(size: 77))
        guard case .fileMessage(let params, _)? = script.machine.state.outbox.items.first?.content
        else {
            Issue.record("no file")
            return
        }
        #expect(params.files.first?.size == ByteCount(bytes: 77))
    }

    @Test func `a refusing disk does not hold up an upload`() throws {
        var script = Script.connected()
        let id = try OutboxDeliveryTests.upload(&script)
        try script.refuseWrites()
        let effects = script.answer(id, try OutboxDeliveryTests.uploaded())
        #expect(effects.commands == ["f"])
        #expect(script.machine.state.outbox.disk.unwritten.count == 2)
    }

    @Test func `a failed post of a message that was cancelled meanwhile is not reported`() throws {
        var script = Script.connected()
        let id = try Self.post(&script, isOnline: true)
        _ = script.start(.outbox(.canceling(OutboxCanceling("f"))))
        let effects = script.refuse(id, Script.error(.networkError))
        #expect(effects.events == [])
        #expect(script.machine.state.outbox.items == [])
    }

    @Test func `a socket that fails under a cancelled message causes no post`() throws {
        var script = Script.connected()
        let id = try OutboxDeliveryTests.upload(&script)
        let (disk, _) = try #require(
            script.answer(id, try OutboxDeliveryTests.uploaded()).writes)
        _ = script.write(disk, [Self.noted])
        _ = script.start(.outbox(.canceling(OutboxCanceling("f"))))
        let effects = script.give(.reply(id, .sent(Script.error(.socketClosed))))
        #expect(!effects.contains { if case .ask = $0 { true } else { false } })
    }

    /// Sends a message with two files up to the upload of the first.
    private static func uploadFirst(
        of params: FileMessageParams, _ script: inout Script
    ) throws -> (id: Script.ID, upload: FileUpload) {
        let (id, effects) = script.start(
            .outbox(
                .sending(
                    OutboxSending(
                        .fileMessage(params, copies: []), to: Script.channel, as: "f"))))
        let (reserve, _) = try #require(effects.writes)
        _ = script.write(reserve, [.place(1)])
        let copied = OutboxContent.fileMessage(params, copies: [nil, nil])
        let append = try #require(
            script.give(.reply(id, .outbox(.success(.copied(copied, []))))).writes)
        var item = script.item("f", 1, hasLeft: true)
        item.content = copied
        return try #require(script.write(append.0, [.item(item)]).upload)
    }

    @Test func `the next file waits until another process's writes are read (scars 12, 61)`() throws
    {
        var script = Script.connected()
        let files = (0..<2).map { OutgoingFile(.copy(of: "/f"), name: "f\($0)") }
        var params = FileMessageParams(files: files)
        let first = try Self.uploadFirst(of: params, &script)
        let (disk, _) = try #require(
            script.answer(first.id, try OutboxDeliveryTests.uploaded()).writes)
        let told = script.write(disk, [.noted(hasNews: true, refused: [:])])
        #expect(told.upload == nil)
        for place in 0..<2 { params.files[place].source = .url("https://f/\(place)") }
        var item = script.item("f", 1, hasLeft: true)
        item.content = .fileMessage(params, copies: [nil, nil])
        let read = script.news(try #require(told.newsRead), [item])
        #expect(read.upload == nil)
        #expect(read.commands == ["f"])
    }

    @Test func `each upload knows the bytes of the files before it`() throws {
        var script = Script.connected()
        let files = [3, 4].map {
            OutgoingFile(
                .copy(of: "/f"), name: "f\($0)", size: ByteCount(bytes: Int64($0)))
        }
        let params = FileMessageParams(files: files)
        let first = try Self.uploadFirst(of: params, &script)
        #expect((first.upload.before, first.upload.total) == (0, 7))
        let (disk, _) = try #require(
            script.answer(first.id, try OutboxDeliveryTests.uploaded()).writes)
        let second = try #require(script.write(disk, [Self.noted]).upload)
        #expect((second.upload.before, second.upload.total) == (3, 7))
        #expect(second.upload.file.name == "f4")
    }

    // MARK: Suspensions

    @Test func `a message whose write ends in a suspension waits for the turn`() throws {
        var script = Script.connected()
        let (disk, _) = try #require(script.send("a", as: "a").effects.writes)
        script.give(.outbox(.suspended))
        let effects = script.write(disk, [.item(script.item("a", 1, hasLeft: true))])
        #expect(effects.commands == [])
        #expect(!script.machine.state.outbox.isBusy)
        let asked = script.resume()
        guard case .outbox(let turn, .takeTurn)? = asked.needs.first else {
            Issue.record("no request: \(asked)")
            return
        }
        // The server may have it, so it is searched for first: in the cache, then there.
        let taken = script.findNothing(script.takeTurn(2, turn))
        #expect(taken.search != nil)
    }

    @Test func `a message whose upload ends in a suspension waits for the turn`() throws {
        var script = Script.connected()
        let id = try OutboxDeliveryTests.upload(&script)
        script.give(.outbox(.suspended))
        let (disk, _) = try #require(
            script.answer(id, try OutboxDeliveryTests.uploaded()).writes)
        let effects = script.write(disk, [Self.noted])
        #expect(effects.commands == [])
        #expect(!effects.contains { if case .ask = $0 { true } else { false } })
        #expect(!script.machine.state.outbox.isBusy)
    }

    @Test func `a suspended client without a connection reads what others wrote when it resumes`() {
        var script = Script()
        script.give(.outbox(.suspended))
        let effects = script.resume()
        guard case .outbox(_, .news(regardless: false))? = effects.needs.first else {
            Issue.record("no read: \(effects)")
            return
        }
    }

    // MARK: Changes

    @Test(arguments: [true, false])
    func `an edit says whether its message has a file; an unknown message counts as a text`(
        isKnown: Bool
    ) throws {
        var script = Script.connected()
        let id = try #require(try script.leave(.edit(.delivered(5), MessageEdit(text: "b")), 1))
        var message = Script.message(5)
        message.content = .file(FileContent(FileMessageParams(files: [])))
        let error = Script.error(.localDatabaseError)
        let effects =
            isKnown
            ? script.read(id, .message(message))
            : script.give(.reply(id, .read(.failure(error))))
        guard case .send(id, .edit(let command))? = effects.needs.first else {
            Issue.record("no edit: \(effects)")
            return
        }
        #expect(command.isFile == isKnown)
    }

    @Test func `an edit that the socket refuses waits for the next connection`() throws {
        var script = Script.connected()
        let id = try #require(try script.leave(.edit(.delivered(5), MessageEdit(text: "b")), 1))
        _ = script.read(id, .message(nil))
        let lost = script.give(.reply(id, .sent(Script.error(.socketClosed))))
        #expect(lost.events == [])
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
        #expect(script.machine.state.outbox.isResting)
    }

    @Test(arguments: [nil, RoostError.Code.notAuthorized])
    func `an edit ends with the server's echo, or with its refusal`(code: RoostError.Code?) throws {
        var script = Script.connected()
        let id = try #require(try script.leave(.edit(.delivered(5), MessageEdit(text: "b")), 1))
        _ = script.read(id, .message(nil))
        script.give(.reply(id, .sent(nil)))
        let name = try #require(script.machine.state.outbox.items.first?.requestID)
        if let code {
            let refused = script.frame(.error(ServerError(code, "no"), acknowledges: name))
            let (disk, writes) = try #require(refused.writes)
            #expect(writes == [.notes([.state(name, .failed(code))])])
            let told = script.write(disk, [Self.noted])
            #expect(told.needs == [.read(told.reader ?? Script.ID(0), .message(5))])
            let end = script.give(
                .reply(
                    try #require(told.reader), .read(.failure(Script.error(.localDatabaseError)))))
            // The app learns of the refusal although the disk cannot show the message.
            #expect(end.events == ["change refused"])
            return
        }
        var event = EditEvent(message: Script.message(5))
        event.acknowledges = name
        let echo = script.frame(.edited(event))
        let committed = script.commit(try #require(echo.committer))
        let (disk, writes) = try #require((echo + committed).writes)
        #expect(writes == [.notes([.removal(name)])])
        #expect(script.write(disk, [Self.noted]).events == ["change made"])
    }

    @Test func `an edit without an answer in ten seconds is sent again after a rest`() throws {
        var script = Script.connected()
        let id = try #require(try script.leave(.edit(.delivered(5), MessageEdit(text: "b")), 1))
        _ = script.read(id, .message(nil))
        script.give(.reply(id, .sent(nil)))
        let name = try #require(script.machine.state.outbox.items.first?.requestID)
        #expect(script.give(.fired(.outboxAnswer(name))).events == [])
        #expect(script.frame(.pong).events == [])
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
        #expect(script.machine.state.outbox.isResting)
    }

    @Test func `a removed reaction is requested as a removal`() throws {
        var script = Script.connected()
        let (_, effects) = script.act(.removeReaction("wave", .delivered(5)))
        let (disk, _) = try #require(effects.writes)
        let name = try #require(effects.drafts.first?.requestID)
        var item = script.item(name, 1, hasLeft: true)
        item.content = .change(.removeReaction("wave", .delivered(5)))
        let sent = script.write(disk, [.item(item)])
        let calls = sent.compactMap { effect -> ReactToMessage? in
            if case .ask(_, .react(let call), _) = effect { call } else { nil }
        }
        #expect(calls.map(\.isAdded) == [false])
    }

    @Test func `a reaction that another device has changed since is made and not shown`() throws {
        var script = Script.connected()
        let id = try #require(try script.leave(.addReaction("wave", .delivered(5)), 1))
        var later = Self.reaction
        later.isAdded = false
        later.updatedAt = Timestamp(milliseconds: 12)
        let event = script.frame(
            .reaction(ReactionEvent(channelURL: Script.channel, messageID: 5, change: later)))
        _ = script.commit(try #require(event.committer))
        let answered = script.answer(id, .reaction(Self.reaction))
        #expect(answered.mutations == [])
        let (disk, _) = try #require(answered.writes)
        #expect(script.write(disk, [Self.noted]).events == ["change made"])
    }

    /// Each change whose answer can be a refusal.
    private static let actions: [PendingChange.Action] = [
        .addReaction("wave", .delivered(5)), .delete(.delivered(5)),
        .markAsRead(through: Timestamp(milliseconds: 50)),
    ]

    @Test(arguments: actions)
    func `a change that the server refuses is kept and reported`(_ action: PendingChange.Action)
        throws
    {
        var script = Script.connected()
        let id = try #require(try script.leave(action, 1))
        let name = try #require(script.machine.state.outbox.items.first?.requestID)
        let refused = script.refuse(id, Script.error(.notAuthorized, .correctInput))
        let (disk, writes) = try #require(refused.writes)
        #expect(writes == [.notes([.state(name, .failed(.notAuthorized))])])
        var told = script.write(disk, [Self.noted])
        if let reader = told.reader { told = script.read(reader, .message(Script.message(5))) }
        #expect(told.events == ["change refused"])
        #expect(script.machine.state.ledgers.isEmpty)
    }

    @Test func `a read mark that the server refuses behind its look-up is kept and reported`()
        throws
    {
        var script = Script.connected()
        let mark = PendingChange.Action.markAsRead(through: Timestamp(milliseconds: 50))
        let id = try #require(try script.leave(mark, 1))
        _ = script.answer(id, .channel(Script.channel(Script.channel)))
        let refused = script.refuse(id, Script.error(.notAuthorized, .correctInput))
        let (disk, _) = try #require(refused.writes)
        #expect(script.write(disk, [Self.noted]).events == ["change refused"])
    }

    @Test func `a change with an unreadable answer is sent again after a rest`() throws {
        var script = Script.connected()
        let id = try #require(try script.leave(.addReaction("wave", .delivered(5)), 1))
        #expect(script.answer(id, .done).events == [])
        #expect(script.machine.state.outbox.isResting)
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
        #expect(script.machine.state.ledgers.isEmpty)
    }
}

// MARK: - Timelines and disks by hand

extension MachineScript {
    /// Opens a timeline that shows messages and follows the newest end.
    mutating func showTimeline(
        of ids: ClosedRange<Int64>, as timeline: TimelineID = TimelineID(1)
    ) {
        give(
            .openTimeline(
                OpenTimeline(
                    timeline, channel: Self.channel, startingAt: .distantFuture,
                    filter: .everything, capacity: 1_000, pageSize: 10)))
        let (id, _) = start(.timelineOpening(TimelineOpening(timeline)))
        let lower = Self.position(ids.lowerBound)
        let upper = Self.position(ids.upperBound)
        let window = CacheWindow(
            extent: .init(lower: lower, upper: upper), messages: ids.map { Self.message($0) },
            coverage: Coverage([CoveredRange(lower: lower, upper: upper)]), sequence: 7)
        let note = [Mutation.accessed(Self.channel, at: now)]
        for case .commit(let commit, note, _, _) in read(id, .window(window)) {
            _ = self.commit(commit)
        }
    }

    /// Answers the looks for a message in the cache: it has none.
    mutating func findNothing(_ effects: [Effect]) -> [Effect] {
        effects
            + effects.flatMap { effect -> [Effect] in
                guard case .read(let id, .messageOfRequest) = effect else { return [] }
                return read(id, .message(nil))
            }
    }

    /// The messages that a timeline shows: the IDs, and the request IDs of unsent ones.
    func shown(in timeline: TimelineID = TimelineID(1)) -> [String] {
        machine.state.timelines[timeline]?.messages.map { message in
            message.messageID.map { "\($0.rawValue)" } ?? message.requestID?.rawValue ?? ""
        } ?? []
    }

    /// Has the disk refuse all writes, on the occasion of an attempt in another channel.
    mutating func refuseWrites() throws {
        let content = OutboxContent.userMessage(UserMessageParams(text: "x"))
        let sending = start(.outbox(.sending(OutboxSending(content, to: "d", as: "x"))))
        let (disk, _) = try #require(sending.effects.writes)
        let item = OutboxItem(
            sequence: 99, requestID: "x", channel: "d", createdAt: now, content: content)
        let (attempt, _) = try #require(write(disk, [.item(item)]).writes)
        _ = write(attempt, [.failed(Self.error(.localDatabaseError))])
        #expect(machine.state.outbox.disk.refusal != nil)
    }
}

extension [SyncMachine.Effect] {
    /// The first upload among the effects.
    var upload: (id: SyncMachine.OperationID, upload: FileUpload)? {
        for case .ask(let id, .upload(let upload), _) in self { return (id, upload) }
        return nil
    }

    /// The operation of the first request for a page of messages among the effects.
    var search: SyncMachine.OperationID? {
        for case .ask(let id, .messages, _) in self { return id }
        return nil
    }

    /// The operation of the first commit among the effects.
    var committer: SyncMachine.OperationID? {
        for case .commit(let id, _, _, _) in self { return id }
        return nil
    }

    /// The operation of the first read of the cache among the effects.
    var reader: SyncMachine.OperationID? {
        for case .read(let id, _) in self { return id }
        return nil
    }

    /// The items that are appended to the outbox's file.
    var drafts: [OutboxDraft] {
        (writes?.1 ?? []).compactMap { if case .append(let draft) = $0 { draft } else { nil } }
    }
}
