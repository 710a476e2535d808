// SPDX-License-Identifier: Apache-2.0

import SendbirdChatSDK

/// Open channels, which any user may enter.
///
/// `open-channel NAME` makes one, `enter NAME`, `say TEXT`, `hear TEXT` until it is said,
/// `participants`, `exit`.
final class OpenChannels: OpenChannelDelegate {
    private let screen: Screen
    private var channel: OpenChannel?
    private var heard: [String] = []
    /// The text that the present command waits for.
    private var awaited: String?

    init(_ screen: Screen) {
        self.screen = screen
        SendbirdChat.addChannelDelegate(self, identifier: "open")
        screen.on("open-channel", create)
        screen.on("enter", enter)
        screen.on("say", say)
        screen.on("hear") { text in
            self.awaited = text
            self.check()
        }
        screen.on("participants") { _ in self.participants() }
        screen.on("exit") { _ in
            self.channel?.exit { error in
                let name = self.channel?.name ?? ""
                self.channel = nil
                screen.done("left", name, error: error)
            }
        }
    }

    private func create(_ name: String) {
        OpenChannel.createChannel(params: OpenChannelCreateParams(name: name)) { channel, error in
            self.screen.done("opened", channel?.name ?? "", error: error)
        }
    }

    private func enter(_ name: String) {
        let query = OpenChannel.createOpenChannelListQuery { $0.channelNameFilter = name }
        query.loadNextPage { channels, error in
            guard let channel = channels?.first else {
                return self.screen.done("no channel \(name)", error: error)
            }
            channel.enter { error in
                if error == nil { self.channel = channel }
                self.screen.done("entered", channel.name, error: error)
            }
        }
    }

    private func say(_ text: String) {
        guard let channel else { return screen.done("outside") }
        channel.sendUserMessage(text) { message, error in
            self.screen.done("said", message?.message ?? "", error: error)
        }
    }

    private func participants() {
        channel?.createParticipantListQuery()?.loadNextPage { users, error in
            let ids = (users ?? []).map(\.userId).sorted()
            self.screen.done("participants:", ids.listed, error: error)
        }
    }

    private func check() {
        guard let awaited, heard.contains(awaited) else { return }
        self.awaited = nil
        screen.done("heard", awaited)
    }

    // MARK: Events

    func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {
        guard channel.channelURL == self.channel?.channelURL else { return }
        heard.append(message.message)
        check()
    }

    func channel(_ channel: OpenChannel, userDidEnter user: User) {
        screen.show("came in:", user.userId)
    }
}
