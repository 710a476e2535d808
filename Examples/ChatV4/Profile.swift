// SPDX-License-Identifier: Apache-2.0

import SendbirdChatSDK

/// The user's own profile and the list of blocked users.
///
/// `me`, `nickname NAME`, `block USER`, `unblock USER`, `blocked`.
final class Profile {
    private let screen: Screen

    init(_ screen: Screen) {
        self.screen = screen
        screen.on("me") { _ in
            let me = SendbirdChat.getCurrentUser()
            screen.done("me:", me?.userId ?? "nobody", me?.nickname ?? "")
        }
        screen.on("nickname", rename)
        screen.on("block") { id in
            SendbirdChat.blockUserId(id) { user, error in
                screen.done("blocked", user?.userId ?? "", error: error)
            }
        }
        screen.on("unblock") { id in
            SendbirdChat.unblockUserId(id) { error in screen.done("unblocked", id, error: error) }
        }
        screen.on("blocked") { _ in self.blocked() }
    }

    private func rename(_ name: String) {
        let params = UserUpdateParams()
        params.nickname = name
        SendbirdChat.updateCurrentUserInfo(
            params: params,
            completionHandler: { error in
                let nickname = SendbirdChat.getCurrentUser()?.nickname ?? ""
                self.screen.done("renamed", nickname, error: error)
            })
    }

    private func blocked() {
        SendbirdChat.createBlockedUserListQuery().loadNextPage { users, error in
            self.screen.done("blocked:", (users ?? []).map(\.userId).listed, error: error)
        }
    }
}
