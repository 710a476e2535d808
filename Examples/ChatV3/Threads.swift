// SPDX-License-Identifier: Apache-2.0

import SendBirdSDK

/// The replies to a message.
///
/// `reply PARENT TEXT`, `thread PARENT`.
final class Threads {
    private let screen: Screen
    private let chat: Chat

    init(_ chat: Chat, _ screen: Screen) {
        (self.chat, self.screen) = (chat, screen)
        screen.on("reply", reply)
        screen.on("thread", open)
    }

    private func reply(_ words: String) {
        let (parent, text) = words.firstWord
        guard let message = chat.message(parent), let params = SBDUserMessageParams(message: text)
        else { return screen.done("no message") }
        params.parentMessageId = message.messageId
        chat.channel?.sendUserMessage(with: params) { reply, error in
            self.screen.done("replied", reply?.message ?? "", error: error)
        }
    }

    private func open(_ parent: String) {
        guard let message = chat.message(parent) else { return screen.done("no message") }
        let params = SBDMessageListParams()
        params.isInclusive = true
        params.nextResultSize = 20
        params.replyType = .all
        params.includeThreadInfo = true
        chat.channel?.getMessagesByTimestamp(message.createdAt, params: params) { messages, error in
            let messages = messages ?? []
            let replies = messages.filter { $0.parentMessageId == message.messageId }
            let count = messages.first { $0 == message }?.threadInfo?.replyCount ?? 0
            self.screen.done("thread of \(count):", replies.map(\.message).listed, error: error)
        }
    }
}
