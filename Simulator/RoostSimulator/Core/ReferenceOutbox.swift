// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

/// The outbox's file of one device in memory; one process at a time has it open.
struct ReferenceOutbox {
    private var items: [RequestID: OutboxItem] = [:]
    /// The changes that were dropped.
    private var dropped: Set<RequestID> = []
    private var lastSequence: Int64 = 0
    private var turn = 1
    /// Whether the present process has read the items.
    private var hasRead = false

    /// Leaves what a new process finds after the old one was killed.
    mutating func restart() {
        turn += 1
        hasRead = false
    }

    mutating func answer(_ question: OutboxQuestion) -> Answered<OutboxAnswer> {
        switch question {
        case .write(let writes): return .success(.written(writes.map { perform($0) }))
        case .news(let isRegardless):
            guard isRegardless || !hasRead else { return .success(.news(nil)) }
            hasRead = true
            let sorted = items.values.sorted { $0.sequence < $1.sequence }
            return .success(.news(OutboxItems(items: sorted)))
        case .absent(let ids): return .success(.absent(ids.filter { items[$0] == nil }))
        case .dropped(let ids): return .success(.dropped(ids.filter { dropped.contains($0) }))
        case .mend, .tidyFiles: return .success(.done)
        case .copyFiles(let params, _, let sequence):
            let (content, copies) = copy(params, at: sequence)
            return .success(.copied(content, copies))
        case .takeTurn: return .success(.turn(turn))
        }
    }

    /// Copies the files that are bytes; the outbox of a core world has no others to copy.
    private func copy(
        _ params: FileMessageParams, at place: Int64
    ) -> (OutboxContent, [CopiedFile]) {
        var params = params
        var copies: [CopiedFile?] = []
        for index in params.files.indices {
            guard case .bytes(let bytes) = params.files[index].source else {
                copies.append(nil)
                continue
            }
            let size = Int64(bytes.count)
            copies.append(CopiedFile(name: "\(place)-\(index)-0", size: size, key: nil))
            params.files[index].size = ByteCount(bytes: size)
            params.files[index].source = .bytes([])
        }
        return (.fileMessage(params, copies: copies), copies.compactMap { $0 })
    }

    private mutating func nextSequence() -> Int64 {
        lastSequence += 1
        return lastSequence
    }

    private mutating func insert(_ item: OutboxItem) {
        items[item.requestID] = item
        lastSequence = max(lastSequence, item.sequence)
    }

    private mutating func perform(_ write: OutboxWrite) -> OutboxWritten {
        switch write {
        case .notes(let notes):
            for note in notes { take(note) }
            return .noted(hasNews: !hasRead, refused: [:])
        case .reserve(let id):
            if let item = items[id] { return .item(item) }
            return .place(nextSequence())
        case .append(let draft):
            if let item = items[draft.requestID] {
                // A number is used up although nothing is written.
                if draft.sequence == nil { _ = nextSequence() }
                return .item(item)
            }
            let item = OutboxItem(
                sequence: draft.sequence ?? nextSequence(), requestID: draft.requestID,
                channel: draft.channel, createdAt: draft.createdAt, content: draft.content,
                attemptCount: draft.leaves ? 1 : 0, hasLeft: draft.leaves)
            insert(item)
            return .item(item)
        case .keep(let draft):
            items[draft.requestID] = nil
            return perform(.append(draft))
        case .fold(let edit, let id, let now):
            guard var item = items[id], !item.mayHaveArrived else { return .item(nil) }
            if item.change != nil {
                guard item.state == .pending else { return .item(nil) }
                item.createdAt = now
            }
            item.content = item.content.applying(edit)
            items[id] = item
            return .item(item)
        case .requeue(let id, let createdAt):
            requeue(id, createdAt)
            return .item(items[id])
        case .takeBack(let id):
            guard let item = items[id], !item.mayHaveArrived else { return .takenBack(false) }
            items[id] = nil
            return .takenBack(true)
        }
    }

    private mutating func requeue(_ id: RequestID, _ createdAt: Timestamp) {
        let sequence = nextSequence()
        guard var item = items[id] else { return }
        item.sequence = sequence
        item.createdAt = createdAt
        item.state = .pending
        items[id] = item
    }

    private mutating func take(_ note: OutboxNote) {
        switch note {
        case .attempt(let id):
            items[id]?.attemptCount += 1
            items[id]?.hasLeft = true
        case .state(let id, let state): items[id]?.state = state
        case .content(let id, _, let content):
            guard let stored = items[id]?.content else { break }
            items[id]?.content = stored.takingUploads(of: content)
        case .requeued(let id, let createdAt): requeue(id, createdAt)
        case .restored(let item): restore(item)
        case .removal(let id): items[id] = nil
        case .dropped(let id): if items.removeValue(forKey: id) != nil { dropped.insert(id) }
        }
    }

    /// Writes a lost item again, at its own place if that is free.
    private mutating func restore(_ lost: OutboxItem) {
        dropped.remove(lost.requestID)
        var item = lost
        if items.values.contains(where: { $0.sequence == lost.sequence }) {
            item.sequence = nextSequence()
        }
        if items[lost.requestID] == nil { insert(item) }
    }
}
