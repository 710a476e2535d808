// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The names of a user's fields, and of the additional fields of a sender or a member.
enum UserField: String, FieldName {
    case userID = "user_id"
    case guestID = "guest_id"
    case nickname, name
    case profileURL = "profile_url"
    case image, metadata
    case isActive = "is_active"
    case isOnline = "is_online"
    case lastSeenAt = "last_seen_at"
    case preferredLanguages = "preferred_languages"
    case friendDiscoveryKey = "friend_discovery_key"
    case friendName = "friend_name"
    case requiresAuth = "require_auth_for_profile_image"
    case role
    case isBlockedByMe = "is_blocked_by_me"
    case isBlockingMe = "is_blocking_me"
    case state
    case isMuted = "is_muted"
    case mutedUntil = "muted_end_at"
    case muteReason = "muted_description"
    case joinedAt = "joined_ts"
    case readAt = "read_ts"
    case deliveredAt = "delivered_ts"

    static let table = FieldTable<UserField>()
}

/// The fields of a user while an object that has them is decoded, alone or among others.
struct UserFields {
    private var id = ""
    private var nickname = ""
    private var profileURL = ""
    private var metadata: [String: String] = [:]
    private var isActive = true
    private var details: UserDetails?
    private var unknown = UnknownFields()

    var hasID: Bool { !id.isEmpty }

    /// Returns and removes the unknown fields, which belong to the surrounding object.
    mutating func takeUnknown() -> UnknownFields {
        defer { unknown = UnknownFields() }
        return unknown
    }

    /// Reads a user's field under either of its names (`docs/protocol` 4.1), or keeps it as an
    /// unknown field.
    mutating func read(_ name: String, _ reader: inout JSONReader) throws(WireError) {
        if let field = UserField(rawValue: name), try readOwn(field, &reader) { return }
        try unknown.keep(name, from: &reader)
    }

    mutating func read(
        _ field: UserField?, _ text: FieldText, _ reader: inout JSONReader
    ) throws(WireError) {
        if let field, try readOwn(field, &reader) { return }
        try unknown.keep(reader.name(text), from: &reader)
    }

    /// Consumes a field of a plain user; returns false and consumes nothing for any other.
    private mutating func readOwn(
        _ field: UserField, _ reader: inout JSONReader
    ) throws(WireError) -> Bool {
        switch field {
        case .userID, .guestID:
            if let value = try reader.readStringIfPresent(), !value.isEmpty { id = value }
        case .nickname, .name: nickname = try reader.readStringIfPresent() ?? ""
        case .profileURL, .image: profileURL = try reader.readStringIfPresent() ?? ""
        case .metadata: metadata = try reader.readTexts()
        case .isActive: isActive = try reader.readBoolIfPresent() ?? true
        case .isOnline: change(try reader.readBoolIfPresent()) { $0.isOnline = $1 }
        case .lastSeenAt:
            let moment = try reader.readMoment()
            change(moment.flatMap { $0.milliseconds > 0 ? $0 : nil }) { $0.lastSeenAt = $1 }
        case .preferredLanguages:
            let languages = try reader.readStrings()
            change(languages.isEmpty ? nil : languages) { $0.preferredLanguages = $1 }
        case .friendDiscoveryKey: try readFriendKey(&reader)
        case .friendName: change(try reader.readStringIfPresent()) { $0.friendName = $1 }
        case .requiresAuth:
            let isNeeded = try reader.readBoolIfPresent() ?? false
            change(isNeeded ? true : nil) { $0.requiresAuthForProfileImage = $1 }
        case .role, .isBlockedByMe, .isBlockingMe, .state, .isMuted, .mutedUntil, .muteReason,
            .joinedAt, .readAt, .deliveredAt:
            return false
        }
        return true
    }

    /// Reads one key, or the list of keys of the service's own interface.
    private mutating func readFriendKey(_ reader: inout JSONReader) throws(WireError) {
        guard try reader.peek() == .array else {
            return change(try reader.readStringIfPresent()) { $0.friendDiscoveryKey = $1 }
        }
        change(try reader.readStrings().first) { $0.friendDiscoveryKey = $1 }
    }

