// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One message or change that the server does not have, as far as this device knows.
package struct OutboxItem: Hashable, Sendable {
    /// The order of writing, over all channels.
    package var sequence: Int64
    package let requestID: RequestID
    package let channel: ChannelURL
    /// On the device's clock, which orders only what is unsent.
    package var createdAt: Timestamp
    package var content: OutboxContent
    package var state: UnsentState
    /// How often sending was begun.
    package var attemptCount: Int
    /// Whether bytes of it may have reached the server: then its fate is looked for before a resend.
    package var hasLeft: Bool
}

extension OutboxItem {
    /// Whether the server may have it.
    ///
    /// One that left once and was refused is not there. Of more attempts nobody knows what became of each.
    package var mayHaveArrived: Bool {
        guard hasLeft, attemptCount == 1, case .failed(let code) = state else { return hasLeft }
        return !code.isRefusal
    }

    /// The message as a timeline shows it while it is unsent; nil for a change.
    ///
    /// `files` is the folder of the outbox's copies.
    package func message(from sender: Sender?, files: String? = nil) -> Message? {
        switch content {
        case .userMessage(let params):
            return Message(
                delivery: .unsent(requestID, state), channelURL: channel, createdAt: createdAt,
                sender: sender, content: .user(text: params.text), data: params.data,
                customType: params.customType, mention: params.mention,
                metaArrays: params.metaArrays, parentID: params.parentID,
                isReplyToChannel: params.isReplyToChannel, isSilent: params.isSilent)
        case .fileMessage(var params, let copies):
            for (index, copy) in copies.enumerated() {
                // A sealed copy shows nobody anything; the file it was made from may.
                guard let files, let copy, copy.key == nil else { continue }
                params.files[index].source = .copy(of: "\(files)/\(copy.name)")
            }
            var message = Message(
                delivery: .unsent(requestID, state), channelURL: channel, createdAt: createdAt,
                sender: sender, content: .file(FileContent(params)), data: params.data,
                customType: params.customType, mention: params.mention,
                metaArrays: params.metaArrays, parentID: params.parentID,
                isReplyToChannel: params.isReplyToChannel, isSilent: params.isSilent)
            message.details.params = .file(params)
            return message
        case .change: return nil
        }
    }

    /// Where it stands, in the words an app shows.
    package var status: SendingStatus {
        switch state {
        case .pending: .pending
        case .failed: .failed
        case .canceled: .canceled
        }
    }

    /// What it is, in one word.
    package var kind: String {
        switch content {
        case .userMessage: "message"
        case .fileMessage: "file"
        case .change(let action): action.kind
        }
    }

    /// The change it asks for; nil for a message.
    package var change: PendingChange? {
        guard case .change(let action) = content else { return nil }
        return PendingChange(
            id: requestID, channel: channel, createdAt: createdAt, action: action)
    }

    /// The outbox's own copies of its files.
    package var copies: [CopiedFile] {
        guard case .fileMessage(_, let copies) = content else { return [] }
        return copies.compactMap { $0 }
    }

    /// Whether something has to be uploaded before the message can go.
    package var hasUploads: Bool { content.hasUploads }
}

extension OutboxContent {
    /// Whether something has to be uploaded before the message can go.
    package var hasUploads: Bool {
        guard case .fileMessage(let params, _) = self else { return false }
        return params.files.contains { $0.url == nil }
    }

    /// The message, or the edit that waits, with an edit of the person who wrote it.
    package func applying(_ edit: MessageEdit) -> OutboxContent {
        switch self {
        case .userMessage(var params):
            params.text = edit.text ?? params.text
            params.data = edit.data ?? params.data
            params.customType = edit.customType ?? params.customType
            params.mention = edit.mention ?? params.mention
            return .userMessage(params)
        case .fileMessage(var params, let copies):
            params.caption = edit.text ?? params.caption
            params.data = edit.data ?? params.data
            params.customType = edit.customType ?? params.customType
            params.mention = edit.mention ?? params.mention
            return .fileMessage(params, copies: copies)
        case .change(.edit(let target, var first)):
            first.text = edit.text ?? first.text
            first.data = edit.data ?? first.data
            first.customType = edit.customType ?? first.customType
            first.mention = edit.mention ?? first.mention
            return .change(.edit(target, first))
        case .change: return self
        }
    }
}

