// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostModel
import RoostTestKit
import RoostTransport
import Testing

/// Requests and answers of a client whose server makes no progress.
struct BoundedClientTests {
    private static func error(_ code: Int, status: Int = 400) -> HTTPResponse {
        HTTPResponse(
            status: status,
            body: Array(#"{"error":true,"message":"no","code":\#(code)}"#.utf8))
    }

    /// Returns a line on which the server refuses channel lists while a flag is set.
    private static func refusingLists(
        _ line: any HTTPTransport, while refuses: Guarded<Bool>
    ) -> Watch {
        Watch(
            line,
            answer: { url in
                guard refuses.withLock({ $0 }), url.contains("my_group_channels") else {
                    return nil
                }
                return error(400_108, status: 403)
            })
    }

    /// Answers of a server that makes no progress.
    enum Standstill: String, CaseIterable {
        case refusedTokens, endlessTokens, repeatedPages, failures, nonsense, emptyBodies

        func answer(to url: String, _ number: Int) -> HTTPResponse? {
            guard url.contains("changelogs") || url.contains("/my_group_channels?") else {
                return nil
            }
            let isFirst = url.contains("token=&") || url.contains("change_ts=")
            func page(_ token: String) -> HTTPResponse {
                HTTPResponse(
                    status: 200,
                    body: Array(
                        (#"{"channels":[],"updated":[],"deleted":[],"has_more":true,"ts":1,"#
                            + #""next":"\#(token)"}"#).utf8))
            }
            switch self {
            case .refusedTokens: return isFirst ? page("t") : error(400_111)
            case .endlessTokens: return page("t\(number)")
            case .repeatedPages: return page("t")
            case .failures: return error(500_901, status: 500)
            case .nonsense:
                return HTTPResponse(status: 200, body: Array("<html>It works!</html>".utf8))
            case .emptyBodies: return HTTPResponse(status: 200)
            }
        }

        private func error(_ code: Int, status: Int = 400) -> HTTPResponse {
            BoundedClientTests.error(code, status: status)
        }
    }

    @Test(arguments: Standstill.allCases)
    func `a server without progress gets fewer and fewer requests, and callers get answers in time`(
        kind: Standstill
    ) throws {
        try SimulatedWorld.play(seed: 3) { world in
            let count = Guarded(0)
            let isHostile = Guarded(false)
            let alice = try await world.launch(world.device(of: "alice")) { line in
                Watch(
                    line,
                    answer: { url in
                        let number = count.withLock { count in
                            count += 1
                            return count
                        }
                        return isHostile.withLock { $0 } ? kind.answer(to: url, number) : nil
                    })
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let params = ChannelCreateParams(memberIDs: ["alice"], name: "train")
            let url = try await bob.createChannel(params).url
            isHostile.withLock { $0 = true }
            try await alice.connect()
            let list = try await alice.channelList()
            let before = world.executor.now
            _ = await alice.waitUntilIdle(atMost: .seconds(9))
            #expect(world.executor.now - before <= .seconds(9))
            let timeline = try await alice.timeline(of: url)
            let early = count.withLock { $0 }
            await world.pass(.seconds(60))
            let minute = count.withLock { $0 } - early
            #expect(minute < 300, "five in a second")
            await world.pass(.seconds(600))
            let later = count.withLock { $0 }
            await world.pass(.seconds(60))
            #expect(count.withLock { $0 } - later <= 60, "the waits have grown")

            isHostile.withLock { $0 = false }
            await world.pass(.seconds(120))
            #expect(await list.serverFailure == nil)
            #expect(await list.snapshot.channels.map(\.url) == [url])
            await timeline.close()
        }
    }

    @Test func `an unread mark ends in time while the server fails (scars 93, 94)`() throws {
        try SimulatedWorld.play(seed: 6) { world in
            let fails = Guarded(false)
            let alice = try await world.launch(world.device(of: "alice")) { line in
                Watch(
                    line,
                    answer: { url in
                        guard fails.withLock({ $0 }), url.contains("/group_channels/"),
                            url.contains("show_member")
                        else { return nil }
                        return Self.error(500_901, status: 500)
                    })
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let url = try await alice.createChannel(ChannelCreateParams(memberIDs: ["bob"])).url
            let sent = try await bob.send("hello", to: url)
            await bob.waitUntilIdle()
            await world.pass()
            let log = try await world.log(of: url)
            let message = try #require(log.first { $0.requestID == sent.requestID }?.messageID)
            fails.withLock { $0 = true }
            for wait in [0, 3, 30, 60] {
                await world.pass(.seconds(wait))
                let before = world.executor.now
                try await alice.markAsUnread(url, from: message)
                #expect(world.executor.now - before <= .seconds(10))
            }
            fails.withLock { $0 = false }
            await world.pass(.seconds(60))
            #expect(try await alice.channel(url).unreadMessageCount == 1)
        }
    }

    @Test func `a call of two requests ends in the time of one (scar 93)`() throws {
        try SimulatedWorld.play(seed: 7) { world in
            let isSlow = Guarded(false)
            let alice = try await world.launch(world.device(of: "alice")) { line in
                Watch(
                    line,
                    hold: { url in
                        guard isSlow.withLock({ $0 }), url.contains("/messages/") else { return }
                        await world.pass(.seconds(6))
                    })
            }
            try await alice.connect()
            let url = try await alice.createChannel(ChannelCreateParams(memberIDs: [])).url
            try await alice.send("hello", to: url)
            await alice.waitUntilIdle()
            let message = try #require(try await world.log(of: url).last?.messageID)
            isSlow.withLock { $0 = true }
            let before = world.executor.now
            let error = await #expect(throws: RoostError.self) {
                try await alice.addMetaArrays(
                    [MetaArray(key: "k", values: ["v"])], to: message, in: url)
            }
            #expect(error?.code == .requestFailed)
            #expect(world.executor.now - before <= .seconds(9))
        }
    }

    @Test func `a list that the server refuses is an error, and the cached list is shown`()
        throws
    {
        try SimulatedWorld.play(seed: 4) { world in
            let refuses = Guarded(false)
            let alice = try await world.launch(world.device(of: "alice")) {
                Self.refusingLists($0, while: refuses)
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            refuses.withLock { $0 = true }
            try await alice.connect()
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            await world.pass()
            let list = try await alice.channelList()
            #expect(await alice.waitUntilIdle(atMost: .seconds(9)))
            #expect(await list.serverFailure?.code == .notAuthorized)
            #expect(await list.snapshot.channels.map(\.url) == [url], "it came live")
        }
    }

    @Test func `the wait for a list's first page ends with the page or the reason against it`()
        throws
    {
        try SimulatedWorld.play(seed: 6) { world in
            let refuses = Guarded(false)
            let alice = try await world.launch(world.device(of: "alice")) {
                Self.refusingLists($0, while: refuses)
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            let early = try await alice.channelList()
            let offline = await #expect(throws: RoostError.self) { try await early.reachServer() }
            #expect(offline?.code == .connectionRequired)
            try await alice.connect()
            try await early.reachServer()
            let list = try await alice.channelList()
            try await list.reachServer()
            #expect(await list.hasServerPage)
            #expect(await list.snapshot.channels.map(\.url) == [url])
            // A second call does not wait.
            try await list.reachServer()
            await list.close()
            let error = await #expect(throws: RoostError.self) { try await list.reachServer() }
            #expect(error?.code == .collectionDisposed)
            refuses.withLock { $0 = true }
            let refused = try await alice.channelList()
            let refusal = await #expect(throws: RoostError.self) { try await refused.reachServer() }
            #expect(refusal?.code == .notAuthorized)
        }
    }

    @Test func `messages of impossible times are not stored, and come once their times are valid`()
        throws
    {
        try SimulatedWorld.play(seed: 5) { world in
            let isHostile = Guarded(true)
            let alice = try await world.launch(world.device(of: "alice")) { line in
                Spoiler(line, isHostile: { isHostile.withLock { $0 } })
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            for number in 1...6 { try await bob.send("m\(number)", to: url) }
            await bob.waitUntilIdle()
            try await alice.connect()
            let timeline = try await alice.timeline(of: url)
            await world.pass(.seconds(30))
            let shown = await timeline.snapshot
            #expect(shown.messages.allSatisfy { $0.createdAt.milliseconds > 0 })
            #expect(shown.hasOlder, "the start of history is not known")

            isHostile.withLock { $0 = false }
            await world.pass(.seconds(180))
            #expect(await timeline.snapshot.messages.map(\.text) == (1...6).map { "m\($0)" })
        }
    }

    /// A transport that dates the first message of each page before 1970.
    private struct Spoiler: HTTPTransport {
        let line: any HTTPTransport
        let isHostile: @Sendable () -> Bool

        init(_ line: any HTTPTransport, isHostile: @escaping @Sendable () -> Bool) {
            self.line = line
            self.isHostile = isHostile
        }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            var response = try await line.send(request)
            guard isHostile(), request.url.contains("/messages?") else { return response }
            let text = String(decoding: response.body, as: UTF8.self).replacing(
                /"created_at":\d+/, with: #""created_at":-5"#, maxReplacements: 1)
            response.body = Array(text.utf8)
            return response
        }

        func upload(
            _ request: HTTPRequest, _ body: HTTPBody
        ) async throws(TransportError) -> HTTPResponse {
            try await line.upload(request, body)
        }
    }
}
