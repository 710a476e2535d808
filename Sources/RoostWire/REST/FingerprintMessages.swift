// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A query for the fingerprints of stretches of a channel's messages, as the user sees them.
///
/// The call is Roost's own: other servers refuse it, and the client fetches the messages instead. A
/// stretch is written `FROM_TS.FROM_ID_TO_TS.TO_ID`, both ends included, several joined by commas.
/// The answer has a `count` and a `digest` of 16 hexadecimal digits for each, in order. It may lack
/// the last stretches if the messages are large, and never the first. Beyond `countLimit` messages
/// of a stretch the rest is ignored.
package struct FingerprintMessages: Codable, Question {
    package typealias Output = [MessageFingerprint]

    /// A stretch of positions, both ends included.
    package struct Stretch: Equatable, Codable, Sendable {
        package var lower: Position
        package var upper: Position

        package init(from lower: Position, through upper: Position) {
            self.lower = lower
            self.upper = upper
        }
    }

    /// The greatest number of stretches in one call.
    package static let stretchLimit = 50
    /// The greatest number of messages of a stretch that count.
    package static let countLimit = 1_000

    package var channelURL: ChannelURL
    package var stretches: [Stretch]

    package init(channelURL: ChannelURL, stretches: [Stretch]) {
        self.channelURL = channelURL
        self.stretches = stretches
    }

    package func encode() -> APIRequest {
        APIRequest(
            .get, ["group_channels", channelURL.rawValue, "messages", "fingerprints"],
            query: [QueryItem("stretches", stretches.map(\.text).joined(separator: ","))])
    }

    /// Decodes the stretches of a call, for the server's route.
    package static func stretches(_ fields: RequestFields) throws(ServerError) -> [Stretch] {
        let texts = try fields.list("stretches") ?? []
        guard !texts.isEmpty, texts.count <= stretchLimit else {
            throw ServerError(
                .invalidValue, "stretches names 1 to \(stretchLimit) stretches of messages.")
        }
        var stretches: [Stretch] = []
        for text in texts {
            guard let stretch = Stretch(text) else {
                throw ServerError(
                    .invalidValue,
                    "A stretch is written FROM_TS.FROM_ID_TO_TS.TO_ID, the earlier end first.")
            }
            stretches.append(stretch)
        }
        return stretches
    }

    /// Writes the answer, for the server's route.
    package static func write(_ output: [MessageFingerprint], _ writer: inout JSONWriter) {
        writer.array("fingerprints") { writer in
            for fingerprint in output {
                writer.object { writer in
                    writer.field("count", fingerprint.count)
                    let digits = String(fingerprint.digest, radix: 16)
                    writer.field(
                        "digest", String(repeating: "0", count: 16 - digits.utf8.count) + digits)
                }
            }
        }
    }

    package static func read(
        _ reader: inout JSONReader
    ) throws(WireError) -> [MessageFingerprint] {
        var found: [MessageFingerprint]?
        try reader.readObject { name, reader throws(WireError) in
            guard name == "fingerprints" else { return try reader.skipValue() }
            var list: [MessageFingerprint] = []
            try reader.readArray { reader throws(WireError) in
                var (count, digest): (Int?, UInt64?) = (nil, nil)
                try reader.readObject { name, reader throws(WireError) in
                    switch name {
                    case "count": count = try reader.readCount()
                    case "digest":
                        digest = try reader.readStringIfPresent().flatMap { UInt64($0, radix: 16) }
                    default: try reader.skipValue()
                    }
                }
                guard let count, let digest else {
                    throw .missing("digest", offset: reader.position)
                }
                list.append(MessageFingerprint(count: count, digest: digest))
            }
            found = list
        }
        guard let found else { throw .missing("fingerprints", offset: reader.position) }
        return found
    }
}

extension FingerprintMessages.Stretch {
    fileprivate var text: String { "\(Self.text(lower))_\(Self.text(upper))" }

    fileprivate init?(_ text: String) {
        let ends = text.split(separator: "_", omittingEmptySubsequences: false)
        guard ends.count == 2, let lower = Self.place(ends[0]), let upper = Self.place(ends[1]),
            lower <= upper
        else { return nil }
        self.init(from: lower, through: upper)
    }

    private static func text(_ place: Position) -> String {
        "\(place.createdAt.milliseconds).\(place.messageID.rawValue)"
    }

    private static func place(_ text: Substring) -> Position? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let moment = Int64(parts[0]), let id = Int64(parts[1]) else {
            return nil
        }
        return Position(
            createdAt: Timestamp(milliseconds: moment), messageID: MessageID(id))
    }
}
