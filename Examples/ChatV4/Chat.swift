// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK

/// The messages of the opened channel.
///
/// `open NAME`, `send TEXT`, `older`, `read`, `pending`, `failed`, `resend`, `discard`.
/// `await TEXT`, `await-pending TEXT` and `await-failed TEXT` wait until a message is shown so.
final class Chat: MessageCollectionDelegate {
    private let screen: Screen
    private let list: ChannelList
    private var collection: MessageCollection?
    private(set) var shown: [BaseMessage] = []
    /// The text and the state of the message that the present command waits for.
    private var awaited: (text: String, status: MessageSendingStatus)?

    init(_ list: ChannelList, _ screen: Screen) {
        (self.list, self.screen) = (list, screen)
        screen.on("open", open)
        screen.on("send", send)
        screen.on("older") { _ in self.older() }
        screen.on("read") { _ in
            self.channel?.markAsRead { error in screen.done("read", error: error) }
        }
        screen.on("await") { self.wait(for: $0, .succeeded) }
        screen.on("await-pending") { self.wait(for: $0, .pending) }
        screen.on("await-failed") { self.wait(for: $0, .failed) }
        screen.on("pending") { _ in self.list("pending", self.collection?.pendingMessages) }
        screen.on("failed") { _ in self.list("failed", self.collection?.failedMessages) }
        screen.on("resend") { _ in self.resend() }
        screen.on("discard") { _ in
            self.collection?.removeAllFailed { error in screen.done("discarded", error: error) }
        }
    }

    var channel: GroupChannel? { collection?.channel }

    /// Returns the shown message with a text.
    func message(_ text: String) -> BaseMessage? {
        shown.first { $0.message == text }
    }

    func close() {
        collection?.dispose()
        collection = nil
        shown = []
    }

    private func list(_ kind: String, _ messages: [BaseMessage]?) {
        screen.done(kind, (messages ?? []).map(\.message).listed)
    }

    // MARK: Opening

    private func open(_ name: String) {
        guard let channel = list.channel(named: name) else {
            return screen.done("no channel \(name)")
        }
        start(channel) { self.screen.next() }
    }

    private func start(_ channel: GroupChannel, then done: @escaping () -> Void) {
        close()
        let params = MessageListParams()
        params.includeReactions = true
        params.includeThreadInfo = true
        params.includePollDetails = true
        let collection = SendbirdChat.createMessageCollection(channel: channel, params: params)
        self.collection = collection
        collection.delegate = self
        collection.startCollection(
            initPolicy: .cacheAndReplaceByApi,
            cacheResultHandler: { messages, error in
                self.shown = messages ?? []
                self.screen.show("cache", self.shown.map(\.message).listed)
            },
            apiResultHandler: { messages, error in
                if let messages {
                    self.shown = messages
                    self.screen.show("server", messages.map(\.message).listed)
                } else {
                    self.screen.show("server out of reach")
                }
                done()
            })
    }

    private func older() {
        collection?.loadPrevious { messages, error in
            self.shown = (messages ?? []) + self.shown
            self.screen.done("older", (messages ?? []).map(\.message).listed)
        }
    }

    // MARK: Sending

    private func send(_ text: String) {
        guard let channel else { return screen.done("no channel") }
        channel.sendUserMessage(text, completionHandler: show)
    }

    private func resend() {
        guard let failed = collection?.failedMessages.first as? UserMessage else {
            return screen.done("nothing failed")
        }
        channel?.resendUserMessage(failed, completionHandler: show)
    }

    private func show(_ message: UserMessage?, _ error: SBError?) {
        let text = message?.message ?? ""
        guard let error else { return screen.done("sent", text) }
        let isFailed = message?.sendingStatus == .failed
        screen.done(isFailed ? "failed \(error.code)" : "waiting", text)
    }

    private func wait(for text: String, _ status: MessageSendingStatus) {
        awaited = (text, status)
        check()
    }

    private func check() {
        guard let awaited, message(awaited.text)?.sendingStatus == awaited.status else { return }
        self.awaited = nil
        screen.done("shown", awaited.text)
    }

    // MARK: Events

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [BaseMessage]
    ) {
        shown += messages
        check()
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [BaseMessage]
    ) {
        for message in messages {
            if shown.contains(where: { $0 == message && $0.sendingStatus == .succeeded }) {
                screen.show("changed:", message.summary)
            }
            shown.removeAll {
                $0 == message || (!$0.requestId.isEmpty && $0.requestId == message.requestId)
            }
            shown.append(message)
        }
        check()
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [BaseMessage]
    ) {
        shown.removeAll { messages.contains($0) }
    }

    func messageCollection(
        _ collection: MessageCollection, channelContext: ChannelContext,
        deletedChannel channelURL: String
    ) {
        screen.show("channel closed")
    }

    func didDetectHugeGap(_ collection: MessageCollection) {
        screen.show("huge gap")
        // The reader of the commands continues; only the list begins anew.
        start(collection.channel) { self.check() }
    }
}

extension BaseMessage {
    /// The text with the numbers below it.
    fileprivate var summary: String {
        let numbers = reactions.map { "\($0.key) \($0.userIds.count)" }
        return "\(message) (\((["replies \(threadInfo.replyCount)"] + numbers).listed))"
    }
}
