// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostExecutors
import RoostModel
import SendBirdSDK

extension SBSMMessageCollection {
    func notify(_ event: Event) {
        switch event {
        case .inserted(let messages):
            note(messages)
            notify(.insert, messages)
        case .changed(let change):
            notify(.remove, change.deleted)
            notify(change.updated)
            notify(.insert, change.inserted)
            notifyOfNew(change)
        case .isEmpty: newest.withLock { $0 = $0 ?? .distantPast }
        case .cleared(let messages):
            newest.withLock { $0 = nil }
            notifyOfClearing(messages)
        case .hugeGap: showNewest()
        }
    }

    private func notify(_ action: SBSMMessageEventAction, _ messages: [Message]) {
        guard !messages.isEmpty else { return }
        notifyOfAll(action, messages)
        notifyByState(action, messages)
    }

    /// Reports changed messages; a message with another state of sending leaves the list of the old
    /// state and enters that of the new one.
    private func notify(_ updates: [Update<Message>]) {
        guard !updates.isEmpty else { return }
        notifyOfAll(.update, updates.map(\.after))
        let moved = updates.filter { $0.before.state != $0.after.state }
        notifyByState(.remove, moved.map(\.before))
        notifyByState(.insert, moved.map(\.after))
        notifyByState(
            .update, updates.filter { $0.before.state == $0.after.state }.map(\.after))
    }

    /// Reports that all shown messages were removed.
    ///
    /// The event carries the removed messages: the guide's delegate ignores events without
    /// messages.
    private func notifyOfClearing(_ messages: [Message]) {
        notifyOfAll(.clear, messages)
        notifyByState(.clear, messages)
        // An app that shows nothing but pending messages must get it too.
        if !messages.contains(where: { $0.state == .succeeded }) {
            receiver?.collection(self, didReceive: .clear, succeededMessages: [])
        }
    }

    private func notifyOfAll(_ action: SBSMMessageEventAction, _ messages: [Message]) {
        receiver?.collection(
            self, didReceiveEvent: action, messages: messages.map { SBDBaseMessage.make($0) })
    }

    private func notifyByState(_ action: SBSMMessageEventAction, _ messages: [Message]) {
        func objects(_ state: SendingStatus) -> [SBDBaseMessage] {
            messages.filter { $0.state == state }.map { SBDBaseMessage.make($0) }
        }
        let (sent, pending) = (objects(.succeeded), objects(.pending))
        if !sent.isEmpty {
            receiver?.collection(self, didReceive: action, succeededMessages: sent)
        }
        if !pending.isEmpty {
            receiver?.collection(self, didReceive: action, pendingMessages: pending)
        }
        for message in objects(.failed) {
            receiver?.collection(
                self, didReceive: action, failedMessages: [message],
                reason: SBSMFailedMessageEventActionReason(message.errorCode))
        }
    }

    /// Reports the messages of other users behind all that were shown before.
    private func notifyOfNew(_ change: ListDiff<Message>) {
        let (me, known) = (SBDMain.door.account, newest.withLock { $0 })
        note(change.inserted)
        note(change.updated.map(\.after))
        // The first page of a channel is not news, even if it comes after the fetch.
        let isLive = change.origins == [.event]
        guard let before = known ?? (isLive ? .distantPast : nil) else { return }
        for message in change.inserted where message.sender?.user.id != me {
            guard let position = message.position, position > before else { continue }
            receiver?.collection(self, didReceiveNewMessage: SBDBaseMessage.make(message))
        }
    }

    /// Notes how far the shown messages reach.
    private func note(_ messages: [Message]) {
        guard let last = messages.compactMap(\.position).max() else { return }
        newest.withLock { $0 = max($0 ?? .distantPast, last) }
    }

    /// Reports a change of the channel.
    func notify(_ event: ChannelListDriver.Event) {
        for channel in event.change.present {
            receiver?.collection(
                self, didUpdate: SBDGroupChannel(kept: channel, askedAt: event.moment))
        }
        for channel in event.change.deleted {
            receiver?.collection(self, didRemove: SBDGroupChannel(kept: channel))
        }
    }
}

extension Message {
    /// The state of sending by which the delegate's methods differ; a canceled message has failed.
    fileprivate var state: SendingStatus { status == .canceled ? .failed : status }
}
