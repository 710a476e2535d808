// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Reading a change log once more, from a place that is certainly not too late.

extension SyncEngine {
    /// Takes note of when a frame that is on disk was sent, where it says so.
    func hear(_ moment: Timestamp?) {
        sync.now = world.wallTime()
        sync.hear(moment)
    }

    /// The answer to a repeated send tells of a message as it was at first: what became of it since may lie
    /// before the cursors, so the change logs are read again from its time on, or from before.
    func rewinds(
        before event: MessageEvent
    ) async throws(RoostError) -> [(key: CursorKey, start: Cursor)] {
        let message = event.message
        guard event.acknowledges != nil, message.createdAt < sync.lastLoginAt ?? .distantPast
        else { return [] }
        var rewinds: [(key: CursorKey, start: Cursor)] = []
        for key in [CursorKey.channelChanges, .messageChanges(message.channelURL)] {
            guard let known = try await cursor(key) else { continue }
            let moment = try await momentBefore(known, of: key)
            // Forward would pass over what has not been read. Where the place stays, the answer to whoever
            // reads from there now may know already what became of the message.
            rewinds.append((key, .moment(max(min(moment, message.createdAt), .beginning))))
        }
        return rewinds
    }

    /// Commits what a repeated send was answered, and has the logs that it rewinds read again.
    func commit(
        _ mutations: [Mutation], rewinding rewinds: [(key: CursorKey, start: Cursor)],
        in channel: ChannelURL, from origin: ChangeOrigin
    ) async throws(RoostError) {
        // Whoever is reading a log meanwhile must not put its cursor where it was.
        for rewind in rewinds { sync.rewindings[rewind.key, default: Rewindings()].underWay += 1 }
        defer {
            for rewind in rewinds {
                sync.rewindings[rewind.key]?.underWay -= 1
                sync.rewindings[rewind.key]?.done += 1
            }
        }
        try await commit(
            mutations + rewinds.map { .cursor($0.key, $0.start) }, from: origin)
        guard !rewinds.isEmpty else { return }
        if !sync.timelines.ids(of: channel).isEmpty { catchUp(channel) }
        catchUpChannels()
    }

    private func momentBefore(
        _ cursor: Cursor, of key: CursorKey
    ) async throws(RoostError) -> Timestamp {
        if let moment = sync.readMark(at: cursor, of: key).moment { return moment }
        return try await beginning(of: key) ?? .distantFuture
    }

    /// Where a log can be read from without missing anything; nil when nothing of it matters.
    func beginning(of key: CursorKey) async throws(RoostError) -> Timestamp? {
        // From the beginning: channels are few.
        guard case .messageChanges(let channel) = key else { return .beginning }
        // Every change of what is cached happened after its oldest message was written.
        do throws(StoreError) {
            return try await reader.oldestMessage(in: channel).value.map { max($0, .beginning) }
        } catch {
            throw RoostError(error)
        }
    }
}
