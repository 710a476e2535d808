// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostPages
import RoostServer
import RoostSockets

/// The storage of a server with everything that belongs to it.
struct Backend: Sendable {
    let storage: any Storage
    /// The uploads; nil refuses them.
    let files: (any FileStore)?
    let fanOut: any FanOut
    /// The sockets at other servers; nil for a server that is alone.
    var peers: (any PeerPresence)?
    let world: ServerWorld
    /// Connects the server to the others, and starts the timers of the backend.
    let attach: @Sendable (ChatServer) async -> [Heartbeat]
    /// Stores the server's last time, after its last answer.
    var detach: @Sendable (ChatServer) async -> Void = { _ in }
    /// The counters beside those of the server, in the text format of Prometheus.
    let metrics: @Sendable () async -> String
    /// Returns the sizes of the files; those of a shared database are unknown.
    var disk: @Sendable () async -> ServerPage.Disk = { ServerPage.Disk() }
    /// Closes everything after the server has stopped.
    let close: @Sendable () async -> Void
}

extension ChatHost {
    /// Returns the error of a start that its operator can mend.
    static func refusal(
        _ message: String, _ cause: (any Error)? = nil
    ) -> RoostError {
        RoostError(
            .localDatabaseError, remedy: .repairStorage, message: message, underlying: cause)
    }
}
