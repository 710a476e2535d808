// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSockets
import RoostTestSupport
import Testing

@testable import RoostNATS

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct NATSConnectionTests {
    /// Opens a connection and returns the error, if it fails.
    private func failure(
        _ addresses: [String], change: (inout NATSSettings) -> Void = { _ in }
    ) async -> NATSError? {
        var settings = NATSSettings(addresses, subject: "test.*")
        change(&settings)
        do throws(NATSError) {
            let connection = try await NATSConnection.open(
                settings, on: BusLoop.shared
            ) { _ in }
            await connection.close()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [false, true])
    func `a wrong password is an error with a sentence without it`(mayBeAway: Bool) async throws {
        let server = try await NATSServer(["--user", "roost", "--pass", "right"])
        let address = "nats://roost:wrong@127.0.0.1:\(server.port)"
        let error = try #require(
            await failure([address]) { $0.startsDisconnected = mayBeAway })
        #expect(error.kind == .refused)
        #expect(
            error.message
                == "The bus at nats://127.0.0.1:\(server.port) refused the user name, the password "
                + "or the token; correct them in the addresses of --bus.")
        let right = "nats://roost:right@127.0.0.1:\(server.port)"
        #expect(await failure([right]) == nil)
    }

    @Test func `a token in the address is used`() async throws {
        let server = try await NATSServer(["--auth", "secret"])
        #expect(await failure(["nats://secret@127.0.0.1:\(server.port)"]) == nil)
        #expect(await failure(["nats://127.0.0.1:\(server.port)"])?.kind == .refused)
    }

    @Test func `addresses without a server are an error with a sentence`() async throws {
        let (one, two) = (try FreePort.next(), try FreePort.next())
        let error = try #require(
            await failure(["nats://roost:secret@127.0.0.1:\(one)", "nats://127.0.0.1:\(two)"]))
        #expect(error.kind == .unreachable)
        #expect(
            error.message
                == "The bus at nats://127.0.0.1:\(one), nats://127.0.0.1:\(two) does not answer; "
                + "start nats-server there, or correct the addresses in --bus.")
    }

    @Test func `a frozen server is given up in the given time`() async throws {
        let server = try await NATSServer()
        server.freeze()
        let start = ContinuousClock.now
        let error = await failure([server.address]) { $0.connectTime = .milliseconds(300) }
        #expect(error?.kind == .unreachable)
        // A busy machine is slow; the library's own limit of two seconds would be met twice.
        #expect(start.duration(to: .now) < .seconds(60))
    }

    @Test func `no address is an error with a sentence`() async throws {
        #expect(await failure([])?.kind == .invalid)
        #expect(await failure(["nats://:x:y"])?.kind != nil)
    }

    @Test(arguments: [
        ("nats://user:password@host:4222", "nats://host:4222"),
        ("nats://token@host", "nats://host"), ("tls://a:b@c@d/e@host:1", "tls://host:1"),
        ("nats://host:4222", "nats://host:4222"), ("user:password@host", "host"),
        ("user:a://b@host", "host"), ("", ""), ("@", ""), ("user:pa://ss@host", "host"),
    ])
    func `no secret of an address is shown`(address: String, shown: String) {
        #expect(NATSError.withoutSecrets(address) == shown)
    }

    @Test func `a server that refuses the login after a restart is tried until it accepts`()
        async throws
    {
        let port = try FreePort.next()
        let events = Arrivals<NATSEvent>()
        var settings = NATSSettings(["nats://roost:right@127.0.0.1:\(port)"], subject: "test")
        settings.longestPause = .milliseconds(50)
        let first = try await NATSServer(port: port, ["--user", "roost", "--pass", "right"])
        let connection = try await NATSConnection.open(settings, on: BusLoop.shared) {
            for event in $0 { events.add(event) }
        }
        await first.kill()
        let second = try await NATSServer(port: port, ["--user", "roost", "--pass", "other"])
        await events.wait { $0.contains { if case .failure = $0 { true } else { false } } }
        #expect(connection.isConnected == false)
        await second.kill()

        let third = try await NATSServer(port: port, ["--user", "roost", "--pass", "right"])
        await events.wait { $0.contains(.reconnected) }
        #expect(connection.isConnected)
        // The refusal is told once, however often it came.
        #expect(events.all.count { if case .failure = $0 { true } else { false } } == 1)
        await connection.close()
        withExtendedLifetime(third) {}
    }

    @Test func `connections are opened and closed while messages flow`() async throws {
        let server = try await NATSServer()
        var settings = NATSSettings([server.address], subject: "test.*")
        settings.name = "sender"
        let sender = try await NATSConnection.open(
            settings, on: BusLoop.shared
        ) { _ in }
        for _ in 0..<30 {
            let events = Arrivals<NATSEvent>()
            let receiver = try await NATSConnection.open(
                settings, on: BusLoop.shared
            ) { for event in $0 { events.add(event) } }
            for number in 0..<200 as Range<UInt8> { sender.publish([[number]], to: "test.1") }
            await events.wait(for: 1)
            // The next connection must not get a rest of these.
            await sender.flush(within: .seconds(30))
            #expect(events.all.first == .message([0]))
            await receiver.close()
            #expect(receiver.isConnected == false)
            #expect(receiver.publish([[1]], to: "test.1") == false)
        }
        // A connection that nobody closes ends with its last reference.
        _ = try await NATSConnection.open(settings, on: BusLoop.shared) { _ in }
        await sender.close()
        await sender.close()
    }

    @Test func `a message that is too large for the bus is refused and counted`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("nats.conf")
        try "max_payload: 2000\n".write(toFile: file, atomically: true, encoding: .utf8)
        let server = try await NATSServer(["-c", file])
        let connection = try await NATSConnection.open(
            NATSSettings([server.address], subject: "test"), on: BusLoop.shared
        ) { _ in }
        #expect(connection.maxPayload == 2_000)
        connection.publish([[UInt8](repeating: 0, count: 2_000)], to: "other")
        connection.publish([[UInt8](repeating: 0, count: 2_001)], to: "other")
        await connection.flush(within: .seconds(30))
        #expect(connection.refusedCount == 1)
        await connection.close()
    }

    @Test func `the end of the loop ends the waits for a bus that is away`() async throws {
        let loop = try EventLoop.start()
        var settings = NATSSettings(
            ["nats://127.0.0.1:\(try FreePort.next())"], subject: "test")
        settings.startsDisconnected = true
        settings.longestPause = .seconds(3_600)
        let connection = try await NATSConnection.open(settings, on: loop) { _ in }
        async let flushed = connection.flush(within: .seconds(3_600))
        // In the loop's order, so the wait has begun, or fails at once.
        await loop.shutdown()
        #expect(await flushed == false)
        #expect(connection.publish([[1]], to: "test"))
        await connection.close()
        #expect(connection.publish([[1]], to: "test") == false)
    }

    @Test func `a full queue takes all of some messages or none`() {
        var queue = BoundedQueue<Int>(QueueLimit(count: 3, bytes: 100))
        #expect(queue.add([1, 2], bytes: 20) == .added(startsDrain: true))
        #expect(queue.add([3, 4], bytes: 20) == .refused)
        #expect(queue.add([3], bytes: 81) == .refused)
        #expect(queue.add([3], bytes: .max) == .refused)
        #expect(queue.add([3], bytes: 80) == .added(startsDrain: false))
        #expect(queue.add([4], bytes: 0) == .refused)
        #expect(queue.add([4], bytes: 0, isSmall: true) == .added(startsDrain: false))
        #expect(queue.take() == [1, 2, 3, 4])
        // Larger than the limit, but the queue is empty.
        #expect(queue.add([4], bytes: 101) == .added(startsDrain: false))
        #expect(queue.take() == [4])
        #expect(queue.take() == nil)
        #expect(queue.add([5], bytes: 1) == .added(startsDrain: true))
        queue.close()
        #expect(queue.take() == nil)
        #expect(queue.add([6], bytes: 1) == .refused)
        #expect(queue.add([6], bytes: 1, isSmall: true) == .refused)
    }
}
