// SPDX-License-Identifier: Apache-2.0

/// The rates of faults between a device and the server, in thousandths.
package struct Weather: Hashable, Sendable {
    // MARK: Requests

    /// The request or its answer is lost; the caller learns of it late.
    package var lostRequest: UInt64 = 0
    package var lostAnswer: UInt64 = 0
    /// The request arrives after the caller's time limit.
    package var lateRequest: UInt64 = 0
    /// The request arrives twice, as from a proxy that retries; only for reading and deleting.
    package var repeatedRequest: UInt64 = 0
    /// The answer breaks off at any byte.
    package var cutAnswer: UInt64 = 0
    /// The server refuses for a passing reason: status 429, 500 or 503.
    package var refusedRequest: UInt64 = 0

    /// The answer takes seconds, while the socket is fast.
    package var slowAnswer: UInt64 = 0

    // MARK: Sockets

    /// A frame comes twice in a row within its channel.
    package var repeatedFrame: UInt64 = 0
    /// A frame is overtaken by one of another channel.
    package var overtakenFrame: UInt64 = 0
    /// The answer to a sent message or an edit is lost.
    package var lostAcknowledgement: UInt64 = 0
    /// The server refuses a message for good.
    package var refusedMessage: UInt64 = 0
    /// The server asks for a pause instead of taking a message.
    package var limitedMessage: UInt64 = 0
    /// The socket breaks at any byte of a frame.
    package var cutFrame: UInt64 = 0
    /// From a frame on no frame crosses any more, and neither end notices.
    package var halfOpen: UInt64 = 0
    /// The server asks for a pause instead of logging in.
    package var busyLogin: UInt64 = 0

    // MARK: Both

    /// A crossing takes seconds.
    package var slowCrossing: UInt64 = 0
    /// The session key expires.
    package var expiry: UInt64 = 0

    package init() {}

    package static let calm = Weather()

    /// Slow answers, which events overtake.
    package static let sluggish = {
        var weather = Weather()
        weather.slowAnswer = 500
        weather.repeatedFrame = 20
        weather.overtakenFrame = 20
        return weather
    }()

    /// All faults, at moderate rates.
    package static let rough = {
        var weather = Weather()
        weather.lostRequest = 20
        weather.lostAnswer = 20
        weather.lateRequest = 10
        weather.repeatedRequest = 20
        weather.cutAnswer = 15
        weather.refusedRequest = 25
        weather.repeatedFrame = 40
        weather.overtakenFrame = 40
        weather.lostAcknowledgement = 10
        weather.cutFrame = 5
        weather.halfOpen = 3
        weather.busyLogin = 40
        weather.slowCrossing = 15
        weather.expiry = 3
        return weather
    }()
}
