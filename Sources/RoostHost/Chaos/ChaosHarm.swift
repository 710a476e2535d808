// SPDX-License-Identifier: Apache-2.0

/// The effect of a fault, with its measures.
package enum ChaosHarm: Hashable, Sendable {
    /// A frame or an answer is held back for a time, while later ones pass it.
    case delay(milliseconds: Int64)
    /// A frame or an answer does not leave the server.
    case loss
    /// A frame leaves the server twice.
    case repetition
    /// A socket stays open, and no byte passes it any more.
    case silence
    /// All sockets end, with a close frame or without.
    ///
    /// `isAfterwards` tells whether the command that met the restart is carried out.
    case restart(closeFrame: Bool, isAfterwards: Bool)
    /// The client is asked to come back after a time.
    case busy(seconds: Int64)
    /// An HTTP status in place of the call.
    case status(Int)
    /// A session key ends.
    case endOfSession
    /// The user's sessions and the tokens with an end are over.
    case endOfTokens
    /// A page ends early, at a place that `draw` decides.
    case cut(draw: UInt64)
    /// The time that the server names is earlier than its clock.
    case step(milliseconds: Int64)

    /// The measures of the effect for the log.
    package var measures: [(name: String, value: Int64)] {
        switch self {
        case .delay(let time): [("delay_ms", time)]
        case .restart(let hasFrame, let isAfterwards):
            [("close_frame", hasFrame ? 1 : 0), ("carried_out", isAfterwards ? 1 : 0)]
        case .busy(let seconds): [("retry_after", seconds)]
        case .status(let status): [("status", Int64(status))]
        case .step(let time): [("step_ms", time)]
        case .loss, .repetition, .silence, .endOfSession, .endOfTokens, .cut: []
        }
    }

    /// Returns the lower limit of a page that ends early.
    ///
    /// - Parameters:
    ///   - limit: The limit of the request, above 1.
    ///   - draw: A number whose bits are all random.
    /// - Returns: At least 1, and less than asked for.
    package static func cutLimit(of limit: Int, draw: UInt64) -> Int {
        precondition(limit > 1, "A page of one entry cannot be shorter.")
        return 1 + Int(draw % UInt64(limit - 1))
    }
}

/// A decided fault.
package struct ChaosFault: Hashable, Sendable {
    /// The number of the fault in this run, from 1.
    package let number: Int
    package let kind: ChaosKind
    /// The user of the occasion; empty if unknown.
    package let user: String
    /// The number of the occasion among those of its kind and user, from 1; plan and log call it `nth`.
    package let place: Int
    package let harm: ChaosHarm
}
