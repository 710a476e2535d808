// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The acknowledgement of an entry into an open channel, or of an exit (`docs/protocol` 2.7).
package struct RoomAnswer: Equatable, Codable, Sendable {
    /// Whether the command was an entry; false for an exit.
    package var isEntry: Bool
    package var channelURL: ChannelURL
    /// The number of users inside.
    package var participantCount: Int
    package var timestamp: Timestamp
    package var acknowledges: RequestID?

    package init(
        isEntry: Bool, channelURL: ChannelURL, participantCount: Int, timestamp: Timestamp,
        acknowledges: RequestID?
    ) {
        self.isEntry = isEntry
        self.channelURL = channelURL
        self.participantCount = participantCount
        self.timestamp = timestamp
        self.acknowledges = acknowledges
    }

    var encoded: String {
        Frame.text(isEntry ? .enter : .exit, isOpen: true) { writer in
            if let acknowledges { writer.field("req_id", acknowledges.rawValue) }
            writer.channel(channelURL)
            writer.field("participant_count", participantCount)
            writer.field("ts", timestamp.milliseconds)
            writer.object("data") { writer in
                writer.field("participant_count", participantCount)
                writer.field("edge_ts", timestamp.milliseconds)
            }
        }
    }
}

extension Frame {
    func readRoomAnswer() throws(WireError) -> RoomAnswer {
        var url: ChannelURL?
        var answer = RoomAnswer(
            isEntry: command == .enter, channelURL: "", participantCount: 0,
            timestamp: Timestamp(milliseconds: 0), acknowledges: nil)
        var counts: (outer: Int?, inner: Int?)
        try readFields { name, reader throws(WireError) in
            switch name {
            case "channel_url": url = try reader.readChannelURL()
            case "req_id": answer.acknowledges = try reader.readRequestID()
            case "ts": answer.timestamp = try reader.readMoment() ?? answer.timestamp
            case "participant_count": counts.outer = try reader.readCount()
            case "data":
                if try reader.readNull() { return }
                try reader.readObject { name, reader throws(WireError) in
                    guard name == "participant_count" else { return try reader.skipValue() }
                    counts.inner = try reader.readCount()
                }
            default: try reader.skipValue()
            }
        }
        guard let url else { throw missing("channel_url") }
        answer.channelURL = url
        answer.participantCount = counts.outer ?? counts.inner ?? 0
        return answer
    }
}
