// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One message or change that the server does not have, as far as this device knows, or a draft or
/// a mark that stays here.
package struct OutboxItem: Equatable, Codable, Sendable {
    /// The place in the order of writing, over all channels.
    package var sequence: Int64
    package let requestID: RequestID
    package let channel: ChannelURL
    /// The time on the device's clock, which orders only unsent items.
    package var createdAt: Timestamp
    package var content: OutboxContent
    package var state: UnsentState
    /// The number of attempts to send.
    package var attemptCount: Int
    /// Whether bytes of the item may have reached the server; then the message is looked up before
    /// a resend.
    package var hasLeft: Bool

    package init(
        sequence: Int64, requestID: RequestID, channel: ChannelURL, createdAt: Timestamp,
        content: OutboxContent, state: UnsentState = .pending, attemptCount: Int = 0,
        hasLeft: Bool = false
    ) {
        self.sequence = sequence
        self.requestID = requestID
        self.channel = channel
        self.createdAt = createdAt
        self.content = content
        self.state = state
        self.attemptCount = attemptCount
        self.hasLeft = hasLeft
    }
}

extension OutboxItem {
    /// Whether the server may have the item.
    ///
    /// An item that was sent once and refused is not at the server. After several attempts the
    /// result of each is unknown.
    package var mayHaveArrived: Bool {
        guard hasLeft, attemptCount == 1, case .failed(let code) = state else { return hasLeft }
        return !code.isRefusal
    }

    /// Returns the message as a timeline shows it while it is unsent; nil for a change.
    ///
    /// `files` is the folder of the outbox's copies.
    package func message(from sender: Sender?, files: String? = nil) -> Message? {
        switch content {
        case .userMessage(let params):
            var message = Message(
                delivery: .unsent(requestID, state), channelURL: channel, createdAt: createdAt,
                sender: sender, content: .user(text: params.text), data: params.data,
                customType: params.customType, mention: params.mention,
                metaArrays: params.metaArrays, parentID: params.parentID,
                isReplyToChannel: params.isReplyToChannel, isSilent: params.isSilent)
            // All other parameters are in the message.
            if !params.extraFields.isEmpty { message.details.params = .user(params) }
            return message
        case .fileMessage(var params, let copies):
            for (index, copy) in copies.enumerated() {
                guard let files, let copy else { continue }
                let path = "\(files)/\(copy.name)"
                if let key = copy.key {
                    // An encrypted copy has no address for an app; the original file may have one.
                    params.files[index].sealedCopy = SealedCopy(
                        path: path, size: copy.size, key: key)
                } else {
                    params.files[index].source = .copy(of: path)
                }
            }
            var message = Message(
                delivery: .unsent(requestID, state), channelURL: channel, createdAt: createdAt,
                sender: sender, content: .file(FileContent(params)), data: params.data,
                customType: params.customType, mention: params.mention,
                metaArrays: params.metaArrays, parentID: params.parentID,
                isReplyToChannel: params.isReplyToChannel, isSilent: params.isSilent)
            message.details.params = .file(params)
            return message
        case .change, .draft, .inbox: return nil
        }
    }

    /// The state as an app shows it.
    package var status: SendingStatus {
        switch state {
        case .pending: .pending
        case .failed: .failed
        case .canceled: .canceled
        }
    }

    /// The kind of content, for logs.
    package var kind: String {
        switch content {
        case .userMessage: "message"
        case .fileMessage: "file"
        case .change(let action): action.kind
        case .draft: "draft"
        case .inbox: "inbox"
        }
    }

    /// The requested change; nil for a message.
    package var change: PendingChange? {
        guard case .change(let action) = content else { return nil }
        return PendingChange(
            id: requestID, channel: channel, createdAt: createdAt, action: action)
    }

    /// The outbox's own copies of the files.
    package var copies: [CopiedFile] {
        guard case .fileMessage(_, let copies) = content else { return [] }
        return copies.compactMap { $0 }
    }

    /// Whether a file has to be uploaded before the message is sent.
    package var hasUploads: Bool { content.hasUploads }
}

extension OutboxMachine.Item {
    /// Makes a lane item of an item on disk; `isNoted` says whether the disk already records the
    /// attempt that begins now.
    package init(_ item: OutboxItem, isNoted: Bool = false) {
        self.init(
            requestID: item.requestID, channel: item.channel,
            kind: Kind(item.content),
            createdAt: item.createdAt, state: item.state, hasLeft: item.mayHaveArrived,
            isNoted: isNoted, awaited: item.content.awaited)
    }
}

extension OutboxMachine.Item.Kind {
    init(_ content: OutboxContent) {
        switch content {
        case .change(.channel(.leave)): self = .departure
        case .change: self = .change
        case .draft, .inbox: self = .local
        case .userMessage, .fileMessage: self = content.hasUploads ? .file : .message
        }
    }
}
