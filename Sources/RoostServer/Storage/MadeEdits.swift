// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostWire

/// The request IDs of a message's last edits, kept with the message.
///
/// A client that missed the answer to an edit repeats it, perhaps hours later. Made again, it would
/// undo the edits after it.
package struct MadeEdits: Equatable, Sendable {
    /// The most request IDs that are kept.
    package static let limit = 16
    /// The most bytes of JSON of the kept request IDs together.
    ///
    /// An ID of the greatest length fits, with each byte escaped into six. A client's own IDs have
    /// less than 64 bytes.
    package static let byteLimit = 16_384
    /// The field of a stored text that has them; no frame does.
    private static let name = "roost_made_edits"

    /// The newest last.
    private var requests: [RequestID] = []

    package init() {}

    /// Takes the request IDs out of the fields of a stored message.
    init(takenFrom message: inout Message) throws(WireError) {
        guard let json = message.unknownFields[Self.name] else { return }
        message.unknownFields = message.unknownFields.removing(Self.name)
        var reader = JSONReader(json)
        requests = Self.kept(try reader.readStrings().map { RequestID($0) })
    }

    /// Returns the newest of some request IDs, within both limits.
    private static func kept(_ requests: [RequestID]) -> [RequestID] {
        var left = byteLimit
        let newest = requests.suffix(limit).reversed().prefix { request in
            left -= request.rawValue.jsonBytes
            return left >= 0
        }
        return Array(newest.reversed())
    }

    /// Whether an edit was made before; one without a request ID never was.
    package func contains(_ edit: EditCommand) -> Bool {
        edit.requestID.map(requests.contains) ?? false
    }

    /// Returns the IDs with that of another edit.
    package func noting(_ edit: EditCommand) -> MadeEdits {
        guard let request = edit.requestID else { return self }
        var edits = self
        edits.requests = Self.kept(requests + [request])
        return edits
    }

    /// Writes the request IDs among the fields of a message that is stored.
    func write(into message: inout Message) {
        // A client may have sent a field of this name.
        message.unknownFields = message.unknownFields.removing(Self.name)
        guard !requests.isEmpty else { return }
        var writer = JSONWriter()
        writer.array { list in for request in requests { list.string(request.rawValue) } }
        message.unknownFields.keep(UnknownFields.Field(name: Self.name, json: writer.text))
    }
}
