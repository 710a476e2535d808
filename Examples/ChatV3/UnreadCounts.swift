// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendBirdSDK

/// The numbers on the app's icon and tabs.
///
/// `unread`, `badge`.
final class UnreadCounts: SBDUserEventDelegate {
    private let screen: Screen
    private var badge = 0

    init(_ screen: Screen) {
        self.screen = screen
        SBDMain.add(self as any SBDUserEventDelegate, identifier: "badge")
        screen.on("unread") { _ in self.count() }
        screen.on("badge") { _ in screen.done("badge", "\(self.badge)") }
    }

    private func count() {
        SBDMain.getTotalUnreadMessageCount { messages, error in
            self.badge = Int(messages)
            SBDMain.getTotalUnreadChannelCount { channels, _ in
                self.screen.done("unread: \(messages) in \(channels)", error: error)
            }
        }
    }

    func didUpdateTotalUnreadMessageCount(
        _ totalCount: Int32, totalCountByCustomType: [String: NSNumber]?
    ) {
        badge = Int(totalCount)
    }
}
