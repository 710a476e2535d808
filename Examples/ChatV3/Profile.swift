// SPDX-License-Identifier: Apache-2.0

import SendBirdSDK

/// The user's own profile and the list of blocked users.
///
/// `me`, `nickname NAME`, `block USER`, `unblock USER`, `blocked`.
final class Profile {
    private let screen: Screen

    init(_ screen: Screen) {
        self.screen = screen
        screen.on("me") { _ in
            let me = SBDMain.getCurrentUser()
            screen.done("me:", me?.userId ?? "nobody", me?.nickname ?? "")
        }
        screen.on("nickname", rename)
        screen.on("block") { id in
            SBDMain.blockUserId(id) { user, error in
                screen.done("blocked", user?.userId ?? "", error: error)
            }
        }
        screen.on("unblock") { id in
            SBDMain.unblockUserId(id) { error in screen.done("unblocked", id, error: error) }
        }
        screen.on("blocked") { _ in self.blocked() }
    }

    private func rename(_ name: String) {
        SBDMain.updateCurrentUserInfo(withNickname: name, profileUrl: nil) { error in
            let nickname = SBDMain.getCurrentUser()?.nickname ?? ""
            self.screen.done("renamed", nickname, error: error)
        }
    }

    private func blocked() {
        SBDMain.createBlockedUserListQuery()?.loadNextPage { users, error in
            self.screen.done("blocked:", (users ?? []).map(\.userId).listed, error: error)
        }
    }
}
