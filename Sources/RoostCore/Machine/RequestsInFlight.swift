// SPDX-License-Identifier: Apache-2.0

/// The requests to the server in flight, each with the login and the user of its beginning.
struct RequestsInFlight: Equatable, Codable, Sendable {
    private struct Beginning: Equatable, Codable, Sendable {
        /// The login whose key the request has.
        let login: LinkMachine.Epoch?
        let logouts: Int
    }

    private var beginnings: [SyncMachine.OperationID: Beginning] = [:]

    mutating func begin(_ id: SyncMachine.OperationID, _ link: Link) {
        beginnings[id] = Beginning(login: link.loginEpoch, logouts: link.logouts)
    }

    /// Ends the request whose answer has come; a refused key is renewed.
    ///
    /// - Returns: The reply; an answer to a request from before a logout counts as lost, because
    ///   the cache may have been cleared since, for the next user of the device (scar 35).
    mutating func end(
        _ id: SyncMachine.OperationID, by reply: Reply, _ state: inout SyncState
    ) -> Reply {
        guard case .answer(let result) = reply, let asked = beginnings.removeValue(forKey: id)
        else { return reply }
        if case .failure(let error) = result {
            state.renewSession(after: error, asked: asked.login)
        }
        return asked.logouts == state.link.logouts ? reply : .answer(.failure(.notConnected))
    }
}
