// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Synchronization
import Testing

/// The log of a server at its default level.
struct LogVolumeTests {
    private static func moment(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

    @Test func `endless refusals do not fill the log (scar 163)`() {
        var volume = LogVolume()
        let refused = LogLine(.warning, "limited", [.init("of", "user")])
        var written: [LogLine] = []
        for number in 0..<60_000 {
            written += volume.admit(refused, at: Self.moment(600 + Int64(number) / 1_000))
        }
        #expect(written.count == 60 && Set(written) == [refused])
        // The bound of one kind does not affect another.
        let failure = LogLine(.error, "storage")
        #expect(volume.admit(failure, at: Self.moment(659)) == [failure])
        let next = volume.admit(refused, at: Self.moment(660))
        #expect(next.map(\.event) == ["left_out", "limited"])
        #expect(next[0].text(at: "T").contains(#""of":"limited","lines":59940"#))
        #expect(volume.admit(refused, at: Self.moment(661)) == [refused])
        for _ in 0..<60 { _ = volume.admit(refused, at: Self.moment(662)) }
        let rest = volume.finish()
        #expect(rest.map(\.event) == ["left_out"])
        #expect(rest.first?.text(at: "T").contains(#""of":"limited","lines":2"#) == true)
        #expect(volume.finish().isEmpty)
    }

    @Test func `ordinary lines neither fill the log nor hide a failure (scar 163)`() {
        var volume = LogVolume()
        let (call, failure) = (LogLine(.info, "call"), LogLine(.error, "call"))
        let written = (0..<60_000).flatMap { _ in volume.admit(call, at: Self.moment(600)) }
        #expect(written.count == 600 && Set(written) == [call])
        #expect(volume.admit(failure, at: Self.moment(601)) == [failure])
        #expect(
            volume.finish() == [
                LogLine(.info, "left_out", [.init("of", "call"), .init("lines", .int(59_400))])
            ])
    }

    @Test(arguments: StorageKind.allCases)
    func `a long busy session logs no line at the default level (scar 163)`(
        kind: StorageKind
    ) async throws {
        let lines = Mutex<[LogLine]>([])
        let fixture = await ServerFixture(
            storage: try await kind.make(), log: { line in lines.withLock { $0.append(line) } })
        let ann = try await fixture.connect("ann-the-user")
        let bob = try await fixture.connect("bob-the-user")
        try await fixture.channel(
            "the-channel", of: ["ann-the-user", "bob-the-user"], by: ann)
        for number in 0..<500 {
            await fixture.send(
                "the words \(number)", RequestID("r\(number)"), to: "the-channel", on: ann)
        }
        for _ in 0..<20 {
            _ = try await fixture.call(
                ListMessages(
                    channelURL: "the-channel", anchor: .time(.distantFuture), previousLimit: 100,
                    nextLimit: 0), as: bob)
        }
        // A request for a missing object is no failure of the server.
        _ = await refusal {
            () async throws(APIFailure) in
            try await fixture.call(GetChannel(channelURL: "no-channel"), as: bob)
        }
        let (all, byDefault) = lines.withLock { lines in
            (lines, lines.filter { $0.level > .info })
        }
        #expect(byDefault == [])
        let bytes = all.map { $0.text(at: "2026-11-20T22:00:00.000Z").utf8.count }.reduce(0, +)
        #expect(all.count <= 30 && bytes <= 30 * 200, "a line for a call, none for a message")
        let text = all.map { $0.text(at: "T") }.joined()
        for secret in ["ann-the-user", "bob-the-user", "the-channel", "no-channel", "the words"] {
            #expect(!text.contains(secret))
        }
    }

    @Test func `a call whose caller has gone is no error in the log`() async throws {
        let lines = Mutex<[LogLine]>([])
        let fixture = await ServerFixture(log: { line in lines.withLock { $0.append(line) } })
        let ann = try await fixture.connect("ann")
        try await fixture.channel("c", of: ["ann"], by: ann)
        let call = Task {
            // The task is cancelled before its first step.
            while !Task.isCancelled { await Task.yield() }
            return await refusal {
                () async throws(APIFailure) in
                try await fixture.call(
                    ChannelChangeLog(
                        userID: "ann", cursor: .since(Timestamp(milliseconds: 0))), as: ann)
            }
        }
        call.cancel()
        #expect(await call.value == .internalServerError)
        let (all, byDefault) = lines.withLock { lines in
            (lines, lines.filter { $0.level > .info })
        }
        #expect(byDefault == [])
        #expect(all.contains { $0.text(at: "T").contains(#""status":500"#) })
    }

    @Test
    func `a message is followed under one name from its frame to the sockets, without its words`()
        async throws
    {
        let lines = Mutex<[LogLine]>([])
        let fixture = await ServerFixture(traces: true) { line in lines.withLock { $0.append(line) }
        }
        let ann = try await fixture.connect("ann")
        let bob = try await fixture.connect("bob")
        try await fixture.channel("the-channel", of: ["ann", "bob"], by: ann)
        lines.withLock { $0 = [] }
        await fixture.send("the words", "the-request", to: "the-channel", on: ann)
        await fixture.say(.read("the-channel", "the-reading"), on: bob)
        await fixture.send("the words", "the-refused", to: "no-channel", on: ann)
        let name = JSONValue.string(String(TestWorld.digest("the-request").prefix(12)))
        let all = lines.withLock { $0.filter { $0.level == .trace } }
        let found = all.filter { line in line.fields.contains { $0.value == name } }
        #expect(Set(found.map(\.event)) == ["command", "delivered"])
        let delivered = try #require(found.first { $0.event == "delivered" })
        #expect(delivered.fields.contains(.init("sockets", .int(1))))
        let commands = all.filter { $0.event == "command" }.map { line in
            line.fields.first { $0.name == "command" }?.value
        }
        #expect(commands == ["MESG", "READ", "MESG"])
        #expect(all.last?.fields.contains { $0.name == "code" } == true)
        let text = all.map { $0.text(at: "T") }.joined()
        for secret in ["ann", "bob", "-channel", "the words", "the-re"] {
            #expect(!text.contains(secret))
        }
    }
}
