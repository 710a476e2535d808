// SPDX-License-Identifier: Apache-2.0

package import RoostSockets

/// The addresses of the bus and the limits of one connection to it.
package struct NATSSettings: Sendable {
    /// The addresses, such as `nats://user:password@bus1:4222`; the connection moves between them.
    package var addresses: [String]
    /// The one subject to which the connection subscribes; `*` stands for one part of it.
    package var subject: String
    /// The certificates that are trusted for `tls://`; nil for those of the system.
    package var tls: TLSContext?
    /// The name of this connection in the monitoring of the bus.
    package var name = "roost"
    /// Whether the connection opens although no server answers, and connects later.
    ///
    /// A refused password fails all the same: time does not mend it.
    package var startsDisconnected = false
    /// The time of a round of attempts, all named addresses together.
    package var connectTime: Duration = .seconds(5)
    /// The time after which a server without a word counts as dead is three of these.
    package var pingInterval: Duration = .seconds(1)
    /// The time that a write to a server may take before the connection is given up.
    package var writeTime: Duration = .seconds(2)
    /// The longest pause between two attempts to reconnect; the first ones are shorter.
    package var longestPause: Duration = .seconds(2)
    /// The bytes of messages that wait for a connection; more are refused.
    ///
    /// Old hints are worth little: the queue bridges a change of server and no more.
    package var reconnectBytes = 1_048_576
    /// The messages and bytes that wait on the way out; more are refused.
    package var outgoingLimit = QueueLimit(count: 65_536, bytes: 33_554_432)
    /// The messages and bytes that wait for the consumer; more are dropped and reported.
    package var incomingLimit = QueueLimit(count: 65_536, bytes: 67_108_864)

    package init(_ addresses: [String], subject: String) {
        self.addresses = addresses
        self.subject = subject
    }
}

/// The bound of a queue.
package struct QueueLimit: Hashable, Sendable {
    package var count: Int
    package var bytes: Int

    package init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }
}
