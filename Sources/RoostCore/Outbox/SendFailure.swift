// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stage at which sending failed; the meaning of an error depends on it.
package enum SendStage: Equatable, Codable, Sendable, CaseIterable {
    /// Sending the message over the socket.
    case socket
    /// Uploading a file by HTTP, before the message.
    case upload
    /// Sending the message with its uploaded files by HTTP, because the socket was lost (R146).
    case http
    /// Making a change of the server's data; a second time it counts as the last change.
    case change
}

/// The effect of an error on the item that was being sent.
package enum SendConsequence: Hashable, Sendable {
    /// The item stays pending and is sent with the next connection.
    case staysPending
    /// The item stays pending and is sent after a delay, any number of times (scar 72).
    case waits
    /// Like `waits`, but the item fails after a few attempts, because the error may be permanent.
    case waitsAWhile
    /// The item fails; the user may resend it if the error allows that.
    case fails(isResendable: Bool)
}

extension SendConsequence {
    /// Decides the consequence of every error (R138-R151, `docs/protocol` 5.3 and 6.8, scar 72).
    package init(of code: RoostError.Code, at stage: SendStage) {
        switch (code, stage) {
        // The link was lost before the answer; the same request ID makes a second attempt harmless.
        case (.connectionRequired, _), (.socketClosed, _), (.socketFailed, _),
            (.sessionKeyExpired, _), (.sessionKeyNotFound, _), (.delayedConnecting, _):
            self = .staysPending
        case (.rateLimited, _), (.tooManyMessages, _): self = .waits
        // A file that could not be uploaded is sent later (R140); a change is repeated until the
        // server confirms it.
        case (.networkError, .upload), (.requestFailed, .upload), (.ackTimeout, .upload),
            (.uploadTimeout, .upload), (.networkError, .change), (.requestFailed, .change),
            (.ackTimeout, .change):
            self = .waits
        case (.internalServerError, .upload), (.internalServerError, .change),
            (.malformedData, .upload), (.malformedData, .change),
            // The server received a damaged form: if a kept connection has died, URLSession repeats
            // only the rest of the body on another one.
            (.malformedJSON, .upload):
            self = .waitsAWhile
        case (.requestFailed, .socket): self = .staysPending
        // These fail by specification although a later attempt may succeed (R148, R150).
        default: self = .fails(isResendable: code.mayPass)
        }
    }
}
