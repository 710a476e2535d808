// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of a filter; equal filters have equal bytes, so a filter is found by them.
package enum FilterPayload {
    private static let version: UInt8 = 1

    package static func write(_ filter: MessageFilter, to bytes: inout [UInt8]) {
        let filter = filter.normalized
        bytes.append(version)
        bytes.append(text: filter.kind.rawValue)
        bytes.append(optional: filter.customTypes) { bytes, types in
            bytes.append(list: types) { $0.append(text: $1) }
        }
        bytes.append(optional: filter.senderIDs) { bytes, senders in
            bytes.append(list: senders) { $0.append(text: $1.rawValue) }
        }
        bytes.append(text: filter.replyType.rawValue)
        bytes.append(optional: filter.parentID) { $0.append(signed: $1.rawValue) }
    }

    package static func read(_ bytes: Span<UInt8>) throws(PayloadError) -> MessageFilter {
        var reader = PayloadReader()
        try reader.version(bytes, newest: version)
        guard let kind = MessageFilter.Kind(rawValue: try reader.text(bytes)) else {
            throw .invalid
        }
        let customTypes = try reader.optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.list(bytes) { reader, bytes throws(PayloadError) in try reader.text(bytes) }
        }
        let senderIDs = try reader.optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.list(bytes) { reader, bytes throws(PayloadError) in
                UserID(try reader.text(bytes))
            }
        }
        guard let replyType = MessageFilter.ReplyType(rawValue: try reader.text(bytes)) else {
            throw .invalid
        }
        let parentID = try reader.optional(bytes) { reader, bytes throws(PayloadError) in
            MessageID(try reader.signed(bytes))
        }
        try reader.finish(bytes)
        return MessageFilter(
            kind: kind, customTypes: customTypes, senderIDs: senderIDs, replyType: replyType,
            parentID: parentID)
    }
}
