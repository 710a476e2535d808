// SPDX-License-Identifier: Apache-2.0

/// The receiver of changes of the connection.
public protocol ConnectionDelegate: AnyObject {
    /// The connection was lost or the first attempt failed, and reconnecting has begun.
    func didStartReconnection()
    /// The client is connected again, or at last.
    func didSucceedReconnection()
    /// Reconnecting has ended without success, because the server refused for good.
    ///
    /// The refusal of a first attempt goes to the handler of the call only.
    func didFailReconnection()
    /// The user is connected, at the first attempt.
    func didConnect(userId: String)
    /// The user is disconnected.
    func didDisconnect(userId: String)
    /// The server is busy; never called, as the client reports `didStartReconnection()` then.
    func didDelayConnection(retryAfter: UInt)
}

extension ConnectionDelegate {
    public func didStartReconnection() {}
    public func didSucceedReconnection() {}
    public func didFailReconnection() {}
    public func didConnect(userId: String) {}
    public func didDisconnect(userId: String) {}
    public func didDelayConnection(retryAfter: UInt) {}
}