extension OutgoingFile {
    /// Where the file lies at the server; nil while it does not.
    package var url: String? {
        if case .url(let url) = source { url } else { nil }
    }
}

extension FileContent {
    /// The files of a message, as far as they are uploaded; the others have the addresses of files here.
    package init(_ params: FileMessageParams) {
        let files = params.files.map { FileContent($0) }
        self = files.first ?? FileContent(url: "", name: "", type: "", size: ByteCount(bytes: 0))
        caption = params.caption
        if files.count > 1 { self.files = files }
    }

    private init(_ file: OutgoingFile) {
        let url =
            switch file.source {
            case .url(let url): url
            case .copy(let path), .reference(let path): "file://" + path
            case .bytes: ""
            }
        self.init(
            url: url, name: file.name, type: file.type, size: file.size ?? ByteCount(bytes: 0))
        thumbnails = file.thumbnails
        requiresAuth = file.requiresAuth
    }
}

/// One thing that has happened to an item.
package enum OutboxNote: Hashable, Sendable {
    /// Sending begins; to be on disk before the first byte leaves.
    case attempt(RequestID)
    case state(RequestID, UnsentState)
    /// It says something else now.
    case content(RequestID, ChannelURL, OutboxContent)
    /// It is tried again, behind all others, as if it were written then.
    case requeued(RequestID, createdAt: Timestamp)
    /// The file was damaged and has lost it.
    case restored(OutboxItem)
    /// The server has it, or the person took it back.
    case removal(RequestID)

    package var requestID: RequestID {
        switch self {
        case .attempt(let id), .state(let id, _), .content(let id, _, _), .requeued(let id, _),
            .removal(let id):
            id
        case .restored(let item): item.requestID
        }
    }

    var isRemoval: Bool { if case .removal = self { true } else { false } }
}

/// What came of notes.
package struct OutboxReceipt: Sendable {
    /// Whether another process has written since `OutboxStore.news` was last asked for.
    package let hasNews: Bool
    /// Why a note was left out though others were written, by its place.
    package let refused: [Int: StoreError]
}

/// Everything in the outbox.
package struct OutboxItems: Hashable, Sendable {
    /// In the order they were written.
    package let items: [OutboxItem]
    /// Items whose rows are damaged; they stay where they are and block nothing (scar 65).
    package let damaged: [RequestID]
    /// Items that a later release wrote, likewise.
    package let newer: [RequestID]
    /// A damage after which not all that is missing was seen to; nil when there was none.
    package var loss: OutboxLoss?

    package init(items: [OutboxItem], damaged: [RequestID] = [], newer: [RequestID] = []) {
        (self.items, self.damaged, self.newer) = (items, damaged, newer)
    }

    /// All that this release cannot read.
    package var unreadable: [RequestID] { damaged + newer }
}

/// A damage of the outbox that may have cost what this process knows.
package struct OutboxLoss: Hashable, Sendable {
    let number: Int
    /// What the repair has saved, by the numbers of the order: what of it is missing is gone for another
    /// reason.
    package let carriedOver: Set<Int64>
}

/// The stored numbers of `UnsentState`; never given to another state.
enum OutboxStateTag: Int64 {
    case pending = 0
    case failed = 1
    case canceled = 2

    /// Whether a later release may have given a state this number; another one is damage.
    static func isPlausible(_ tag: Int64) -> Bool {
        (0...Int64(PayloadError.lastPlausibleVersion)).contains(tag)
    }
}

extension UnsentState {
    var stored: (tag: OutboxStateTag, code: Int64?) {
        switch self {
        case .pending: (.pending, nil)
        case .failed(let code): (.failed, Int64(code.rawValue))
        case .canceled: (.canceled, nil)
        }
    }

    init?(tag: Int64, code: Int64?) {
        switch OutboxStateTag(rawValue: tag) {
        case .pending: self = .pending
        case .failed: self = .failed(RoostError.Code(Int(clamping: code ?? 0)))
        case .canceled: self = .canceled
        case nil: return nil
        }
    }
}
