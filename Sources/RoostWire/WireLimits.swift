// SPDX-License-Identifier: Apache-2.0

/// The sizes that a client reads and that a server therefore never exceeds.
///
/// Both ends share them: the server accepts only content that fits into a frame and an answer.
package enum WireLimits {
    /// The most UTF-8 bytes of one WebSocket message, all fragments together.
    ///
    /// A client closes a socket that delivers more.
    package static let frameBytes = 1_048_576
    /// The most bytes of one REST answer's body, after decompression.
    ///
    /// A client abandons a longer answer.
    package static let answerBytes = 16_777_216
    /// The deepest nesting of arrays and objects in a frame or a body.
    ///
    /// A reader refuses deeper text. An object that travels inside other objects needs room for
    /// their levels.
    package static let nestingDepth = 128
}
