// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// The parameters that send this message, or an equal one, again (R152).
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

    /// Returns the message as the server will have it after these changes; nil if they delete it.
    ///
    /// - Parameters:
    ///   - changes: The changes, in the order of their calls.
    ///   - me: The user who made them.
    /// - Returns: The message as it will be, or nil.
    public func applying(_ changes: [PendingChange], by me: UserID) -> Message? {
        var message = self
        for change in changes where change.action.target.map(message.isTarget) ?? false {
            switch change.action {
            case .edit(_, let edit): message.apply(edit)
            case .delete: return nil
            case .addReaction(let key, _): message.react(key, me, isAdded: true, change.createdAt)
            case .removeReaction(let key, _):
                message.react(key, me, isAdded: false, change.createdAt)
            case .markAsRead, .channel: break
            }
        }
        return message
    }

    private func isTarget(of target: MessageTarget) -> Bool {
        switch target {
        case .delivered(let id): messageID == id
        case .unsent(let id): requestID == id
        }
    }

    private mutating func apply(_ edit: MessageEdit) {
        if let text = edit.text {
            switch content {
            case .file(var file):
                file.caption = text
                content = .file(file)
            case .user, .admin: content = .user(text: text)
            case .unknown: break
            }
        }
        data = edit.data ?? data
        customType = edit.customType ?? customType
        mention = edit.mention ?? mention
        if let template = edit.mentionTemplate { details.mentionTemplate = template }
    }

    private mutating func react(
        _ key: String, _ user: UserID, isAdded: Bool, _ moment: Timestamp
    ) {
        // The device's clock cannot be compared with the server's: the local change replaces the
        // entry.
        let last = details.reactions?.first { $0.key == key }?.updatedAt
        let change = ReactionChange(
            key: key, userID: user, isAdded: isAdded, updatedAt: max(moment, last ?? moment))
        details.reactions = (details.reactions ?? []).applying(change)
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
