// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// What a reply shows of it; no more of a file than the protocol tells (`protocol.md` 4.7).
    package var preview: ParentPreview {
        var preview = ParentPreview(content: content.preview)
        preview.sender = sender?.user
        preview.createdAt = createdAt
        preview.data = data
        preview.customType = customType
        if !hasNoDetails { preview.translations = details.translations }
        return preview
    }
}

extension MessageContent {
    fileprivate var preview: MessageContent {
        guard case .file(var file) = self, !file.thumbnails.isEmpty else { return self }
        file.thumbnails = []
        return .file(file)
    }
}
