// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The rare properties of a channel, stored as one JSON object.
package struct ChannelTraits: Equatable, Sendable {
    /// Whether it is an open channel: one without members, which sockets enter.
    package var isOpen = false
    package var isFrozen = false
    package var isBroadcast = false
    package var isExclusive = false
    package var isEphemeral = false
    /// Whether lists show a public channel; nil stands for `isPublic`.
    package var isDiscoverable: Bool?
    /// The stored form of the code that newcomers of a public channel need; nil lets them in without one.
    package var accessCode: KeptSecret?
    package var survivalSeconds: Int?
    package var metadata: [String: String] = [:]
    package var counters: [String: Int64] = [:]
    /// The pinned messages, newest pin first.
    package var pins: [MessageID] = []

    package init() {}
}

/// The rare properties of a member, stored as one JSON object.
package struct MemberTraits: Equatable, Sendable {
    /// Messages at or before this are invisible to the member.
    package var messageOffset: Timestamp?
    package var mute: Restriction?
    /// The ban; only with the state `.none`.
    package var ban: Restriction?
    package var countPreference = CountPreference.all
    package var pushTrigger = PushTrigger.standard
    package var inviter: UserID?
    package var invitedAt: Timestamp?

    package init() {}

    /// Returns whether a ban is active.
    package func isBanned(at now: Timestamp) -> Bool { ban?.isActive(at: now) ?? false }
}

/// A mute or a ban.
package struct Restriction: Equatable, Sendable {
    /// The kinds of restrictions, by their names in the stored traits.
    package enum Kind: String, Sendable {
        case ban, mute
    }

    package var startedAt: Timestamp
    /// The end; nil for none.
    package var endsAt: Timestamp?
    package var note: String

    package init(startedAt: Timestamp, endsAt: Timestamp? = nil, note: String = "") {
        self.startedAt = startedAt
        self.endsAt = endsAt
        self.note = note
    }

    package func isActive(at now: Timestamp) -> Bool { endsAt.map { now < $0 } ?? true }
}

/// The private properties of a user, stored as one JSON object.
package struct UserTraits: Equatable, Sendable {
    package var createdAt: Timestamp?
    package var blocked: [UserID] = []
    package var discoveryKeys: [String] = []
    /// The number of files that the user has uploaded.
    package var uploadedFiles = 0
    /// The size of all of them together.
    package var uploadedBytes: Int64 = 0
    /// The settings by name, in the form of the protocol.
    package var preferences: JSONValue = [:]

    package init() {}
}

/// A user with all data of the server.
package struct UserRecord: Equatable, Sendable {
    package var user: User
    package var traits: UserTraits

    package init(user: User, traits: UserTraits = UserTraits()) {
        self.user = user
        self.traits = traits
    }
}

// MARK: - JSON

/// The fields of an object, without default values.
private struct TraitWriter {
    var fields: [JSONValue.Field] = []

    mutating func add(_ name: String, _ value: JSONValue?) {
        if let value { fields.append(JSONValue.Field(name, value)) }
    }

    mutating func add(_ name: String, _ flag: Bool) { add(name, flag ? .bool(true) : nil) }
    mutating func add(_ name: String, _ text: String) {
        add(name, text.isEmpty ? nil : .string(text))
    }
    mutating func add(_ name: String, _ moment: Timestamp?) {
        add(name, moment.map { .int($0.milliseconds) })
    }
    mutating func add(_ name: String, _ texts: [String]) {
        add(name, texts.isEmpty ? nil : .array(texts.map { .string($0) }))
    }

    var text: String { JSONValue.object(fields).text }
}

extension JSONValue {
    fileprivate init(trait text: String) {
        // Only this file writes this text; an unreadable text is an empty object.
        self = text == "{}" ? [:] : (try? JSONValue(parsing: text)) ?? [:]
    }

    fileprivate func moment(_ name: String) -> Timestamp? {
        self[name]?.int.map { Timestamp(milliseconds: $0) }
    }

    fileprivate func texts(_ name: String) -> [String] {
        self[name]?.array?.compactMap(\.string) ?? []
    }

    fileprivate var fields: [Field] { if case .object(let fields) = self { fields } else { [] } }
}

