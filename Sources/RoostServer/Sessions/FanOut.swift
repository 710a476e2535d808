// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The name of one open socket among all servers of an application.
package struct SessionID: Hashable, Sendable {
    /// The number of the server.
    let server: UInt64
    let number: Int
}

/// The outgoing side of one socket; its transport has a limit of its own and never blocks.
package protocol SessionOutlet: Sendable {
    /// Sends a text frame; frames leave in the order of the calls.
    func deliver(_ frame: String)
    /// Ends the connection after all frames before have left.
    func close()
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
}

/// The seam that carries notices to the servers of their recipients.
///
/// Notices that one server publishes one after the other arrive in that order.
package protocol FanOut: Sendable {
    /// Registers a server, which gets every notice, its own included.
    func subscribe(_ deliver: @escaping @Sendable (Notice) async -> Void) async
    /// Sends a notice to all servers.
    func publish(_ notice: Notice) async
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
