// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
package import RoostServer
package import RoostSockets
import RoostWire

/// The bus of a host over NATS: notices, and the orders of servers to each other as signals.
package final class NATSBus: Bus {
    private let handlers: Handlers
    package let fanOut: NATSFanOut

    /// The receivers of orders and losses, which come after the bus.
    private final class Handlers: Sendable {
        let order = Guarded<(@Sendable (PeerOrder) async -> Void)?>(nil)
        let loss = Guarded<(@Sendable (Loss) async -> Void)?>(nil)
    }

    /// Makes a bus, which reaches no other host before `open`.
    package init(
        _ settings: NATSFanOutSettings, host: HostID, on loop: EventLoop,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        log: @escaping @Sendable (LogLine) -> Void
    ) {
        let handlers = Handlers()
        self.handlers = handlers
        fanOut = NATSFanOut(
            settings, host: host, on: loop, now: now,
            onLoss: { loss in await handlers.loss.withLock { $0 }?(loss) },
            onSignal: { signal, _ in
                guard signal.name == PeerOrder.signalName,
                    let order = PeerOrder(encoded: signal.bytes)
                else { return }
                await handlers.order.withLock { $0 }?(order)
            }, log: log)
    }

    /// Registers the receiver of losses.
    package func onLoss(_ handler: @escaping @Sendable (Loss) async -> Void) {
        handlers.loss.withLock { $0 = handler }
    }

    package var isConnected: Bool { get async { await fanOut.isConnected } }

    package func subscribe(_ deliver: @escaping @Sendable (Notice) async -> Void) async {
        await fanOut.subscribe(deliver)
    }

    package func publish(_ notice: Notice) async { await fanOut.publish(notice) }

    package func obey(_ handler: @escaping @Sendable (PeerOrder) async -> Void) {
        handlers.order.withLock { $0 = handler }
    }

    package func tell(_ order: PeerOrder) async {
        await fanOut.signal(Signal(name: PeerOrder.signalName, bytes: order.encoded))
    }
}

extension PeerOrder {
    static let signalName = "order"

    /// The order as JSON.
    package var encoded: [UInt8] {
        let value: JSONValue =
            switch self {
            case .end(let keys, let id, let frame):
                .array([
                    "end", .string(id.rawValue), .string(frame), .array(keys.map { .int($0) }),
                ])
            case .expel(let id, let frame):
                .array(["expel", .string(id.rawValue), .string(frame)])
            case .evict(let id, let url):
                .array(["evict", .string(id.rawValue), .string(url.rawValue)])
            case .close(let url): .array(["close", .string(url.rawValue)])
            }
        return Array(value.text.utf8)
    }

    /// Reads an order; nil for anything else, such as an order of a newer version.
    package init?(encoded bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self)),
            let kind = value[0]?.string, let first = value[1]?.string
        else { return nil }
        let second = value[2]?.string
        switch (kind, second) {
        case ("end", let frame?):
            let keys = value[3]?.array?.compactMap(\.int) ?? []
            self = .end(keys: keys, of: UserID(first), frame: frame)
        case ("expel", let frame?): self = .expel(UserID(first), frame: frame)
        case ("evict", let url?): self = .evict(UserID(first), from: ChannelURL(url))
        case ("close", _): self = .close(ChannelURL(first))
        default: return nil
        }
    }
}
