// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Names one open socket among all servers of an application.
package struct SessionID: Hashable, Sendable {
    /// Tells servers apart.
    let server: UInt64
    let number: Int
}

/// The way out to one client; the transport behind it has its own limit and never blocks.
package protocol SessionOutlet: Sendable {
    /// Hands a text frame over; frames leave in the order they were handed over.
    func deliver(_ frame: String)
    /// Ends the connection once everything handed over has left.
    func close()
}

/// News for some users.
package struct Notice: Hashable, Sendable {
    package let frame: String
    /// Every session of each of them gets it once.
    package let recipients: [UserID]
    /// Whoever is in this open channel gets it too.
    package var room: ChannelURL?
    /// The session that got an answer instead.
    package let except: SessionID?
}

/// Carries notices to the servers at which their recipients are connected.
///
/// Notices that one server publishes one after the other arrive in that order.
package protocol FanOut: Sendable {
    /// Registers a server; it gets every notice, its own included.
    func subscribe(_ deliver: @escaping @Sendable (Notice) async -> Void) async
    func publish(_ notice: Notice) async
}

/// Fan-out among the servers of one process, of which there is commonly one.
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
