// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

struct HistoryTests {
    private let fixture: ServerFixture
    private let alice: ServerFixture.Device
    private let bob: ServerFixture.Device

    init() async throws {
        fixture = await ServerFixture()
        alice = try await fixture.connect("alice")
        bob = try await fixture.connect("bob")
        try await fixture.channel(of: ["alice", "bob"], by: alice)
    }

    /// Sends messages one millisecond apart; every third is Bob's, every fifth of another type.
    private func fill(_ count: Int) async throws -> [Message] {
        for number in 0..<count {
            fixture.world.advance(1)
            let command = MessageCommand(
                channelURL: "g", requestID: RequestID("\(number)"),
                content: .user(text: "\(number)"), customType: number % 5 == 0 ? "odd" : "")
            await fixture.say(.message(command), on: number % 3 == 0 ? bob : alice)
        }
        return try await fixture.server.log(of: "g").map(\.message)
    }

    private func page(
        _ anchor: ListMessages.Anchor, _ previous: Int, _ next: Int, include: Bool = false,
        reverse: Bool = false, filter: MessageFilter = MessageFilter()
    ) async throws -> MessagePage {
        try await fixture.call(
            ListMessages(
                channelURL: "g", anchor: anchor, previousLimit: previous, nextLimit: next,
                includesAnchor: include, isReversed: reverse, filter: filter), as: alice)
    }

    @Test
    func `a page surrounds its anchor, which counts against no limit (R194)`() async throws {
        let log = try await fill(10)
        let anchor = ListMessages.Anchor.time(log[5].createdAt)
        #expect(try await page(anchor, 2, 2).messages == Array(log[3...4] + log[6...7]))
        #expect(try await page(anchor, 2, 2, include: true).messages == Array(log[3...7]))
        #expect(
            try await page(anchor, 2, 2, include: true, reverse: true).messages
                == log[3...7].reversed())
        let byID = ListMessages.Anchor.message(try #require(log[5].messageID))
        #expect(try await page(byID, 2, 2).messages == Array(log[3...4] + log[6...7]))
        #expect(try await page(byID, 2, 2, include: true).messages == Array(log[3...7]))
        #expect(try await page(.time(.distantFuture), 3, 3).messages == log.suffix(3))
        #expect(try await page(.time(.distantPast), 3, 3).messages == Array(log.prefix(3)))
    }

