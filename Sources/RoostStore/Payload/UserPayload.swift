// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of a user, without the ID, which is a column.
package enum UserPayload {
    private static let version: UInt8 = 1

    package static func write(_ user: User, to bytes: inout [UInt8]) {
        bytes.append(version)
        bytes.append(text: user.nickname)
        bytes.append(text: user.profileURL)
        // Sorted, so that equal users have equal bytes.
        bytes.append(list: user.metadata.sorted { $0.key < $1.key }) { bytes, entry in
            bytes.append(text: entry.key)
            bytes.append(text: entry.value)
        }
        bytes.append(user.isActive ? 1 : 0)
        bytes.append(unknown: user.unknownFields)
    }

    package static func read(
        _ bytes: Span<UInt8>, id: UserID
    ) throws(PayloadError) -> User {
        var reader = PayloadReader()
        _ = try reader.version(bytes, newest: version)
        var user = User(id: id)
        user.nickname = try reader.text(bytes)
        user.profileURL = try reader.text(bytes)
        let entries = try reader.list(bytes) { reader, bytes throws(PayloadError) in
            (key: try reader.text(bytes), value: try reader.text(bytes))
        }
        for entry in entries { user.metadata[entry.key] = entry.value }
        user.isActive = try reader.byte(bytes) != 0
        user.unknownFields = try reader.unknownFields(bytes)
        try reader.finish(bytes)
        return user
    }
}

extension [UInt8] {
    mutating func append(unknown fields: UnknownFields) {
        append(list: fields.fields) { bytes, field in
            bytes.append(text: field.name)
            bytes.append(text: field.json)
        }
    }
}

extension PayloadReader {
    mutating func unknownFields(_ bytes: Span<UInt8>) throws(PayloadError) -> UnknownFields {
        var fields = UnknownFields()
        let list = try list(bytes) { reader, bytes throws(PayloadError) in
            UnknownFields.Field(name: try reader.text(bytes), json: try reader.text(bytes))
        }
        for field in list { fields.keep(field) }
        return fields
    }
}
