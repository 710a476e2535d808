// SPDX-License-Identifier: Apache-2.0

import SendbirdChatSDK

/// The numbers on the app's icon and tabs.
///
/// `unread`, `badge`.
final class UnreadCounts: UserEventDelegate {
    private let screen: Screen
    private var badge = 0

    init(_ screen: Screen) {
        self.screen = screen
        SendbirdChat.addUserEventDelegate(self, identifier: "badge")
        screen.on("unread") { _ in self.count() }
        screen.on("badge") { _ in screen.done("badge", "\(self.badge)") }
    }

    private func count() {
        SendbirdChat.getTotalUnreadMessageCount { messages, error in
            self.badge = Int(messages)
            SendbirdChat.getTotalUnreadChannelCount { channels, _ in
                self.screen.done("unread: \(messages) in \(channels)", error: error)
            }
        }
    }

    func didUpdateTotalUnreadMessageCount(unreadMessageCount: UnreadMessageCount) {
        badge = Int(unreadMessageCount.groupChannelCount)
    }
}
