// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK

/// The device's token for notifications, and the user's wishes about them.
///
/// `register TOKEN`, `unregister TOKEN`, `notify all|mentions|off`, `notify-channel all|mentions|off`,
/// `quiet on|off`.
final class Push {
    private let screen: Screen
    private let chat: Chat

    init(_ chat: Chat, _ screen: Screen) {
        (self.chat, self.screen) = (chat, screen)
        screen.on("register", register)
        screen.on("unregister") { token in
            SendbirdChat.unregisterPushToken(Data(token.utf8)) { error in
                screen.done("unregistered", error: error)
            }
        }
        screen.on("notify", notify)
        screen.on("notify-channel", notifyOfChannel)
        screen.on("quiet", quiet)
    }

    private func register(_ token: String) {
        SendbirdChat.registerDevicePushToken(Data(token.utf8), unique: true) { status, error in
            switch status {
            case .success: self.screen.done("registered")
            // The app registers the pending token again after the login.
            case .pending: self.screen.done("registered later")
            case .error: self.screen.done("registered", error: error)
            }
        }
    }

    private func notify(_ wish: String) {
        let option: PushTriggerOption =
            wish == "off" ? .off : wish == "mentions" ? .mentionOnly : .all
        SendbirdChat.setPushTriggerOption(option) { error in
            SendbirdChat.getPushTriggerOption { kept, _ in
                self.screen.done("notified of", "\(kept)", error: error)
            }
        }
    }

    private func notifyOfChannel(_ wish: String) {
        let option: GroupChannelPushTriggerOption =
            wish == "off" ? .off : wish == "mentions" ? .mentionOnly : .all
        chat.channel?.setMyPushTriggerOption(option) { error in
            let kept = self.chat.channel?.myPushTriggerOption ?? .default
            self.screen.done("notified in the channel of", "\(kept)", error: error)
        }
    }

    private func quiet(_ wish: String) {
        SendbirdChat.setDoNotDisturb(
            enable: wish == "on", startHour: 22, startMin: 0, endHour: 7, endMin: 30,
            timezone: "Europe/Berlin"
        ) { error in
            SendbirdChat.getDoNotDisturb { isOn, startHour, _, endHour, endMin, timezone, _ in
                let hours = "\(startHour):00 to \(endHour):\(endMin) \(timezone)"
                self.screen.done("quiet:", isOn ? hours : "never", error: error)
            }
        }
    }
}
