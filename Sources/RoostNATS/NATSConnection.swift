// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostSockets

/// A connection to the bus that reconnects by itself, with one subscription.
///
/// The bus delivers a message at most once. A message can be lost by a full queue, a dead server or
/// a slow reader, so it must be a hint and never the only copy.
package final class NATSConnection: Sendable {
    private let link: NATSLink
    private let mailbox: Mailbox

    private init(_ link: NATSLink, _ mailbox: Mailbox) {
        self.link = link
        self.mailbox = mailbox
    }

    deinit {
        let link = self.link
        Task(executorPreference: link.loop) { await link.close() }
    }

    /// Connects and subscribes.
    ///
    /// - Parameters:
    ///   - settings: The addresses and limits.
    ///   - loop: The thread of the socket and of the consumer's calls; it must outlive the
    ///     connection.
    ///   - deliver: Takes events in order, one batch at a time. Meanwhile later ones wait, up to
    ///     `incomingLimit`.
    /// - Returns: The connection, which its last reference or `close` ends.
    /// - Throws: A sentence for the operator. With `startsDisconnected` an unreachable bus is no
    ///   error.
    package static func open(
        _ settings: NATSSettings, on loop: EventLoop,
        deliver: @escaping @Sendable ([NATSEvent]) async -> Void
    ) async throws(NATSError) -> NATSConnection {
        let mailbox = Mailbox(settings, on: loop, deliver: deliver)
        let link = try NATSLink(settings, mailbox, on: loop)
        do throws(NATSError) {
            try await link.open()
        } catch {
            await link.close()
            throw error
        }
        return NATSConnection(link, mailbox)
    }

    /// Whether a server is connected.
    package var isConnected: Bool { mailbox.isConnected }

    /// The most bytes of a message; zero before the first connection.
    package var maxPayload: Int { mailbox.maxPayload }

    /// The messages that this end refused since the opening; readers never get them.
    package var refusedCount: UInt64 { link.outbox.withLock { $0.refused } }

    /// Hands messages over to the loop, all or none; never waits.
    ///
    /// Messages leave in the order of the calls. One that turns out to be too large for the server
    /// counts in `refusedCount` too.
    ///
    /// - Returns: False if there is no room, or the connection is closed.
    @discardableResult
    package func publish(_ messages: [[UInt8]], to subject: String) -> Bool {
        let size = messages.reduce(0) { $0 &+ $1.count }
        let outgoing = messages.map { NATSLink.Outgoing.message($0, subject: subject) }
        let outcome = link.outbox.withLock { outbox in
            let outcome = outbox.queue.add(outgoing, bytes: size)
            if outcome == .refused { outbox.refused &+= UInt64(messages.count) }
            return outcome
        }
        guard case .added(let startsDrain) = outcome else { return false }
        if startsDrain {
            let link = self.link
            Task(executorPreference: link.loop) { await link.drain() }
        }
        return true
    }

    /// Waits until the server has read all messages before this call.
    ///
    /// - Returns: Whether it answered in time.
    @discardableResult
    package func flush(within time: Duration) async -> Bool { await link.flush(within: time) }

    /// Ends the connection, after the messages before this call if the server takes them within
    /// `writeTime`.
    ///
    /// A batch of events that the consumer works on may end later.
    package func close() async { await link.close() }
}
