// SPDX-License-Identifier: Apache-2.0

import SendbirdChatSDK

/// Looks for words in the opened channel, and for users by name.
///
/// `search WORD`, `users NICKNAME`.
final class Search {
    private let screen: Screen
    private let chat: Chat

    init(_ chat: Chat, _ screen: Screen) {
        (self.chat, self.screen) = (chat, screen)
        screen.on("search", messages)
        screen.on("users", users)
    }

    private func messages(_ word: String) {
        let query = SendbirdChat.createMessageSearchQuery { params in
            params.keyword = word
            params.channelURL = self.chat.channel?.channelURL
            params.order = .timeStamp
        }
        query.loadNextPage { messages, error in
            self.screen.done("found:", (messages ?? []).map(\.message).listed, error: error)
        }
    }

    private func users(_ nickname: String) {
        let query = SendbirdChat.createApplicationUserListQuery { params in
            params.nicknameStartsWithFilter = nickname
            params.limit = 20
        }
        query.loadNextPage { users, error in
            self.screen.done("users:", (users ?? []).map(\.userId).sorted().listed, error: error)
        }
    }
}
