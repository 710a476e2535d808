// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendBirdSDK
import SendBirdSyncManager

/// The messages of the opened channel.
///
/// `open NAME`, `send TEXT`, `older`, `read`, `pending`, `failed`, `resend`, `discard`.
/// `await TEXT`, `await-pending TEXT` and `await-failed TEXT` wait until a message is shown so.
final class Chat: SBSMMessageCollectionDelegate {
    private let screen: Screen
    private let list: ChannelList
    private var collection: SBSMMessageCollection?
    private(set) var shown: [SBDBaseMessage] = []
    /// The text and the state of the message that the present command waits for.
    private var awaited: (text: String, status: SBDMessageSendingStatus)?

    init(_ list: ChannelList, _ screen: Screen) {
        (self.list, self.screen) = (list, screen)
        screen.on("open", open)
        screen.on("send", send)
        screen.on("older") { _ in
            self.collection?.fetch(in: .previous) { hasMore, error in
                screen.done("older", error: error)
            }
        }
        screen.on("read") { _ in
            self.channel?.markAsRead { error in screen.done("read", error: error) }
        }
        screen.on("await") { self.wait(for: $0, .succeeded) }
        screen.on("await-pending") { self.wait(for: $0, .pending) }
        screen.on("await-failed") { self.wait(for: $0, .failed) }
        screen.on("pending") { _ in self.list(.pending, as: "pending") }
        screen.on("failed") { _ in self.list(.failed, as: "failed") }
        screen.on("resend") { _ in self.resend() }
        screen.on("discard") { _ in self.discard() }
    }

    var channel: SBDGroupChannel? { collection?.channel }

    /// Returns the shown message with a text.
    func message(_ text: String) -> SBDBaseMessage? {
        shown.first { $0.message == text }
    }

    func close() {
        collection?.remove()
        collection = nil
        shown = []
    }

    private func messages(_ status: SBDMessageSendingStatus) -> [SBDBaseMessage] {
        shown.filter { $0.sendingStatus == status }
    }

    private func list(_ status: SBDMessageSendingStatus, as kind: String) {
        screen.done(kind, messages(status).map(\.message).listed)
    }

    // MARK: Opening

    private func open(_ name: String) {
        guard let channel = list.channel(named: name) else {
            return screen.done("no channel \(name)")
        }
        close()
        let collection = SBSMMessageCollection(
            channel: channel, filter: SBSMMessageFilter(), viewpointTimestamp: Int64.max)
        self.collection = collection
        collection.delegate = self
        collection.fetch(in: .previous) { hasMore, error in
            collection.fetchPendingMessages { error in
                collection.fetchFailedMessages { error in
                    self.screen.done("messages", self.shown.map(\.message).listed)
                }
            }
        }
    }

    // MARK: Sending

    private func send(_ text: String) {
        guard let params = SBDUserMessageParams(message: text), let collection else {
            return screen.done("no channel")
        }
        let preview = collection.channel.sendUserMessage(with: params) { message, error in
            collection.handleSendMessageResponse(message, error)
            self.show(message, error)
        }
        collection.appendMessage(preview)
    }

    private func resend() {
        guard let failed = messages(.failed).first as? SBDUserMessage else {
            return screen.done("nothing failed")
        }
        channel?.resendUserMessage(with: failed) { message, error in
            self.collection?.handleSendMessageResponse(message, error)
            self.show(message, error)
        }
    }

    private func discard() {
        for message in messages(.failed) {
            collection?.deleteFailedMessage(withRequestId: message.requestId)
        }
        screen.done("discarded")
    }

    private func show(_ message: SBDUserMessage?, _ error: SBDError?) {
        let text = message?.message ?? ""
        guard let error else { return screen.done("sent", text) }
        let isFailed = message?.sendingStatus == .failed
        screen.done(isFailed ? "failed \(error.code)" : "waiting", text)
    }

    private func wait(for text: String, _ status: SBDMessageSendingStatus) {
        awaited = (text, status)
        check()
    }

    private func check() {
        guard let awaited, message(awaited.text)?.sendingStatus == awaited.status else { return }
        self.awaited = nil
        screen.done("shown", awaited.text)
    }

    // MARK: Events

    func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        succeededMessages: [SBDBaseMessage]
    ) {
        if action == .clear { screen.show("begins anew") }
        if action == .update {
            for message in succeededMessages { screen.show("changed:", message.summary) }
        }
        apply(action, to: succeededMessages)
    }

    func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        pendingMessages: [SBDBaseMessage]
    ) {
        apply(action, to: pendingMessages)
    }

    func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        failedMessages: [SBDBaseMessage], reason: SBSMFailedMessageEventActionReason
    ) {
        apply(action, to: failedMessages)
    }

    func collection(_ collection: SBSMMessageCollection, didRemove channel: SBDGroupChannel) {
        screen.show("channel closed")
    }

    private func apply(_ action: SBSMMessageEventAction, to messages: [SBDBaseMessage]) {
        switch action {
        case .insert, .update:
            remove(messages)
            shown += messages
        case .remove: remove(messages)
        case .clear: shown = []
        case .none: break
        }
        check()
    }

    /// Removes messages; a message that was just sent has no message ID yet.
    private func remove(_ messages: [SBDBaseMessage]) {
        for message in messages {
            shown.removeAll {
                $0 == message || !$0.requestId.isEmpty && $0.requestId == message.requestId
            }
        }
    }
}

extension SBDBaseMessage {
    /// The text with the numbers below it.
    fileprivate var summary: String {
        let numbers = reactions.map { "\($0.key) \($0.userIds.count)" }
        return "\(message) (\((["replies \(threadInfo?.replyCount ?? 0)"] + numbers).listed))"
    }
}
