// SPDX-License-Identifier: Apache-2.0

/// One whole message, put together from its fragments.
package enum WebSocketMessage: Sendable, Hashable {
    /// Checked to be UTF-8.
    case text(String)
    case binary([UInt8])

    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}

/// Close codes by the names of RFC 6455, section 7.4.
package struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = Self(rawValue: 1000)
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    package static let invalidText = Self(rawValue: 1007)
    package static let policyViolation = Self(rawValue: 1008)
    package static let messageTooBig = Self(rawValue: 1009)
    package static let internalError = Self(rawValue: 1011)
    package static let tryAgainLater = Self(rawValue: 1013)
}

/// What bounds one connection.
package struct WebSocketLimits: Sendable, Hashable {
    /// Bytes of one incoming message, all fragments together; beyond it the connection closes with
    /// 1009.
    ///
    /// 1 MiB is far above any chat frame, and far below what a hundred peers could exhaust.
    package var messageBytes = 1_048_576
    /// Messages that wait for `receive`; at the limit the socket is no longer read, so the peer
    /// waits.
    ///
    /// 256 covers a burst after a reconnect without a stall.
    package var incomingMessages = 256
    /// The same limit in bytes.
    ///
    /// What one read brought is kept even when it goes beyond.
    package var incomingBytes = 1_048_576
    /// Bytes that the kernel has not taken; beyond it the peer is too slow, and the connection
    /// closes with 1013.
    ///
    /// 4 MiB outlasts seconds of a mobile link's silence at fan-out rates; a lower limit cut off
    /// peers that were only momentarily late.
    package var outgoingBytes = 4_194_304
    /// How long the peer may take to answer a close before the connection is cut.
    package var closeTime: Duration = .seconds(5)

    package init() {}
}
