// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// What it takes to send it, or one like it: the very parameters while it is unsent, and the same
    /// words, files and marks later (R152); nil for what no user can write.
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

    /// Whether it failed for a reason that may have passed.
    ///
    /// Any failed message can be sent again; one for which this is false has to be edited first, or the
    /// user let in again.
    public var isResendable: Bool {
        guard case .unsent(_, .failed(let code)) = delivery else { return false }
        return code.mayPass
    }

    /// The message as it will be when the server has made these changes; nil when it will be gone.
    public func applying(_ changes: [PendingChange], by me: UserID) -> Message? {
        var message = self
        for change in changes where change.action.target.map(message.isMeant) ?? false {
            switch change.action {
            case .edit(_, let edit): message.apply(edit)
            case .delete: return nil
            case .addReaction(let key, _): message.react(key, me, isAdded: true, change.createdAt)
            case .removeReaction(let key, _):
                message.react(key, me, isAdded: false, change.createdAt)
            case .markAsRead: break
            }
        }
        return message
    }

    private func isMeant(by target: MessageTarget) -> Bool {
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
    }

    private mutating func react(
        _ key: String, _ user: UserID, isAdded: Bool, _ moment: Timestamp
    ) {
        // The device's clock says nothing about the server's: whatever was there gives way.
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
    /// Whether a later try may succeed though nothing of the message changes (`docs/protocol` 5, column R).
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

    /// Whether it is the server's own word that it does not have the message and will not take it
    /// (`docs/protocol` 5.1 and 5.2).
    package var isRefusal: Bool {
        !mayPass
            && (400_000..<500_000 ~= rawValue || 900_000..<1_000_000 ~= rawValue)
    }
}
