// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The list of a channel's members.
extension Memberships {
    /// Answers with a page of a channel's members.
    ///
    /// The members are read in slices, and only their places in the list stay in memory: the record
    /// of a member may weigh more than a hundred places.
    func list(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (fields, url, now) = (call.fields, call.channelURL, world.now())
        let filter = MemberFilter(fields, at: now)
        let operatorsFirst = fields.string("order") == "operator_then_member_alphabetical"
        var places: [MemberPlace] = []
        var slice: [MemberRecord] = []
        var isOnlySlice = true
        var rows = 0
        defer { rates.note(user: call.caller.userID, count: rows / RequestRates.chargedRows) }
        while true {
            try stopIfCancelled()
            let last = slice.last?.user.id
            slice = try await ask(
                try await storage.members(
                    of: url, after: last, limit: ChannelViews.membersAtOnce))
            rows += slice.count
            if last != nil { isOnlySlice = false }
            for record in slice where filter.matches(record) {
                places.append(MemberPlace(record, operatorsFirst: operatorsFirst))
            }
            guard slice.count == ChannelViews.membersAtOnce else { break }
        }
        let page = try Page(places.sorted(), fields, \.id)
        let ids = page.elements.map(\.id)
        if !isOnlySlice {
            slice = try await ask(try await storage.memberRecords(of: url, among: ids))
        }
        let records = Dictionary(
            slice.map { ($0.user.id, $0) }, uniquingKeysWith: { first, _ in first })
        let reads = try fields.bool("show_read_receipt") ?? false
        let deliveries = try fields.bool("show_delivery_receipt") ?? false
        // A member who has left between two readings is left out.
        var shown = ids.compactMap { records[$0] }.filter { $0.state != .none }.map { record in
            var member = record.member(at: now)
            if reads { member.readAt = record.lastRead }
            if deliveries { member.deliveredAt = record.deliveredAt }
            return member
        }
        shown.mark(try await views.blocked(by: call.caller.userID))
        let answered = shown
        return APIResponse { writer in
            writer.members("members", answered)
            writer.field("next", page.next)
        }
    }
}

/// The filter of a list of members; unknown filters match every member.
private struct MemberFilter {
    private let role: String?
    private let mute: String?
    private let state: String?
    /// The beginning of the nickname, in lower case.
    private let start: String
    private let now: Timestamp

    init(_ fields: RequestFields, at now: Timestamp) {
        role = fields.string("operator_filter")
        mute = fields.string("muted_member_filter")
        state = fields.string("member_state_filter")
        start = fields.string("nickname_startswith")?.lowercased() ?? ""
        self.now = now
    }

    func matches(_ record: MemberRecord) -> Bool {
        let isMuted = record.traits.mute?.isActive(at: now) ?? false
        let isRole =
            switch role {
            case "operator": record.role == .operator
            case "nonoperator": record.role != .operator
            default: true
            }
        let isMute =
            switch mute {
            case "muted": isMuted
            case "unmuted": !isMuted
            default: true
            }
        let isState =
            switch state {
            case "joined_only": record.state == .joined
            case "invited_only": record.state == .invited
            default: true
            }
        return isRole && isMute && isState
            && (start.isEmpty || record.user.nickname.lowercased().hasPrefix(start))
    }
}

/// The place of a member in a list.
private struct MemberPlace: Comparable {
    let isBehindOperators: Bool
    /// The nickname in lower case.
    let name: String
    let id: UserID

    init(_ record: MemberRecord, operatorsFirst: Bool) {
        isBehindOperators = operatorsFirst && record.role != .operator
        name = record.user.nickname.lowercased()
        id = record.user.id
    }

    static func < (one: MemberPlace, other: MemberPlace) -> Bool {
        if one.isBehindOperators != other.isBehindOperators { return other.isBehindOperators }
        return one.name == other.name ? one.id < other.id : one.name < other.name
    }
}