    @Test
    func `a page selects by kind, custom type and sender on both sides of its anchor (R194)`()
        async throws
    {
        // Every third is Bob's, every fifth odd, every fourth a file, every ninth the platform's.
        func isAdmin(_ number: Int) -> Bool { number % 9 == 0 }
        func isFile(_ number: Int) -> Bool { !isAdmin(number) && number % 4 == 0 }
        func isUser(_ number: Int) -> Bool { !isAdmin(number) && !isFile(number) }
        func isOdd(_ number: Int) -> Bool { number % 5 == 0 }
        func isBobs(_ number: Int) -> Bool { !isAdmin(number) && number % 3 == 0 }
        for number in 0..<40 {
            fixture.world.advance(1)
            let file = FileContent(url: "u", name: "n", type: "t", size: ByteCount(bytes: 3))
            let command = MessageCommand(
                channelURL: "g", requestID: RequestID("\(number)"),
                content: isAdmin(number)
                    ? .admin(text: "x") : isFile(number) ? .file(file) : .user(text: "x"),
                customType: isOdd(number) ? "odd" : "")
            try await fixture.call(
                SendMessage(message: command),
                as: isAdmin(number) ? nil : isBobs(number) ? bob : alice)
        }
        let log = try await fixture.server.log(of: "g").map(\.message)
        #expect(log.count == 40)
        let filters: [(filter: MessageFilter, selects: (Int) -> Bool)] = [
            (MessageFilter(), { _ in true }), (MessageFilter(kind: .user), isUser),
            (MessageFilter(kind: .file), isFile), (MessageFilter(kind: .admin), isAdmin),
            (MessageFilter(customTypes: ["odd"]), isOdd),
            (MessageFilter(customTypes: [""]), { !isOdd($0) }),
            (MessageFilter(senderIDs: ["bob"]), isBobs),
            (MessageFilter(senderIDs: ["alice", "bob"]), { !isAdmin($0) }),
            (
                MessageFilter(kind: .user, customTypes: ["odd", "none"], senderIDs: ["bob"]),
                { isUser($0) && isOdd($0) && isBobs($0) }
            ),
        ]
        for (filter, selects) in filters {
            // Number 20 is a file and odd, and Alice's; 30 a text, odd and Bob's.
            for start in [20, 30] {
                let anchors: [ListMessages.Anchor] = [
                    .time(log[start].createdAt), .message(try #require(log[start].messageID)),
                ]
                let older = (0..<start).filter(selects).suffix(3)
                let newer = (start + 1..<40).filter(selects).prefix(2)
                for (anchor, isInclusive) in anchors.flatMap({ [($0, false), ($0, true)] }) {
                    let inside = isInclusive && selects(start) ? [start] : []
                    let expected = (older + inside + newer).map { log[$0] }
                    let page = try await page(anchor, 3, 2, include: isInclusive, filter: filter)
                    #expect(page.messages == expected, "\(filter) \(anchor) \(isInclusive)")
                    let turned = try await self.page(
                        anchor, 3, 2, include: isInclusive, reverse: true, filter: filter)
                    #expect(turned.messages == expected.reversed(), "\(filter) \(anchor)")
                }
            }
        }
    }

    private func fingerprint(_ messages: some Sequence<Message>) -> MessageFingerprint {
        var fingerprint = MessageFingerprint()
        for message in messages {
            guard let place = message.position else { continue }
            fingerprint.add(place, editedAt: message.updatedAt)
        }
        return fingerprint
    }

    @Test func `a range's fingerprint covers the messages that the caller sees`()
        async throws
    {
        let log = try await fill(30)
        let places = log.compactMap(\.position)
        let stretches: [FingerprintMessages.Stretch] = [
            .init(from: .distantPast, through: .distantFuture),
            .init(from: places[3], through: places[7]),
            .init(
                from: Position(createdAt: places[9].createdAt, messageID: MessageID(.max)),
                through: places[10]),
            .init(
                from: Position(createdAt: places[29].createdAt, messageID: MessageID(.max)),
                through: .distantFuture),
        ]
        let question = FingerprintMessages(channelURL: "g", stretches: stretches)
        let found = try await fixture.call(question, as: alice)
        #expect(
            found == [
                fingerprint(log), fingerprint(log[3...7]), fingerprint([log[10]]),
                MessageFingerprint(),
            ])
        #expect(Set(found.map(\.digest)).count == 4)
        // An edit and a deletion count too.
        let edited = try #require(log[5].messageID)
        fixture.world.advance(1)
        await fixture.say(
            .edit(EditCommand(channelURL: "g", messageID: edited, requestID: "e", text: "new")),
            on: log[5].sender?.user.id == "bob" ? bob : alice)
        let after = try await fixture.call(question, as: alice)
        #expect(after[0] != found[0] && after[1] != found[1])
        #expect(after[1].count == found[1].count && after[2] == found[2])
        // A user outside the channel gets no fingerprint.
        let stranger = try await fixture.connect("carol")
        await #expect(throws: APIFailure.self) {
            _ = try await fixture.call(question, as: stranger)
        }
        for text in ["", "1.2", "1.2_3", "3.1_2.1", "a.b_c.d"] {
            let request = APIRequest(
                .get, ["group_channels", "g", "messages", "fingerprints"],
                query: [QueryItem("stretches", text)])
            let answer = await fixture.server.respond(
                to: request, headers: RequestHeaders(sessionKey: alice.key))
            #expect(answer.status == 400, "\(text)")
        }
    }

    @Test(arguments: [1, 5, 10])
    func `a full last page has no next page (scar 28)`(size: Int) async throws {
        let log = try await fill(10)
        var anchor = ListMessages.Anchor.time(.distantPast)
        var found: [Message] = []
        while true {
            let page = try await page(anchor, 0, size)
            found += page.messages
            let last = try #require(page.messages.last)
            #expect(page.hasNext == (found.count < log.count))
            guard page.hasNext == true else { break }
            anchor = .time(last.createdAt)
        }
        #expect(found == log)
        #expect(try await page(.time(.distantFuture), 3, 0).hasNext == false)
        #expect(try await page(.time(log[9].createdAt), 3, 0).hasNext == true)
    }

    @Test
    func `a page is continuous if its filter left out no message between its ends`() async throws {
        _ = try await fill(10)
        #expect(try await page(.time(.distantFuture), 5, 0).isContinuous == true)
        let odd = MessageFilter(customTypes: ["odd"])
        let filtered = try await page(.time(.distantFuture), 5, 0, filter: odd)
        #expect(filtered.messages.map(\.text) == ["0", "5"])
        #expect(filtered.isContinuous == false)
        #expect(try await page(.time(.distantFuture), 1, 0, filter: odd).isContinuous == true)
        let none = MessageFilter(customTypes: ["none"])
        #expect(try await page(.time(.distantFuture), 5, 0, filter: none).isContinuous == true)
    }

    private func gap(
        previous: Int?, next: Int?, of log: [Message], filter: MessageFilter = MessageFilter()
    ) async throws -> MessageGapAnswer {
        let half = log.count / 2
        let older = Array(log[..<half]).filter(filter.matches)
        let newer = Array(log[half...]).filter(filter.matches)
        func side(_ part: [Message], _ missing: Int) -> MessageGap.Side {
            MessageGap.Side(
                start: part[0].createdAt, end: part[part.count - 1].createdAt,
                cachedCount: part.count - missing)
        }
        return try await fixture.call(
            MessageGap(
                channelURL: "g", previous: previous.map { side(older, $0) },
                next: next.map { side(newer, $0) }, filter: filter), as: alice)
    }

    @Test
    func `300 missing messages are answered, 301 are a huge gap (scar 33, R113, R198)`()
        async throws
    {
        let log = try await fill(700)
        for (previous, next) in [(300, nil), (nil, 300), (150, 150), (299, 1), (0, 300)] {
            let answer = try await gap(previous: previous, next: next, of: log)
            #expect(!answer.isHuge, "\(String(describing: (previous, next)))")
            #expect(answer.previous.messages == ((previous ?? 0) > 0 ? Array(log[..<350]) : []))
            #expect(answer.next.messages == ((next ?? 0) > 0 ? Array(log[350...]) : []))
            #expect(answer.previous.isContinuous && answer.next.isContinuous)
            #expect(!answer.previous.hasMore && !answer.next.hasMore)
        }
        for (previous, next) in [(301, nil), (nil, 301), (150, 151), (301, 0), (300, 1)] {
            let answer = try await gap(previous: previous, next: next, of: log)
            #expect(answer.isHuge, "\(String(describing: (previous, next)))")
            #expect(answer.previous.messages.isEmpty && answer.next.messages.isEmpty)
        }
    }

    @Test
    func `missing messages are counted under the filter (scar 33)`() async throws {
        let log = try await fill(1_600)
        let filter = MessageFilter(customTypes: ["odd"], senderIDs: ["alice", "bob"])
        let filled = try await gap(previous: 150, next: 150, of: log, filter: filter)
        #expect(!filled.isHuge)
        #expect(filled.next.messages == Array(log[800...]).filter(filter.matches))
        #expect(!filled.next.isContinuous)
        #expect(try await gap(previous: 150, next: 151, of: log, filter: filter).isHuge)
    }

    @Test
    func `a view with more messages than the server lacks none`() async throws {
        let log = try await fill(10)
        let answer = try await gap(previous: -3, next: 0, of: log)
        #expect(answer == MessageGapAnswer(isHuge: false))
    }

    @Test
    func `a channel's change log has every change once over its pages (R195)`() async throws {
        let log = try await fill(250)
        let id = try #require(log[4].messageID)
        try await fixture.call(DeleteMessage(channelURL: "g", messageID: id), as: alice)
        var cursor = ChangeLogCursor.since(Timestamp(milliseconds: 0))
        var updated: [Message] = []
        var deleted: [MessageID] = []
        var pages = 0
        while true {
            let page = try await fixture.call(
                MessageChangeLog(channelURL: "g", cursor: cursor), as: bob)
            updated += page.updated
            deleted += page.deleted.map(\.id)
            pages += 1
            cursor = .token(page.next)
            guard page.hasMore else { break }
        }
        #expect(pages == 3)
        #expect(updated == log.filter { $0.messageID != id })
        #expect(deleted == [id])
        // By time: the changes of that millisecond and all later ones.
        let late = try await fixture.call(
            MessageChangeLog(channelURL: "g", cursor: .since(log[240].createdAt)), as: bob)
        #expect(late.updated == Array(log[240...]) && late.deleted.map(\.id) == [id])
        #expect(!late.hasMore && .token(late.next) == cursor)
        let quiet = try await fixture.call(
            MessageChangeLog(channelURL: "g", cursor: cursor), as: bob)
        #expect(quiet.updated.isEmpty && quiet.deleted.isEmpty && !quiet.hasMore)
        #expect(.token(quiet.next) == cursor)
        fixture.world.advance(1)
        let edit = EditCommand(
            channelURL: "g", messageID: try #require(log[7].messageID), requestID: nil, text: "7!")
        let edited = try await fixture.call(EditMessage(edit: edit), as: alice)
        let next = try await fixture.call(
            MessageChangeLog(channelURL: "g", cursor: cursor), as: bob)
        #expect(next.updated == [edited] && next.deleted.isEmpty && !next.hasMore)
        for token in ["x", "m", "c1", "m-1"] {
            let call = MessageChangeLog(channelURL: "g", cursor: .token(token))
            #expect(
                await refusal { () async throws(APIFailure) in try await fixture.call(call, as: bob)
                } == .invalidValue)
        }
    }

    @Test
    func `REST calls publish the same events as socket commands`()
        async throws
    {
        _ = try bob.inbox.take()
        let command = MessageCommand(
            channelURL: "g", requestID: "r",
            content: .file(
                FileContent(url: "u", name: "n", type: "t", size: ByteCount(bytes: 3))))
        let sent = try await fixture.call(SendMessage(message: command), as: alice)
        #expect(try await fixture.call(SendMessage(message: command), as: alice) == sent)
        let id = try #require(sent.messageID)
        #expect(try await fixture.call(GetMessage(channelURL: "g", messageID: id), as: bob) == sent)
        let edit = EditCommand(
            channelURL: "g", messageID: id, requestID: nil, isFile: true, data: "d")
        let edited = try await fixture.call(EditMessage(edit: edit), as: alice)
        #expect(edited.data == "d")
        let mark = try await fixture.call(MarkAsRead(channelURL: "g"), as: bob)
        #expect(mark.unreadMessageCount == 0)
        try await fixture.call(DeleteMessage(channelURL: "g", messageID: id), as: alice)
        let events = try bob.inbox.take()
        #expect(events.count == 5)
        #expect(events.first?.message?.message == sent)
        guard case .edited(let change) = events[1], case .read = events[2],
            case .deleted(let deletion) = events[4]
        else {
            Issue.record("The events came otherwise: \(events)")
            return
        }
        #expect(change.message == edited)
        #expect(deletion.senderID == "alice")
        #expect(
            await refusal { () async throws(APIFailure) in
                try await fixture.call(GetMessage(channelURL: "g", messageID: id), as: bob)
            } == .messageNotFound)
    }

    @Test
    func `the platform sends messages for users and as administrator`() async throws {
        _ = try bob.inbox.take()
        let text = MessageCommand(channelURL: "g", requestID: nil, content: .user(text: "x"))
        let sent = try await fixture.call(SendMessage(message: text, userID: "alice"), as: nil)
        #expect(sent.sender?.user.id == "alice")
        let notice = MessageCommand(channelURL: "g", requestID: nil, content: .admin(text: "x"))
        #expect(try await fixture.call(SendMessage(message: notice), as: nil).sender == nil)
        #expect(
            await refusal { () async throws(APIFailure) in
                try await fixture.call(SendMessage(message: notice), as: alice)
            } == .notAuthorized)
        #expect(try bob.inbox.take().map { $0.message?.message.content.kind } == ["MESG", "ADMM"])
    }

    @Test
    func `paths below sdk are answered, and unknown paths are refused`() async throws {
        let server = fixture.server
        let headers = RequestHeaders(sessionKey: alice.key)
        let statistics = APIRequest(.post, ["sdk", "statistics"])
        #expect(await server.respond(to: statistics, headers: headers) == .empty)
        let nowhere = await server.respond(to: APIRequest(.get, ["bots"]), headers: headers)
        #expect(nowhere == APIResponse(.invalidEndpoint))
    }
}
