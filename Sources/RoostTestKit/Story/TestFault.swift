// SPDX-License-Identifier: Apache-2.0

/// A fault between a device and the server that a test asks for.
///
/// Text messages and edits go over the socket; pages, change logs, files, deletions and reactions go
/// by HTTP. A fault of the other way does not meet them.
public enum TestFault: Hashable, Sendable, CaseIterable {
    /// A request by HTTP does not reach the server; the client learns of it late.
    case lostRequest
    /// The server handles a request by HTTP, and its answer does not reach the device.
    case lostAnswer
    /// The server refuses a request by HTTP for a passing reason: status 429, 500 or 503.
    case refusedRequest
    /// The server refuses a message over the socket for good, with the code `channelFrozen`.
    case refusedMessage
    /// The server stores a message or an edit, and the acknowledgement does not reach the device.
    case lostAcknowledgement
    /// A frame reaches the device twice.
    case repeatedFrame
    /// The socket breaks in the middle of a frame.
    case cutFrame
    /// The socket carries no frame any more, and neither end notices.
    case silentSocket
    /// The server asks for a pause of up to twenty seconds instead of logging in.
    case busyServer
    /// The session expires.
    case expiredSession

    /// The rate of the weather that stands for the fault.
    var rate: WritableKeyPath<Weather, UInt64> {
        switch self {
        case .lostRequest: \.lostRequest
        case .lostAnswer: \.lostAnswer
        case .refusedRequest: \.refusedRequest
        case .refusedMessage: \.refusedMessage
        case .lostAcknowledgement: \.lostAcknowledgement
        case .repeatedFrame: \.repeatedFrame
        case .cutFrame: \.cutFrame
        case .silentSocket: \.halfOpen
        case .busyServer: \.busyLogin
        case .expiredSession: \.expiry
        }
    }
}
