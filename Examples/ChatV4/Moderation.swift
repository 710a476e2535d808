// SPDX-License-Identifier: Apache-2.0

import SendbirdChatSDK

/// The actions of an operator of the opened channel.
///
/// `members`, `mute USER`, `unmute USER`, `ban USER`, `unban USER`, `banned`, `invite USER`,
/// `promote USER`, `demote USER`, `freeze`, `unfreeze`.
final class Moderation: GroupChannelDelegate {
    private let screen: Screen
    private let chat: Chat

    init(_ chat: Chat, _ screen: Screen) {
        (self.chat, self.screen) = (chat, screen)
        SendbirdChat.addChannelDelegate(self, identifier: "moderation")
        screen.on("members") { _ in self.members() }
        screen.on("banned") { _ in self.banned() }
        on("mute") { $0.muteUser(userId: $1, seconds: 600, description: "", completionHandler: $2) }
        on("unmute") { $0.unmuteUser(userId: $1, completionHandler: $2) }
        on("ban") { $0.banUser(userId: $1, seconds: 600, description: "", completionHandler: $2) }
        on("unban") { $0.unbanUser(userId: $1, completionHandler: $2) }
        on("invite") { $0.inviteUserId($1, completionHandler: $2) }
        on("promote") { $0.addOperators(userIds: [$1], completionHandler: $2) }
        on("demote") { $0.removeOperators(userIds: [$1], completionHandler: $2) }
        on("freeze") { channel, _, done in channel.freeze(completionHandler: done) }
        on("unfreeze") { channel, _, done in channel.unfreeze(completionHandler: done) }
    }

    /// Adds a command that acts on a user of the opened channel.
    private func on(
        _ name: String,
        _ action: @escaping (GroupChannel, _ user: String, @escaping SBErrorHandler) -> Void
    ) {
        screen.on(name) { user in
            guard let channel = self.chat.channel else { return self.screen.done("no channel") }
            action(channel, user) { error in
                self.screen.done("done:", name, user, error: error)
            }
        }
    }

    private func members() {
        let query = chat.channel?.createMemberListQuery { params in
            params.limit = 20
            params.order = .nicknameAlphabetical
        }
        query?.loadNextPage { members, error in
            let names = (members ?? []).map { member in
                let role = member.role == .operator ? " (operator)" : ""
                return member.userId + role + (member.isMuted ? " (muted)" : "")
            }
            self.screen.done("members:", names.sorted().listed, error: error)
        }
    }

    private func banned() {
        chat.channel?.createBannedUserListQuery()?.loadNextPage { users, error in
            self.screen.done("banned:", (users ?? []).map(\.userId).listed, error: error)
        }
    }

    // MARK: Events

    func channel(_ channel: BaseChannel, userWasMuted user: RestrictedUser) {
        screen.show("muted:", user.userId)
    }

    func channel(_ channel: BaseChannel, userWasUnmuted user: User) {
        screen.show("unmuted:", user.userId)
    }

    func channel(_ channel: BaseChannel, userWasBanned user: RestrictedUser) {
        screen.show("banned:", user.userId)
    }

    func channelWasFrozen(_ channel: BaseChannel) {
        screen.show("frozen:", channel.name)
    }
}
