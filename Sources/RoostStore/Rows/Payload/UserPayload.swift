// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of a user, without the ID, which is a column.
package enum UserPayload {
    private static let version: UInt8 = 1

    /// The bits after the metadata.
    private enum Bit {
        static let isActive: UInt8 = 1
        static let hasDetails: UInt8 = 2
        static let all: UInt8 = 3
    }

    package static func write(_ user: User, to bytes: inout [UInt8]) {
        bytes.append(version)
        bytes.append(text: user.nickname)
        bytes.append(text: user.profileURL)
        bytes.append(texts: user.metadata)
        bytes.append(
            (user.isActive ? Bit.isActive : 0) | (user.hasNoDetails ? 0 : Bit.hasDetails))
        if !user.hasNoDetails { bytes.append(details: user.details) }
        bytes.append(unknown: user.unknownFields)
    }

    package static func read(
        _ bytes: Span<UInt8>, id: UserID
    ) throws(PayloadError) -> User {
        var reader = PayloadReader()
        try reader.version(bytes, newest: version)
        let nickname = try reader.text(bytes)
        let profileURL = try reader.text(bytes)
        let metadata = try reader.texts(bytes)
        let bits = try reader.byte(bytes)
        guard bits & ~Bit.all == 0 else { throw .invalid }
        let details = bits & Bit.hasDetails != 0 ? try reader.userDetails(bytes) : nil
        // Built in one step, because each later change of a user checks for shared storage.
        var user = User(
            id: id, nickname: nickname, profileURL: profileURL, metadata: metadata,
            isActive: bits & Bit.isActive != 0,
            unknownFields: try reader.unknownFields(bytes))
        if let details { user.details = details }
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
        if isAtEmptyList(bytes) { return fields }
        let list = try list(bytes) { reader, bytes throws(PayloadError) in
            UnknownFields.Field(name: try reader.text(bytes), json: try reader.text(bytes))
        }
        for field in list { fields.keep(field) }
        return fields
    }
}

extension [UInt8] {
    fileprivate mutating func append(details: UserDetails) {
        append(optional: details.isOnline) { $0.append($1 ? 1 : 0) }
        append(moment: details.lastSeenAt)
        append(list: details.preferredLanguages) { $0.append(text: $1) }
        append(optional: details.friendDiscoveryKey) { $0.append(text: $1) }
        append(optional: details.friendName) { $0.append(text: $1) }
        append(details.requiresAuthForProfileImage ? 1 : 0)
    }
}

extension PayloadReader {
    fileprivate mutating func userDetails(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> UserDetails {
        var details = UserDetails()
        details.isOnline = try optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.byte(bytes) != 0
        }
        details.lastSeenAt = try moment(bytes)
        details.preferredLanguages = try list(bytes) { reader, bytes throws(PayloadError) in
            try reader.text(bytes)
        }
        details.friendDiscoveryKey = try optionalText(bytes)
        details.friendName = try optionalText(bytes)
        details.requiresAuthForProfileImage = try byte(bytes) != 0
        return details
    }
}
