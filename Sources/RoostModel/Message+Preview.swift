// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// What a reply shows of it; no more of a file than the protocol tells (`docs/protocol` 4.7).
    package var preview: ParentPreview {
        var preview = ParentPreview(content: content.preview)
        preview.sender = sender?.user
        preview.createdAt = createdAt
        preview.data = data
        preview.customType = customType
        preview.updatedAt = updatedAt
        if !hasNoDetails { preview.translations = details.translations }
        return preview
    }
}

extension MessageDetails {
    /// Has a reply show its parent as it is told, unless it shows a later edit already (scar 116).
    package mutating func follow(_ parent: ParentPreview) {
        let known = parentPreview?.updatedAt ?? .distantPast
        guard parent.updatedAt ?? .distantPast >= known else { return }
        var preview = parent
        // The parent's own copy does not tell what else a reply says of it, and so denies nothing.
        preview.unknownFields = parentPreview?.unknownFields ?? preview.unknownFields
        parentPreview = preview
    }
}

extension ParentPreview {
    /// Whether it shows an earlier edit; false where one of the two does not tell.
    func isOlder(than other: ParentPreview) -> Bool {
        guard let updatedAt, let moment = other.updatedAt else { return false }
        return updatedAt < moment
    }
}

extension MessageContent {
    fileprivate var preview: MessageContent {
        guard case .file(var file) = self, !file.thumbnails.isEmpty else { return self }
        file.thumbnails = []
        return .file(file)
    }
}
