// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendBirdSDK
import SendBirdSyncManager

/// The list of the user's channels.
///
/// `create NAME USER…`, `list`, `channels`.
final class ChannelList: SBSMChannelCollectionDelegate {
    private let screen: Screen
    private var collection: SBSMChannelCollection?
    private var channels: [SBDGroupChannel] = []

    init(_ screen: Screen) {
        self.screen = screen
        screen.on("create", create)
        screen.on("list") { _ in self.open() }
        screen.on("channels") { _ in self.screen.done("channels", self.names) }
    }

    func channel(named name: String) -> SBDGroupChannel? {
        channels.first { $0.name == name }
    }

    func close() {
        collection?.remove()
        collection = nil
        channels = []
    }

    private var names: String { channels.map(\.name).listed }

    private func create(_ words: String) {
        let (name, users) = words.firstWord
        let params = SBDGroupChannelParams()
        params.name = name
        params.addUserIds(users.split(separator: " ").map(String.init))
        params.operatorUserIds = [SBDMain.getCurrentUser()?.userId ?? ""]
        SBDGroupChannel.createChannel(with: params) { channel, error in
            self.screen.done("created", channel?.name ?? "", error: error)
        }
    }

    private func open() {
        close()
        let query = SBDGroupChannel.createMyGroupChannelListQuery()
        query?.includeEmptyChannel = true
        query?.order = .latestLastMessage
        collection = SBSMChannelCollection(query: query)
        collection?.delegate = self
        collection?.fetch { error in
            self.screen.done("channels", self.names)
        }
    }

    // MARK: Events

    func collection(
        _ collection: SBSMChannelCollection, didReceiveEvent action: SBSMChannelEventAction,
        channels: [SBDGroupChannel]
    ) {
        switch action {
        case .insert:
            self.channels += channels
            screen.show("added:", channels.map(\.name).listed)
        case .update, .move:
            for channel in channels {
                self.channels.removeAll { $0 == channel }
                self.channels.append(channel)
            }
        case .remove:
            self.channels.removeAll { channels.contains($0) }
            screen.show("removed:", channels.map(\.name).listed)
        case .clear: self.channels = []
        case .none: break
        }
    }
}
