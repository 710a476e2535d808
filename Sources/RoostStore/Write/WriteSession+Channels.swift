// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
package import RoostModel
internal import RoostSQLite

extension WriteSession {
    /// Adds a channel or replaces its cached form.
    func put(_ news: GroupChannel) throws(SQLiteError) {
        try put(news, over: storedChannel(news.url))
    }

    private func put(_ news: GroupChannel, over old: GroupChannel?) throws(SQLiteError) {
        let row = try rowMaking(news.url)
        let channel = old.map(news.keepingMissingFields) ?? news
        for user in channel.users { try users.learn(user, inFull: false) }
        if let old, old.mapUsers(users.now) == channel.mapUsers(users.now) { return }
        var payload: [UInt8] = []
        try seal(ofChannel: row).append(to: &payload, at: .channel(row: row)) {
            ChannelPayload.write(channel, to: &$0, row: users.row)
        }
        try connection.execute(
            .updateChannel,
            ChannelEntry(
                row: row, channel: channel, customTypeRow: try words.row(channel.customType),
                payload: payload))
        note(channel.url, before: old, after: channel)
        if let offset = channel.messageOffset, offset > old?.messageOffset ?? .distantPast {
            try cutHistory(of: channel.url, through: offset)
        }
    }

    /// Applies an event to a channel; ignores a channel that is not cached.
    func apply(_ news: ChannelNews, to url: ChannelURL) throws(SQLiteError) {
        guard let old = try storedChannel(url) else { return }
        let channel = old.applying(news)
        // A repeated receipt in a channel with thousands of members ends here.
        if channel != old { try put(channel, over: old) }
    }

    /// Removes a channel with all its data.
    func removeChannel(
        _ url: ChannelURL, before rest: ArraySlice<Mutation>
    ) throws(SQLiteError) {
        guard let row = try row(url) else { return }
        let old = try storedChannel(url)
        try clearMessages(url, before: rest)
        try withNews(of: url, row: row) { news throws(SQLiteError) in news.cut = nil }
        try connection.execute(.deleteCursorsOfChannel, row)
        try eraseKeys(ofChannel: row)
        try connection.execute(.blankChannel, row)
        // A channel that returns in the same commit keeps its row. Other rows are deleted at the
        // end of the commit, so their numbers are not reused before.
        if !rest.contains(where: { $0.concerns(url) }) { removedRows.insert(row) }
        note(url, before: old, after: nil)
    }

    /// Returns the change of the set of channels; nil if there is none.
    func channelsChange() -> ChannelsChange? {
        var inserted: [GroupChannel] = []
        var updated: [Update<GroupChannel>] = []
        var deleted: [ChannelURL] = []
        for url in channelOrder {
            switch (channels[url]?.before, channels[url]?.after) {
            case (nil, let after?): inserted.append(after.mapUsers(users.now))
            case (.some, nil): deleted.append(url)
            case (let old?, let after?):
                // A new name of a member is reported by `Change.users` only.
                if old.mapUsers(users.now) != after.mapUsers(users.now) {
                    updated.append(
                        Update(before: old.mapUsers(users.before), after: after.mapUsers(users.now))
                    )
                }
            case (nil, nil): break
            }
        }
        guard !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty else { return nil }
        return ChannelsChange(inserted: inserted, updated: updated, deleted: deleted)
    }

    private func note(_ url: ChannelURL, before: GroupChannel?, after: GroupChannel?) {
        if channels[url] == nil {
            channelOrder.append(url)
            channels[url] = (before, after)
        }
        channels[url]?.after = after
    }

    /// Returns the stored channel; nil if it cannot be read, so that the server's answer replaces it.
    private func storedChannel(_ url: ChannelURL) throws(SQLiteError) -> GroupChannel? {
        do throws(SQLiteError) {
            return try connection.storedChannel(url).flatMap { stored throws(SQLiteError) in
                try channel(stored)
            }
        } catch  where error.isMalformedValue {
            return nil
        }
    }
}

extension GroupChannel {
    /// Returns the channel with the fields of an older copy that this one lacks (scar 110).
    fileprivate func keepingMissingFields(of old: GroupChannel) -> GroupChannel {
        var channel = self
        channel.readReceipts = readReceipts ?? old.readReceipts
        channel.deliveryReceipts = deliveryReceipts ?? old.deliveryReceipts
        channel.metadata = metadata ?? old.metadata
        return channel
    }

    /// All users in the channel.
    package var users: [User] {
        [createdBy, inviter, lastMessage?.sender?.user, latestPinnedMessage?.sender?.user]
            .compactMap { $0 } + members.map(\.user) + operators
            + (lastMessage?.people ?? []) + (latestPinnedMessage?.people ?? [])
    }

    /// Returns the channel with each of its users transformed.
    package func mapUsers(_ transform: (User) -> User) -> GroupChannel {
        var channel = self
        channel.createdBy = createdBy.map(transform)
        channel.inviter = inviter.map(transform)
        channel.operators = operators.map(transform)
        channel.lastMessage = lastMessage?.mapUsers(transform)
        channel.latestPinnedMessage = latestPinnedMessage?.mapUsers(transform)
        channel.members = members.map { member in
            var member = member
            member.user = transform(member.user)
            return member
        }
        return channel
    }
}
