// SPDX-License-Identifier: Apache-2.0

import SendBirdSDK

/// The actions of an operator of the opened channel.
///
/// `members`, `mute USER`, `unmute USER`, `ban USER`, `unban USER`, `banned`, `invite USER`,
/// `promote USER`, `demote USER`, `freeze`, `unfreeze`.
final class Moderation: SBDChannelDelegate {
    private let screen: Screen
    private let chat: Chat

    init(_ chat: Chat, _ screen: Screen) {
        (self.chat, self.screen) = (chat, screen)
        SBDMain.add(self as any SBDChannelDelegate, identifier: "moderation")
        screen.on("members") { _ in self.members() }
        screen.on("banned") { _ in self.banned() }
        on("mute") { $0.muteUser(withUserId: $1, completionHandler: $2) }
        on("unmute") { $0.unmuteUser(withUserId: $1, completionHandler: $2) }
        on("ban") { $0.banUser(withUserId: $1, seconds: 600, completionHandler: $2) }
        on("unban") { $0.unbanUser(withUserId: $1, completionHandler: $2) }
        on("invite") { $0.inviteUserIds([$1], completionHandler: $2) }
        on("promote") { $0.addOperators(withUserIds: [$1], completionHandler: $2) }
        on("demote") { $0.removeOperators(withUserIds: [$1], completionHandler: $2) }
        on("freeze") { channel, _, done in channel.freeze(completionHandler: done) }
        on("unfreeze") { channel, _, done in channel.unfreeze(completionHandler: done) }
    }

    /// Adds a command that acts on a user of the opened channel.
    private func on(
        _ name: String,
        _ action: @escaping (SBDGroupChannel, _ user: String, @escaping SBDErrorHandler) -> Void
    ) {
        screen.on(name) { user in
            guard let channel = self.chat.channel else { return self.screen.done("no channel") }
            action(channel, user) { error in
                self.screen.done("done:", name, user, error: error)
            }
        }
    }

    private func members() {
        let query = chat.channel?.createMemberListQuery()
        query?.limit = 20
        query?.order = .nicknameAlphabetical
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

    func channel(_ sender: SBDBaseChannel, userWasMuted user: SBDUser) {
        screen.show("muted:", user.userId)
    }

    func channel(_ sender: SBDBaseChannel, userWasUnmuted user: SBDUser) {
        screen.show("unmuted:", user.userId)
    }

    func channel(_ sender: SBDBaseChannel, userWasBanned user: SBDUser) {
        screen.show("banned:", user.userId)
    }

    func channelWasFrozen(_ sender: SBDBaseChannel) {
        screen.show("frozen:", sender.name)
    }
}