extension ChannelTraits {
    package var json: String {
        var writer = TraitWriter()
        writer.add("open", isOpen)
        writer.add("frozen", isFrozen)
        writer.add("broadcast", isBroadcast)
        writer.add("exclusive", isExclusive)
        writer.add("ephemeral", isEphemeral)
        writer.add("discoverable", isDiscoverable.map { .bool($0) })
        writer.add("code", accessCode.map { .array([.string($0.salt), .string($0.hash)]) })
        writer.add("survival", survivalSeconds.map { .int(Int64($0)) })
        if !metadata.isEmpty {
            let fields = metadata.sorted { $0.key < $1.key }
            writer.add("metadata", .object(fields.map { .init($0.key, .string($0.value)) }))
        }
        if !counters.isEmpty {
            let fields = counters.sorted { $0.key < $1.key }
            writer.add("counters", .object(fields.map { .init($0.key, .int($0.value)) }))
        }
        if !pins.isEmpty { writer.add("pins", .array(pins.map { .int($0.rawValue) })) }
        return writer.text
    }

    package init(json: String) {
        let value = JSONValue(trait: json)
        isOpen = value["open"] != nil
        isFrozen = value["frozen"] != nil
        isBroadcast = value["broadcast"] != nil
        isExclusive = value["exclusive"] != nil
        isEphemeral = value["ephemeral"] != nil
        isDiscoverable = value["discoverable"]?.bool
        if let salt = value["code"]?[0]?.string, let hash = value["code"]?[1]?.string {
            accessCode = KeptSecret(salt: salt, hash: hash)
        }
        survivalSeconds = value["survival"]?.int.map { Int($0) }
        for field in value["metadata"]?.fields ?? [] { metadata[field.name] = field.value.string }
        for field in value["counters"]?.fields ?? [] { counters[field.name] = field.value.int }
        pins = value["pins"]?.array?.compactMap(\.int).map { MessageID($0) } ?? []
    }

    /// The traits without metadata, counters and pins, which may be heavy.
    var brief: ChannelTraits {
        var traits = self
        (traits.metadata, traits.counters, traits.pins) = ([:], [:], [])
        return traits
    }

    /// Reads brief traits from the beginning of their JSON, which a query has cut off before the
    /// metadata and the counters.
    ///
    /// `json` writes them behind all other traits but the pins, and no text can contain their names
    /// with quotation marks that are not escaped.
    package init(briefly json: String) {
        if json.utf8.last == UInt8(ascii: "}") {
            self = ChannelTraits(json: json).brief
        } else {
            let hasComma = json.utf8.last == UInt8(ascii: ",")
            self.init(json: (hasComma ? String(json.dropLast()) : json) + "}")
        }
    }
}

extension Restriction {
    fileprivate var json: JSONValue {
        .array([
            .int(startedAt.milliseconds), endsAt.map { .int($0.milliseconds) } ?? .null,
            .string(note),
        ])
    }

    fileprivate init?(_ value: JSONValue?) {
        guard let value, let start = value[0]?.int else { return nil }
        self.init(
            startedAt: Timestamp(milliseconds: start),
            endsAt: value[1]?.int.map { Timestamp(milliseconds: $0) }, note: value[2]?.string ?? "")
    }
}

extension MemberTraits {
    package var json: String {
        var writer = TraitWriter()
        writer.add("offset", messageOffset)
        writer.add("mute", mute?.json)
        writer.add("ban", ban?.json)
        if countPreference != .all { writer.add("count", countPreference.rawValue) }
        if pushTrigger != .standard { writer.add("push", pushTrigger.rawValue) }
        writer.add("inviter", inviter?.rawValue ?? "")
        writer.add("invited", invitedAt)
        return writer.text
    }

    package init(json: String) {
        let value = JSONValue(trait: json)
        messageOffset = value.moment("offset")
        mute = Restriction(value["mute"])
        ban = Restriction(value["ban"])
        countPreference =
            value["count"]?.string.flatMap { CountPreference(rawValue: $0) } ?? .all
        pushTrigger = value["push"]?.string.flatMap { PushTrigger(rawValue: $0) } ?? .standard
        inviter = value["inviter"]?.string.map { UserID($0) }
        invitedAt = value.moment("invited")
    }
}

extension UserTraits {
    package var json: String {
        var writer = TraitWriter()
        writer.add("created", createdAt)
        writer.add("blocked", blocked.map(\.rawValue))
        writer.add("keys", discoveryKeys)
        if uploadedFiles > 0 {
            writer.add("files", .array([.int(Int64(uploadedFiles)), .int(uploadedBytes)]))
        }
        if preferences != [:] { writer.add("preferences", preferences) }
        return writer.text
    }

    package init(json: String) {
        let value = JSONValue(trait: json)
        createdAt = value.moment("created")
        blocked = value.texts("blocked").map { UserID($0) }
        discoveryKeys = value.texts("keys")
        uploadedFiles = Int(clamping: value["files"]?[0]?.int ?? 0)
        uploadedBytes = value["files"]?[1]?.int ?? 0
        preferences = value["preferences"] ?? [:]
    }
}
