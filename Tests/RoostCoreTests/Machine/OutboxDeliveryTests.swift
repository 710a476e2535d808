// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// The attempts at items, and the turn to send.
struct OutboxDeliveryTests {
    private static let lane = OutboxMachine.Lane(Script.channel)

    // MARK: Texts

    @Test func `a text that was queued by the socket has ten seconds for its acknowledgement`()
        throws
    {
        var script = Script.connected()
        let id = try #require(try script.leave("a", 1))
        let effects = script.give(.reply(id, .sent(nil)))
        #expect(effects == [.notice(.arm(.outboxAnswer("a"), .seconds(10)))])
    }

    @Test func `a text that the socket refused waits, and the app learns the reason`() throws {
        var script = Script.connected()
        let id = try #require(try script.leave("a", 1))
        let effects = script.give(.reply(id, .sent(Script.error(.socketClosed))))
        #expect(effects.events == ["delayed a"])
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
        #expect(
            effects.notices.contains {
                if case .arm(.outboxRest(Self.lane), _) = $0 { true } else { false }
            })
        #expect(script.give(.fired(.outboxRest(Self.lane))).writes?.1 == [.notes([.attempt("a")])])
    }

    @Test func `a text that the server refused has failed, on disk before the app learns of it`()
        throws
    {
        var script = Script.connected()
        let id = try #require(try script.leave("a", 1))
        script.give(.reply(id, .sent(nil)))
        let refused = script.frame(.error(ServerError(.notAMember, "no"), acknowledges: "a"))
        #expect(refused.events == [])
        let (disk, writes) = try #require(refused.writes)
        #expect(writes == [.notes([.state("a", .failed(.notAMember))])])
        #expect(script.write(disk, [.noted(hasNews: false, refused: [:])]).events == ["failed a"])
    }

    @Test func `a text without an acknowledgement fails once the server answers a ping (R150)`()
        throws
    {
        var script = Script.connected()
        let id = try #require(try script.leave("a", 1))
        script.give(.reply(id, .sent(nil)))
        let asked = script.give(.fired(.outboxAnswer("a")))
        #expect(asked.notices.contains { if case .send(.ping) = $0 { true } else { false } })
        #expect(asked.notices.contains(.arm(.outboxAnswer("a"), .seconds(6))))
        #expect(asked.writes == nil)
        let (_, writes) = try #require(script.frame(.pong).writes)
        #expect(writes == [.notes([.state("a", .failed(.ackTimeout))])])
    }

    @Test func `a server that never answers a ping is asked twice, then the text fails`() throws {
        var script = Script.connected()
        let id = try #require(try script.leave("a", 1))
        script.give(.reply(id, .sent(nil)))
        for _ in 1...2 {
            let asked = script.give(.fired(.outboxAnswer("a")))
            #expect(asked.notices.contains { if case .send(.ping) = $0 { true } else { false } })
            // The frame may have waited in this process, and the link takes it for the answer.
            _ = script.frame(.delivered(Script.channel, [:]))
        }
        let (_, writes) = try #require(script.give(.fired(.outboxAnswer("a"))).writes)
        #expect(writes == [.notes([.state("a", .failed(.ackTimeout))])])
    }

    @Test func `the link decides first, even if both timers were late`() throws {
        var script = Script.connected()
        let id = try #require(try script.leave("a", 1))
        script.give(.reply(id, .sent(nil)))
        script.give(.fired(.outboxAnswer("a")))
        let late = script.give(.fired(.outboxAnswer("a")))
        #expect(late == [.notice(.arm(.outboxAnswer("a"), .seconds(1)))])
        script.give(.fired(.link(.pong)))
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
    }

    @Test func `a text whose connection is dead stays pending, and leaves with the next one`()
        throws
    {
        var script = Script.connected()
        let id = try #require(try script.leave("a", 1))
        script.give(.reply(id, .sent(nil)))
        script.give(.fired(.outboxAnswer("a")))
        let lost = script.give(.fired(.link(.pong)))
        #expect(lost.events == [] && lost.writes == nil)
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
        #expect(script.give(.fired(.outboxAnswer("a"))).events == [])
        let search = try #require(script.findNothing(script.login()).search)
        _ = script.answer(search, .messages(Self.newest([])))
        let (disk, writes) = try #require(script.commit(search).writes)
        #expect(writes == [.notes([.attempt("a")])])
        #expect(script.write(disk, [.noted(hasNews: false, refused: [:])]).commands == ["a"])
    }

    // MARK: Files

    /// Sends a message with one file until its upload begins.
    static func upload(_ script: inout MachineScript) throws -> MachineScript.ID {
        let file = OutgoingFile(.reference(to: "/f"), name: "f")
        let params = FileMessageParams(files: [file])
        let content = OutboxContent.fileMessage(params, copies: [])
        let (id, effects) = script.start(
            .outbox(.sending(OutboxSending(content, to: Script.channel, as: "f"))))
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.reserve("f")])
        let copying = script.write(disk, [.place(1)])
        #expect(copying.needs == [.outbox(id, .copyFiles(params, "f", sequence: 1))])
        let copy = CopiedFile(name: "f1", size: 3, key: nil)
        let copied = OutboxContent.fileMessage(params, copies: [copy])
        let appended = script.give(.reply(id, .outbox(.success(.copied(copied, [copy])))))
        let append = try #require(appended.writes)
        #expect(append.1.map(\.name) == ["append f, leaves"])
        var item = script.item("f", 1, hasLeft: true)
        item.content = copied
        let effects2 = script.write(append.0, [.item(item)])
        for case .ask(let upload, .upload(let file), .lastLogin) in effects2 {
            #expect(file.copy == copy)
            return upload
        }
        throw Script.Unexpected()
    }

    /// The newest page of a channel.
    private static func newest(_ messages: [Message]) -> MessagePage {
        var page = MessagePage(messages: messages)
        page.hasNext = false
        page.isContinuous = true
        return page
    }

    static func uploaded(size: Int? = nil) throws -> ServerAnswer {
        let measured = size.map { #","file_size":\#($0)"# } ?? ""
        let body = #"{"url":"http://f"\#(measured)}"#
        return .uploaded(
            try UploadFile.decode(APIResponse(status: 200, body: Array(body.utf8))))
    }

    @Test func `sizes of files that no number holds in all are the greatest number`() throws {
        var script = Script.connected()
        let files = [
            OutgoingFile(.url("http://a"), name: "a", size: ByteCount(bytes: .max)),
            OutgoingFile(.url("http://b"), name: "b", size: ByteCount(bytes: .max)),
            OutgoingFile(.reference(to: "/f"), name: "f", size: ByteCount(bytes: 3)),
        ]
        var item = script.item("f", 1)
        item.content = .fileMessage(FileMessageParams(files: files), copies: [nil, nil, nil])
        let written = script.othersWrote()
        let read = try #require(written.newsRead)
        let news = script.news(read, [item])
        let effects = script.hearNothing(news)
        let upload = try #require(effects.upload).upload
        #expect(upload.before == .max && upload.total == .max)
    }

    @Test func `an uploaded file's address is on disk before the message leaves`() throws {
        var script = Script.connected()
        let id = try Self.upload(&script)
        let found = script.answer(id, try Self.uploaded())
        #expect(found.needs.count == 1)
        let (disk, writes) = try #require(found.writes)
        guard case .notes(let notes)? = writes.first,
            case .content("f", Script.channel, .fileMessage(let params, copies: let copies))? =
                notes.first
        else {
            Issue.record("no note: \(writes)")
            return
        }
        #expect(params.files.first?.url == "http://f")
        #expect(copies == [nil])
        let sent = script.write(disk, [.noted(hasNews: false, refused: [:])])
        #expect(sent.commands == ["f"])
        #expect(
            sent.notices.contains(
                .keepUploaded(CopiedFile(name: "f1", size: 3, key: nil), at: "http://f")))
    }

    @Test
    func `an upload that failed is tried again later; a lost connection does not end it (R140)`()
        throws
    {
        var script = Script.connected()
        let id = try Self.upload(&script)
        script.lose()
        // The upload is under way, so there is nothing to look up, and no other attempt.
        let again = script.login()
        #expect(again.search == nil && again.writes == nil && again.upload == nil)
        let failed = script.refuse(id, Script.error(.networkError))
        #expect(failed.events == ["delayed f"])
    }

    @Test func `a file of a cancelled message is not sent, and its upload is ended`() throws {
        var script = Script.connected()
        let id = try Self.upload(&script)
        let effects = script.start(.outbox(.canceling(OutboxCanceling("f")))).effects
        let (disk, _) = try #require(effects.writes)
        let end = script.write(disk, [.noted(hasNews: false, refused: [:])])
        #expect(end.notices.contains(.cancelUpload("f")))
        #expect(script.answer(id, try Self.uploaded()).commands == [])
    }

    @Test func `an uploaded file's message goes by HTTP if the socket is lost (R146)`() throws {
        var script = Script.connected()
        let id = try Self.upload(&script)
        let (disk, _) = try #require(script.answer(id, try Self.uploaded()).writes)
        let sent = script.write(disk, [.noted(hasNews: false, refused: [:])])
        #expect(sent.commands == ["f"])
        let lost = script.give(.reply(id, .sent(Script.error(.socketClosed))))
        guard case .ask(id, .post(let call), .lastLogin)? = lost.needs.first else {
            Issue.record("no post: \(lost)")
            return
        }
        #expect(call.message.requestID == "f")
        // Without a way to the server it stays pending (R147, R148).
        let unreachable = RoostError(
            .networkError, remedy: .retry, message: "", cause: .unreachable)
        #expect(script.refuse(id, unreachable).events == ["delayed f"])
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
    }

    @Test func `a message posted before a disconnection and a clearing is not stored (scar 35)`()
        throws
    {
        var script = Script.connected()
        let id = try Self.upload(&script)
        let (disk, _) = try #require(script.answer(id, try Self.uploaded()).writes)
        _ = script.write(disk, [.noted(hasNews: false, refused: [:])])
        let lost = script.give(.reply(id, .sent(Script.error(.socketClosed))))
        guard case .ask(id, .post, .lastLogin)? = lost.needs.first else {
            Issue.record("no post: \(lost)")
            return
        }
        script.give(.disconnect(isLogout: false))
        let (deletionDisk, writes) = try #require(
            script.act(.delete(.unsent("f"))).effects.writes)
        guard case .append(let draft)? = writes.first else { throw Script.Unexpected() }
        let deletion = OutboxItem(
            sequence: 2, requestID: draft.requestID, channel: Script.channel,
            createdAt: script.now, content: draft.content)
        _ = script.write(deletionDisk, [.item(deletion)])
        #expect(script.machine.state.outbox.items.map(\.requestID) == [draft.requestID])
        let late = script.answer(id, .message(Script.message(9, request: "f")))
        #expect(!late.contains { if case .commit = $0 { true } else { false } })
        // The deletion has the ID that it waited for.
        #expect(
            script.machine.state.outbox.items.map(\.content)
                == [.change(.delete(.delivered(9)))])
    }

    // MARK: Changes

    @Test func `an edit goes over the socket with the kind of its message`() throws {
        var script = Script.connected()
        let id = try #require(try script.leave(.edit(.delivered(5), MessageEdit(text: "b")), 1))
        let effects = script.read(id, .message(Script.message(5)))
        guard case .send(id, .edit(let command))? = effects.needs.first else {
            Issue.record("no edit: \(effects)")
            return
        }
        #expect(command.messageID == 5 && command.text == "b" && !command.isFile)
    }

    @Test(arguments: [nil, RoostError.Code.messageNotFound, .notAuthorized])
    func `a message that the server has deleted, or does not know, leaves the cache`(
        refusal: RoostError.Code?
    ) throws {
        var script = Script.connected()
        let id = try #require(try script.leave(.delete(.delivered(5)), 1))
        let answer: Answered<ServerAnswer> =
            refusal.map { .failure(Script.error($0, .correctInput)) } ?? .success(.done)
        let effects = script.give(.reply(id, .answer(answer)))
        if refusal == .notAuthorized {
            #expect(effects.writes?.1.first.map { "\($0)" }?.contains("400108") == true)
            return
        }
        let look = try #require(effects.reader)
        let committed = script.read(look, .channel(nil))
        #expect(committed.mutations.first == .deleted(Script.channel, [5]))
    }

    @Test func `an answered reaction is committed, and an older event after it (scar 115)`() throws
    {
        var script = Script.connected()
        let id = try #require(try script.leave(.addReaction("wave", .delivered(5)), 1))
        let change = ReactionChange(
            key: "wave", userID: "me", isAdded: true, updatedAt: Timestamp(milliseconds: 9))
        let effects = script.answer(id, .reaction(change))
        #expect(effects.mutations == [.reacted(Script.channel, 5, change)])
        _ = script.commit(try #require(effects.committer))
        // The removal of another user's reaction came before it, and follows by the socket.
        let removal = ReactionChange(
            key: "wave", userID: "bob", isAdded: false, updatedAt: Timestamp(milliseconds: 8))
        let late = script.frame(
            .reaction(ReactionEvent(channelURL: Script.channel, messageID: 5, change: removal)))
        #expect(late.mutations == [.reacted(Script.channel, 5, removal, isLate: true)])
    }

    @Test func `a read mark is dropped if others have written since, and made otherwise`() throws {
        let cases: [(Int64, Bool)] = [(5, true), (50, false)]
        for (moment, isDropped) in cases {
            var script = Script.connected()
            let id = try #require(
                try script.leave(.markAsRead(through: Timestamp(milliseconds: moment)), 1))
            var channel = Script.channel(Script.channel)
            channel.lastMessage = Script.message(10)
            channel.lastMessage?.sender = Sender(user: User(id: "other"))
            let effects = script.answer(id, .channel(channel))
            if isDropped {
                let (disk, _) = try #require(effects.writes)
                let end = script.write(disk, [.noted(hasNews: false, refused: [:])])
                #expect(end.events == ["change dropped"])
                continue
            }
            guard case .ask(id, .markAsRead, _)? = effects.needs.first else {
                Issue.record("no mark: \(effects)")
                continue
            }
            // The cache has the mark before the change counts as made.
            let marked = script.answer(id, .done)
            #expect(
                marked.mutations == [
                    .channelNews(Script.channel, .read(Timestamp(milliseconds: moment)))
                ])
            let (disk, _) = try #require(script.commit(id).writes)
            let end = script.write(disk, [.noted(hasNews: false, refused: [:])])
            #expect(end.events == ["change made"])
        }
    }

    // MARK: The turn

    @Test func `without the turn nothing leaves, and the turn is requested again after 5 s`() {
        var script = Script.connected()
        script.give(.outbox(.suspended))
        let asked = script.resume()
        guard case .outbox(let id, .takeTurn)? = asked.needs.first else {
            Issue.record("no request: \(asked)")
            return
        }
        let refused = script.takeTurn(nil, id)
        #expect(refused.notices.contains(.arm(.outboxTurn, .seconds(5))))
        let (_, effects) = script.send("a", as: "a")
        #expect(effects.writes?.1.map(\.name) == ["append a"])
        guard case .outbox(_, .takeTurn)? = script.give(.fired(.outboxTurn)).needs.first else {
            Issue.record("no second request")
            return
        }
    }

    @Test func `a turn that was requested before a suspension is not held after it`() {
        var script = Script.connected()
        let asked = script.resume()
        guard case .outbox(let id, .takeTurn)? = asked.needs.first else {
            Issue.record("no request: \(asked)")
            return
        }
        script.give(.outbox(.suspended))
        _ = script.takeTurn(2, id)
        #expect(script.machine.state.outbox.turn == nil)
    }

    @Test(arguments: [true, false], [true, false])
    func `a message that may have arrived is searched for before it is sent again (scar 11)`(
        hasArrived: Bool, isWrittenOffline: Bool
    ) throws {
        var script = isWrittenOffline ? Script() : Script.connected()
        var attempt = isWrittenOffline ? nil : try script.leave("a", 1)
        if isWrittenOffline {
            script.store("a", 1)
            let (disk, _) = try #require(script.login().writes)
            let effects = script.write(disk, [.noted(hasNews: false, refused: [:])])
            for case .send(let id, .message) in effects { attempt = id }
        }
        script.give(.reply(try #require(attempt), .sent(nil)))
        script.lose()
        let effects = script.findNothing(script.login())
        #expect(effects.commands == [])
        let search = try #require(effects.search)
        let page = Self.newest(hasArrived ? [Script.message(9, request: "a")] : [])
        let stored = script.answer(search, .messages(page))
        #expect(stored.mutations.count > 0)
        let end = script.commit(search)
        let (disk, writes) = try #require(end.writes)
        #expect(writes == [.notes([hasArrived ? .removal("a") : .attempt("a")])])
        let after = script.write(disk, [.noted(hasNews: false, refused: [:])])
        #expect(after.commands == (hasArrived ? [] : ["a"]))
    }
}

extension MachineScript {
    /// Sends a text that leaves at once.
    ///
    /// - Returns: The operation that hands it to the socket.
    mutating func leave(_ id: RequestID, _ sequence: Int64) throws -> ID? {
        let (disk, _) = try #require(send(id.rawValue, as: id).effects.writes)
        let effects = write(disk, [.item(item(id, sequence, hasLeft: true))])
        for case .send(let operation, .message) in effects { return operation }
        return nil
    }

    /// Makes a change that leaves at once.
    ///
    /// - Returns: The operation of the attempt.
    mutating func leave(_ action: PendingChange.Action, _ sequence: Int64) throws -> ID? {
        let (disk, writes) = try #require(act(action).effects.writes)
        guard case .append(let draft)? = writes.first else { throw Unexpected() }
        let item = OutboxItem(
            sequence: sequence, requestID: draft.requestID, channel: Self.channel, createdAt: now,
            content: draft.content, attemptCount: 1, hasLeft: true)
        for effect in write(disk, [.item(item)]).needs {
            switch effect {
            case .ask(let id, _, _), .read(let id, .message): return id
            default: break
            }
        }
        return nil
    }
}
