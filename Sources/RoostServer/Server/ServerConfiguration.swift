// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

extension ChatServer {
    /// The settings of a server, fixed at its start.
    package struct Configuration: Equatable, Sendable {
        package var applicationID: String
        /// The token of the platform's calls; nil refuses all of them.
        package var apiToken: String?
        /// Whether a login needs an access token.
        package var requiresToken = false
        /// Whether the first login of an unknown user creates the user.
        package var createsUsers = true
        /// Whether an invitation makes its user a member at once, unless the user has another setting.
        package var acceptsInvitations = true
        package var pingInterval: Duration = .seconds(15)
        package var pongTimeout: Duration = .seconds(5)
        package var reconnect = ReconnectPolicy()
        /// The time in which clients send no request twice; zero, because a repeated question wants
        /// a fresh answer.
        package var requestDedupInterval: Duration? = .zero

        /// The largest file, in MiB; the login answer names it.
        package var fileLimitMB = 1_024
        /// The beginning of file URLs; nil takes the host name of the request.
        package var publicAddress: String?
        /// Whether file URLs begin with `https`, where `publicAddress` is nil.
        package var isEncrypted = false
        /// Whether delivery receipts wait for the next call of `publishReceipts`; otherwise each is
        /// stored and published at once.
        package var collectsReceipts = false
        package var limits = ServerLimits()
        /// The rate of one user's requests, sockets and REST together; nil is without bound.
        package var userRate: Rate?
        /// The rate of one network address's requests, logins included; nil is without bound.
        package var addressRate: Rate?
        /// The rate of failed logins of one address, and of one user ID; nil is without bound.
        package var failedLoginRate: Rate? = Rate(burst: 100, perSecond: 10)

        package init(applicationID: String, apiToken: String? = nil) {
            self.applicationID = applicationID
            self.apiToken = apiToken
        }
    }
}

extension ChatServer.Configuration {
    /// Returns the answer to a login.
    package func greeting(
        _ user: User, key: String, fileKey: String, unread: UnreadCount, at now: Timestamp
    ) -> LoginSuccess {
        var login = LoginSuccess(user: user, sessionKey: key)
        login.fileKey = fileKey
        login.loginAt = now
        login.pingInterval = pingInterval
        login.pongTimeout = pongTimeout
        login.reconnect = reconnect
        login.requestDedupInterval = requestDedupInterval
        login.usesReaction = true
        login.omitsSuperAcknowledgements = true
        // The rule of `Message.isCounted`.
        login.unreadReplies = .repliesToChannel
        login.lastMessageReplies = .repliesToChannel
        login.premiumFeatures = ["reactions", "poll"]
        login.applicationAttributes = ["reactions", "enable_message_threading"]
        login.fileUploadLimitMB = fileLimitMB
        login.emojiHash = ServerEmoji.hash
        login.unread = unread
        return login
    }
}
