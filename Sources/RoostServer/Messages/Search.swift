// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// A channel of a running search, newest messages first.
private struct SearchFront {
    let url: ChannelURL
    let sight: Sight
    /// The range that is not searched yet.
    var range: PositionRange

    /// Makes a front that begins at the newest message; nil if that lies before the range.
    init?(_ url: ChannelURL, _ sight: Sight, from start: Timestamp, newest: Position?) {
        var range = PositionRange(from: start, through: start).hiding(through: sight.beginning)
        guard let newest, newest > range.after else { return nil }
        range.before = Position(
            createdAt: newest.createdAt, messageID: newest.messageID.next)
        (self.url, self.sight, self.range) = (url, sight, range)
    }
}

/// The channels of a running search, in a binary heap: the one with the newest message comes first.
///
/// A user may have 10,000 channels, and a search may take as many steps.
private struct SearchFronts {
    private var heap: [SearchFront]

    init(_ fronts: [SearchFront]) {
        // A sorted list is a heap.
        heap = fronts.sorted { $0.isAhead(of: $1) }
    }

    var count: Int { heap.count }

    /// The channel whose next message is the newest.
    var newest: SearchFront? { heap.first }

    /// Goes on behind a message of the newest channel.
    mutating func advanceNewest(to place: Position) {
        heap[0].range.before = place
        sink()
    }

    /// Removes the newest channel, which has no more messages.
    mutating func removeNewest() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink()
    }

    /// Moves the first channel to its place.
    private mutating func sink() {
        var index = 0
        while true {
            let left = 2 * index + 1
            guard left < heap.count else { return }
            let isRight = left + 1 < heap.count && heap[left + 1].isAhead(of: heap[left])
            let next = isRight ? left + 1 : left
            guard heap[next].isAhead(of: heap[index]) else { return }
            heap.swapAt(index, next)
            index = next
        }
    }
}

/// The search for messages.
///
/// A search reads the messages of all channels by time, newest first, a slice of one channel at a time. Its
/// results down to the newest unread message are complete, so it can end anywhere. Its token is a time.
struct Search: ServerPart {
    let context: ServerContext
    let admission: Admission
    let rates: RequestRates

    /// The bytes of messages in one slice; other calls may run between slices.
    private static let searchSliceBytes = 262_144

    /// The messages of the first slice.
    private static let firstSlice = 16

    /// The messages of a later slice, by the weight of the slices before.
    private static let sliceRange = 4...200

    /// The messages that one call reads.
    private static let searchRows = 10_000

    /// Answers with the messages that have the words of the query.
    func search(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let words = try call.fields.needed("query")
        try configuration.limits.check(name: words, "The query")
        let pattern = SearchPattern(words)
        let limit = try call.fields.int("limit", in: 1...100) ?? 20
        let end = try searchEnd(call.fields)
        var fronts = SearchFronts(try await searchFronts(call, before: end))
        rates.note(user: call.caller.userID, count: fronts.count / RequestRates.chargedRows)
        var found: [Message] = []
        var (rows, bytes) = (Self.searchRows, configuration.limits.searchBytes)
        var sliceRows = Self.firstSlice
        while let front = fronts.newest {
            let isSpent = rows <= 0 || bytes <= 0
            let whole = found.count { $0.createdAt > front.top }
            // A call continues until it has made progress.
            if whole > limit || isSpent && front.top.after < end.createdAt { break }
            try stopIfCancelled()
            await Task.yield()
            let (url, range, count) = (front.url, front.range, sliceRows)
            let slice = try await ask(
                try await storage.messages(
                    in: url, range, MessageFilter(replyType: .all), newestFirst: true,
                    limit: count))
            let before = bytes
            for message in slice {
                let (isFound, cost) = pattern.find(in: message.text)
                if isFound, let message = front.sight.shown(message) {
                    found.append(message)
                }
                // A found message is held until the answer, with all that it carries.
                bytes -= max(cost, message.weight)
            }
            rows -= slice.count
            let weight = max(1, before - bytes)
            let wanted = min(Self.searchSliceBytes, max(0, bytes))
            sliceRows = (wanted * slice.count / weight).clamped(to: Self.sliceRange)
            if slice.count == count, let last = slice.last?.position {
                fronts.advanceNewest(to: last)
            } else {
                fronts.removeNewest()
            }
        }
        let top = fronts.newest?.top
        if let top { found.removeAll { $0.createdAt <= top } }
        found.sort { $0.createdAt > $1.createdAt }
        let page = found.prefix(wholeMoments: limit)
        let token = page.count < found.count ? page.last?.createdAt : top?.after
        let next = token.map { ChangeToken.text($0.milliseconds, kind: "s") }
        let total = found.count
        let shown = page.map { [now = world.now()] message in message.withPoll(at: now) }
        return APIResponse { writer in
            writer.messages("results", shown)
            writer.field("has_next", next != nil)
            writer.field("total_count", total)
            writer.field("end_cursor", next ?? "")
            writer.field("next", next ?? "")
        }
    }

