// SPDX-License-Identifier: Apache-2.0

/// A complete message, joined from its fragments.
package enum WebSocketMessage: Sendable, Hashable {
    /// A text that is valid UTF-8.
    case text(String)
    case binary([UInt8])

    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}

/// A close code, with the names of RFC 6455, section 7.4.
package struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = Self(rawValue: 1000)
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    package static let invalidText = Self(rawValue: 1007)
    package static let policyViolation = Self(rawValue: 1008)
    package static let messageTooBig = Self(rawValue: 1009)
    package static let tryAgainLater = Self(rawValue: 1013)
}

/// The bounds of one connection.
package struct WebSocketLimits: Sendable, Hashable {
    /// The greatest size of an incoming message, all fragments together; beyond it the connection
    /// closes with 1009.
    ///
    /// 1 MiB is far above any chat frame, and far below the memory that a hundred peers could
    /// exhaust.
    package var messageBytes = 1_048_576
    /// The number of unreceived messages at which the socket is no longer read, so that the peer
    /// waits.
    ///
    /// 256 covers a burst after a reconnect without a stall.
    package var incomingMessages = 256
    /// The number of unreceived bytes at which the socket is no longer read.
    ///
    /// Bytes of one read are kept even beyond it.
    package var incomingBytes = 1_048_576
    /// The number of unsent bytes beyond which the peer is too slow, and the connection closes with
    /// 1013.
    ///
    /// 4 MiB lasts for seconds of a silent mobile link at fan-out rates; a lower limit cut off
    /// peers that were only briefly late.
    package var outgoingBytes = 4_194_304
    /// The time for the peer to answer a close before the connection is cut.
    package var closeTime: Duration = .seconds(5)

    package init() {}
}
