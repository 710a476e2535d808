// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A query for the messages missing on either side of a view's verified part (`docs/protocol` 3.9).
package struct MessageGap: Codable, Endpoint {
    /// A period on one side, both ends included, and the number of its messages that the client
    /// has.
    package struct Side: Equatable, Codable, Sendable {
        package var start: Timestamp
        package var end: Timestamp
        package var cachedCount: Int

        package init(start: Timestamp, end: Timestamp, cachedCount: Int) {
            self.start = start
            self.end = end
            self.cachedCount = cachedCount
        }
    }

    package var channelURL: ChannelURL
    /// The older side; nil if nothing can be missing there.
    package var previous: Side?
    /// The newer side; nil if nothing can be missing there.
    package var next: Side?
    package var filter: MessageFilter
    package var extras: MessageExtras
    package var isReversed: Bool
    package var checksContinuity: Bool

    package init(
        channelURL: ChannelURL, previous: Side?, next: Side?,
        filter: MessageFilter = MessageFilter(), extras: MessageExtras = MessageExtras(),
        isReversed: Bool = false, checksContinuity: Bool = true
    ) {
        self.channelURL = channelURL
        self.previous = previous
        self.next = next
        self.filter = filter
        self.extras = extras
        self.isReversed = isReversed
        self.checksContinuity = checksContinuity
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        previous = try Side(fields, "prev")
        next = try Side(fields, "next")
        filter = try MessageFilter(fields)
        extras = try MessageExtras(fields)
        isReversed = try fields.bool("reverse") ?? false
        checksContinuity = try fields.bool("checking_continuous_messages") ?? false
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        previous?.add("prev", to: &query)
        next?.add("next", to: &query)
        filter.add(to: &query)
        extras.add(to: &query)
        query.add("reverse", isReversed)
        query.add("checking_continuous_messages", checksContinuity)
        return APIRequest(
            .get, ["group_channels", channelURL.rawValue, "messages_gap"], query: query.items)
    }

    package static func write(_ output: MessageGapAnswer, _ writer: inout JSONWriter) {
        writer.field("is_huge_gap", output.isHuge)
        for (side, part) in [("prev", output.previous), ("next", output.next)] {
            writer.messages("\(side)_messages", part.messages)
            writer.field("\(side)_hasmore", part.hasMore)
            writer.field("\(side)_has_more", part.hasMore)
            writer.field("is_continuous_\(side)_messages", part.isContinuous)
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> MessageGapAnswer {
        var answer = MessageGapAnswer(isHuge: false)
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "is_huge_gap": answer.isHuge = try reader.readBoolIfPresent() ?? false
            case "prev_messages": answer.previous.messages = try reader.readMessages()
            case "next_messages": answer.next.messages = try reader.readMessages()
            case "prev_hasmore", "prev_has_more":
                answer.previous.hasMore = try reader.readBoolIfPresent() ?? false
            case "next_hasmore", "next_has_more":
                answer.next.hasMore = try reader.readBoolIfPresent() ?? false
            case "is_continuous_prev_messages":
                answer.previous.isContinuous = try reader.readBoolIfPresent() ?? true
            case "is_continuous_next_messages":
                answer.next.isContinuous = try reader.readBoolIfPresent() ?? true
            default: try reader.skipValue()
            }
        }
        return answer
    }
}

extension MessageGap.Side {
    fileprivate init?(_ fields: RequestFields, _ side: String) throws(ServerError) {
        guard let start = try fields.moment("\(side)_start_ts"),
            let end = try fields.moment("\(side)_end_ts")
        else { return nil }
        let count = try fields.int("\(side)_cache_count", in: 0...Int(Int32.max)) ?? 0
        self.init(start: start, end: end, cachedCount: count)
    }

    fileprivate func add(_ side: String, to query: inout QueryBuilder) {
        query.add("\(side)_start_ts", start)
        query.add("\(side)_end_ts", end)
        query.add("\(side)_cache_count", cachedCount)
    }
}

package struct MessageGapAnswer: Equatable, Codable, Sendable {
    /// The answer for one side: nothing, or every message of the period, both ends included.
    package struct Part: Equatable, Codable, Sendable {
        package var messages: [Message]
        package var hasMore: Bool
        package var isContinuous: Bool

        package init(messages: [Message] = [], hasMore: Bool = false, isContinuous: Bool = true) {
            self.messages = messages
            self.hasMore = hasMore
            self.isContinuous = isContinuous
        }
    }

    package var isHuge: Bool
    package var previous: Part
    package var next: Part

    package init(isHuge: Bool, previous: Part = Part(), next: Part = Part()) {
        self.isHuge = isHuge
        self.previous = previous
        self.next = next
    }
}
