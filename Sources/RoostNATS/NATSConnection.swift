// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors

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
        Task(executorPreference: link.thread) { await link.close() }
    }

    /// Connects and subscribes.
    ///
    /// - Parameters:
    ///   - settings: The addresses and limits.
    ///   - executor: The executor of the consumer's calls.
    ///   - deliver: Takes events in order, one batch at a time. Meanwhile later ones wait, up to
    ///     `incomingLimit`.
    /// - Returns: The connection, which its last reference or `close` ends.
    /// - Throws: A sentence for the operator. With `startsDisconnected` an unreachable bus is no
    ///   error.
    package static func open(
        _ settings: NATSSettings, on executor: any TaskExecutor,
        deliver: @escaping @Sendable ([NATSEvent]) async -> Void
    ) async throws(NATSError) -> NATSConnection {
        let library =
            if let names = settings.libraryNames {
                try NATSLibrary(names: names)
            } else {
                try NATSLibrary.usual.get()
            }
        let mailbox = Mailbox(settings, on: executor, deliver: deliver)
        let link = NATSLink(settings, library, mailbox)
        do throws(NATSError) {
            try await link.open(mayBeAway: settings.startsDisconnected)
        } catch {
            await link.close()
            throw error
        }
        return NATSConnection(link, mailbox)
    }

    /// Whether a server was connected at the library's last report.
    package var isConnected: Bool { mailbox.isConnected }

    /// The most bytes of a message; zero before the first connection.
    package var maxPayload: Int { mailbox.maxPayload }

    /// The messages that this end refused since the opening; readers never get them.
    package var refusedCount: UInt64 { link.outbox.withLock { $0.refused } }

    /// Hands messages over to the thread of the connection, all or none; never waits.
    ///
    /// Messages leave in the order of the calls. A message that the library refuses later, such as
    /// one that is too large, counts in `refusedCount` too.
    ///
    /// - Returns: False if there is no room, or the connection is closed.
    @discardableResult
    package func publish(_ messages: [[UInt8]], to subject: String) -> Bool {
        let size = messages.reduce(0) { $0 &+ $1.count }
        let outgoing = messages.map { NATSLink.Outgoing(subject: subject, bytes: $0) }
        let outcome = link.outbox.withLock { outbox in
            let outcome = outbox.queue.add(outgoing, bytes: size)
            if outcome == .refused { outbox.refused &+= UInt64(messages.count) }
            return outcome
        }
        guard case .added(let startsDrain) = outcome else { return false }
        if startsDrain {
            let link = self.link
            Task(executorPreference: link.thread) { await link.drain() }
        }
        return true
    }

    /// Waits until the server has read all messages before this call.
    ///
    /// - Returns: Whether it answered in time.
    @discardableResult
    package func flush(within time: Duration) async -> Bool { await link.flush(within: time) }

    /// Opens another connection if the library has given up; otherwise does nothing.
    package func revive() {
        let link = self.link
        Task(executorPreference: link.thread) { await link.revive() }
    }

    /// Ends the connection after the messages before this call, and waits for the library's
    /// threads.
    ///
    /// A batch of events that the consumer works on may end later.
    package func close() async {
        await link.close()
        await link.thread.shutDown()
    }
}
