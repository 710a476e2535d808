// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
import RoostModel

/// The state of the connection.
public enum WebSocketConnectionState: Int, Sendable {
    /// The client is connecting, or reconnecting by itself.
    case connecting
    /// The client is connected.
    case open
    /// The client is not connected, and nothing is under way.
    case closed
}

/// The kinds of tokens; the server knows which it has given out, so both are treated alike.
public enum AuthTokenType: Int, Sendable {
    /// A token without an end.
    case accessToken
    /// A token with an end, which the session delegate renews.
    case sessionToken
}

extension SendbirdChat {
    /// Logs a user in.
    ///
    /// If the server cannot be reached, the handler gets the user of the last login and the error.
    /// The cache can be used then, and the client connects by itself. If another user or other
    /// settings are connected, that client is closed first, and its collections end: make new ones.
    ///
    /// - Parameters:
    ///   - userId: The user.
    ///   - authToken: The access or session token; nil if the server asks for none.
    ///   - apiHost: The server's address; nil for that of the initialisation, or else of the last
    ///     call.
    ///   - wsHost: The address for sockets, which must be on the host of the server; any other is
    ///     refused.
    ///   - completionHandler: The handler of the outcome.
    public class func connect(
        userId: String, authToken: String? = nil, apiHost: String? = nil, wsHost: String? = nil,
        completionHandler: ((User?, SBError?) -> Void)? = nil
    ) {
        let callback = Callback<(RoostModel.User?, RoostError?)>(
            completionHandler.map { handler in
                { outcome in
                    handler(outcome.0.map { User($0) }, outcome.1.map { SBError($0) })
                }
            })
        let server = apiHost ?? own.withLock { $0.server } ?? door.settings.server
        if let refusal = InitParams.refusal(ofSocket: wsHost, beside: server) {
            return door.notify(callback, (nil, refusal))
        }
        door.connect(UserID(userId), token: authToken, at: server, then: callback)
    }

    /// Logs a user in; the same as `connect`, because the client has no session without a socket.
    public class func authenticate(
        userId: String, authToken: String? = nil, apiHost: String? = nil,
        authTokenType: AuthTokenType = .sessionToken,
        completionHandler: ((User?, SBError?) -> Void)? = nil
    ) {
        connect(
            userId: userId, authToken: authToken, apiHost: apiHost,
            completionHandler: completionHandler)
    }

    /// Logs out; the cache stays for the user's next login.
    public class func disconnect(completionHandler: (() -> Void)? = nil) {
        door.disconnect(then: .called(completionHandler))
    }

    /// Closes the connection; the user stays the current one, and `connect` or `reconnect()` goes
    /// on.
    public class func disconnectWebSocket(completionHandler: (() -> Void)? = nil) {
        door.disconnectSocket(then: .called(completionHandler))
    }

    /// Connects the current user again; the outcome goes to the connection delegates.
    ///
    /// - Returns: Whether there is a current user.
    @discardableResult
    public class func reconnect() -> Bool { door.reconnect() }

    /// Returns the state of the connection.
    public class func getConnectState() -> WebSocketConnectionState {
        switch door.report.connection {
        case .connected: .open
        case .connecting, .reconnecting: .connecting
        case .disconnected, .refused: .closed
        }
    }

    /// Returns the time of the last login by the device's clock, in milliseconds; 0 before the
    /// first.
    public class func getLastConnectedAt() -> Int64 {
        door.report.lastConnected?.milliseconds ?? 0
    }

    /// Returns the user who is logged in; nil for none.
    public class func getCurrentUser() -> User? { door.user.map { User($0) } }

    /// The user who is logged in; nil for none.
    public class var currentUser: User? { getCurrentUser() }

    /// Returns the application's settings as of the last login; nil before the first.
    public class func getAppInfo() -> AppInfo? { door.report.login.map { AppInfo($0) } }

    /// Returns the greatest number of files of one message; 30 before the first login.
    public class func getMultipleFilesMessageFileCountLimit() -> Int {
        door.report.login?.fileLimit ?? 30
    }
}

extension Callback where Value == Void {
    static func called(_ handler: (() -> Void)?) -> Self {
        Callback(handler.map { handler in { _ in handler() } })
    }
}