    private mutating func change<Value>(
        _ value: Value?, _ body: (inout UserDetails, Value) -> Void
    ) {
        guard let value else { return }
        var details = details ?? UserDetails()
        body(&details, value)
        self.details = details
    }

    func user(endingAt offset: Int) throws(WireError) -> User {
        guard !id.isEmpty else { throw .missing("user_id", offset: offset) }
        var user = User(
            id: UserID(id), nickname: nickname, profileURL: profileURL, metadata: metadata,
            isActive: isActive, unknownFields: unknown)
        if let details { user.details = details }
        return user
    }
}

extension JSONReader {
    package mutating func readUser() throws(WireError) -> User {
        var fields = UserFields()
        try readFields(UserField.self) { field, text, reader throws(WireError) in
            try fields.read(field, text, &reader)
        }
        return try fields.user(endingAt: position)
    }

    /// Reads a user; nil for null and for an object without an ID, such as `{}`.
    mutating func readUserIfPresent() throws(WireError) -> User? {
        if try readNull() { return nil }
        var fields = UserFields()
        try readFields(UserField.self) { field, text, reader throws(WireError) in
            try fields.read(field, text, &reader)
        }
        return fields.hasID ? try fields.user(endingAt: position) : nil
    }

    package mutating func readUsers() throws(WireError) -> [User] {
        try readList { reader throws(WireError) in try reader.readUser() }
    }

    mutating func readSenderIfPresent() throws(WireError) -> Sender? {
        if try readNull() { return nil }
        let start = position
        if let (sender, next) = repeated.sender(at: start, in: bytes, before: end) {
            position = next
            return sender
        }
        var fields = UserFields()
        var role = Role.none
        var isBlockedByMe = false
        try readFields(UserField.self) { field, text, reader throws(WireError) in
            switch field {
            case .role?: role = try reader.readRole()
            case .isBlockedByMe?: isBlockedByMe = try reader.readBoolIfPresent() ?? false
            default: try fields.read(field, text, &reader)
            }
        }
        // `{}` is one way to write "no user".
        guard fields.hasID else { return nil }
        // Unknown fields may describe the sender in this channel, while the user object is shared
        // by all.
        let unknown = fields.takeUnknown()
        var sender = Sender(user: try fields.user(endingAt: position), role: role)
        sender.isBlockedByMe = isBlockedByMe
        if !unknown.isEmpty { sender.unknownFields = unknown }
        repeated.keep(sender, from: start..<position)
        return sender
    }

    package mutating func readMember() throws(WireError) -> Member {
        var fields = UserFields()
        var member = Member(user: User(id: ""))
        try readFields(UserField.self) { field, text, reader throws(WireError) in
            switch field {
            case .state?: member.state = try reader.readMembershipState()
            case .role?: member.role = try reader.readRole()
            case .isMuted?: member.isMuted = try reader.readBoolIfPresent() ?? false
            case .joinedAt?: member.joinedAt = try reader.readSeconds()
            case .mutedUntil?: member.mutedUntil = try reader.readMoment()
            case .muteReason?: member.muteReason = try reader.readStringIfPresent() ?? ""
            case .isBlockedByMe?: member.isBlockedByMe = try reader.readBoolIfPresent() ?? false
            case .isBlockingMe?: member.isBlockingMe = try reader.readBoolIfPresent() ?? false
            case .readAt?: member.readAt = try reader.readMoment()
            case .deliveredAt?: member.deliveredAt = try reader.readMoment()
            default: try fields.read(field, text, &reader)
            }
        }
        member.unknownFields = fields.takeUnknown()
        member.user = try fields.user(endingAt: position)
        return member
    }

    mutating func readRole() throws(WireError) -> Role {
        Role(rawValue: try readStringIfPresent() ?? "") ?? .none
    }

