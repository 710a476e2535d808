// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The name of one open socket among all servers of an application.
package struct SessionID: Hashable, Sendable {
    /// The number of the server.
    package let server: UInt64
    package let number: Int

    package init(server: UInt64, number: Int) {
        self.server = server
        self.number = number
    }
}

/// The outgoing side of one socket; its transport has a limit of its own and never blocks.
package protocol SessionOutlet: Sendable {
    /// Sends a text frame; frames leave in the order of the calls.
    func deliver(_ frame: String)
    /// Ends the connection after all frames before have left.
    func close()
    /// Ends the connection of a client that does not keep to the rules, as `close` does.
    func refuse()
    /// Asks for a sign of life, which a client's WebSocket gives without the client.
    func ping()
    /// The number of signs of life so far, frames among them.
    var heardCount: Int { get }
}

extension SessionOutlet {
    /// Does nothing, because sockets in memory have no half-open state.
    package func ping() {}
    package func refuse() { close() }
    package var heardCount: Int { 0 }
}

/// A frame with its recipients.
package struct Notice: Equatable, Sendable {
    package let frame: String
    /// The users each of whose sockets gets the frame once.
    package let recipients: [UserID]
    /// The open channel whose other sockets get the frame too.
    package var room: ChannelURL?
    /// The socket that gets an answer in place of the frame.
    package let except: SessionID?
    /// The message whose new state the frame shows; nil for other events.
    package var subject: MessageName?
    /// Whether the frame shows the thread of the subject.
    package var isOfThread = false
    /// The place of the change of the subject, if the fan-out orders notices by it.
    package var place: LogPlace?

    package init(
        frame: String, recipients: [UserID], room: ChannelURL? = nil, except: SessionID? = nil,
        subject: MessageName? = nil
    ) {
        self.frame = frame
        self.recipients = recipients
        self.room = room
        self.except = except
        self.subject = subject
    }
}

/// A message in a channel's log.
package struct MessageName: Hashable, Sendable {
    package let channel: ChannelURL
    package let message: MessageID

    package init(channel: ChannelURL, message: MessageID) {
        self.channel = channel
        self.message = message
    }
}

/// The place of a change among those of a channel's log, on a storage that several servers share.
package struct LogPlace: Hashable, Sendable {
    package let channel: ChannelURL
    /// The number of the change; the numbers of a channel have no holes.
    package let sequence: Int64
    /// The number of the first change of the same transaction.
    package let first: Int64
    /// The transaction of the change.
    package let change: Int64
    /// The last transaction before this one that changed the log.
    package let previousChange: Int64
    /// The era of the transactions' numbers, which may be given again in the next; empty if unknown.
    package let era: String

    package init(
        channel: ChannelURL, sequence: Int64, first: Int64, change: Int64, previousChange: Int64,
        era: String = ""
    ) {
        self.channel = channel
        self.sequence = sequence
        self.first = first
        self.change = change
        self.previousChange = previousChange
        self.era = era
    }
}

/// The seam that carries notices to the servers of their recipients.
///
/// Notices that one server publishes one after the other arrive in that order.
package protocol FanOut: Sendable {
    /// Registers a server, which gets every notice, its own included.
    func subscribe(_ deliver: @escaping @Sendable (Notice) async -> Void) async
    /// Sends a notice to all servers.
    func publish(_ notice: Notice) async
    /// Registers a server for the orders of the other servers.
    func obey(_ handler: @escaping @Sendable (PeerOrder) async -> Void) async
    /// Sends an order to the other servers, at most once.
    func tell(_ order: PeerOrder) async
}

extension FanOut {
    // The servers of one process share the storage's state only, and usually there is one.
    package func obey(_ handler: @escaping @Sendable (PeerOrder) async -> Void) {}
    package func tell(_ order: PeerOrder) {}
}

/// An order of a server to the others, about sockets that they may have.
package enum PeerOrder: Equatable, Sendable {
    /// Ends the sockets of a user whose session keys are no longer valid, with a last frame.
    case end(keys: [Int64], of: UserID, frame: String)
    /// Ends every socket of a user, with a last frame.
    case expel(UserID, frame: String)
    /// Takes every socket of a user out of an open channel.
    case evict(UserID, from: ChannelURL)
    /// Takes every socket out of a deleted open channel.
    case close(ChannelURL)
}

/// Fan-out among the servers of one process, usually a single one.
package actor InProcessFanOut: FanOut {
    private nonisolated let executor: any SerialExecutor
    private var subscribers: [@Sendable (Notice) async -> Void] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    package init(on executor: any SerialExecutor) {
        self.executor = executor
    }

    package func subscribe(_ deliver: @escaping @Sendable (Notice) async -> Void) {
        subscribers.append(deliver)
    }

    package func publish(_ notice: Notice) async {
        for deliver in subscribers { await deliver(notice) }
    }
}
