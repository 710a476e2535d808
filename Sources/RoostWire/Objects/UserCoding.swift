// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The fields of a user while an object that has them is being read, alone or among others.
struct UserFields {
    private var id: String?
    private var nickname = ""
    private var profileURL = ""
    private var metadata: [String: String] = [:]
    private var isActive = true
    var unknown = UnknownFields()

    var hasID: Bool { id?.isEmpty == false }

    /// Uses up the value of any field: a user's own, in both spellings (`protocol.md` 4.1), or one to keep.
    mutating func read(_ name: String, _ reader: inout JSONReader) throws(WireError) {
        switch name {
        case "user_id", "guest_id":
            if let value = try reader.readStringIfPresent(), !value.isEmpty { id = value }
        case "nickname", "name": nickname = try reader.readStringIfPresent() ?? ""
        case "profile_url", "image": profileURL = try reader.readStringIfPresent() ?? ""
        case "metadata": metadata = try reader.readTexts()
        case "is_active": isActive = try reader.readBoolIfPresent() ?? true
        default: try unknown.keep(name, from: &reader)
        }
    }

    func user(endingAt offset: Int) throws(WireError) -> User {
        guard let id, !id.isEmpty else { throw .missing("user_id", offset: offset) }
        return User(
            id: UserID(id), nickname: nickname, profileURL: profileURL, metadata: metadata,
            isActive: isActive, unknownFields: unknown)
    }
}

extension JSONReader {
    package mutating func readUser() throws(WireError) -> User {
        var fields = UserFields()
        try readObject { name, reader throws(WireError) in try fields.read(name, &reader) }
        return try fields.user(endingAt: position)
    }

    /// Nil for null and for an object without an ID, as `{}` is one way to write "nobody".
    mutating func readUserIfPresent() throws(WireError) -> User? {
        if try readNull() { return nil }
        var fields = UserFields()
        try readObject { name, reader throws(WireError) in try fields.read(name, &reader) }
        return fields.hasID ? try fields.user(endingAt: position) : nil
    }

    mutating func readSenderFields() throws(WireError) -> (UserFields, Role) {
        var fields = UserFields()
        var role = Role.none
        try readObject { name, reader throws(WireError) in
            switch name {
            case "role": role = try reader.readRole()
            default: try fields.read(name, &reader)
            }
        }
        return (fields, role)
    }

    package mutating func readMember() throws(WireError) -> Member {
        var fields = UserFields()
        var state = MembershipState.joined
        var role = Role.none
        var isMuted = false
        var joinedAt: Timestamp?
        try readObject { name, reader throws(WireError) in
            switch name {
            case "state": state = try reader.readMembershipState()
            case "role": role = try reader.readRole()
            case "is_muted": isMuted = try reader.readBoolIfPresent() ?? false
            case "joined_ts": joinedAt = try reader.readSeconds()
            default: try fields.read(name, &reader)
            }
        }
        return Member(
            user: try fields.user(endingAt: position), state: state, role: role, isMuted: isMuted,
            joinedAt: joinedAt)
    }

    mutating func readRole() throws(WireError) -> Role {
        Role(rawValue: try readStringIfPresent() ?? "") ?? .none
    }

    mutating func readMembershipState() throws(WireError) -> MembershipState {
        MembershipState(rawValue: try readStringIfPresent() ?? "") ?? .none
    }

    /// A moment in milliseconds; nil for null and 0, which mean "never".
    mutating func readMoment() throws(WireError) -> Timestamp? {
        guard let value = try readInt64IfPresent(), value != 0 else { return nil }
        return Timestamp(milliseconds: value)
    }

    /// A moment in seconds; nil for null and 0.
    mutating func readSeconds() throws(WireError) -> Timestamp? {
        guard let value = try readInt64IfPresent(), value != 0 else { return nil }
        return Timestamp(seconds: value)
    }

    /// A map of texts; null reads as empty, and a value of another kind as its JSON text.
    mutating func readTexts() throws(WireError) -> [String: String] {
        var texts: [String: String] = [:]
        if try readNull() { return texts }
        try readObject { name, reader throws(WireError) in
            let isText = try reader.peek() == .string
            texts[name] = isText ? try reader.readString() : try reader.readRaw()
        }
        return texts
    }
}

extension JSONWriter {
    package mutating func user(_ user: User) {
        object { writer in writer.fields(of: user) }
    }

    package mutating func sender(_ sender: Sender) {
        object { writer in
            writer.fields(of: sender.user)
            writer.field("role", sender.role.rawValue)
        }
    }

    package mutating func member(_ member: Member) {
        object { writer in
            writer.fields(of: member.user)
            writer.field("state", member.state.rawValue)
            writer.field("role", member.role.rawValue)
            writer.field("is_muted", member.isMuted)
            if let joinedAt = member.joinedAt { writer.field("joined_ts", joinedAt.seconds) }
        }
    }

    /// Writes a user's fields into the object at hand.
    mutating func fields(of user: User) {
        field("user_id", user.id.rawValue)
        field("nickname", user.nickname)
        field("profile_url", user.profileURL)
        texts("metadata", user.metadata)
        field("is_active", user.isActive)
        unknown(user.unknownFields)
    }

    /// Writes a map with its names in order, so that equal values make equal bytes.
    mutating func texts(_ name: String, _ texts: [String: String]) {
        object(name) { writer in
            for (name, text) in texts.sorted(by: { $0.key < $1.key }) { writer.field(name, text) }
        }
    }

    mutating func users(_ name: String, _ users: [User]) {
        array(name) { writer in
            for user in users { writer.user(user) }
        }
    }

    mutating func members(_ name: String, _ members: [Member]) {
        array(name) { writer in
            for member in members { writer.member(member) }
        }
    }
}
