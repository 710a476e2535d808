// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// An event of a channel, apart from messages (SYEV, `docs/protocol` 2.8).
package struct ChannelEvent: Equatable, Codable, Sendable {
    /// The protocol's number for the kind of event; the set is open.
    package struct Category: RawRepresentable, Hashable, Codable, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package init(_ rawValue: Int) { self.rawValue = rawValue }

        package static let joined = Self(10_000)
        package static let left = Self(10_001)
        package static let operatorsChanged = Self(10_002)
        package static let invited = Self(10_020)
        package static let invitationAccepted = Self(10_021)
        package static let invitationDeclined = Self(10_022)
        package static let entered = Self(10_102)
        package static let exited = Self(10_103)
        package static let unmuted = Self(10_200)
        package static let muted = Self(10_201)
        package static let unbanned = Self(10_600)
        package static let banned = Self(10_601)
        package static let unfrozen = Self(10_700)
        package static let frozen = Self(10_701)
        package static let typingStart = Self(10_900)
        package static let typingEnd = Self(10_901)
        package static let propertiesChanged = Self(11_000)
        package static let metadataChanged = Self(11_100)
        package static let metaCountersChanged = Self(11_200)
        package static let pinsChanged = Self(11_300)
        package static let deleted = Self(12_000)
        package static let hidden = Self(13_000)
        package static let unhidden = Self(13_001)
    }

    /// The member counts of a channel, as far as the server sends them.
    package struct Counts: Equatable, Codable, Sendable {
        package var members: Int?
        package var joinedMembers: Int?

        package init(members: Int? = nil, joinedMembers: Int? = nil) {
            self.members = members
            self.joinedMembers = joinedMembers
        }
    }

    /// The content of the event, decoded for every category with a shape of its own.
    package enum Content: Equatable, Codable, Sendable {
        case joined([Member], Counts)
        case left(User, Counts)
        case invited(inviter: User?, invitees: [Member], at: Timestamp?, Counts)
        case declined(inviter: User?, invitee: User, Counts)
        /// The complete list of operators.
        case operators([User])
        case frozen(Bool)
        case typing(User, isTyping: Bool)
        case hidden(hidesPrevious: Bool, allowsAutoUnhide: Bool)
        case metadata(created: [String: String], updated: [String: String], deleted: [String])
        case counters(created: [String: Int64], updated: [String: Int64], deleted: [String])
        /// The user whose mute or ban begins or ends.
        case restricted(RestrictedUser, Counts)
        /// A user has entered an open channel; the number of users inside if the server sends it.
        case entered(User, participants: Int?)
        /// A user has left an open channel.
        case exited(User, participants: Int?)
        /// The data of any other category, as JSON text.
        case other(data: String)
    }

    package var category: Category
    package var channelURL: ChannelURL
    package var timestamp: Timestamp
    package var content: Content
    /// The name that the acting client chose, by which it recognises its own event.
    package var uniqueID: String?
    /// The time up to which messages, that moment included, are hidden from the user; present with
    /// `.hidden`.
    package var messageOffset: Timestamp?
    package var unread: UnreadCount?

    package init(
        _ category: Category, channelURL: ChannelURL, timestamp: Timestamp,
        content: Content = .other(data: "{}"), uniqueID: String? = nil,
        messageOffset: Timestamp? = nil, unread: UnreadCount? = nil
    ) {
        self.category = category
        self.channelURL = channelURL
        self.timestamp = timestamp
        self.content = content
        self.uniqueID = uniqueID
        self.messageOffset = messageOffset
        self.unread = unread
    }
}

extension ChannelEvent {
    func encoded(isOpen: Bool) -> String {
        Frame.text(.channelEvent, isOpen: isOpen) { writer in
            writer.field("cat", category.rawValue)
            writer.channel(channelURL)
            writer.field("ts", timestamp.milliseconds)
            writer.name("data")
            content.write(to: &writer, of: self)
            if let uniqueID { writer.field("unique_id", uniqueID) }
            if let messageOffset {
                writer.field("ts_message_offset", messageOffset.milliseconds)
            }
            writer.unread(unread)
        }
    }
}

extension ChannelEvent.Content {
    fileprivate func write(to writer: inout JSONWriter, of event: ChannelEvent) {
        if case .other(let data) = self { return writer.raw(data) }
        writer.object { writer in fields(&writer, of: event) }
    }

    private func fields(_ writer: inout JSONWriter, of event: ChannelEvent) {
        switch self {
        case .joined(let members, let counts):
            writer.members("users", members)
            writer.counts(counts)
        case .left(let user, let counts):
            writer.fields(of: user)
            writer.counts(counts)
        case .invited(let inviter, let invitees, let moment, let counts):
            if let inviter { writer.users("inviter", inviter) }
            writer.members("invitees", invitees)
            if let moment { writer.field("invited_at", moment.milliseconds) }
            writer.counts(counts)
        case .declined(let inviter, let invitee, let counts):
            if let inviter { writer.users("inviter", inviter) }
            writer.users("invitee", invitee)
            writer.counts(counts)
        case .operators(let users): writer.users("operators", users)
        case .frozen(let isFrozen): writer.field("freeze", isFrozen)
        case .typing(let user, _): writer.fields(of: user)
        case .hidden(let hidesPrevious, let allowsAutoUnhide):
            writer.field("hide_previous_messages", hidesPrevious)
            writer.field("allow_auto_unhide", allowsAutoUnhide)
            if let messageOffset = event.messageOffset {
                writer.field("ts_message_offset", messageOffset.milliseconds)
            }
        case .metadata(let created, let updated, let deleted):
            writer.texts("created", created)
            writer.texts("updated", updated)
            writer.field("deleted", deleted)
        case .counters(let created, let updated, let deleted):
            writer.object("created") { $0.flat(created) }
            writer.object("updated") { $0.flat(updated) }
            writer.field("deleted", deleted)
        case .restricted(let restricted, let counts):
            let isBan = [.banned, .unbanned].contains(event.category)
            writer.restricted(restricted, isBan: isBan, at: event.timestamp)
            if isBan { writer.counts(counts) }
        case .entered(let user, let count), .exited(let user, let count):
            writer.fields(of: user)
            if let count { writer.field("participant_count", count) }
            writer.field("edge_ts", event.timestamp.milliseconds)
        case .other: break
        }
    }
}

extension JSONWriter {
    /// Writes numbers by name into the current object, in order of the names.
    package mutating func flat(_ numbers: [String: Int64]) {
        for (name, number) in numbers.sorted(by: { $0.key < $1.key }) { field(name, number) }
    }

    /// Writes the fields of a user with their restriction; -1 means no end.
    package mutating func restricted(
        _ restricted: RestrictedUser, isBan: Bool, at now: Timestamp
    ) {
        fields(of: restricted.user)
        let end = restricted.until?.milliseconds
        field("end_at", end ?? -1)
        field(
            "remaining_duration",
            restricted.until.map { max(0, $0.milliseconds(since: now)) } ?? -1)
        field("description", restricted.reason)
        field("restriction_type", isBan ? "banned" : "muted")
    }

    fileprivate mutating func counts(_ counts: ChannelEvent.Counts) {
        if let count = counts.members { field("member_count", count) }
        if let count = counts.joinedMembers { field("joined_member_count", count) }
    }

    fileprivate mutating func users(_ name: String, _ user: User) {
        self.name(name)
        self.user(user)
    }
}
