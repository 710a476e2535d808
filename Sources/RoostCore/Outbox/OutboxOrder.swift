// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The unsent items in the order of writing, with look-up by request ID.
package struct OutboxOrder: Equatable, Codable, Sendable {
    package private(set) var items: [OutboxItem] = []
    private var sequences: [RequestID: Int64] = [:]
    /// The numbers of the pending items, in order.
    private var pending: [Int64] = []
    /// The number of items that are never sent.
    private var localCount = 0
    /// The request IDs of the marks of inboxes.
    private(set) var markNames: [InboxPlace: RequestID] = [:]
    /// The items that show on each channel or on its messages.
    private var markIDs: [ChannelURL: Set<RequestID>] = [:]
    /// The items of each channel that are never sent.
    private var localIDs: [ChannelURL: Set<RequestID>] = [:]
    /// The channels whose marks may have changed since the last look at them.
    private var touched: Set<ChannelURL> = []
    /// The places whose drafts may have changed since the last look, in order.
    private var touchedDrafts: [DraftPlace] = []

    package init() {}

    /// The item of a request ID.
    package subscript(requestID: RequestID) -> OutboxItem? {
        index(of: requestID).map { items[$0] }
    }

    package var pendingCount: Int { pending.count }

    /// The number of items that are to be sent and not pending.
    package var failedCount: Int { items.count - pending.count - localCount }

    /// The pending item that was written first.
    package var oldestPending: OutboxItem? {
        guard let sequence = pending.first else { return nil }
        return items[firstIndex(from: sequence)...].first { $0.isWaiting }
    }

    package func contains(_ requestID: RequestID) -> Bool { sequences[requestID] != nil }

    /// Inserts an item at its place.
    package mutating func place(_ item: OutboxItem) {
        items.insert(item, at: firstIndex(from: item.sequence))
        sequences[item.requestID] = item.sequence
        if item.isWaiting { insertPending(item.sequence) }
        if item.content.staysHere {
            localCount += 1
            localIDs[item.channel, default: []].insert(item.requestID)
        }
        if let mark = item.inboxMark {
            markNames[InboxPlace(mark.inbox, item.channel)] = item.requestID
        }
        if item.content.isMark { markIDs[item.channel, default: []].insert(item.requestID) }
        touch(item)
    }

    @discardableResult
    package mutating func takeOut(_ requestID: RequestID) -> OutboxItem? {
        guard let index = index(of: requestID) else { return nil }
        sequences[requestID] = nil
        if items[index].isWaiting { removePending(items[index].sequence) }
        if items[index].content.staysHere { localCount -= 1 }
        if let mark = items[index].inboxMark {
            let place = InboxPlace(mark.inbox, items[index].channel)
            if markNames[place] == requestID { markNames[place] = nil }
        }
        markIDs.remove(requestID, of: items[index].channel)
        localIDs.remove(requestID, of: items[index].channel)
        touch(items[index])
        return items.remove(at: index)
    }

    /// Changes an item without moving it; returns the changed item.
    @discardableResult
    package mutating func change(
        _ requestID: RequestID, _ body: (inout OutboxItem) -> Void
    ) -> OutboxItem? {
        guard let index = index(of: requestID) else { return nil }
        let before = (items[index].isWaiting, items[index].sequence)
        body(&items[index])
        if items[index].isWaiting != before.0 {
            if before.0 {
                removePending(before.1)
            } else {
                insertPending(items[index].sequence)
            }
        }
        touch(items[index])
        return items[index]
    }

    /// Whether an item shows on a channel or on its messages, besides unsent messages.
    package var hasMarks: Bool { !markIDs.isEmpty }

    /// Returns the items that show on a channel or on its messages, besides unsent messages, in
    /// order.
    func marks(of channel: ChannelURL) -> [OutboxItem] { items(markIDs[channel]) }

    /// Returns the drafts and the marks of inboxes of a channel, in order.
    func localItems(of channel: ChannelURL) -> [OutboxItem] { items(localIDs[channel]) }

    private func items(_ ids: Set<RequestID>?) -> [OutboxItem] {
        guard let ids else { return [] }
        return ids.compactMap { self[$0] }.sorted {
            ($0.sequence, $0.requestID) < ($1.sequence, $1.requestID)
        }
    }

    /// Returns the channels whose marks may have changed since the last call, in order.
    package mutating func takeTouched() -> [ChannelURL] {
        guard !touched.isEmpty else { return [] }
        defer { touched = [] }
        return touched.sorted()
    }

    /// Returns the places whose drafts may have changed since the last call, in order.
    mutating func takeTouchedDrafts() -> [DraftPlace] {
        guard !touchedDrafts.isEmpty else { return [] }
        defer { touchedDrafts = [] }
        return touchedDrafts
    }

    /// Empties the files in memory, for a recording.
    mutating func dropBytes() { items = items.withoutBytes }

    private mutating func touch(_ item: OutboxItem) {
        if let place = item.draft?.place, !touchedDrafts.contains(place) {
            touchedDrafts.append(place)
        }
        if item.content.isMark { touched.insert(item.channel) }
    }

    private func index(of requestID: RequestID) -> Int? {
        // A damaged file may assign a number that an item in memory already has.
        sequences[requestID].flatMap { sequence in
            items[firstIndex(from: sequence)...].firstIndex { $0.requestID == requestID }
        }
    }

    /// Returns the index of the first item with this number or a later one.
    private func firstIndex(from sequence: Int64) -> Int {
        items.partitionPoint { $0.sequence < sequence }
    }

    private mutating func insertPending(_ sequence: Int64) {
        pending.insert(sequence, at: pending.partitionPoint { $0 < sequence })
    }

    private mutating func removePending(_ sequence: Int64) {
        let index = pending.partitionPoint { $0 < sequence }
        if index < pending.count, pending[index] == sequence { pending.remove(at: index) }
    }
}

extension [ChannelURL: Set<RequestID>] {
    fileprivate mutating func remove(_ requestID: RequestID, of channel: ChannelURL) {
        guard self[channel]?.remove(requestID) != nil, self[channel]?.isEmpty == true else {
            return
        }
        self[channel] = nil
    }
}
