// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The content of an unsent item: a message, a change of the server's data, a draft, or the mark of
/// an inbox.
package enum OutboxContent: Equatable, Codable, Sendable {
    case userMessage(UserMessageParams)
    /// The outbox's copies of the files; nil for a file without a copy.
    case fileMessage(FileMessageParams, copies: [CopiedFile?])
    case change(PendingChange.Action)
    /// A text that is not to be sent.
    case draft(DraftContent)
    /// The place that an inbox has reached.
    case inbox(InboxMark)
}

extension OutboxContent {
    package var isChange: Bool { if case .change = self { true } else { false } }

    /// Whether the item stays on this device: no lane sends it.
    package var staysHere: Bool {
        switch self {
        case .draft, .inbox: true
        case .userMessage, .fileMessage, .change: false
        }
    }

    /// The unsent message that a change targets; the message is sent first.
    package var awaited: RequestID? {
        guard case .change(let action) = self, case .unsent(let id)? = action.target else {
            return nil
        }
        return id
    }

    /// Whether a file has to be uploaded before the message is sent.
    package var hasUploads: Bool {
        guard case .fileMessage(let params, _) = self else { return false }
        return params.files.contains { $0.url == nil }
    }

    /// Returns the content on disk with the uploaded files of this process's content.
    ///
    /// An upload may end in a suspension, while another process uploads the same files, or edits
    /// the message. Files that have an address on disk stay as they are there.
    package func takingUploads(of content: OutboxContent) -> OutboxContent {
        guard case .fileMessage(var params, var copies) = self,
            case .fileMessage(let other, _) = content,
            params.files.count == other.files.count, copies.count == params.files.count
        else { return content }
        for (place, file) in other.files.enumerated()
        where file.url != nil && params.files[place].url == nil {
            params.files[place] = file
            copies[place] = nil
        }
        return .fileMessage(params, copies: copies)
    }

    /// Returns the message or the unsent edit with a further edit of its author applied.
    package func applying(_ edit: MessageEdit) -> OutboxContent {
        switch self {
        case .userMessage(var params):
            params.text = edit.text ?? params.text
            params.data = edit.data ?? params.data
            params.customType = edit.customType ?? params.customType
            params.mention = edit.mention ?? params.mention
            if let template = edit.mentionTemplate {
                params.extraFields.keep(mentionTemplate: template)
            }
            return .userMessage(params)
        case .fileMessage(var params, let copies):
            params.caption = edit.text ?? params.caption
            params.data = edit.data ?? params.data
            params.customType = edit.customType ?? params.customType
            params.mention = edit.mention ?? params.mention
            if let template = edit.mentionTemplate {
                params.extraFields.keep(mentionTemplate: template)
            }
            return .fileMessage(params, copies: copies)
        case .change(.edit(let target, var first)):
            first.text = edit.text ?? first.text
            first.data = edit.data ?? first.data
            first.customType = edit.customType ?? first.customType
            first.mention = edit.mention ?? first.mention
            first.mentionTemplate = edit.mentionTemplate ?? first.mentionTemplate
            return .change(.edit(target, first))
        case .change, .draft, .inbox: return self
        }
    }
}

extension OutgoingFile {
    /// The file's address at the server; nil before the upload.
    package var url: String? {
        if case .url(let url) = source { url } else { nil }
    }
}

extension FileContent {
    /// The files of a message; a file that is not uploaded has its address on this device.
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
