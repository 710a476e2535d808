// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The lists of all channels, of which users see the public ones.
extension ChannelLists {
    /// Answers with public channels that may be discovered; the platform sees all channels.
    func listPublic(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let filter = try ChannelListFilter(
            call.fields.query.filter { $0.name != "hidden_mode" },
            showsEmpty: try call.fields.bool("show_empty") ?? true,
            showsFrozen: try call.fields.bool("show_frozen") ?? true)
        let limit = try call.fields.int("limit", in: 1...100) ?? 20
        let extras = try ChannelExtras(call.fields)
        let viewer = call.caller.userID
        let (found, end) = try await walk(
            from: call.fields.string("token"), limit: limit, for: viewer,
            where: { record in
                let isShown = record.isPublic && record.traits.isDiscoverable != false
                return !record.traits.isOpen && (call.caller == .platform || isShown)
                    && filter.matches(record)
            },
            and: !filter.needsMetadata
                ? nil
                : { filter.matchesMetadata(call.caller == .platform ? $0 : $0.veiled) })
        let urls = found.map(\.url)
        let page = try await views.views(
            of: urls, for: viewer, extras, readingMembers: filter.needsMembers
        ) {
            (state) async throws(ServerError) -> Bool in
            guard filter.matches(state.veiled(for: viewer), viewer: viewer),
                filter.matchesPublic(state, viewer: viewer)
            else { return false }
            return try await isShown(state, to: call.caller)
        }
        let next =
            page.count > 0 && page.count < urls.count ? urls[page.count - 1].rawValue : end
        return APIResponse { writer in
            writer.array("channels") { writer in
                for channel in page.channels { writer.groupChannel(channel) }
            }
            writer.field("next", next)
            writer.field("ts", world.now().milliseconds)
        }
    }

    /// Whether a caller may look up a channel of the list.
    private func isShown(
        _ state: ChannelState, to caller: APICaller
    ) async throws(ServerError) -> Bool {
        guard caller != .platform else { return true }
        let access = try await ask(
            try await storage.access(to: state.record.url, of: caller.userID))
        return access?.traits.ban?.isActive(at: world.now()) != true
    }

    /// Walks through channels by URL; one call reads a bounded number.
    ///
    /// - Parameters:
    ///   - token: The end of the page before.
    ///   - limit: The most channels of the page.
    ///   - caller: The user who pays for whole records; nil for the platform.
    ///   - isWanted: Whether a channel matches, by its brief record.
    ///   - isWhollyWanted: Whether it matches by its whole record too; nil if that decides nothing.
    /// - Returns: At most `limit` matching channels as brief records, and the token of the next
    ///   page: "" after the last channel. A page may be short, or empty, and have a next one.
    /// - Throws: A failure of the storage.
    func walk(
        from token: String?, limit: Int, for caller: UserID? = nil,
        where isWanted: (ChannelRecord) -> Bool,
        and isWhollyWanted: ((ChannelRecord) -> Bool)? = nil
    ) async throws(ServerError) -> (channels: [ChannelRecord], next: String) {
        var after = token.flatMap { $0.isEmpty ? nil : ChannelURL($0) }
        var found: [ChannelRecord] = []
        var bytes = 0
        defer { rates.note(user: caller, count: bytes / RequestRates.chargedReadBytes) }
        for _ in 0..<Self.walkedPages where bytes < limits.listedBytes {
            try stopIfCancelled()
            let start = after
            let page = try await ask(
                try await storage.channels(after: start, limit: Self.walkedPage))
            var wanted = page.filter(isWanted)
            if let isWhollyWanted {
                var kept: Set<ChannelURL> = []
                try await forEachRecord(of: wanted.map(\.url)) { record in
                    bytes += record.weight
                    if isWhollyWanted(record) { kept.insert(record.url) }
                }
                wanted.removeAll { !kept.contains($0.url) }
            }
            for record in wanted {
                guard found.count < limit else {
                    return (found, found.last?.url.rawValue ?? "")
                }
                found.append(record)
            }
            guard page.count == Self.walkedPage, let last = page.last?.url else {
                return (found, "")
            }
            after = last
        }
        return (found, after?.rawValue ?? "")
    }

    private static let walkedPage = 200

    private static let walkedPages = 20
}