    /// Returns the end of the range of a search.
    private func searchEnd(_ fields: RequestFields) throws(ServerError) -> Position {
        var end = Position.distantFuture
        if let token = fields.string("token") ?? fields.string("after"), !token.isEmpty {
            let moment = try ChangeToken.sequence(token, kind: "s")
            end = Position(
                createdAt: Timestamp(milliseconds: moment), messageID: MessageID(.min))
        }
        if let moment = try fields.moment("message_ts_to") {
            end = min(end, Position(createdAt: moment, messageID: MessageID(.max)))
        }
        return end
    }

    /// Returns the channels of a search that have a message in its range, each from its newest one
    /// on.
    private func searchFronts(
        _ call: RouteCall, before end: Position
    ) async throws(ServerError) -> [SearchFront] {
        let start = try call.fields.moment("message_ts_from") ?? .distantPast
        if let text = call.fields.string("channel_url") {
            let url = ChannelURL(text)
            let sight = try await admission.admit(.reader, AccessTarget(channel: url), call.caller)
                .sight
            var range = PositionRange(from: start, through: start)
            range.before = end
            let whole = range.hiding(through: sight.beginning)
            let newest = try await ask(
                try await storage.messages(
                    in: url, whole, MessageFilter(replyType: .all), newestFirst: true, limit: 1)
            ).first?.position
            return [SearchFront(url, sight, from: start, newest: newest)].compactMap(\.self)
        }
        guard let id = call.caller.userID else {
            throw ServerError(.parameterMissing, "The parameter channel_url is missing.")
        }
        let now = world.now()
        return try await ask(try await storage.newestPlaces(of: id, before: end))
            .compactMap { place in
                // A ban counts from its moment on, before the user is removed.
                guard place.traits.ban?.isActive(at: now) != true else { return nil }
                let sight = Sight(beginning: place.traits.messageOffset)
                return SearchFront(place.url, sight, from: start, newest: place.position)
            }
    }
}

extension SearchFront {
    /// The time of the newest message that is not searched yet.
    fileprivate var top: Timestamp { range.before.createdAt }

    /// Whether the channel is searched before another one.
    fileprivate func isAhead(of other: SearchFront) -> Bool {
        top == other.top ? url < other.url : top > other.top
    }
}

extension Timestamp {
    /// The next millisecond.
    fileprivate var after: Timestamp { advanced(by: 1) }
}

extension [Message] {
    /// Returns at most `limit` messages without separating messages of one time; more if all of
    /// them have one time.
    ///
    /// The messages are newest first, and a token is a time.
    fileprivate func prefix(wholeMoments limit: Int) -> ArraySlice<Message> {
        guard count > limit else { return self[...] }
        let moment = self[limit].createdAt
        let shorter = prefix(limit).prefix { $0.createdAt > moment }
        return shorter.isEmpty ? prefix { $0.createdAt >= moment } : shorter
    }
}
