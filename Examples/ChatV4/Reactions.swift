// SPDX-License-Identifier: Apache-2.0

import SendbirdChatSDK

/// The reactions to messages.
///
/// `react TEXT KEY`, `unreact TEXT KEY`, `reactions TEXT`.
final class Reactions {
    private let screen: Screen
    private let chat: Chat

    init(_ chat: Chat, _ screen: Screen) {
        (self.chat, self.screen) = (chat, screen)
        screen.on("react") { self.change($0, adding: true) }
        screen.on("unreact") { self.change($0, adding: false) }
        screen.on("reactions", list)
    }

    private func change(_ words: String, adding: Bool) {
        let (text, key) = words.firstWord
        guard let message = chat.message(text) else { return screen.done("no message") }
        let handler: ReactionEventHandler = { event, error in
            if let event { message.apply(event) }
            self.screen.done(adding ? "reacted" : "took back", key, error: error)
        }
        if adding {
            chat.channel?.addReaction(with: message, key: key, completionHandler: handler)
        } else {
            chat.channel?.deleteReaction(with: message, key: key, completionHandler: handler)
        }
    }

    private func list(_ text: String) {
        let reactions = chat.message(text)?.reactions ?? []
        let texts = reactions.map { "\($0.key) by \($0.userIds.sorted().listed)" }
        screen.done("reactions:", texts.listed)
    }
}
