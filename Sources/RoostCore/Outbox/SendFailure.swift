// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Where on its way a sending failed; the same error means different things there.
package enum SendStage: Hashable, Codable, Sendable, CaseIterable {
    /// The message itself, over the socket.
    case socket
    /// Its file, by HTTP, before the message.
    case upload
    /// The message with its uploaded file, by HTTP, because the socket was lost (R146).
    case http
    /// A change of what the server holds: doing it twice does no harm.
    case change
}

/// What becomes of a message or a change whose sending ended in an error.
package enum SendConsequence: Hashable, Codable, Sendable {
    /// It stays pending and goes out again with the next connection.
    case staysPending
    /// It stays pending and goes out again after a rest, however often (scar 72).
    case waits
    /// As `waits`, but the outbox gives up after a few tries: something may be wrong for good.
    case waitsAWhile
    /// The outbox gives up. A person may try again where the error allows it.
    case fails(isResendable: Bool)
}

extension SendConsequence {
    /// The one table from error to consequence (R138-R151, `docs/protocol` 5.3 and 6.9, scar 72).
    package init(of code: RoostError.Code, at stage: SendStage) {
        switch (code, stage) {
        // The link went away before the answer: the same request ID makes a second try harmless.
        case (.connectionRequired, _), (.socketClosed, _), (.socketFailed, _),
            (.sessionKeyExpired, _), (.sessionKeyNotFound, _), (.delayedConnecting, _):
            self = .staysPending
        case (.rateLimited, _), (.tooManyMessages, _): self = .waits
        // A file that could not be uploaded is sent later (R140); a change is tried until it is known
        // to be made.
        case (.networkError, .upload), (.requestFailed, .upload), (.ackTimeout, .upload),
            (.uploadTimeout, .upload), (.networkError, .change), (.requestFailed, .change),
            (.ackTimeout, .change):
            self = .waits
        case (.internalServerError, .upload), (.internalServerError, .change),
            (.malformedData, .upload), (.malformedData, .change),
            // What reached the server was not the form we made: URLSession repeats the rest of a body on
            // another connection when the one it kept has died.
            (.malformedJSON, .upload):
            self = .waitsAWhile
        case (.requestFailed, .socket): self = .staysPending
        // The seeds call these failed although a later try may well succeed (R148, R150).
        default: self = .fails(isResendable: code.mayPass)
        }
    }
}
