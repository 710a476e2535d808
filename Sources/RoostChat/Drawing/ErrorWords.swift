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
        case .fileRefused: "the server does not take this file"
        case .mutedInChannel, .mutedInApplication: "you are muted"
        case .banned, .bannedFromChannel: "banned from the channel"
        case .sendingBlocked, .blockedByReceiver: "there is a block between you"
        case .wordsFiltered: "a filter refused the words"
        case .urlFiltered, .domainFiltered: "a filter refused the link"
        case .tooManyItems: "there are too many already"
        case .valueLength: "the text is too long"
        case .tooManyMessages, .rateLimited: "too many messages at once"
        case .senderDeactivated, .userDeactivated: "the account is deactivated"
        case .applicationNotFound: "no such application"
        case .tokenInvalid: "wrong or missing token"
        case .userNotFound: "no such user"
        case .sessionRevoked: "the session was ended"
        case .untrustedServer: "untrusted certificate"
        case .networkError, .connectionRequired, .socketClosed, .socketFailed: "no connection"
        case .ackTimeout, .loginTimeout, .uploadTimeout: "no answer of the server"
        default: "error \(rawValue)"
        }
    }
}
