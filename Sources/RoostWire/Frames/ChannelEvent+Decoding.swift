// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension Frame {
    func readChannelEvent() throws(WireError) -> ChannelEvent {
        var category: Int?
        var url: ChannelURL?
        var event = ChannelEvent(.joined, channelURL: "", timestamp: Timestamp(milliseconds: 0))
        var data: Range<Int>?
        try readFields { name, reader throws(WireError) in
            switch name {
            case "cat": category = try reader.readIntIfPresent()
            case "channel_url": url = try reader.readChannelURL()
            case "ts": event.timestamp = try reader.readMoment() ?? event.timestamp
            case "unique_id": event.uniqueID = try reader.readStringIfPresent()
            case "ts_message_offset": event.messageOffset = try reader.readMoment()
            case "unread_cnt": event.unread = try reader.readUnreadCount()
            case "data":
                let start = reader.position
                try reader.skipValue()
                data = start..<reader.position
            default: try reader.skipValue()
            }
        }
        guard let category else { throw missing("cat") }
        guard let url else { throw missing("channel_url") }
        event.category = ChannelEvent.Category(category)
        event.channelURL = url
        // The data may precede the category that gives them a meaning, so they are decoded last.
        if let data {
            do throws(WireError) {
                event.content = try readContent(event.category, data)
            } catch {
                throw error.inside(field: "data")
            }
        }
        return event
    }

    private func readContent(
        _ category: ChannelEvent.Category, _ range: Range<Int>
    ) throws(WireError) -> ChannelEvent.Content {
        var reader = JSONReader(checked: bytes, range: range)
        var fields = EventFields()
        switch category {
        case .joined, .left, .invited, .invitationDeclined, .operatorsChanged, .frozen, .unfrozen,
            .typingStart, .typingEnd, .hidden, .metadataChanged, .metaCountersChanged, .muted,
            .unmuted, .banned, .unbanned, .entered, .exited:
            if try reader.readNull() { return .other(data: "{}") }
            try reader.readObject { name, reader throws(WireError) in
                try fields.read(name, &reader, of: category)
            }
            return try fields.content(category, endingAt: range.upperBound)
        default:
            return .other(data: try reader.readNull() ? "{}" : try reader.readRaw())
        }
    }
}

/// The fields of all decoded categories; each category uses a few.
private struct EventFields {
    private var user = UserFields()
    private var members: [Member] = []
    private var operators: [User] = []
    private var inviter: User?
    private var invitee: User?
    private var invitedAt: Timestamp?
    private var counts = ChannelEvent.Counts()
    private var participants: Int?
    private var isFrozen: Bool?
    private var hidesPrevious = false
    private var allowsAutoUnhide = true
    private var created: [String: String] = [:]
    private var updated: [String: String] = [:]
    private var deleted: [String] = []
    private var createdCounters: [String: Int64] = [:]
    private var updatedCounters: [String: Int64] = [:]
    private var restriction = RestrictionFields()

    mutating func read(
        _ name: String, _ reader: inout JSONReader, of category: ChannelEvent.Category
    ) throws(WireError) {
        if category == .metaCountersChanged, name == "created" || name == "updated" {
            let counters = try reader.readNumbers()
            if name == "created" { createdCounters = counters } else { updatedCounters = counters }
            return
        }
        if try restriction.read(name, &reader) { return }
        switch name {
        case "users", "invitees":
            members = try reader.readList { reader throws(WireError) in try reader.readMember() }
        case "operators":
            operators = try reader.readList { reader throws(WireError) in try reader.readUser() }
        case "inviter": inviter = try reader.readUserIfPresent()
        case "invitee": invitee = try reader.readUserIfPresent()
        case "invited_at": invitedAt = try reader.readMoment()
        case "member_count": counts.members = try reader.readCount()
        case "joined_member_count": counts.joinedMembers = try reader.readCount()
        case "participant_count": participants = try reader.readCount()
        case "freeze": isFrozen = try reader.readBoolIfPresent()
        case "hide_previous_messages": hidesPrevious = try reader.readBoolIfPresent() ?? false
        case "allow_auto_unhide": allowsAutoUnhide = try reader.readBoolIfPresent() ?? true
        case "ts_message_offset", "edge_ts": try reader.skipValue()
        case "created": created = try reader.readTexts()
        case "updated": updated = try reader.readTexts()
        case "deleted": deleted = try reader.readStrings()
        default: try user.read(name, &reader)
        }
    }

    func content(
        _ category: ChannelEvent.Category, endingAt offset: Int
    ) throws(WireError) -> ChannelEvent.Content {
        switch category {
        case .joined:
            // A single new member may also be spread into the data itself.
            guard members.isEmpty, user.hasID else { return .joined(members, counts) }
            var fields = user
            var single = Member(user: User(id: ""))
            single.unknownFields = fields.takeUnknown()
            single.user = try fields.user(endingAt: offset)
            return .joined([single], counts)
        case .left: return .left(try user.user(endingAt: offset), counts)
        case .entered:
            return .entered(try user.user(endingAt: offset), participants: participants)
        case .exited:
            return .exited(try user.user(endingAt: offset), participants: participants)
        case .invited: return .invited(inviter: inviter, invitees: members, at: invitedAt, counts)
        case .invitationDeclined:
            guard let invitee else { throw .missing("invitee", offset: offset) }
            return .declined(inviter: inviter, invitee: invitee, counts)
        case .operatorsChanged: return .operators(operators)
        case .frozen, .unfrozen: return .frozen(isFrozen ?? (category == .frozen))
        case .typingStart, .typingEnd:
            return .typing(
                try user.user(endingAt: offset), isTyping: category == .typingStart)
        case .hidden:
            return .hidden(hidesPrevious: hidesPrevious, allowsAutoUnhide: allowsAutoUnhide)
        case .metadataChanged:
            return .metadata(created: created, updated: updated, deleted: deleted)
        case .metaCountersChanged:
            return .counters(
                created: createdCounters, updated: updatedCounters, deleted: deleted)
        case .muted, .unmuted, .banned, .unbanned:
            return .restricted(restriction.restricted(try user.user(endingAt: offset)), counts)
        default:
            preconditionFailure("Category \(category.rawValue) has no shape and is kept as text.")
        }
    }
}

extension JSONReader {
    /// Reads whole numbers by name; null reads as an empty map.
    mutating func readNumbers() throws(WireError) -> [String: Int64] {
        if try readNull() { return [:] }
        var numbers: [String: Int64] = [:]
        try readObject { name, reader throws(WireError) in
            numbers[name] = try reader.readInt64()
        }
        return numbers
    }
}
