// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostNATS
import RoostServer
import RoostSockets
import RoostTestSupport
import Synchronization
import Testing

/// Things that arrive one after the other, and waits for them.
final class Arrivals<Element: Sendable>: Sendable {
    private struct State {
        var all: [Element] = []
        var waiters: [(isEnough: @Sendable ([Element]) -> Bool, gate: Gate)] = []
    }

    private let state = Mutex(State())

    var all: [Element] { state.withLock { $0.all } }

    func add(_ element: Element) {
        let ready = state.withLock { state in
            state.all.append(element)
            let ready = state.waiters.filter { $0.isEnough(state.all) }
            state.waiters.removeAll { waiter in ready.contains { $0.gate === waiter.gate } }
            return ready
        }
        for waiter in ready { waiter.gate.open() }
    }

    /// Waits until the elements so far suffice, and returns them.
    @discardableResult
    func wait(until isEnough: @escaping @Sendable ([Element]) -> Bool) async -> [Element] {
        let gate = Gate()
        state.withLock { state in
            if isEnough(state.all) { gate.open() } else { state.waiters.append((isEnough, gate)) }
        }
        await gate.wait()
        return all
    }

    @discardableResult
    func wait(for count: Int) async -> [Element] { await wait { $0.count >= count } }
}

/// A clock that moves by hand.
final class HandClock: Sendable {
    private let moment: Mutex<ContinuousClock.Instant> = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { moment.withLock { $0 } }

    func advance(by duration: Duration) { moment.withLock { $0 = $0.advanced(by: duration) } }
}

/// The thread of all connections to a bus; it lives as long as the process.
enum BusLoop {
    static let shared: EventLoop = {
        do { return try EventLoop.start() } catch { preconditionFailure("\(error)") }
    }()
}

/// One host with a fan-out over a bus and one server.
final class BusHost: Sendable {
    let fanOut: NATSFanOut
    let notices = Arrivals<Notice>()
    let losses = Arrivals<Loss>()
    let signals = Arrivals<Signal>()
    let lines = Arrivals<LogLine>()
    let clock = HandClock()

    static let numbers = Mutex(SplitMix64(seed: 7))

    /// Makes a host; `deliver` runs before a notice is recorded.
    init(
        _ addresses: [String], application: String = "APP", name: String = "host",
        change: (inout NATSFanOutSettings) -> Void = { _ in },
        deliver: @escaping @Sendable (Notice) async -> Void = { _ in }
    ) async throws(NATSError) {
        var settings = NATSFanOutSettings(
            addresses: addresses, application: application, hostName: name)
        change(&settings)
        let number = Self.numbers.withLock { $0.next() }
        fanOut = NATSFanOut(
            settings, host: HostID(rawValue: number), on: BusLoop.shared,
            now: { [clock] in clock.now }, onLoss: { [losses] in losses.add($0) },
            onSignal: { [signals] signal, _ in signals.add(signal) },
            log: { [lines] in lines.add($0) })
        await fanOut.subscribe { [notices] notice in
            await deliver(notice)
            notices.add(notice)
        }
        try await fanOut.open()
    }

    /// Sends heartbeats until another host knows this one.
    func meet(_ other: BusHost) async {
        while await !other.knows(self) {
            await fanOut.beat()
            await fanOut.flush(within: .seconds(5))
        }
    }

    /// Sends signals until another host gets one.
    ///
    /// In a cluster a subscription takes time to reach all servers.
    func reach(_ other: BusHost) async {
        let name = "reach-\(Self.numbers.withLock { $0.next() })"
        while !other.signals.all.contains(where: { $0.name == name }) {
            await fanOut.signal(Signal(name: name, bytes: []))
            await fanOut.flush(within: .seconds(5))
            await other.fanOut.flush(within: .seconds(5))
        }
    }

    private func knows(_ other: BusHost) async -> Bool {
        await fanOut.hosts.contains { $0.id == other.fanOut.host }
    }

    /// Waits for a loss of a kind.
    func loses(_ reason: Loss.Reason) async {
        await losses.wait { $0.contains { $0.reason == reason } }
    }
}

extension Notice {
    /// A notice with a number in its frame.
    static func numbered(_ number: Int, from publisher: Int = 0) -> Notice {
        Notice(frame: "MESG{\(publisher):\(number)}", recipients: ["a", "b"])
    }
}
