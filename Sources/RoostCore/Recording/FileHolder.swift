// SPDX-License-Identifier: Apache-2.0

// The bytes of files that are sent from memory, left out of a recording.
//
// With a folder, the outbox copies a file at once, and its item has no bytes. Without a folder the
// bytes stay with the item until they are uploaded; a recording would keep them much longer.

import RoostModel

/// A value that may hold the bytes of files.
protocol FileHolder {
    /// The value with empty files in place of those in memory.
    var withoutBytes: Self { get }
}

extension Array: FileHolder where Element: FileHolder {
    var withoutBytes: [Element] { map { $0.withoutBytes } }
}

extension Optional: FileHolder where Wrapped: FileHolder {
    var withoutBytes: Wrapped? { map { $0.withoutBytes } }
}

// MARK: - Files and items

extension OutgoingFile: FileHolder {
    var withoutBytes: OutgoingFile {
        guard case .bytes = source else { return self }
        var file = self
        file.source = .bytes([])
        return file
    }
}

extension FileMessageParams: FileHolder {
    var withoutBytes: FileMessageParams {
        var params = self
        params.files = files.withoutBytes
        return params
    }
}

extension OutboxContent: FileHolder {
    var withoutBytes: OutboxContent {
        guard case .fileMessage(let params, let copies) = self else { return self }
        return .fileMessage(params.withoutBytes, copies: copies)
    }
}

extension OutboxItem: FileHolder {
    var withoutBytes: OutboxItem {
        var item = self
        item.content = content.withoutBytes
        return item
    }
}

extension OutboxItems: FileHolder {
    var withoutBytes: OutboxItems {
        var stored = OutboxItems(items: items.withoutBytes, damaged: damaged, newer: newer)
        stored.loss = loss
        return stored
    }
}

extension OutboxDraft: FileHolder {
    var withoutBytes: OutboxDraft {
        var draft = self
        draft.content = content.withoutBytes
        return draft
    }
}

extension FileUpload: FileHolder {
    var withoutBytes: FileUpload {
        FileUpload(upload, of: file.withoutBytes, copy, before: before, total: total)
    }
}

// MARK: - Messages

extension Message: FileHolder {
    var withoutBytes: Message {
        // Only unsent messages have the parameters of their call.
        guard messageID == nil, case .file(let params)? = details.params else { return self }
        var message = self
        message.details.params = .file(params.withoutBytes)
        return message
    }
}

extension ListDiff: FileHolder where Element == Message {
    var withoutBytes: ListDiff<Message> {
        var diff = self
        if inserted.contains(where: \.isUnsent) { diff.inserted = inserted.withoutBytes }
        if updated.contains(where: { $0.before.isUnsent || $0.after.isUnsent }) {
            diff.updated = updated.map {
                Update(before: $0.before.withoutBytes, after: $0.after.withoutBytes)
            }
        }
        if deleted.contains(where: \.isUnsent) { diff.deleted = deleted.withoutBytes }
        return diff
    }
}

extension Message {
    fileprivate var isUnsent: Bool { messageID == nil }
}

extension OutboxEvent: FileHolder {
    var withoutBytes: OutboxEvent {
        switch self {
        case .queued(let message): .queued(message.withoutBytes)
        case .delayed(let message, let code): .delayed(message.withoutBytes, code)
        case .failed(let message): .failed(message.withoutBytes)
        case .retried(let message): .retried(message.withoutBytes)
        case .canceled(let message): .canceled(message.withoutBytes)
        default: self
        }
    }
}

// MARK: - The outbox's file

extension OutboxNote: FileHolder {
    var withoutBytes: OutboxNote {
        switch self {
        case .content(let id, let channel, let content): .content(id, channel, content.withoutBytes)
        case .restored(let item): .restored(item.withoutBytes)
        default: self
        }
    }
}

extension OutboxWrite: FileHolder {
    var withoutBytes: OutboxWrite {
        switch self {
        case .notes(let notes): .notes(notes.withoutBytes)
        case .append(let draft): .append(draft.withoutBytes)
        case .keep(let draft): .keep(draft.withoutBytes)
        default: self
        }
    }
}

extension OutboxWritten: FileHolder {
    var withoutBytes: OutboxWritten {
        if case .item(let item) = self { .item(item.withoutBytes) } else { self }
    }
}

extension OutboxAnswer: FileHolder {
    var withoutBytes: OutboxAnswer {
        switch self {
        case .written(let results): .written(results.withoutBytes)
        case .news(let items): .news(items.withoutBytes)
        case .copied(let content, let copies): .copied(content.withoutBytes, copies)
        default: self
        }
    }
}

extension OutboxDisk.Job: FileHolder {
    var withoutBytes: OutboxDisk.Job {
        switch work {
        case .append(let draft): Self(ticket: ticket, work: .append(draft.withoutBytes))
        case .keep(let draft): Self(ticket: ticket, work: .keep(draft.withoutBytes))
        case .fold(let edit, let id, let moment, let before, let after):
            Self(
                ticket: ticket,
                work: .fold(
                    edit, id, at: moment, before: before.withoutBytes, after: after.withoutBytes))
        default: self
        }
    }
}

extension OutboxDisk.UnwrittenNote: FileHolder {
    var withoutBytes: OutboxDisk.UnwrittenNote {
        Self(
            number: number, note: note.withoutBytes, copies: copies, address: address,
            refusal: refusal)
    }
}

extension OutboxFollowUp: FileHolder {
    var withoutBytes: OutboxFollowUp {
        switch self {
        case .failed(let item, let code): .failed(item.withoutBytes, code)
        case .removed(let item): .removed(item.withoutBytes)
        case .dropped(let item): .dropped(item.withoutBytes)
        case .event(let event): .event(event.withoutBytes)
        case .leave: self
        }
    }
}

// MARK: - Operations

extension Operation: FileHolder {
    var withoutBytes: Operation {
        switch self {
        case .outbox(.sending(let sending)): .outbox(.sending(sending.withoutBytes))
        case .outbox(.writing(let writing)): .outbox(.writing(writing.withoutBytes))
        default: self
        }
    }
}

extension OperationStack: FileHolder {
    var withoutBytes: OperationStack {
        var stack = self
        stack.operations = operations.withoutBytes
        return stack
    }
}
