// SPDX-License-Identifier: Apache-2.0

import Foundation
public import SendBirdSDK

/// A `MessageTable` kept equal to the server by pages and change logs.
///
/// A token is stored after its data; a crash between the two repeats a page and loses nothing.
public final class MessageCache: SBDChannelDelegate {
    public let table: MessageTable

    public init(table: MessageTable) { self.table = table }

    // MARK: Messages

    // The guide asks for messages behind the newest one in the table. A live message would hide
    // those missed before it. So the ends that pages have reached are stored. Each end is asked for
    // again, because others may have been written in the same millisecond.

    /// Fetches the messages before the part that pages have reached; at first the newest ones.
    public func loadOlder(
        in channel: SBDGroupChannel, done: @escaping ((any Error)?) -> Void
    ) {
        let params = SBDMessageListParams()
        params.previousResultSize = 50
        params.isInclusive = true
        let oldest = end("oldest", of: channel)
        channel.getMessagesByTimestamp(oldest ?? Int64.max, params: params) { messages, error in
            self.keep(error, done) {
                try self.table.insert(messages ?? [])
                guard let first = messages?.first, let last = messages?.last else { return }
                if oldest == nil { try self.setEnd("newest", of: channel, last) }
                try self.setEnd("oldest", of: channel, first)
            }
        }
    }

    /// Fetches all messages after the part that pages have reached.
    public func loadNewer(
        in channel: SBDGroupChannel, done: @escaping ((any Error)?) -> Void
    ) {
        guard let newest = end("newest", of: channel) else {
            return loadOlder(in: channel, done: done)
        }
        let params = SBDMessageListParams()
        params.nextResultSize = 50
        params.isInclusive = true
        channel.getMessagesByTimestamp(newest, params: params) { messages, error in
            let last = messages?.last
            let goesOn = (messages?.count ?? 0) >= 50 && (last?.createdAt ?? 0) > newest
            self.keep(error, goesOn ? { self.loadNewer(after: $0, in: channel, done) } : done) {
                try self.table.insert(messages ?? [])
                if let last { try self.setEnd("newest", of: channel, last) }
            }
        }
    }

    private func loadNewer(
        after error: (any Error)?, in channel: SBDGroupChannel,
        _ done: @escaping ((any Error)?) -> Void
    ) {
        if let error { done(error) } else { loadNewer(in: channel, done: done) }
    }

    /// Returns the time that pages have reached, in milliseconds.
    private func end(_ name: String, of channel: SBDGroupChannel) -> Int64? {
        (try? table.token(name, of: channel.channelUrl)).flatMap { Int64($0) }
    }

    private func setEnd(
        _ name: String, of channel: SBDGroupChannel, _ message: SBDBaseMessage
    ) throws {
        try table.setToken("\(message.createdAt)", name, of: channel.channelUrl)
    }

    /// Applies the edits and deletions since the last call.
    public func applyChanges(
        in channel: SBDGroupChannel, done: @escaping ((any Error)?) -> Void
    ) {
        let (name, url) = ("messages", channel.channelUrl)
        let params = SBDMessageChangeLogsParams()
        let handler: SBDGroupChannel.MessageChangeLogsHandler = {
            updated, deleted, hasMore, token, error in
            self.keep(error, hasMore ? { self.goOn($0, done, channel) } : done) {
                try self.table.update(updated ?? [])
                try self.table.delete(deleted ?? [])
                if let token { try self.table.setToken(token, name, of: url) }
            }
        }
        if let token = try? table.token(name, of: url) {
            channel.getMessageChangeLogs(
                sinceToken: token, params: params, completionHandler: handler)
        } else {
            // Every change of these messages happened after the oldest of them was written.
            let first = try? table.messages(in: url).first
            channel.getMessageChangeLogs(
                sinceTimestamp: first?.createdAt ?? 1, params: params, completionHandler: handler)
        }
    }

    private func goOn(
        _ error: (any Error)?, _ done: @escaping ((any Error)?) -> Void,
        _ channel: SBDGroupChannel
    ) {
        if let error { done(error) } else { applyChanges(in: channel, done: done) }
    }

    private func keep(
        _ error: SBDError?, _ done: ((any Error)?) -> Void, _ work: () throws -> Void
    ) {
        if let error { return done(error) }
        do {
            try work()
            done(nil)
        } catch {
            done(error)
        }
    }

