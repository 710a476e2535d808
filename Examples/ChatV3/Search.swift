// SPDX-License-Identifier: Apache-2.0

import SendBirdSDK

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
        let query = SBDMain.createMessageSearchQuery { builder in
            builder.keyword = word
            builder.channelUrl = self.chat.channel?.channelUrl
            builder.order = .timeStamp
        }
        query?.loadNextPage { messages, error in
            self.screen.done("found:", (messages ?? []).map(\.message).listed, error: error)
        }
    }

    private func users(_ nickname: String) {
        let query = SBDMain.createApplicationUserListQuery()
        query?.nicknameStartsWithFilter = nickname
        query?.limit = 20
        query?.loadNextPage { users, error in
            self.screen.done("users:", (users ?? []).map(\.userId).sorted().listed, error: error)
        }
    }
}
