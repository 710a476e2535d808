// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostNATS
import RoostServer
import RoostTestSupport
import Testing

/// The behaviour over a bus that fails.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct NATSFanOutTests {
    @Test func `hosts know each other by their heartbeats, and notice silence`() async throws {
        let bus = try await NATSServer()
        let (one, two) = (
            try await BusHost([bus.address], name: "one"),
            try await BusHost([bus.address], name: "two")
        )
        await two.meet(one)
        let hosts = await one.fanOut.hosts
        #expect(hosts.map(\.name) == ["one", "two"])
        #expect(hosts.map(\.id) == [one.fanOut.host, two.fanOut.host])
        // A heartbeat on its way would make the silent host known again.
        while await one.fanOut.counts.received < two.fanOut.counts.sent {
            await one.fanOut.flush(within: .seconds(5))
        }

        one.clock.advance(by: .seconds(3))
        await one.fanOut.beat()
        await one.losses.wait { $0.contains(Loss(.silence, of: two.fanOut.host)) }
        #expect(await one.fanOut.hosts.count == 1)
        await one.fanOut.close()
        await two.fanOut.close()
    }

    @Test func `a host that leaves is forgotten at once, and mistrusted a moment`() async throws {
        let bus = try await NATSServer()
        let (one, two) = (try await BusHost([bus.address]), try await BusHost([bus.address]))
        await two.meet(one)
        await two.fanOut.close()
        while await one.fanOut.hosts.count > 1 { await one.fanOut.flush(within: .seconds(5)) }
        one.clock.advance(by: .seconds(3))
        await one.fanOut.beat()
        let departure = Loss(.departure, of: two.fanOut.host)
        await one.losses.wait { $0.contains(departure) }
        #expect(departure.mistrust == NoticeLosses.lateness)
        #expect(!one.losses.all.contains { $0.reason == .silence })
        #expect(one.signals.all.isEmpty)
        await one.fanOut.close()
    }

    @Test func `applications on one bus do not meet`() async throws {
        let bus = try await NATSServer()
        let one = try await BusHost([bus.address], application: "A.B")
        let two = try await BusHost([bus.address], application: "A")
        let three = try await BusHost([bus.address], application: "A.B")
        await one.fanOut.publish(.numbered(1))
        await one.reach(three)
        await one.fanOut.publish(.numbered(2))
        await three.notices.wait { $0.contains(.numbered(2)) }
        #expect(await two.fanOut.counts.received == 0)
        for host in [one, two, three] { await host.fanOut.close() }
    }

    @Test func `signals reach the other hosts only, in order with notices`() async throws {
        let bus = try await NATSServer()
        let (one, two) = (try await BusHost([bus.address]), try await BusHost([bus.address]))
        let large = [UInt8](repeating: 7, count: 3_000_000)
        await one.fanOut.signal(Signal(name: "large", bytes: large))
        await one.fanOut.signal(Signal(name: "end", bytes: [0, 1]))
        await two.signals.wait(for: 2)
        #expect(
            two.signals.all == [
                Signal(name: "large", bytes: large), Signal(name: "end", bytes: [0, 1]),
            ])
        // The answer comes after a signal that would have come back.
        await two.fanOut.publish(.numbered(1))
        await one.notices.wait(for: 1)
        #expect(one.signals.all == [])
        await one.fanOut.close()
        await two.fanOut.close()
    }

    @Test func `a killed bus is reported, and carries later notices after a restart`()
        async throws
    {
        let bus = try await NATSServer()
        let (one, two) = (try await BusHost([bus.address]), try await BusHost([bus.address]))
        await one.fanOut.publish(.numbered(1))
        await two.notices.wait(for: 1)

        await bus.kill()
        await one.loses(.disconnection)
        await two.loses(.disconnection)
        #expect(await one.fanOut.isConnected == false)
        await one.fanOut.publish(.numbered(2))
        #expect(one.notices.all == [.numbered(1), .numbered(2)])

        try await bus.start()
        await one.loses(.reconnection)
        await two.loses(.reconnection)
        #expect(await one.fanOut.isConnected)
        await one.fanOut.publish(.numbered(3))
        await two.notices.wait { $0.contains(.numbered(3)) }
        await one.fanOut.close()
        await two.fanOut.close()
    }

    @Test func `a host starts without a bus and joins it later`() async throws {
        let port = try FreePort.next()
        let address = "nats://127.0.0.1:\(port)"
        let start = { (settings: inout NATSFanOutSettings) in
            settings.connection.startsDisconnected = true
        }
        let (one, two) = (
            try await BusHost([address], change: start), try await BusHost([address], change: start)
        )
        #expect(await one.fanOut.isConnected == false)
        await one.fanOut.beat()
        await one.fanOut.publish(.numbered(1))
        #expect(one.notices.all == [.numbered(1)])

        let bus = try await NATSServer(port: port)
        await one.loses(.reconnection)
        await two.loses(.reconnection)
        await two.reach(one)
        await two.fanOut.publish(.numbered(2))
        await one.notices.wait { $0.contains(.numbered(2)) }
        await one.fanOut.close()
        await two.fanOut.close()
        withExtendedLifetime(bus) {}
    }

    @Test func `a frozen bus counts as dead, and publishing does not wait for it`() async throws {
        let bus = try await NATSServer()
        let one = try await BusHost([bus.address]) { settings in
            settings.connection.pingInterval = .milliseconds(100)
            settings.connection.writeTime = .milliseconds(200)
            settings.connection.outgoingLimit.bytes = 4_000_000
        }
        bus.freeze()
        // More than the buffers of the socket, the stream and the queue hold together.
        let large = Notice(frame: String(repeating: "x", count: 1_000_000), recipients: ["a"])
        for _ in 0..<40 { await one.fanOut.publish(large) }
        #expect(one.notices.all.count == 40)
        #expect(await one.fanOut.counts.refused > 0)
        await one.fanOut.beat()
        await one.losses.wait { $0.contains { $0.reason == .refusal && $0.count > 0 } }
        await one.loses(.disconnection)

        bus.thaw()
        await one.loses(.reconnection)
        let two = try await BusHost([bus.address])
        await two.reach(one)
        // A pause of this machine cuts the impatient link again, and a notice meanwhile is lost.
        while !one.notices.all.contains(.numbered(1)) {
            await two.fanOut.publish(.numbered(1))
            await two.fanOut.flush(within: .seconds(5))
            await one.fanOut.flush(within: .seconds(5))
        }
        await one.fanOut.close()
        await two.fanOut.close()
    }

    @Test func `a slow server costs notices that are counted, and no memory without end`()
        async throws
    {
        let bus = try await NATSServer()
        let (isEntered, isFree) = (Gate(), Gate())
        let one = try await BusHost([bus.address])
        let two = try await BusHost(
            [bus.address], change: { $0.connection.incomingLimit.count = 100 },
            deliver: { _ in
                isEntered.open()
                await isFree.wait()
            })
        await one.fanOut.publish(.numbered(0))
        await isEntered.wait()
        for number in 1...20_000 { await one.fanOut.publish(.numbered(number)) }
        // The bus answers each end behind the messages before.
        await one.fanOut.flush(within: .seconds(60))
        await two.fanOut.flush(within: .seconds(60))
        isFree.open()
        await two.losses.wait { $0.contains { $0.reason == .slowConsumer && $0.count > 0 } }
        var last = 20_000
        while !two.notices.all.contains(where: { Self.number($0) > 20_000 }) {
            last += 1
            await one.fanOut.publish(.numbered(last))
            await one.fanOut.flush(within: .seconds(60))
            await two.fanOut.flush(within: .seconds(60))
        }
        await two.notices.wait { [last] in $0.contains(.numbered(last)) }
        let received = two.notices.all.map { Self.number($0) }
        #expect(received == received.sorted())
        #expect(received.count < 20_000)
        // The numbers of the messages show how many notices are missing.
        #expect(await two.fanOut.counts.missed == UInt64(last + 1 - received.count))
        await two.loses(.hole)
        await one.fanOut.close()
        await two.fanOut.close()
    }

    private static func number(_ notice: Notice) -> Int {
        Int(notice.frame.dropFirst(7).dropLast()) ?? -1
    }

    @Test func `junk on the subjects is counted and harms nothing`() async throws {
        let bus = try await NATSServer()
        let (one, two) = (try await BusHost([bus.address]), try await BusHost([bus.address]))
        let stranger = try await NATSConnection.open(
            NATSSettings([bus.address], subject: "stranger"), on: BusLoop.shared
        ) { _ in }
        var numbers = SplitMix64(seed: 3)
        let junk: [[UInt8]] =
            (0..<500).map { count in
                (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            }
            + (1...100).map { number in
                // The header of a notice, and no notice.
                BusPart(
                    kind: 1, host: HostID(rawValue: 99), number: number,
                    bytes: [UInt8](repeating: 0xFF, count: Int(number))[...]
                ).encoded
            }
        for bytes in junk { stranger.publish([bytes], to: "roost.APP.\(bytes.count % 256)") }
        await stranger.flush(within: .seconds(30))
        await one.fanOut.publish(.numbered(1))
        await two.notices.wait(for: 1)
        await two.loses(.undecodable)
        #expect(await two.fanOut.counts.undecodable > 500)
        #expect(two.notices.all == [.numbered(1)])
        #expect(two.lines.all.contains { $0.event == "bus_loss" })
        await stranger.close()
        await one.fanOut.close()
        await two.fanOut.close()
    }

    @Test func `a host moves to another server of the cluster`() async throws {
        let servers = try await NATSServer.cluster(of: 3)
        let one = try await BusHost([servers[0].address])
        let two = try await BusHost([servers[1].address])
        await one.reach(two)
        await two.reach(one)
        await one.fanOut.publish(.numbered(1))
        await two.notices.wait(for: 1)

        // The host knows one address; the cluster has told it the others.
        await servers[0].kill()
        await one.loses(.reconnection)
        await two.reach(one)
        await one.reach(two)
        await two.fanOut.publish(.numbered(2))
        await one.notices.wait { $0.contains(.numbered(2)) }
        await one.fanOut.publish(.numbered(3))
        await two.notices.wait { $0.contains(.numbered(3)) }
        await one.fanOut.close()
        await two.fanOut.close()
    }

    @Test func `a closed fan-out still serves its own host`() async throws {
        let bus = try await NATSServer()
        let (one, two) = (try await BusHost([bus.address]), try await BusHost([bus.address]))
        await one.fanOut.publish(.numbered(1))
        await one.fanOut.close()
        // Closing sends the notices before it.
        await two.notices.wait(for: 1)
        await one.fanOut.publish(.numbered(2))
        await one.fanOut.beat()
        #expect(one.notices.all == [.numbered(1), .numbered(2)])
        #expect(await one.fanOut.isConnected == false)
        await two.fanOut.close()
        #expect(two.notices.all == [.numbered(1)])
    }
}