    // MARK: Channels

    /// Replaces the table's channels with the server's: channels are few and change often.
    public func replaceChannels(done: @escaping ((any Error)?) -> Void) {
        guard let query = SBDGroupChannel.createMyGroupChannelListQuery() else { return }
        query.includeEmptyChannel = true
        query.limit = 100
        collect(query, [], done)
    }

    private func collect(
        _ query: SBDGroupChannelListQuery, _ found: [SBDGroupChannel],
        _ done: @escaping ((any Error)?) -> Void
    ) {
        query.loadNextPage { channels, error in
            let all = found + (channels ?? [])
            if error == nil, query.hasNext { return self.collect(query, all, done) }
            self.keep(error, done) { try self.table.replaceChannels(with: all) }
        }
    }

    /// Replaces the table's open channels with the server's, because no change log covers them.
    public func replaceOpenChannels(done: @escaping ((any Error)?) -> Void) {
        guard let query = SBDOpenChannel.createOpenChannelListQuery() else { return }
        query.limit = 100
        collect(query, [], done)
    }

    private func collect(
        _ query: SBDOpenChannelListQuery, _ found: [SBDOpenChannel],
        _ done: @escaping ((any Error)?) -> Void
    ) {
        query.loadNextPage { channels, error in
            let all = found + (channels ?? [])
            if error == nil, query.hasNext { return self.collect(query, all, done) }
            self.keep(error, done) { try self.table.replaceOpenChannels(with: all) }
        }
    }

    /// Applies the changes of the user's channels since the last call.
    public func applyChannelChanges(done: @escaping ((any Error)?) -> Void) {
        let handler: SBDMain.ChannelChangeLogsHandler = { updated, deleted, hasMore, token, error in
            self.keep(
                error,
                hasMore ? { $0 == nil ? self.applyChannelChanges(done: done) : done($0) } : done
            ) {
                try self.table.insert(updated ?? [])
                try self.table.deleteChannels(deleted ?? [])
                if let token { try self.table.setToken(token, "channels") }
            }
        }
        if let token = try? table.token("channels") {
            SBDMain.getMyGroupChannelChangeLogs(
                byToken: token, customTypes: nil, completionHandler: handler)
        } else {
            SBDMain.getMyGroupChannelChangeLogs(
                byTimestamp: 1, customTypes: nil, completionHandler: handler)
        }
    }

    // MARK: Live events

    // A change that cannot be written now comes later: an edit or a deletion with the next change
    // log, a new message with `loadNewer`.

    // A message may be the last one of its channel, which decides the channel's place in the list.

    public func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {
        try? table.insert([message])
        channelWasChanged(sender)
    }

    public func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage) {
        try? table.update([message])
        channelWasChanged(sender)
    }

    public func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64) {
        try? table.delete([NSNumber(value: messageId)])
        channelWasChanged(sender)
    }

    public func channelWasChanged(_ sender: SBDBaseChannel) {
        if let channel = sender as? SBDGroupChannel { try? table.insert([channel]) }
    }

    public func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType) {
        try? table.deleteChannels([channelUrl])
    }

    public func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser) {
        try? table.insert([sender])
    }

    public func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser) {
        if isMe(user) {
            try? table.deleteChannels([sender.channelUrl])
        } else {
            try? table.insert([sender])
        }
    }

    public func channel(
        _ sender: SBDGroupChannel, didReceiveInvitation invitees: [SBDUser]?, inviter: SBDUser?
    ) {
        try? table.insert([sender])
    }

    public func channel(
        _ sender: SBDGroupChannel, didDeclineInvitation invitee: SBDUser?, inviter: SBDUser?
    ) {
        if let invitee, isMe(invitee) {
            try? table.deleteChannels([sender.channelUrl])
        } else {
            try? table.insert([sender])
        }
    }

    public func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel) {
        try? table.insert([sender])
    }

    public func channelDidChangeMemberCount(_ channels: [SBDGroupChannel]) {
        try? table.insert(channels)
    }

    public func channel(_ sender: SBDBaseChannel, userWasBanned user: SBDUser) {
        if isMe(user) { try? table.deleteChannels([sender.channelUrl]) }
    }

    private func isMe(_ user: SBDUser) -> Bool {
        user.userId == SBDMain.getCurrentUser()?.userId
    }
}
