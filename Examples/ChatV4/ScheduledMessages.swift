// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK

/// Messages that the server sends at a later time.
///
/// `schedule TEXT` for tomorrow, `scheduled`, `send-now TEXT`, `unschedule TEXT`.
final class ScheduledMessages {
    private let screen: Screen
    private let chat: Chat

    init(_ chat: Chat, _ screen: Screen) {
        (self.chat, self.screen) = (chat, screen)
        screen.on("schedule", schedule)
        screen.on("scheduled") { _ in
            self.load { messages, error in
                screen.done("scheduled:", messages.map(\.message).listed, error: error)
            }
        }
        on("send-now") {
            $0.sendScheduledMessageNow(scheduledMessageId: $1, completionHandler: $2)
        }
        on("unschedule") {
            $0.cancelScheduledMessage(scheduledMessageId: $1, completionHandler: $2)
        }
    }

    private func schedule(_ text: String) {
        let tomorrow = Date().addingTimeInterval(24 * 60 * 60)
        let params = ScheduledUserMessageCreateParams(
            scheduledAt: Int64(tomorrow.timeIntervalSince1970 * 1_000), message: text)
        chat.channel?.createScheduledUserMessage(params: params) { message, error in
            self.screen.done("scheduled", message?.message ?? "", error: error)
        }
    }

    private func load(then done: @escaping ([BaseMessage], SBError?) -> Void) {
        let query = SendbirdChat.createScheduledMessageListQuery(
            channelURL: chat.channel?.channelURL
        ) { params in
            params.scheduledStatusOptions = [.pending]
        }
        query.loadNextPage { messages, error in done(messages ?? [], error) }
    }

    /// Adds a command that acts on a scheduled message with a text.
    private func on(
        _ name: String, _ action: @escaping (GroupChannel, Int64, @escaping SBErrorHandler) -> Void
    ) {
        screen.on(name) { text in
            self.load { messages, error in
                let message = messages.first { $0.message == text }
                guard let channel = self.chat.channel, let id = message?.scheduledInfo else {
                    return self.screen.done("not scheduled", error: error)
                }
                action(channel, id.scheduledMessageId) { error in
                    self.screen.done("done:", name, text, error: error)
                }
            }
        }
    }
}
