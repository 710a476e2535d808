// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// The parameters that send this message, or an equal one, again.
    ///
    /// The original parameters while the message is unsent; later the same text, files and marks.
    /// Nil for kinds that no user can write.
    public var params: MessageParams? {
        if !hasNoDetails, let params = details.params { return params }
        switch content {
        case .user(let text):
            return .user(
                UserMessageParams(
                    text: text, data: data, customType: customType, mention: mention,
                    metaArrays: metaArrays, parentID: parentID,
                    isReplyToChannel: isReplyToChannel, isSilent: isSilent))
        case .file(let file):
            return .file(
                FileMessageParams(
                    files: (file.files.isEmpty ? [file] : file.files).map(OutgoingFile.init),
                    caption: file.caption, data: data, customType: customType, mention: mention,
                    metaArrays: metaArrays, parentID: parentID,
                    isReplyToChannel: isReplyToChannel, isSilent: isSilent))
        case .admin, .unknown: return nil
        }
    }

    /// Whether the message failed for a reason that may have passed.
    ///
    /// Every failed message can be sent again. If this is false, the retry fails unless the message
    /// is edited or the user's rights change first.
    public var isResendable: Bool {
        guard case .unsent(_, .failed(let code)) = delivery else { return false }
        return code.mayPass
    }
}

extension OutgoingFile {
    fileprivate init(_ file: FileContent) {
        self.init(.url(file.url), name: file.name, type: file.type, size: file.size)
        thumbnails = file.thumbnails
        requiresAuth = file.requiresAuth
    }
}

extension RoostError.Code {
    /// Whether the user must log in with other credentials (`docs/protocol` 5.4).
    package var refusesUser: Bool {
        switch self {
        case .userDeactivated, .userNotFound, .tokenInvalid, .sessionRevoked: true
        default: false
        }
    }

    /// Whether a retry of the unchanged message may succeed (`docs/protocol` 5).
    package var mayPass: Bool {
        switch self {
        case .ackTimeout, .networkError, .internalServerError, .requestCanceled, .pendingError,
            .channelFrozen, .connectionRequired, .socketClosed, .socketFailed, .requestFailed,
            .sessionKeyExpired, .delayedConnecting, .rateLimited, .tooManyMessages, .routingError,
            .uploadTimeout, .uploadCancelFailed, .senderDeactivated:
            true
        default: false
        }
    }

    /// Whether the server itself has stated that it does not have the message and will not take it
    /// (`docs/protocol` 5.1 and 5.2).
    package var isRefusal: Bool {
        !mayPass
            && (400_000..<500_000 ~= rawValue || 900_000..<1_000_000 ~= rawValue)
    }
}
