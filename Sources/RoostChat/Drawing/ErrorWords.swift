// SPDX-License-Identifier: Apache-2.0

import Roost

extension RoostError.Code {
    /// The reason of a refusal for the reader, to be read after a colon.
    var words: String {
        switch self {
        case .notAMember: "you are no member"
        case .channelFrozen: "the channel is frozen"
        case .channelNotFound: "there is no such channel"
        case .messageNotFound: "there is no such message"
        case .notTheOwner, .notAuthorized: "you may not do this"
        case .fileTooLarge: "the file is too large"
        case .valueLength: "the text is too long"
        case .tooManyMessages, .rateLimited: "too many messages at once"
        case .senderDeactivated, .userDeactivated: "the account is deactivated"
        case .networkError, .connectionRequired, .socketClosed, .socketFailed: "no connection"
        case .ackTimeout, .uploadTimeout: "no answer of the server"
        default: "error \(rawValue)"
        }
    }
}