    mutating func readMembershipState() throws(WireError) -> MembershipState {
        MembershipState(rawValue: try readStringIfPresent() ?? "") ?? .none
    }

    /// Reads a map of texts; null reads as empty, and a value of another kind as its JSON text.
    mutating func readTexts() throws(WireError) -> [String: String] {
        if try skipEmptyOrNull() { return [:] }
        var texts: [String: String] = [:]
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
            writer.knownFields(of: sender.user)
            writer.field("role", sender.role.rawValue)
            if sender.isBlockedByMe { writer.field("is_blocked_by_me", true) }
            writer.unknown(sender.unknownFields, over: sender.user)
        }
    }

    package mutating func member(_ member: Member) {
        object { writer in
            writer.knownFields(of: member.user)
            writer.field("state", member.state.rawValue)
            writer.field("role", member.role.rawValue)
            writer.field("is_muted", member.isMuted)
            writer.moment("muted_end_at", member.mutedUntil)
            writer.text("muted_description", member.muteReason)
            if member.isBlockedByMe { writer.field("is_blocked_by_me", true) }
            if member.isBlockingMe { writer.field("is_blocking_me", true) }
            if let joinedAt = member.joinedAt { writer.field("joined_ts", joinedAt.seconds) }
            writer.moment("read_ts", member.readAt)
            writer.moment("delivered_ts", member.deliveredAt)
            writer.unknown(member.unknownFields, over: member.user)
        }
    }

    /// Writes a user's fields into the current object.
    package mutating func fields(of user: User) {
        knownFields(of: user)
        unknown(user.unknownFields)
    }

    /// Writes the unknown fields of a sender or member, then the user's under other names.
    private mutating func unknown(_ own: UnknownFields, over user: User) {
        unknown(own)
        for field in user.unknownFields.fields
        where own[field.name] == nil && UserField(rawValue: field.name) == nil {
            self.field(field.name, raw: field.json)
        }
    }

    private mutating func knownFields(of user: User) {
        field("user_id", user.id.rawValue)
        field("nickname", user.nickname)
        field("profile_url", user.profileURL)
        texts("metadata", user.metadata)
        field("is_active", user.isActive)
        if !user.hasNoDetails { fields(of: user.details) }
    }

    private mutating func fields(of details: UserDetails) {
        if let isOnline = details.isOnline { field("is_online", isOnline) }
        if details.isOnline != nil || details.lastSeenAt != nil {
            let never: Int64 = details.isOnline == true ? 0 : -1
            field("last_seen_at", details.lastSeenAt?.milliseconds ?? never)
        }
        if !details.preferredLanguages.isEmpty {
            field("preferred_languages", details.preferredLanguages)
        }
        if let key = details.friendDiscoveryKey { field("friend_discovery_key", key) }
        if let name = details.friendName { field("friend_name", name) }
        if details.requiresAuthForProfileImage { field("require_auth_for_profile_image", true) }
    }

    /// Writes a moment in milliseconds; nothing for nil.
    package mutating func moment(_ name: String, _ moment: Timestamp?) {
        if let moment { field(name, moment.milliseconds) }
    }

    /// Writes a text; nothing for an empty one.
    mutating func text(_ name: String, _ text: String) {
        if !text.isEmpty { field(name, text) }
    }

    /// Writes a map in order of its names, so that equal values have equal bytes.
    package mutating func texts(_ name: String, _ texts: [String: String]) {
        self.name(name)
        self.texts(texts)
    }

    mutating func texts(_ texts: [String: String]) {
        object { writer in
            for (name, text) in texts.sorted(by: { $0.key < $1.key }) { writer.field(name, text) }
        }
    }

    package mutating func users(_ name: String, _ users: [User]) {
        array(name) { writer in
            for user in users { writer.user(user) }
        }
    }

    package mutating func members(_ name: String, _ members: [Member]) {
        array(name) { writer in
            for member in members { writer.member(member) }
        }
    }
}
