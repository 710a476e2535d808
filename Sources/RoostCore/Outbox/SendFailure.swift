// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What becomes of a message whose sending ended in an error.
package enum SendConsequence: Hashable, Sendable {
    /// It stays pending and goes out again with the next connection.
    case staysPending
    /// It stays pending; the server asked for less haste, so the channel rests first.
    case waits
    /// The outbox gives up. A person may try again where the error allows it.
    case fails(isResendable: Bool)
}

extension SendConsequence {
    /// The one table from error to consequence (R138-R151, `protocol.md` 5.3 and 6.9, scar 72).
    package init(of code: RoostError.Code) {
        switch code {
        // The link went away before the answer: the same request ID makes a second try harmless.
        case .connectionRequired, .socketClosed, .socketFailed, .requestFailed,
            .sessionKeyExpired, .delayedConnecting:
            self = .staysPending
        case .rateLimited, .tooManyMessages:
            self = .waits
        // The seeds call these failed although a later try may well succeed (R150).
        case .ackTimeout, .networkError, .internalServerError, .requestCanceled, .pendingError,
            .channelFrozen:
            self = .fails(isResendable: true)
        default:
            self = .fails(isResendable: false)
        }
    }
}
