// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// The part of the message that a reply shows (`docs/protocol` 4.7).
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

extension Message {
    /// The message that this one replies to, as far as the reply shows it; nil without a preview.
    package var parent: Message? {
        guard let parentID, !hasNoDetails, let preview = details.parentPreview else { return nil }
        var parent = Message(
            delivery: .delivered(parentID, nil), channelURL: channelURL,
            createdAt: preview.createdAt ?? Timestamp(milliseconds: 0),
            updatedAt: preview.updatedAt, sender: preview.sender.map { Sender(user: $0) },
            content: preview.content, data: preview.data, customType: preview.customType)
        if !preview.translations.isEmpty {
            parent.details.translations = preview.translations
        }
        return parent
    }
}

extension MessageDetails {
    /// Replaces the shown parent by a newer copy, unless a later edit is shown already (scar 116).
    ///
    /// A reply without a preview stays without one: the server does not show the parent to the
    /// user, for instance one from before the user's history.
    package mutating func follow(_ parent: ParentPreview) {
        guard let known = parentPreview, !parent.lacksEdit(of: known) else { return }
        var preview = parent
        // The parent's own copy lacks the other fields of a preview, so they stay.
        preview.unknownFields = known.unknownFields
        parentPreview = preview
    }
}

extension ParentPreview {
    /// Returns whether the preview shows an earlier edit; false if one of the two lacks the time.
    func isOlder(than other: ParentPreview) -> Bool {
        guard updatedAt != nil else { return false }
        return lacksEdit(of: other)
    }

    /// Returns whether the preview shows an earlier edit, or none, than one with the time of an edit.
    package func lacksEdit(of other: ParentPreview) -> Bool {
        (updatedAt ?? .distantPast) < (other.updatedAt ?? .distantPast)
    }
}

extension MessageContent {
    fileprivate var preview: MessageContent {
        guard case .file(var file) = self, !file.thumbnails.isEmpty else { return self }
        file.thumbnails = []
        return .file(file)
    }
}
