// SPDX-License-Identifier: Apache-2.0

// Changes of channels that wait: their requests, the older ones that they replace, and their marks
// on the channels that an app sees.

package import RoostModel
import RoostWire

extension ChannelAct {
    /// The request of a waiting change, and its effect on the cache.
    package init(_ change: ChannelChange, in channel: ChannelURL, by me: UserID) {
        switch change {
        case .leave: self.init(.leave(LeaveChannel(channelURL: channel)), .departure(channel))
        case .hide(let allowsAutoUnhide):
            self.init(
                .moment(
                    .hide(channel, hidesPrevious: false, allowsAutoUnhide: allowsAutoUnhide)),
                .hidden(
                    allowsAutoUnhide ? .untilNextMessage : .untilShown, hidesPrevious: false,
                    channel))
        case .unhide:
            self.init(
                .request(.unhide(channel)), .news(.hidden(.unhidden, through: nil), channel))
        case .invite(let users):
            self.init(.invite(InviteMembers(channelURL: channel, userIDs: users)), .answered)
        case .update(let params): self.init(.update(UpdateChannel(channel, params)), .answered)
        case .setPushTrigger(let trigger):
            self.init(
                .request(.setPushTrigger(channel, trigger, by: me)),
                .news(.pushTrigger(trigger), channel))
        case .setCountPreference(let preference):
            self.init(
                .request(.setCountPreference(channel, preference, by: me)),
                .news(.countPreference(preference), channel))
        case .mute(let user, let duration, let reason):
            self.init(
                .request(.mute(channel, user, seconds: duration?.wholeSeconds, reason: reason)),
                .unknown(channel))
        case .unmute(let user): self.init(.request(.unmute(channel, user)), .unknown(channel))
        case .pin(let id):
            self.init(.request(.pin(id, isPinned: true, channel)), .unknown(channel))
        case .unpin(let id):
            self.init(.request(.pin(id, isPinned: false, channel)), .unknown(channel))
        }
    }
}

extension UpdateChannel {
    package init(_ url: ChannelURL, _ params: ChannelUpdateParams) {
        self.init(
            channelURL: url, name: params.name, coverURL: params.coverURL, data: params.data,
            customType: params.customType)
        options.isPublic = params.isPublic
        options.isDiscoverable = params.isDiscoverable
        options.accessCode = params.accessCode
        options.survivalSeconds = params.messageSurvivalSeconds
        options.operatorIDs = params.operatorIDs
    }
}

extension Outbox {
    /// The most changes of one channel that wait or are kept as refused.
    package static let mostChannelChanges = 100

    /// Returns the changes of a channel as a whole, refused ones included, in the order of their
    /// calls.
    func channelChanges(in channel: ChannelURL) -> [OutboxItem] {
        order.marks(of: channel).filter { item in
            if case .change(.channel) = item.content { true } else { false }
        }
    }

    /// Ends the write of a change of a channel.
    mutating func endChannelChange(_ action: PendingChange.Action, in channel: ChannelURL) {
        guard case .channel = action, let count = channelChangeWrites[channel] else { return }
        channelChangeWrites[channel] = count > 1 ? count - 1 : nil
    }

    /// Returns the marks of a channel; nil without any.
    package func marks(of channel: ChannelURL) -> ChannelMarks? {
        marks(from: order.marks(of: channel))[channel]
    }

    /// Returns the marks of all channels.
    package var allMarks: [ChannelURL: ChannelMarks] {
        marks(from: items.filter(\.content.isMark))
    }

    private func marks(from items: [OutboxItem]) -> [ChannelURL: ChannelMarks] {
        var marks: [ChannelURL: ChannelMarks] = [:]
        for item in items {
            if let draft = item.draft { marks[item.channel, default: ChannelMarks()].draft = draft }
            guard item.state == .pending, let change = item.change else { continue }
            marks[item.channel, default: ChannelMarks()].changes.append(change)
        }
        return marks
    }
}

extension OutboxContent {
    /// Whether the item shows on the channel or on a message that the server has.
    var isMark: Bool {
        switch self {
        case .change: true
        case .draft(let draft): draft.thread == nil
        default: false
        }
    }
}

extension OutboxItem {
    var isDeparture: Bool { content == .change(.channel(.leave)) }
}

extension SyncState {
    /// Drops the waiting changes of which a newer one leaves nothing.
    mutating func dropChanges(
        of channel: ChannelURL, replacedBy change: ChannelChange, before sequence: Int64
    ) {
        let old = outbox.channelChanges(in: channel).filter { item in
            guard item.sequence < sequence, item.state == .pending,
                case .change(.channel(let earlier)) = item.content
            else { return false }
            return change.replaces(earlier) && !outbox.lanes.isOnItsWay(item.requestID)
        }
        for item in old { cancelUnsent(item.requestID) }
    }

    /// Shows the changed marks of channels in the open collections, and publishes changed drafts.
    mutating func showMarks() {
        for place in outbox.order.takeTouchedDrafts() {
            publish(.draftChanged(place, outbox.draft(at: place)))
        }
        for channel in outbox.order.takeTouched() {
            let ids = timelines.ids(of: channel)
            if !ids.isEmpty {
                let marks = outbox.messageMarks(in: channel)
                for id in ids { timelines[id]?.mark(marks) }
            }
            guard !lists.isEmpty else { continue }
            let marks = outbox.marks(of: channel)
            for id in lists.ids where lists[id]?.mark(channel, marks) == true {
                start(.listRead(ListRead(id, from: .local)))
            }
        }
    }
}

extension RoostError {
    static let tooManyChanges = RoostError(
        .tooManyItems, remedy: .retry,
        message: "At most \(Outbox.mostChannelChanges) changes of a channel wait or are kept as "
            + "refused: wait for a connection, or remove refused ones with `cancel(_:)`.")
}
