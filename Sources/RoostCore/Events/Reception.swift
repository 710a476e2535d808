// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

extension SyncState {
    /// Returns the effect of a message on its channel's preview and counts.
    ///
    /// Silent messages of other users change neither (`docs/protocol` 2.6).
    func reception(
        of message: Message, _ event: MessageEvent, _ login: LoginSuccess
    ) -> ChannelNews.Reception {
        let isMine = message.sender?.user.id == me
        let isHeard = isMine || !message.isSilent
        return ChannelNews.Reception(
            isPreview: (isHeard || event.forcesLastMessage)
                && login.lastMessageReplies.admits(message),
            isUnread: !isMine && isHeard && login.unreadReplies.admits(message),
            isMention: message.mention.calls(me), superLimit: login.maxUnreadOnSuperGroup)
    }

    /// Announces a message that is on disk, and acknowledges it.
    mutating func announce(_ event: MessageEvent, countsReceipts: Bool) {
        let (message, channel) = (event.message, event.message.channelURL)
        let isMine = message.sender?.user.id == me
        marks.noteArrival(at: message.createdAt, in: channel)
        if let sender = message.sender?.user { noteTyping(of: sender, false, in: channel) }
        note(event.unread)
        if event.acknowledges == nil {
            noteFrame(at: message.createdAt)
            emit(.messageReceived(message))
            if !isMine, message.mention.calls(me) { emit(.mentioned(message)) }
        }
        if !isMine { acknowledge(message, countsReceipts: countsReceipts) }
    }

    /// Acknowledges a message, unless its channel counts no receipts and the server wants none
    /// there.
    ///
    /// No other work depends on the acknowledgement; that of the next message replaces a lost one.
    mutating func acknowledge(_ message: Message, countsReceipts: Bool) {
        guard countsReceipts || session?.login.omitsSuperAcknowledgements != true,
            let id = message.messageID
        else { return }
        send(.messageAcknowledgement(message.channelURL, id))
    }

    /// Returns the present state of a message, with the changes to repeat after it; nil for a
    /// deleted message.
    func upToDate(
        _ message: Message, since beginning: Int?
    ) -> (message: Message, amendments: [Mutation])? {
        let channel = message.channelURL
        // The change log may have brought a later state already.
        guard let message = recentChanges.upToDate(message) else { return nil }
        let ledger = beginning.map { news(of: channel, since: $0) } ?? FetchLedger()
        let known = ledger.hasDeparture ? [] : ledger.upToDate([message])
        return known.first.map { ($0, ledger.mutations(amending: known, in: channel)) }
    }
}

extension Commit {
    /// The channels that the commit changed, in their new state.
    package var updatedChannels: [GroupChannel] {
        changes.flatMap { change -> [GroupChannel] in
            guard case .channels(let change) = change else { return [] }
            return change.updated.map(\.after)
        }
    }
}
