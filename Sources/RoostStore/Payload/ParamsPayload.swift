// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What an unsent message will say, as the outbox keeps it.
package enum OutboxContent: Hashable, Sendable {
    case userMessage(UserMessageParams)
}

/// The stored form of unsent words: a version, what kind of message it is, then its parameters.
package enum ParamsPayload {
    private static let version: UInt8 = 1

    /// The stored numbers of the kinds; never given to another kind.
    private enum Tag: UInt8 {
        case userMessage = 1
    }

    package static func write(_ content: OutboxContent, to bytes: inout [UInt8]) {
        bytes.append(version)
        switch content {
        case .userMessage(let params):
            bytes.append(Tag.userMessage.rawValue)
            bytes.append(text: params.text)
            bytes.append(text: params.data)
            bytes.append(text: params.customType)
            bytes.append(params.mention.kind == .channel ? 1 : 0)
            bytes.append(list: params.mention.userIDs) { $0.append(text: $1.rawValue) }
            bytes.append(metaArrays: params.metaArrays)
            bytes.append(optional: params.parentID) { $0.append(signed: $1.rawValue) }
            bytes.append((params.isReplyToChannel ? 1 : 0) | (params.isSilent ? 2 : 0))
        }
    }

    package static func read(_ bytes: Span<UInt8>) throws(PayloadError) -> OutboxContent {
        var reader = PayloadReader()
        _ = try reader.version(bytes, newest: version)
        guard Tag(rawValue: try reader.byte(bytes)) == .userMessage else { throw .invalid }
        var params = UserMessageParams(text: try reader.text(bytes))
        params.data = try reader.text(bytes)
        params.customType = try reader.text(bytes)
        params.mention.kind = try reader.byte(bytes) == 0 ? .users : .channel
        params.mention.userIDs = try reader.list(bytes) { reader, bytes throws(PayloadError) in
            UserID(try reader.text(bytes))
        }
        params.metaArrays = try reader.metaArrays(bytes)
        params.parentID = try reader.optional(bytes) { reader, bytes throws(PayloadError) in
            MessageID(try reader.signed(bytes))
        }
        let bits = try reader.byte(bytes)
        guard bits < 4 else { throw .invalid }
        params.isReplyToChannel = bits & 1 != 0
        params.isSilent = bits & 2 != 0
        try reader.finish(bytes)
        return .userMessage(params)
    }
}
