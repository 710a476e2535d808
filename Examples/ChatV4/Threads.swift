// SPDX-License-Identifier: Apache-2.0

import SendbirdChatSDK

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
        guard let message = chat.message(parent) else { return screen.done("no message") }
        let params = UserMessageCreateParams(message: text)
        params.parentMessageId = message.messageId
        chat.channel?.sendUserMessage(params: params) { reply, error in
            self.screen.done("replied", reply?.message ?? "", error: error)
        }
    }

    private func open(_ parent: String) {
        guard let message = chat.message(parent) else { return screen.done("no message") }
        let params = ThreadedMessageListParams()
        params.nextResultSize = 20
        params.isInclusive = true
        message.getThreadedMessages(timestamp: 0, params: params) { parent, replies, error in
            let texts = (replies ?? []).map(\.message).listed
            let count = parent?.threadInfo.replyCount ?? 0
            self.screen.done("thread of \(count):", texts, error: error)
        }
    }
}
